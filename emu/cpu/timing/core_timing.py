# SPDX-License-Identifier: GPL-2.0-only
"""The timing model of a board whose CPUs have pipelines, predictors and caches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.cpu.native.timing.cache_records import SharedCaches
from emu.cpu.native.timing.layout import layouts
from emu.cpu.native.timing.record import COUNTERS, Timing
from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.native.records import HOST

if TYPE_CHECKING:
    from emu.cpu.board import Board

__all__ = ["CoreTiming"]

_LINE = 64
_WORD = 8  # bytes


class CoreTiming:
    """Times a board's CPUs according to a CPU model.

    Args:
        board: the board. Its CPUs call the core's block hook and have not executed anything.
        core: the CPU model.
        with_data: whether data caches and TLBs are modelled.

    Attributes:
        core: the CPU model.
        records: the CPUs' timing records.
        undecoded: called once for each block that cannot be decoded, with its address and code.
    """

    def __init__(self, board: Board, core: Core, with_data: bool) -> None:
        self.core = core
        self.undecoded: Callable[[int, bytes], None] = lambda address, code: None
        self._board = board
        self._named: set[int] = set()
        layout = layouts(core, board.memory)
        hooks = board.arch.timed_hooks(core, with_data)
        self._written = hooks.written
        self.records = [Timing.allocate(layout) for _ in board.cpus]
        self._shared = SharedCaches.allocate(layout)
        for cpu, timing in zip(board.cpus, self.records, strict=True):
            cpu.record.timing = timing
            cpu.record.trap_time = core.trap * CYCLE
        board.record.timing_tables = board.arch.summaries(core).tables
        board.record.timing_shared = self._shared
        board.record.settle = hooks.settle
        board.record.ipi_time = core.interrupt

    def block(self, code: bytes, address: int) -> int:
        """The offset of a block's summary."""
        summaries = self._board.arch.summaries(self.core)
        offset = summaries.offset(code, address)
        if offset in summaries.static and address not in self._named:
            self._named.add(address)
            self.undecoded(address, code)
        return offset

    def load(self, image: str) -> None:
        """Reads the summaries of an image's blocks from disk. `image`: identifies its content."""
        self._board.arch.summaries(self.core).load(image)

    def save(self, image: str) -> None:
        """Saves the summaries of an image's blocks to disk."""
        self._board.arch.summaries(self.core).save(image)

    def written(self, address: int, size: int) -> None:
        """RAM was written by something other than a CPU: no CPU has these lines any longer."""
        if size:
            self._written(self._board.record, address // _LINE, (address + size - 1) // _LINE)

    def counts(self, index: int) -> Mapping[str, int]:
        """The counts of a CPU, by the names in COUNTERS."""
        counts = self.records[index].counts
        return {name: counts[n] for n, name in enumerate(COUNTERS)}

    def digest(self) -> str:
        """A digest of everything that affects times and counts, while no CPU executes; equal in each process."""
        summaries = self._board.arch.summaries(self.core)
        found = hashlib.sha256(self._shared.words.tobytes())
        for timing in self.records:
            words = timing.words.copy()
            _forget(words, "fresh")  # scratch
            if not timing.slots:
                _forget(words, "window")  # has no effect
            _forget(words, "previous")  # a summary's place depends on what the process has seen before
            found.update(words.tobytes())
            found.update(summaries.content(timing.previous))
        return found.hexdigest()

    def sample(self, name: str, period: int) -> None:
        """Samples every `period`th event of that name on each CPU; 0: none.

        Raises:
            ValueError: the event does not exist.
        """
        number = COUNTERS.index(name)
        for timing in self.records:
            timing.left[number] = timing.periods[number] = period


def _forget(words: NDArray[np.uint64], name: str) -> None:
    """Zeroes a field in the words of a timing record."""
    field = HOST.fields(Timing)[name]
    words[field.offset // _WORD : (field.offset + field.size) // _WORD] = 0
