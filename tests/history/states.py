# SPDX-License-Identifier: GPL-2.0-only
"""The state of a machine as a number, and the same state as a machine has it that never stops: the oracle of travel in time."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.native.cpu_records import VECTORS
from emu.gdb.arch import load
from emu.history.stops import Instant

__all__ = ["State", "states_at"]

NOWHERE = (1 << 64) - 1
_PENDING = VECTORS // 64
_ALL, _KEPT_FLAGS = (1 << 64) - 1, ~0x8D5


class State:
    """Tells states of a board apart: RAM, registers, clocks, interrupts that are under way, and the order of turns.

    Args:
        board: the board.
        registers: its architecture's name in emu.gdb.arch.
    """

    def __init__(self, board: Board, registers: str) -> None:
        self._board, self._gdb = board, load(registers)

    def __call__(self, acting: int | None = None) -> int:
        """The state. `acting`: without the arithmetic flags of this CPU, which may not be known in the midst of a block."""
        cpus = [self._of(cpu, _KEPT_FLAGS if cpu.index == acting else _ALL) for cpu in self._board.cpus]
        return zlib.crc32(repr((cpus, self._board.record.random)).encode(), zlib.crc32(self._board.ram))

    def _of(self, cpu: Cpu, flags: int) -> tuple[object, ...]:
        record, gdb = cpu.record, self._gdb
        registers = {register.name: gdb.read(cpu, register.name) or 0 for register in gdb.registers} | cpu.registers()
        registers |= {name: registers[name] & flags for name in ("eflags", "rflags") if name in registers}
        waiting = [(n, int(record.arrivals[n])) for n in range(VECTORS) if record.arrivals[n] != NOWHERE]
        pending = [int(record.pending[n]) for n in range(_PENDING)]
        clocks = cpu.cycles, cpu.instructions, record.slept, record.timer, record.timer_period, record.nmi_timer
        return registers, waiting, pending, clocks, bool(record.nmi), record.nmi_arrival, record.status


@contextmanager
def states_at(board: Board, state: State, instants: Iterable[Instant]) -> Iterator[dict[Instant, int]]:
    """A context in which a machine runs without travel. Then it holds the states that the machine had at these instants."""
    wanted: dict[tuple[int, int, int], list[Instant]] = defaultdict(list)
    for instant in instants:
        wanted[instant.place, instant.cpu, instant.instructions].append(instant)
    found: dict[Instant, int] = {}

    def look(cpu: Cpu, place: int) -> None:
        for instant in wanted.get((place, cpu.index, cpu.instructions), ()):
            found[instant] = state(cpu.index)

    places = np.array(sorted({place for place, _, _ in wanted}), np.uint64)
    listening = board.callouts.listen_all(places, board.python_handler(look), places)
    try:
        yield found
    finally:
        board.callouts.unlisten(listening)
