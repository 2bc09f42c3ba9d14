# SPDX-License-Identifier: GPL-2.0-only
"""The memory of a Linux guest's kernel, by the kernel's addresses. It is only read, and reading leaves no trace in the guest."""

from __future__ import annotations

import sys
from typing import Literal

import numpy as np

from emu.linux import arch
from emu.linux.symbols import Symbols

__all__ = ["LinuxMemory"]

_LONGEST_STRING, _USUAL_STRING = 1 << 15, 64  # bytes


class LinuxMemory:
    """RAM as a Linux kernel addresses it: its image, all RAM in its direct map, and what its page table maps besides.

    Modules are in the last. Every method raises LookupError for an address that is not mapped.

    Args:
        ram: all RAM, by physical address.
        symbols: the kernel's.
    """

    byte_order: Literal["little"] = "little"
    swapped = sys.byteorder != byte_order

    def __init__(self, ram: memoryview, symbols: Symbols) -> None:
        self._ram = ram.toreadonly()
        self._host_start = int(np.frombuffer(ram, np.uint8).ctypes.data)
        self._image = range(symbols.address("_text") or 0, symbols.address("_end") or 0)
        self._page_table = (symbols.address(arch.PAGE_TABLE) or 0) - arch.KERNEL_HALF
        start = symbols.address(arch.DIRECT_MAP_BASE)
        self._direct = arch.DIRECT_MAP if start is None else self.word(start) or arch.DIRECT_MAP

    def read(self, address: int, size: int) -> bytes:
        """Reads `size` bytes, which may lie in several pages."""
        pieces = []
        while size > 0:
            start, length = self._piece(address)
            length = min(size, length)
            pieces.append(bytes(self._ram[start : start + length]))
            address, size = address + length, size - length
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def word(self, address: int, size: int = 8) -> int:
        """An unsigned number of `size` bytes."""
        return int.from_bytes(self.read(address, size), "little")

    def string(self, address: int, longest: int = _LONGEST_STRING) -> str:
        """The text up to a zero byte. Raises LookupError also if it has more than `longest` bytes."""
        found, at, step = b"", address, _USUAL_STRING
        while len(found) <= longest:
            start, length = self._piece(at)
            text, end, _ = bytes(self._ram[start : start + min(length, step, longest + 1 - len(found))]).partition(b"\0")
            found += text
            if end:
                return found.decode(errors="surrogateescape")
            at, step = at + len(text), _LONGEST_STRING
        raise LookupError(f"the string at {address:#x} has no end within {longest:,} bytes")

    def host_address(self, address: int) -> int:
        """The address in this process. What follows in the guest follows here, to the end of the page at least."""
        return self._host_start + self._piece(address)[0]

    def _piece(self, address: int) -> tuple[int, int]:
        """The physical address; and how many bytes follow there in the same order."""
        if address in self._image:
            start, length = address - arch.KERNEL_HALF, self._image.stop - address
        elif 0 <= address - self._direct < len(self._ram):
            start, length = address - self._direct, len(self._ram)
        else:
            found = arch.walk(self._ram, self._page_table, address) if self._page_table >= 0 else None
            if found is None:
                raise LookupError(f"address {address:#x} is not mapped")
            start, length = found, arch.PAGE - address % arch.PAGE
        if not 0 <= start < len(self._ram):
            raise LookupError(f"address {address:#x} is not in RAM")
        return start, min(length, len(self._ram) - start)
