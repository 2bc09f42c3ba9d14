# SPDX-License-Identifier: GPL-2.0-only
"""The state of one CPU of the model, and its moves, as data."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from typing import NamedTuple

from emu.ftrace.sites.patching import Patch
from emu.race.model.model_sites import model_patches
from emu.race.scenario.fetch import View
from emu.race.scenario.protocol_steps import Free, LabStep, WaitTasks
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import Event

__all__ = [
    "ANY", "BETWEEN", "MOST_BETWEEN", "NEW", "OLD", "Cpu", "Due", "Frame", "Kind", "Move", "answered", "frees", "popped",
    "pushed", "replaced", "trampolines",
]  # fmt: skip

OLD, NEW, BETWEEN = 1, 2, 4  # BETWEEN: the first of the codes between them; the others' bits follow
ANY = (1 << 16) - 1
MOST_BETWEEN = 14

_WITH_INTERRUPTS = frozenset(("at", "in", "user", "idle"))


class Kind(StrEnum):
    """What a CPU can be doing."""

    AT = "at"  # before an instruction of a site
    TRAP = "trap"  # the breakpoint handler; interrupts are off
    IN = "in"  # a trampoline called by an old call
    NMI = "nmi"  # an NMI handler; interrupts are off
    IRQ = "irq"  # another interrupt's handler; interrupts are off
    IDLE = "idle"  # the idle task, on its way to a site
    OFFLINE = "offline"  # not running at all
    USER = "user"  # user mode
    ENTRY = "entry"  # the kernel's entry; interrupts are off


class Frame(NamedTuple):
    """One level of a CPU's activity.

    Attributes:
        kind: the kind.
        site: of AT and TRAP: the site's number, from 1.
        offset: of AT: of the next instruction; of TRAP: of the breakpoint.
        kept: of AT and TRAP: whether the instructions so far may have been the old ones, the new ones, those of code between
            them that is right (`Scenario.between`), or several of these: a bit for each.
        nth: of TRAP and ENTRY: how many of the sites on its way it has passed; of NMI: 1 if NMIs are unmasked again.
    """

    kind: Kind
    site: int = 0
    offset: int = 0
    kept: int = 0
    nth: int = 0


class Due(IntEnum):
    """What a CPU owes the patcher."""

    NOTHING = 0
    INTERRUPT = 1  # to take the interrupt of a SYNC
    WAIT = 2  # to take the interrupt of a PARK
    PARKED = 3  # nothing: it is parked
    RELEASED = 4  # to continue
    TASK = 5  # that its task stands nowhere, or in user mode, once


class Cpu(NamedTuple):
    """The state of one CPU.

    Attributes:
        view: for each site, the versions that the CPU may see.
        frames: its activities, innermost last; (): somewhere in the kernel, with interrupts on.
        due: what it owes.
        deferred: whether it owes a synchronisation to be made at its next kernel entry.
        visits: how many more times it may visit a site, if that is bounded.
        nmis: how many more NMIs and interrupts with sites on their way may occur, if that is bounded.
    """

    view: tuple[View, ...]
    frames: tuple[Frame, ...] = ()
    due: Due = Due.NOTHING
    deferred: bool = False
    visits: int = 0
    nmis: int = 0

    @property
    def kinds(self) -> set[Kind]:
        """What it is in the midst of."""
        return {frame.kind for frame in self.frames}

    @property
    def is_interrupted(self) -> bool:
        """Whether it is in the handler of an NMI or an interrupt."""
        return any(frame.kind in (Kind.NMI, Kind.IRQ) for frame in self.frames)

    @property
    def interrupts_are_on(self) -> bool:
        return self.kinds <= _WITH_INTERRUPTS

    @property
    def task_is_away(self) -> bool:
        """Whether a wait for tasks does not wait for this CPU: it is in no handler, and its task stands nowhere, is in user mode,
        or is the idle task.
        """
        if not self.frames:
            return True
        return not self.is_interrupted and self.frames[0].kind not in (Kind.AT, Kind.TRAP, Kind.IN, Kind.ENTRY)


class Move(NamedTuple):
    """A possible next move.

    Attributes:
        event: the event. A CPU's has agent 0.
        after: the CPU's state; None if it is undefined, as after something wrong.
        wrong: what is wrong about it, if anything.
        why: the same as a sentence.
    """

    event: Event
    after: Cpu | None
    wrong: Wrong | None = None
    why: str = ""


def pushed(cpu: Cpu, frame: Frame) -> Cpu:
    """The CPU with another frame, the innermost one."""
    return cpu._replace(frames=(*cpu.frames, frame))


def popped(cpu: Cpu) -> Cpu:
    """The CPU without its innermost frame."""
    return cpu._replace(frames=cpu.frames[:-1])


def answered(cpu: Cpu) -> Cpu:
    """The CPU after it has moved: if its task is away, it has answered the wait for tasks."""
    return cpu._replace(due=Due.NOTHING) if cpu.due is Due.TASK and cpu.task_is_away else cpu


def replaced(scenario: Scenario, patches: Sequence[Patch], *, keeps_old: bool) -> int:
    """The codes that must not be executed after the protocol, as bits (`Frame.kept`), if the old code is kept, or the new."""
    kept = OLD if keeps_old else NEW
    found = (OLD | NEW) & ~kept
    for bit, (_, as_new) in enumerate(scenario.between(patches[0])):
        if as_new is not (kept == NEW):
            found |= BETWEEN << bit
    return found


def trampolines(scenario: Scenario) -> bool:
    """Whether old calls call trampolines in which a task may stand: they are freed, or waited for."""
    return scenario.from_call and any(isinstance(step, Free | WaitTasks) for step in _steps(scenario))


def frees(scenario: Scenario) -> bool:
    """Whether trampolines that old calls call are freed."""
    return scenario.from_call and any(isinstance(step, Free) for step in _steps(scenario))


def _steps(scenario: Scenario) -> list[LabStep]:
    """The steps of all patchers."""
    return [step for steps in scenario.steps_of_all(model_patches(scenario)) for step in steps]
