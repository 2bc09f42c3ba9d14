# SPDX-License-Identifier: GPL-2.0-only
"""Checkpoints: a whole machine at one moment, with all of Unicorn's data about its CPUs, including translations."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from emu.cpu.board import Board
from emu.cpu.host_memory import CODE
from emu.cpu.snapshot.objects import Contents, Objects
from emu.cpu.snapshot.pages import PAGE, Memory, MemoryBase, Numbers, PageContents

__all__ = ["Checkpoint", "Checkpoints", "base_sizes"]


@dataclass(frozen=True, eq=False, repr=False)
class Checkpoint:
    """A machine at one moment: the differences from a base that it shares with other checkpoints."""

    _owner: Checkpoints
    _base: MemoryBase
    _pages: tuple[PageContents, ...]
    _contents: Contents

    def __repr__(self) -> str:
        return f"<checkpoint: {self.size >> 10:,} KiB>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a checkpoint is of one machine in one process: it cannot be pickled or copied")

    @property
    def base(self) -> int:
        """The number of the base that it shares with other checkpoints, which holds bytes, too (base_sizes)."""
        return id(self._base)

    @property
    def size(self) -> int:
        """Bytes of the pages that only this checkpoint holds."""
        return sum(contents.data.nbytes for contents in self._pages)


def base_sizes(checkpoints: Iterable[Checkpoint]) -> dict[int, int]:
    """Bytes that checkpoints share, by the numbers of their bases (Checkpoint.base)."""
    return {one.base: one._base.used * PAGE for one in checkpoints}


class Checkpoints:
    """Saves checkpoints of a machine that stands still, and restores them, in any order.

    Args:
        board: the machine's board.
        roots: objects from which all other objects of the machine can be reached.
        apart: objects that can also be reached, but do not belong to the machine.
    """

    def __init__(self, board: Board, roots: Sequence[object], apart: Sequence[object] = ()) -> None:
        self._board = board
        self._roots = roots
        self._apart = apart

    @functools.cached_property
    def _objects(self) -> Objects:
        """The objects, as of the first checkpoint."""
        return Objects(self._roots, apart=[self, *self._apart, self._board.arch, self._board.arch.timing()])

    @functools.cached_property
    def _memory(self) -> list[Memory]:
        heap = self._board.heap
        buffers = [Memory(address, size, CODE) for address, size in heap.mappings]
        return [*self._objects.memory, Memory(heap.address, heap.size), *buffers]

    @functools.cached_property
    def _base(self) -> MemoryBase:
        return MemoryBase(self._memory)

    def close(self) -> None:
        """Releases the machine. Existing checkpoints cannot be restored any more."""
        for name in ("_objects", "_memory", "_base"):
            self.__dict__.pop(name, None)

    def save(self) -> Checkpoint:
        """Saves the present state.

        Raises:
            Unsaveable: an object cannot be restored.
            OSError: the host has too little memory.
        """
        contents = self._objects.save(self._objects.changed())
        changed = self._changed()
        if not self._base.in_force or sum(map(len, changed)) > self._base.used:
            self._base = MemoryBase(self._memory)
            changed = self._changed()
        pages = tuple(memory.save(numbers) for memory, numbers in zip(self._memory, changed, strict=True))
        return Checkpoint(self, self._base, pages, contents)

    def _changed(self) -> list[Numbers]:
        return [memory.changed() for memory in self._base.memory]

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restores a checkpoint.

        Raises:
            ValueError: the checkpoint is of another machine.
            OSError: the host has too little memory.
        """
        if checkpoint._owner is not self:
            raise ValueError("this is a checkpoint of another machine")
        self._base = checkpoint._base
        if not self._base.in_force:
            self._base.use()
        for memory, contents in zip(self._memory, checkpoint._pages, strict=True):
            memory.change_to(contents)
        self._objects.back_to_base(self._objects.changed())
        self._objects.put_back(checkpoint._contents)
