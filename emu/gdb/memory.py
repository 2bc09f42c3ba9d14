# SPDX-License-Identifier: GPL-2.0-only
"""Memory as a debugger sees it: by a CPU's virtual addresses, with the registers that the CPU has yet to save there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.gdb.arch import GdbArch

__all__ = ["Memory", "NotMapped"]


class NotMapped(LookupError):
    """An address is not mapped to RAM."""


class Memory:
    """The memory of a board.

    Args:
        board: the board.
        arch: the architecture's registers.

    Attributes:
        arch: the same.
    """

    def __init__(self, board: Board, arch: GdbArch) -> None:
        self._board, self.arch = board, arch

    def read(self, cpu: Cpu, address: int, size: int) -> bytes:
        """Up to `size` bytes at a virtual address: fewer if memory that is not mapped follows.

        Raises:
            NotMapped: not even the first byte is.
        """
        found = bytearray()
        try:
            for place, length in self._pieces(cpu, address, size):
                found += self._board.ram[place : place + length]
        except NotMapped:
            if not found:
                raise
        for start, data in self.arch.saved(cpu):
            first, last = max(start, address), min(start + len(data), address + len(found))
            if first < last:
                found[first - address : last - address] = data[first - start : last - start]
        return bytes(found)

    def write(self, cpu: Cpu, address: int, data: bytes) -> None:
        """Stores bytes at a virtual address, all or none. CPUs execute them if they are code.

        Raises:
            NotMapped: an address is not mapped.
        """
        at = 0
        for place, length in list(self._pieces(cpu, address, len(data))):
            self.write_physical(place, data[at : at + length])
            at += length

    def read_physical(self, address: int, size: int) -> bytes:
        """Bytes of RAM. Raises NotMapped if an address is outside."""
        self._check(address, size)
        return bytes(self._board.ram[address : address + size])

    def write_physical(self, address: int, data: bytes) -> None:
        """Stores bytes of RAM. Raises NotMapped if an address is outside."""
        self._check(address, len(data))
        self._board.write_code(address, data)
        for cpu in self._board.cpus:
            cpu.fetch_anew(np.array([[address, address + len(data)]], np.uint64))

    def physical(self, cpu: Cpu, address: int) -> int:
        """The address in RAM behind a virtual one. Raises NotMapped if there is none."""
        place = cpu.translate(address)
        if place is None:  # a program's page tables may lack the kernel
            board = self._board
            bases = (board.arch.kernel_map, board.arch.direct_map)
            place = next((address - base for base in bases if base and base <= address < base + board.memory), None)
        if place is None or place >= self._board.memory:
            raise NotMapped(f"address {address:#x} is not mapped")
        return place

    def _pieces(self, cpu: Cpu, address: int, size: int) -> Iterator[tuple[int, int]]:
        """The (place in RAM, bytes) of each page's part of a range."""
        page = self._board.arch.page_size
        end = address + size
        while address < end:
            length = min(page - address % page, end - address)
            yield self.physical(cpu, address), length
            address += length

    def _check(self, address: int, size: int) -> None:
        if address + size > self._board.memory:
            raise NotMapped(f"physical address {address:#x} is not in RAM")
