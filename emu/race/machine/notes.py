# SPDX-License-Identifier: GPL-2.0-only
"""What belongs to a state of an exploration beside the machine: what the fetch model and the patcher know of each CPU."""

from __future__ import annotations

from typing import NamedTuple

from emu.race.model.automaton import Due
from emu.race.scenario.fetch import View

__all__ = ["BOTH", "NEW", "OLD", "CpuNotes", "Notes", "Stand"]

OLD, NEW = 1, 2
BOTH = OLD | NEW


class Stand(NamedTuple):
    """Where a CPU stands at a site.

    Attributes:
        site: the site's number, from 1.
        offset: of the instruction that comes next, or of the breakpoint.
        kept: what the instructions so far can have been: OLD, NEW, BOTH.
        trapped: whether it stands in the breakpoint handler.
    """

    site: int
    offset: int = 0
    kept: int = BOTH
    trapped: bool = False


class CpuNotes(NamedTuple):
    """What is known of one CPU beside its registers.

    Attributes:
        view: of each site: which versions it may see.
        thread: where its thread stands; None: at home.
        nmi: where its NMI handler stands; None: it is in none.
        due: what it owes to the patcher.
        visits: how often its thread may still come to a site.
        nmis: how many NMIs may still come.
        interrupted: where its NMI came.
    """

    view: tuple[View, ...]
    thread: Stand | None = None
    nmi: Stand | None = None
    due: Due = Due.NOTHING
    visits: int = 1
    nmis: int = 1
    interrupted: int = 0

    @property
    def inner(self) -> Stand | None:
        """Where it stands now."""
        return self.nmi or self.thread


class Notes(NamedTuple):
    """How many events the patcher has done, and what is known of each CPU."""

    position: int
    cpus: tuple[CpuNotes, ...]

    @property
    def key(self) -> object:
        """What states have in common that go on alike.

        What a CPU does next follows from the bytes that it may see, from where it stands and what it owes, and from what
        the patcher and its handler do, which is the patcher's position. CPUs are alike, so their order does not count.
        Memory that the guest writes meanwhile (counters, stacks) and clocks decide nothing: no timer runs, and CPUs share
        nothing but the patcher. Where an NMI came is what the rest says, or a place in the loop in which a CPU waits.
        """
        return self.position, tuple(sorted(map(_key, self.cpus)))


_NOWHERE = Stand(0)


def _key(cpu: CpuNotes) -> CpuNotes:
    return cpu._replace(thread=cpu.thread or _NOWHERE, nmi=cpu.nmi or _NOWHERE, interrupted=0)
