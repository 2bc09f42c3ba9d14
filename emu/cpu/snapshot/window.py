# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots of one window of a run, thousands per second.

A window always changes the same things: a dozen pages, records and objects. `save` and `restore` copy this *working set*,
in microseconds. `strays` detects other changes.
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
    """A machine's state at one moment, limited to the working set."""

    pages: tuple[PageContents, ...]
    cpus: tuple[CpuState, ...]
    contents: Contents


class WorkingSet(NamedTuple):
    """The contents of one window's snapshots: the page numbers of each memory, and the ids of objects."""

    pages: tuple[Numbers, ...]
    keys: tuple[int, ...]


class Snapshots:
    """Saves and restores a machine that stands still.

    Create it at the moment from which the same window of the run will be explored. Explore the window from there, call `strays`,
    and repeat until it returns 0. Then all states saved since are right.

        snapshots = Snapshots(machine.board, [machine])
        while True:
            explore(snapshots)              # restore(base), run a little, save(), ...
            if not snapshots.strays():
                break                       # otherwise the exploration must be repeated

    Translations are not saved: before a CPU executes a place whose bytes have changed since the CPU translated it, the caller
    must make the CPU `fetch_anew`. Clocks, registers, TLBs, interrupts and devices are saved. The host's files, and the output
    the console's sink got, stay as they are. A restore empties Unicorn's own cache of translated addresses; so a CPU whose
    TLB software fills may later replace another entry than without the restore, but after each restore of a state the same one.

    Args:
        board: the board, between two turns.
        roots: objects from which all other objects of the machine can be reached.

    Attributes:
        base: the initial state.

    Raises:
        Unsaveable: an object cannot be saved.
        OSError: the host has too little memory.
    """

    def __init__(self, board: Board, roots: Sequence[object]) -> None:
        self._cpus = [CpuStates(cpu) for cpu in board.cpus]
        apart = [board.arch, board.arch.timing()]
        for cpu in board.cpus:
            apart += [cpu.record.words, cpu.code_pages, cpu.old_code]  # translations stay as they are
        self._objects = Objects(roots, apart=apart)
        self._memory = MemoryBase(self._objects.memory)
        self._pages: list[Numbers] = [np.zeros(0, np.int64) for _ in self._memory.memory]
        self._keys: list[int] = []
        self.base = self.save()

    def save(self) -> State:
        """Saves the present state of the working set.

        Raises:
            Unsaveable: a new object cannot be saved.
        """
        pages = zip(self._memory.memory, self._pages, strict=True)
        return State(
            tuple(memory.save(numbers) for memory, numbers in pages if len(numbers)),
            tuple(cpu.save() for cpu in self._cpus),
            self._objects.save(self._keys),
        )

    def restore(self, state: State) -> None:
        """Restores a state of the working set. It must have been saved since the last strays."""
        if not self._memory.in_force:
            self._memory.use()
        in_use = (memory for memory, numbers in zip(self._memory.memory, self._pages, strict=True) if len(numbers))
        for memory, contents in zip(in_use, state.pages, strict=True):
            memory.put_back(contents)
        for cpu, saved in zip(self._cpus, state.cpus, strict=True):
            cpu.put_back(saved)
        self._objects.put_back(state.contents)

    def strays(self) -> int:
        """The number of pages and objects outside the working set that have changed since the base. If 0, every state is right.

        Otherwise they are added to the working set, the machine is back at the base, and earlier states are invalid.

        Raises:
            ValueError: a checkpoint of the machine was saved or restored since the last restore.
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
        """The present working set."""
        return WorkingSet(tuple(self._pages), tuple(self._keys))

    def begin_again(self, working_set: WorkingSet) -> None:
        """Puts the machine back to the base, whatever has changed. States saved with another working set become invalid."""
        self._memory.back()
        self._objects.back_to_base(self._objects.changed())
        for cpu, saved in zip(self._cpus, self.base.cpus, strict=True):
            cpu.put_back(saved)
        self._pages, self._keys = list(working_set.pages), list(working_set.keys)
        self.base = self.save()
