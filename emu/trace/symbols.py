# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's functions by address: the text of /proc/kallsyms."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

__all__ = ["KernelSymbol", "KernelSymbols"]


class KernelSymbol(NamedTuple):
    """Where an address lies: `offset` bytes into a symbol of `size` bytes, in the kernel or in a module."""

    name: str
    offset: int
    size: int
    module: str


_LINE = re.compile(rb"^([0-9a-fA-F]{1,16}) (\S) ([^\s]+)(?:[ \t]+\[([^\]\s]+)\])?", re.MULTILINE)
_END = (1 << 64) - 1


class KernelSymbols:
    """Symbols, each of which reaches to the next one."""

    def __init__(self, kallsyms: bytes) -> None:
        self._text = kallsyms

    @cached_property
    def _symbols(self) -> tuple[list[int], list[tuple[str, str]]]:
        """Addresses in ascending order; names and modules. Of an address's symbols the first in the file is the last here."""
        found = [
            (int(address, 16), name.decode(errors="replace"), module.decode(errors="replace"))
            for address, kind, name, module in _LINE.findall(self._text)
            if kind not in b"aA" and name[:1] != b"$"  # no function is absolute, or a mark of the assembler
        ]
        found.reverse()
        found.sort(key=lambda symbol: symbol[0])
        return [symbol[0] for symbol in found], [symbol[1:] for symbol in found]

    def __len__(self) -> int:
        return len(self._symbols[0])

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Address and name of each."""
        addresses, names = self._symbols
        return iter(zip(addresses, (name for name, _ in names), strict=True))

    def find(self, address: int) -> KernelSymbol | None:
        """The symbol at an address; None: it lies before the first.

        Of several symbols that begin just there, it is the one that a binary search comes to: so trace-cmd has it.
        """
        addresses, names = self._symbols
        place = bisect.bisect_right(addresses, address) - 1
        if place < 0:
            return None
        start, end = addresses[place], addresses[place + 1] if place + 1 < len(addresses) else _END
        if start == address:
            place = _searched(addresses, address)
        return KernelSymbol(names[place][0], address - start, end - start, names[place][1])

    def function(self, address: int) -> str | None:
        """The name of the symbol at an address; None: there is none. Nothing tells where the last symbol ends."""
        found = self.find(address)
        if found is None or (found.offset and address - found.offset == self._symbols[0][-1]):
            return None
        return found.name

    def address_of(self, name: str) -> int | None:
        """The address of a symbol, an absolute one, too; None: there is none of that name."""
        return self._address_of(name, rb"\S")

    def relative_address_of(self, name: str) -> int | None:
        """The same of a symbol that is not absolute."""
        return self._address_of(name, rb"[^aA\s]")

    def _address_of(self, name: str, kind: bytes) -> int | None:
        found = re.search(rb"^([0-9a-fA-F]{1,16}) " + kind + b" " + re.escape(name.encode()) + rb"\s", self._text, re.MULTILINE)
        return int(found[1], 16) if found else None

    def name_of(self, address: int) -> str:
        """The name of the function at an address; the address itself if there is none."""
        return self.function(address) or f"{address:#x}"


def _searched(addresses: list[int], address: int) -> int:
    """Where a binary search finds an address that is in the list, perhaps more than once."""
    low, high = 0, len(addresses)
    while True:
        middle = (low + high) // 2
        if addresses[middle] == address:
            return middle
        if address < addresses[middle]:
            high = middle
        else:
            low = middle + 1
