# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's memory, by kernel addresses and names of structure members."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np

from emu.cpu.board import Board
from emu.kernel.image import Image

__all__ = ["GuestMemory"]

_USUAL_STRING = 64  # bytes: most strings are names



class GuestMemory:
    """The RAM of a board as the kernel addresses it: through its direct map and its own mapping.

    Every method raises LookupError for an address outside both.

    Attributes:
        image: the kernel; its layout table has the members' offsets.
        ram: all RAM, by physical address.
        page_size: bytes of a page.
        swapped: whether the guest's byte order is not the host's.
    """

    def __init__(self, board: Board, image: Image) -> None:
        self.image = image
        self.ram = board.ram
        self.page_size = board.arch.page_size
        self.byte_order = board.arch.byte_order
        self.swapped = self.byte_order != sys.byteorder
        self._host_start = board.ram_address
        self._mappings = (board.arch.kernel_map, board.arch.direct_map)

    def physical(self, address: int) -> int:
        """The RAM address behind a kernel address."""
        for base in self._mappings:
            if base <= address < base + len(self.ram):
                return address - base
        raise LookupError(f"address {address:#x} is not the kernel's")

    def host_address(self, address: int) -> int:
        """The address in this process behind a kernel address."""
        return self._host_start + self.physical(address)

    def read(self, address: int, size: int) -> bytes:
        """Reads `size` bytes at an address. All must be in the kernel's memory."""
        start = self.physical(address)
        if size:
            self.physical(address + size - 1)
        return bytes(self.ram[start : start + size])

    def write(self, address: int, data: bytes) -> None:
        """Stores bytes. All must be in the kernel's memory. For code use Board.write_code."""
        start = self.physical(address)
        if data:
            self.physical(address + len(data) - 1)
        self.ram[start : start + len(data)] = data

    def read_word(self, address: int, size: int = 8) -> int:
        """An unsigned number of `size` bytes."""
        return int.from_bytes(self.read(address, size), self.byte_order)

    def words(self, address: int, count: int) -> list[int]:
        """An array of `count` unsigned numbers of eight bytes."""
        return np.frombuffer(self.read(address, 8 * count), f"{self.image.byte_order}u8").tolist() if count else []

    def write_word(self, address: int, value: int, size: int = 8) -> None:
        """Stores a number of `size` bytes."""
        self.write(address, (value & (1 << 8 * size) - 1).to_bytes(size, self.byte_order))

    def member(self, address: int, name: str) -> int:
        """A member of the structure at an address, by its name in the layout table: member(task, "task_struct.pid")."""
        return self.read_word(address + self.image.offset(name), self.image.size(name))

    def cpumask(self, address: int, name: str) -> frozenset[int]:
        """The CPUs in a struct cpumask member."""
        words = self.words(address + self.image.offset(name), self.image.size(name) // 8)
        return frozenset(64 * n + bit for n, word in enumerate(words) for bit in range(64) if word >> bit & 1)

    def set_cpumask(self, address: int, name: str, cpus: Iterable[int]) -> None:
        """Stores a struct cpumask member with exactly these CPUs."""
        bits = sum(1 << cpu for cpu in cpus)
        for offset in range(0, self.image.size(name), 8):
            self.write_word(address + self.image.offset(name) + offset, bits >> 8 * offset)

    def text(self, address: int, name: str) -> str:
        """A member that is an array of characters, up to its first NUL."""
        data = self.read(address + self.image.offset(name), self.image.size(name))
        return data.split(b"\0")[0].decode(errors="replace")

    def string(self, address: int, longest: int = 1 << 15) -> str:
        """The NUL-terminated string at an address. Raises LookupError also if it is longer than `longest` bytes."""
        start = self.physical(address)
        for size in (min(_USUAL_STRING, longest), longest):
            data, end, _ = bytes(self.ram[start : start + size]).partition(b"\0")
            if end:
                return data.decode(errors="surrogateescape")
        raise LookupError(f"the string at {address:#x} has no end")

    def set_member(self, address: int, name: str, value: int) -> None:
        """Stores a member of a structure."""
        self.write_word(address + self.image.offset(name), value, self.image.size(name))
