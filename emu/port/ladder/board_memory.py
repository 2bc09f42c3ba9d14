# SPDX-License-Identifier: GPL-2.0-only
"""The RAM of a bare board: its map, and what is written to it before its CPUs run."""

from __future__ import annotations

from emu.cpu.board import Board
from emu.port.ladder.assembler import Program, assemble

__all__ = ["CODE", "DATA", "MEMORY", "USER_CODE", "USER_DATA", "USER_FRAMES", "BoardMemory"]

MEMORY = 16 << 20  # bytes
CODE = 0x40000  # physical: the programs of CPUs
DATA = 0x100000  # physical: for programs
USER_CODE, USER_DATA = 0x400000, 0x410000  # virtual
USER_FRAMES = 8 << 20  # physical


class BoardMemory:
    """The RAM of a board, by physical addresses.

    Attributes:
        arch: the board's architecture.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self.arch = board.arch

    def virtual(self, physical: int) -> int:
        """Where the kernel sees a physical address."""
        return self.arch.kernel_map + physical

    def word(self, physical: int, value: int) -> None:
        """Stores a 64-bit word in the CPU's byte order."""
        self.board.ram[physical : physical + 8] = (value & 2**64 - 1).to_bytes(8, self.arch.byte_order)

    def read(self, physical: int) -> int:
        """Loads a 64-bit word."""
        return int.from_bytes(self.board.ram[physical : physical + 8], self.arch.byte_order)

    def put(self, physical: int, source: str, virtual: int | None = None) -> Program:
        """Assembles a program that runs at `virtual`, or where the kernel sees it."""
        program = assemble(self.arch.name, source, self.virtual(physical) if virtual is None else virtual)
        self.board.ram[physical : physical + len(program.code)] = program.code
        return program
