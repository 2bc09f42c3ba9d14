# SPDX-License-Identifier: GPL-2.0-only
"""The part of an exploration's state that is not in the machine: what the fetch model and the patcher know of each CPU."""

from __future__ import annotations

from typing import NamedTuple

from emu.race.model.cpu_state import ANY, Due
from emu.race.scenario.fetch import View

__all__ = ["CpuNotes", "Notes", "Stand", "answered"]


class Stand(NamedTuple):
    """A CPU's position at a site.

    Attributes:
        site: the site's number, from 1; in the trampoline 0.
        offset: of the next instruction, or of the breakpoint.
        kept: what the instructions so far may have been: OLD, NEW, codes between them, or several of these (`cpu_state.Frame`).
        trapped: whether it is in the breakpoint handler.
        inside: whether it is in the trampoline that the old code of a site has called.
        ended: of an NMI handler that NMIs may interrupt: whether it has left its site.
    """

    site: int
    offset: int = 0
    kept: int = ANY
    trapped: bool = False
    inside: bool = False
    ended: bool = False


class CpuNotes(NamedTuple):
    """What is known of one CPU besides its registers.

    Attributes:
        view: for each site, the versions that it may see.
        thread: its thread's position; None: at home.
        irq: the position of another interrupt's handler that came to a site; None: not in such an interrupt.
        nmi: its NMI handler's position; None: not in an NMI.
        unmasked: whether NMIs may come in its NMI.
        due: what it owes the patcher.
        visits: how many more times its thread may visit a site.
        nmis: how many more NMIs, and other interrupts that come to sites, may occur.
        interrupted: where its NMI occurred, and where its other interrupt did.
    """

    view: tuple[View, ...]
    thread: Stand | None = None
    irq: Stand | None = None
    nmi: Stand | None = None
    unmasked: bool = False
    due: Due = Due.NOTHING
    visits: int = 1
    nmis: int = 1
    interrupted: tuple[int, int] = (0, 0)

    @property
    def inner(self) -> Stand | None:
        """Its innermost position."""
        return self.nmi or self.irq or self.thread

    @property
    def is_trapped(self) -> bool:
        """Whether it is in the breakpoint handler, or has been interrupted there."""
        return any(stand is not None and stand.trapped for stand in (self.thread, self.irq, self.nmi))

    @property
    def interrupts_are_on(self) -> bool:
        return self.nmi is None and self.irq is None and not (self.thread is not None and self.thread.trapped)


def answered(cpu: CpuNotes) -> CpuNotes:
    """The notes of a CPU that may be at home, and in no NMI: then it has answered a wait for tasks."""
    return cpu._replace(due=Due.NOTHING) if cpu.due is Due.TASK and cpu.inner is None else cpu


class Notes(NamedTuple):
    """The number of the patcher's events so far, and what is known of each CPU."""

    position: int
    cpus: tuple[CpuNotes, ...]

    @property
    def key(self) -> object:
        """A key that is equal for states with the same future.

        A CPU's future depends on the bytes that it may see, on its position and what it owes, and on the future of the patcher
        and its handler, which is determined by the patcher's position. CPUs are alike, so their order does not matter. Memory
        written by the guest in between (counters, stacks) and clocks do not matter: no timer runs, and CPUs share nothing but the
        patcher. The place of an NMI follows from the rest, or is in the loop in which a CPU waits.
        """
        return self.position, tuple(sorted(map(_key, self.cpus)))


_NOWHERE = Stand(0)


def _key(cpu: CpuNotes) -> CpuNotes:
    stands = [stand or _NOWHERE for stand in (cpu.thread, cpu.irq, cpu.nmi)]
    return cpu._replace(thread=stands[0], irq=stands[1], nmi=stands[2], interrupted=(0, 0))
