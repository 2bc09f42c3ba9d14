# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's functions by address: the text of /proc/kallsyms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text.view import Symbol

__all__ = ["KernelSymbols"]

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

    def find(self, address: int) -> Symbol | None:
        """The symbol at an address; None: it lies before the first.

        Of several symbols that begin just there, it is the one that a binary search comes to: so trace-cmd has it.
        """
        addresses, names = self._symbols
        last = len(addresses) - 1
        low, high = 0, len(addresses)
        while low < high:
            middle = (low + high) // 2
            start = addresses[middle]
            end = addresses[middle + 1] if middle < last else _END
            if start == address or start <= address < end:
                return Symbol(names[middle][0], address - start, end - start, names[middle][1])
            if address < start:
                high = middle
            else:
                low = middle + 1
        return None

    def function(self, address: int) -> str | None:
        """The name of the symbol at an address; None: there is none. Nothing tells where the last symbol ends."""
        found = self.find(address)
        if found is None or (found.offset and address - found.offset == self._symbols[0][-1]):
            return None
        return found.name

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address."""
        return [self.find(address) for address in addresses.tolist()]
