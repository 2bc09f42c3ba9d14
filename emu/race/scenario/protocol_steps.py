# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in the race lab: the driver's, one of its own, additional steps, and operations on lists of steps.

A *stage*, as counted by a scenario's `without` and `swap`, is a run of writes, or one other step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Step, Synchronise, Write, undo

__all__ = [
    "LAB_PROTOCOLS", "PAIR", "STEP_KINDS", "Forget", "Free", "Know", "LabStep", "Lock", "Unlock", "WaitTasks", "WideWrite",
    "checked", "pieces", "stages", "swapped", "undone", "without",
]  # fmt: skip


@dataclass(frozen=True)
class Free:
    """Frees and overwrites the trampolines of the old calls."""


@dataclass(frozen=True)
class WaitTasks:
    """Waits until each task was away from sites, their trampolines and the breakpoint handler, once since the wait began.

    As Linux's synchronize_rcu_tasks(), it waits for tasks that were preempted, interrupted or trapped there, and for handlers of
    interrupts and NMIs that run when it begins; not for the idle task.
    """


@dataclass(frozen=True)
class Forget:
    """The breakpoint handler forgets a site, or if `site` is 0 all of them. Implied at a protocol's end."""

    site: int = 0


@dataclass(frozen=True)
class Know:
    """From here on the breakpoint handler knows a site, or if `site` is 0 all of them. It knows all others from the beginning."""

    site: int = 0


@dataclass(frozen=True)
class Lock:
    """Waits until no patcher has this lock, and takes it. The locks have numbers, from 1."""

    number: int = 1


@dataclass(frozen=True)
class Unlock:
    """Gives a lock back, if the patcher has it."""

    number: int = 1


@dataclass(frozen=True)
class WideWrite(Write):
    """A store of 16 bytes, which is whole if it lies in 16 aligned bytes. `new` has those that lie in the site."""


LabStep: TypeAlias = Step | Free | WaitTasks | Forget | Know | Lock | Unlock
STEP_KINDS = (Synchronise, Park, Release, Free, WaitTasks, Forget, Know, Lock, Unlock)  # except writes
_WIDE = 16
PAIR = "pair"


def pair(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
    """Replaces two nops by a call of two instructions, or such a call by two nops, one instruction after the other.

    The first instruction alone has no effect, the second one alone calls anything. So a CPU must never execute the second one
    without the first one: the first one is written first, and tasks that have executed the nop in its place are waited for; on
    the way back it is written last. An instruction that does not change is not written.
    """
    half = len(patches[0].old) // 2 if patches else 0
    firsts = [Write(p.address, p.old[:half], p.new[:half]) for p in patches if p.old[:half] != p.new[:half]]
    seconds = [Write(p.address + half, p.old[half:], p.new[half:]) for p in patches if p.old[half:] != p.new[half:]]
    if not firsts:
        return [*seconds, Synchronise()]
    if any(p.old[:half] == p.old[half:] for p in patches):  # two nops
        return [*firsts, Synchronise(), WaitTasks(), *seconds, Synchronise()]
    return [*seconds, Synchronise(), *firsts, Synchronise()]


LAB_PROTOCOLS: Mapping[str, Callable[[Sequence[Patch], bytes], Sequence[LabStep]]] = {**PROTOCOLS, PAIR: pair}
"""The driver's, and the lab's own."""


def stages(steps: Sequence[LabStep]) -> list[list[LabStep]]:
    """The steps grouped into stages: each run of writes is one."""
    found: list[list[LabStep]] = []
    for step in steps:
        if isinstance(step, Write) and found and isinstance(found[-1][-1], Write):
            found[-1].append(step)
        else:
            found.append([step])
    return found


def without(steps: Sequence[LabStep], *numbers: int) -> list[LabStep]:
    """The steps without some stages, counted from 1."""
    return [step for number, stage in enumerate(stages(steps), 1) if number not in numbers for step in stage]


def swapped(steps: Sequence[LabStep], first: int, second: int) -> list[LabStep]:
    """The steps with two stages swapped."""
    order = stages(steps)
    order[first - 1], order[second - 1] = order[second - 1], order[first - 1]
    return [step for stage in order for step in stage]


def checked(steps: Sequence[LabStep], patches: Sequence[Patch]) -> list[LabStep]:
    """The steps, with each write expecting the bytes that it will find, if nobody else writes.

    Raises:
        ValueError: a write is not within one of the patches. The text says which.
    """
    memory = {patch.address + n: byte for patch in patches for n, byte in enumerate(patch.old)}
    found: list[LabStep] = []
    for step in steps:
        if isinstance(step, Write):
            places = range(step.address, step.address + len(step.new))
            if not any(p.address <= step.address and places.stop <= p.address + len(p.old) for p in patches):
                sites = ", ".join(f"{p.address:#x} to {p.address + len(p.old) - 1:#x}" for p in patches)
                raise ValueError(f"a write of {len(step.new)} bytes at {step.address:#x} is not within a site ({sites})")
            step = dataclasses.replace(step, expected=bytes(memory[at] for at in places))
            memory.update(zip(places, step.new, strict=True))
        found.append(step)
    return found


def undone(steps: Sequence[LabStep], patches: Sequence[Patch], breakpoint: bytes, write: int) -> list[LabStep]:
    """The driver's steps if the place of write number `write` (from 1) does not hold the expected bytes."""
    made: list[LabStep] = []
    for step in steps:
        if isinstance(step, Write):
            write -= 1
            if write == 0:
                break
        made.append(step)
    journal = [step for step in made if isinstance(step, Write)]
    parked = [step for step in made if isinstance(step, Park | Release)][-1:] == [Park()]
    return [*made, *undo(journal, patches, breakpoint, parked=parked)]


def pieces(write: Write, atom: int) -> Iterator[Write]:
    """A store as seen by other CPUs: atomic within an aligned piece of `atom` bytes, otherwise one part after another."""
    address, expected, new = write.address, write.expected, write.new
    if isinstance(write, WideWrite):
        atom = max(atom, _WIDE)
    while new:
        size = min(len(new), atom - address % atom)
        yield Write(address, expected[:size], new[:size])
        address, expected, new = address + size, expected[size:], new[size:]
