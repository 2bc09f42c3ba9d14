# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's functions by address, from the text of /proc/kallsyms."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

__all__ = ["KernelSymbol", "KernelSymbols"]


class KernelSymbol(NamedTuple):
    """The symbol of an address: the address is `offset` bytes into a symbol of `size` bytes, in the kernel or in a module."""

    name: str
    offset: int
    size: int
    module: str


_LINE = re.compile(rb"^([0-9a-fA-F]{1,16}) (\S) ([^\s]+)(?:[ \t]+\[([^\]\s]+)\])?", re.MULTILINE)
_END = (1 << 64) - 1


class KernelSymbols:
    """Symbols, each of which extends to the next one."""

    def __init__(self, kallsyms: bytes) -> None:
        self._text = kallsyms

    @cached_property
    def _symbols(self) -> tuple[list[int], list[tuple[str, str]]]:
        """Addresses in ascending order; names and modules. Of symbols at one address, the first in the file comes last here."""
        found = [
            (int(address, 16), name.decode(errors="replace"), module.decode(errors="replace"))
            for address, kind, name, module in _LINE.findall(self._text)
            if kind not in b"aA" and name[:1] != b"$"  # absolute symbols and assembler markers are not functions
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
        """The symbol at an address; None if it is before the first symbol.

        Of several symbols that begin there, it is the one found by trace-cmd's binary search.
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
        """The name of the symbol at an address; None if there is none. The end of the last symbol is unknown."""
        found = self.find(address)
        if found is None or (found.offset and address - found.offset == self._symbols[0][-1]):
            return None
        return found.name

    def address_of(self, name: str) -> int | None:
        """The address of a symbol, including absolute ones; None if there is none of that name."""
        return self._address_of(name, rb"\S")

    def relative_address_of(self, name: str) -> int | None:
        """The address of a symbol that is not absolute; None if there is none."""
        return self._address_of(name, rb"[^aA\s]")

    def _address_of(self, name: str, kind: bytes) -> int | None:
        found = re.search(rb"^([0-9a-fA-F]{1,16}) " + kind + b" " + re.escape(name.encode()) + rb"\s", self._text, re.MULTILINE)
        return int(found[1], 16) if found else None

    def name_of(self, address: int) -> str:
        """The name of the function at an address, or the address itself."""
        return self.function(address) or f"{address:#x}"


def _searched(addresses: list[int], address: int) -> int:
    """The index at which a binary search finds an address, which is in the list, perhaps more than once."""
    low, high = 0, len(addresses)
    while True:
        middle = (low + high) // 2
        if addresses[middle] == address:
            return middle
        if address < addresses[middle]:
            high = middle
        else:
            low = middle + 1
