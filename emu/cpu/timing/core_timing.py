# SPDX-License-Identifier: GPL-2.0-only
"""The timing model of a board whose CPUs have state: pipelines, predictors, caches."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.timing import record
from emu.cpu.native.timing.layout import Layout
from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.native.record import Record

if TYPE_CHECKING:
    from emu.cpu.board import Board

__all__ = ["CoreTiming"]

_LINE = 64
_WRITTEN = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


class CoreTiming:
    """Times a board's CPUs by a CPU model.

    Args:
        board: with its CPUs, which call the block hook of the core and have executed nothing.
        core: the CPU model.
        with_data: whether data have caches and TLBs.

    Attributes:
        core: the CPU model.
        undecoded: called once for each block that cannot be decoded, with its address and code.
    """

    def __init__(self, board: Board, core: Core, with_data: bool) -> None:
        self.core = core
        self.undecoded: Callable[[int, bytes], None] = lambda address, code: None
        self._board = board
        self._named: set[int] = set()
        layout = Layout.of(core, board.memory)
        hooks = board.arch.timed_hooks(core, with_data)
        self._written = hooks.written
        self.records = [Record(layout.words) for _ in board.cpus]
        self._shared = Record(layout.shared_words)
        for cpu, timing in zip(board.cpus, self.records, strict=True):
            cpu.record.set(cpu_record.TIMING, timing.address)
            cpu.record.set(cpu_record.TRAP_TIME, core.trap * CYCLE)
        for field, value in (
            (board_record.TIMING_TABLES, board.arch.summaries(core).tables.address),
            (board_record.TIMING_SHARED, self._shared.address),
            (board_record.SETTLE, hooks.settle),
            (board_record.IPI_TIME, core.interrupt),
        ):
            board.record.set(field, value)

    def block(self, code: bytes, address: int) -> int:
        """The offset of a block's summary."""
        summaries = self._board.arch.summaries(self.core)
        offset = summaries.offset(code, address)
        if summaries.static(offset) and address not in self._named:
            self._named.add(address)
            self.undecoded(address, code)
        return offset

    def load(self, image: str) -> None:
        """Reads what is known of an image's blocks from disk. `image`: stands for its content."""
        self._board.arch.summaries(self.core).load(image)

    def save(self, image: str) -> None:
        """Keeps what is known of an image's blocks on disk."""
        self._board.arch.summaries(self.core).save(image)

    def written(self, address: int, size: int) -> None:
        """Somebody who is no CPU has written RAM: no CPU has these lines any longer."""
        if size:
            _WRITTEN(self._written)(self._board.record.address, address // _LINE, (address + size - 1) // _LINE)

    def counts(self, index: int) -> Mapping[str, int]:
        """What a CPU has counted, by the names of `record.COUNTERS`."""
        timing = self.records[index]
        return {name: timing.get(record.COUNTS, n) for n, name in enumerate(record.COUNTERS)}

    def digest(self) -> str:
        """Stands for all that times depend on and all that is counted, while no CPU executes; the same in each process."""
        summaries = self._board.arch.summaries(self.core)
        found = hashlib.sha256(self._shared.words.tobytes())
        for timing in self.records:
            words = timing.words.copy()
            words[int(record.FRESH) // 8 : record.WORDS] = 0  # scratch
            if not timing.get(record.SLOTS):
                words[int(record.WINDOW) // 8 :][: record.RING] = 0  # it does not matter
            words[int(record.PREVIOUS) // 8] = 0  # where a process has a summary depends on what it has seen before
            found.update(words.tobytes())
            found.update(summaries.content(timing.get(record.PREVIOUS)))
        return found.hexdigest()

    def sample(self, name: str, period: int) -> None:
        """Has every `period`th event of that name be sampled on each CPU; 0: none.

        Raises:
            ValueError: there is no such event.
        """
        number = record.COUNTERS.index(name)
        for timing in self.records:
            timing.set(record.LEFT, period, number)
            timing.set(record.PERIODS, period, number)
