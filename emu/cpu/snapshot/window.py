# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of one window of a run, thousands of them a second.

What a window changes is always the same: a dozen pages, records and objects. This *working set* is what `save` and
`restore` copy, in microseconds. `strays` tells whether something else has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emu.cpu.board import Board
from emu.cpu.snapshot.cpus import CpuState, CpuStates
from emu.cpu.snapshot.objects import Contents, Objects
from emu.cpu.snapshot.pages import MemoryBase, Numbers, PageContents

__all__ = ["Snapshots", "State", "WorkingSet"]


@dataclass(frozen=True)
class State:
    """What a machine was at one moment, as far as it is in the working set."""

    pages: tuple[PageContents, ...]
    cpus: tuple[CpuState, ...]
    contents: Contents


class WorkingSet(NamedTuple):
    """What snapshots of one window hold: the numbers of each memory's pages, and the ids of objects."""

    pages: tuple[Numbers, ...]
    keys: tuple[int, ...]


class Snapshots:
    """Saves and restores a machine that stands still.

    Begin at an instant from which the same window of the run is going to be explored. Run the window from there, ask for
    `strays`, and do so again until there are none. Then every state that was saved since is right.

        snapshots = Snapshots(machine.board, [machine])
        while True:
            explore(snapshots)              # restore(base), run a little, save(), ...
            if not snapshots.strays():
                break                       # otherwise what was explored means nothing

    Translations are not saved: before a CPU executes a place that holds other bytes than when the CPU translated it, the
    caller has the CPU `forget` it. Clocks, registers, TLBs, interrupts and devices are saved. The host's files, and what
    the console's sink got, stay as they are. A restore empties Unicorn's own cache of translated addresses; so a CPU whose
    TLB software fills may later replace another entry than without the restore, but after each restore of a state the same one.

    Args:
        board: between two turns.
        roots: the objects from which all others that belong to the machine can be reached.

    Attributes:
        base: the state at the beginning.

    Raises:
        Unsaveable: one of the objects cannot be put back.
        OSError: the host has too little memory.
    """

    def __init__(self, board: Board, roots: Sequence[object]) -> None:
        self._cpus = [CpuStates(cpu) for cpu in board.cpus]
        of_the_process = [board.arch, board.arch.timing()]
        self._objects = Objects(roots, apart=[*of_the_process, *(cpu.record.words for cpu in board.cpus)])
        self._memory = MemoryBase(self._objects.memory)
        self._pages: list[Numbers] = [np.zeros(0, np.int64) for _ in self._memory.memory]
        self._keys: list[int] = []
        self.base = self.save()

    def save(self) -> State:
        """The present state, as far as it is in the working set.

        Raises:
            Unsaveable: there is a new object that cannot be put back.
        """
        pages = zip(self._memory.memory, self._pages, strict=True)
        return State(
            tuple(memory.save(numbers) for memory, numbers in pages if len(numbers)),
            tuple(cpu.save() for cpu in self._cpus),
            self._objects.save(self._keys),
        )

    def restore(self, state: State) -> None:
        """Puts a state back, as far as it is in the working set. It must have been saved since the last strays."""
        if not self._memory.in_force:
            self._memory.use()
        in_use = (memory for memory, numbers in zip(self._memory.memory, self._pages, strict=True) if len(numbers))
        for memory, contents in zip(in_use, state.pages, strict=True):
            memory.put_back(contents)
        for cpu, saved in zip(self._cpus, state.cpus, strict=True):
            cpu.put_back(saved)
        self._objects.put_back(state.contents)

    def strays(self) -> int:
        """How many pages and objects outside the working set have changed since the base. 0: every state is right.

        Otherwise they join the working set, the machine is back at the base, and states saved before mean nothing.

        Raises:
            ValueError: since the last restore, a checkpoint of the machine was taken or restored.
        """
        if not self._memory.in_force:
            raise ValueError("the machine has been saved or restored by others meanwhile")
        changed = [memory.changed() for memory in self._memory.memory]
        pages = [np.setdiff1d(now, known, assume_unique=True) for now, known in zip(changed, self._pages, strict=True)]
        keys = self._objects.changed().difference(self._keys)
        strays = sum(map(len, pages)) + len(keys)
        if strays:
            known = zip(self._pages, pages, strict=True)
            self.begin_again(WorkingSet(tuple(np.union1d(*both) for both in known), (*self._keys, *keys)))
        return strays

    @property
    def working_set(self) -> WorkingSet:
        """The present one."""
        return WorkingSet(tuple(self._pages), tuple(self._keys))

    def begin_again(self, working_set: WorkingSet) -> None:
        """The machine is back at the base, whatever has changed. States that were saved with another working set mean nothing."""
        self._memory.back()
        self._objects.back_to_base(self._objects.changed())
        for cpu, saved in zip(self._cpus, self.base.cpus, strict=True):
            cpu.put_back(saved)
        self._pages, self._keys = list(working_set.pages), list(working_set.keys)
        self.base = self.save()
