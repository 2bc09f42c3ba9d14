# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's functions by address: the text of /proc/kallsyms."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["KernelSymbol", "KernelSymbols"]


class KernelSymbol(NamedTuple):
    """Where an address lies: `offset` bytes into a symbol that reaches to the next one."""

    name: str
    offset: int
    size: int
    module: str
    is_last: bool  # nothing tells where it ends

_LINE = re.compile(rb"^([0-9a-fA-F]{1,16}) (\S) ([^\s]+)(?:[ \t]+\[([^\]\s]+)\])?", re.MULTILINE)
_END = (1 << 64) - 1


class KernelSymbols:
    """Symbols, each of which reaches to the next one."""

    def __init__(self, kallsyms: bytes) -> None:
        self._text = kallsyms
        self._table: tuple[list[int], list[tuple[str, str]]] | None = None

    def _symbols(self) -> tuple[list[int], list[tuple[str, str]]]:
        """Addresses in ascending order; names and modules. Of an address's names the last in the file counts."""
        if self._table is None:
            found: dict[int, tuple[str, str]] = {}
            for address, kind, name, module in _LINE.findall(self._text):
                if kind in b"aA" or name[:1] == b"$":
                    continue  # an absolute symbol; a mark of the assembler
                found[int(address, 16)] = (name.decode(errors="replace"), module.decode(errors="replace"))
            addresses = sorted(found)
            self._table = addresses, [found[address] for address in addresses]
        return self._table

    def __len__(self) -> int:
        return len(self._symbols()[0])

    def find(self, address: int) -> KernelSymbol | None:
        """The symbol at an address; None: it lies before the first."""
        addresses, names = self._symbols()
        place = bisect.bisect_right(addresses, address) - 1
        if place < 0:
            return None
        start = addresses[place]
        end = addresses[place + 1] if place + 1 < len(addresses) else _END
        name, module = names[place]
        return KernelSymbol(name, address - start, end - start, module, place + 1 == len(addresses))

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[KernelSymbol | None]:
        """The symbol at each address."""
        return [self.find(address) for address in addresses.tolist()]
