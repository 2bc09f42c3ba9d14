# SPDX-License-Identifier: GPL-2.0-only
"""Patching protocols: what is written, in which order, to change instructions under running CPUs.

A protocol is a function from patches to a list of steps. emu.ftrace.sites.patching_driver performs the steps while the CPUs
keep running. The function's arguments are the patches and the code of the architecture's breakpoint (b"" if none is needed).

    >>> def hasty(patches, breakpoint):
    ...     return [Write(patch.address, patch.old, patch.new) for patch in patches]

    before          0f 1f 44 00 00     a five-byte instruction
    breakpoint      cc 1f 44 00 00     breakpoint | old tail
    tail            cc d2 3a 00 00     breakpoint | new tail
    after           e8 d2 3a 00 00     the new instruction

The architecture says which of these protocols make sense for it (`FtraceArch.protocols`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["PROTOCOLS", "Park", "Patch", "Protocol", "Release", "Step", "Synchronise", "Write", "undo"]


@dataclass(frozen=True)
class Patch:
    """One instruction to change, at a virtual address of the kernel's text."""

    address: int
    old: bytes
    new: bytes


@dataclass(frozen=True)
class Write:
    """Writes `new` at an address of the kernel's text, which must hold the equally long `expected`."""

    address: int
    expected: bytes
    new: bytes


@dataclass(frozen=True)
class Synchronise:
    """Every CPU takes an interrupt and drops its translations of the patched places."""


@dataclass(frozen=True)
class Park:
    """Every CPU waits with interrupts off, outside the patched places."""


@dataclass(frozen=True)
class Release:
    """The parked CPUs drop their translations of the patched places and continue."""


Step: TypeAlias = Write | Synchronise | Park | Release
Protocol: TypeAlias = Callable[[Sequence[Patch], bytes], list[Step]]


def breakpoint_synced(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions under running CPUs: first writes a breakpoint, then the tail, then the head.

    An instruction that is no longer than a breakpoint is written in the first step.
    """
    n = len(breakpoint)
    short, long = [p for p in patches if len(p.old) <= n], [p for p in patches if len(p.old) > n]
    steps: list[Step] = [
        *[Write(p.address, p.old, p.new) for p in short],
        *[Write(p.address, p.old[:n], breakpoint) for p in long],
        Synchronise(),
    ]
    if long:
        steps += [
            *[Write(p.address + n, p.old[n:], p.new[n:]) for p in long],
            Synchronise(),
            *[Write(p.address, breakpoint, p.new[:n]) for p in long],
            Synchronise(),
        ]
    return steps


def flush(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions that can be written at once. A CPU runs the old or the new one; after a flush, the new one."""
    return [*[Write(p.address, p.old, p.new) for p in patches], Synchronise()]


def stop_machine(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """Replaces instructions while every CPU is parked."""
    return [Park(), *[Write(p.address, p.old, p.new) for p in patches], Release()]


def undo(journal: Sequence[Write], patches: Sequence[Patch], breakpoint: bytes, *, parked: bool) -> list[Step]:
    """The steps that take back the writes made so far.

    If there is a breakpoint, undoing is as careful as patching: while CPUs wait, an NMI handler that executes a site would see
    a store of several bytes half done.

    Args:
        journal: the writes, in the order in which they were made.
        patches: the intended changes.
        breakpoint: the architecture's, as for a protocol.
        parked: whether the CPUs are parked.
    """
    found = {patch.address: bytearray(patch.old) for patch in patches}
    start_of = {patch.address + n: patch.address for patch in patches for n in range(len(patch.old))}
    others: list[Step] = []  # writes outside the patches, by a user's own protocol
    for write in journal:
        start = start_of.get(write.address)
        if start is None or start_of.get(write.address + len(write.new) - 1) != start:
            others.insert(0, Write(write.address, write.new, write.expected))
        else:
            at = write.address - start
            found[start][at : at + len(write.new)] = write.new
    changed = [Patch(p.address, bytes(found[p.address]), p.old) for p in patches if found[p.address] != p.old]
    synchronise = Release() if parked else Synchronise()
    n = len(breakpoint)
    if not n:
        return [*others, *[Write(p.address, p.old, p.new) for p in changed], synchronise]
    return [
        *others,
        *[Write(p.address, p.old[:n], breakpoint) for p in changed if p.old[:n] != breakpoint],
        synchronise,
        *[Write(p.address + n, p.old[n:], p.new[n:]) for p in changed],
        Synchronise(),
        *[Write(p.address, breakpoint, p.new[:n]) for p in changed],
        Synchronise(),
    ]


PROTOCOLS: Mapping[str, Protocol] = {"breakpoint": breakpoint_synced, "flush": flush, "stop_machine": stop_machine}
