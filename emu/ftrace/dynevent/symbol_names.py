# SPDX-License-Identifier: GPL-2.0-only
"""The names of functions and variables for native code (`native.symbol_names`), used by arguments of type symstr."""

from __future__ import annotations

import numpy as np

from emu.ftrace.guest.traced_kernel import TracedSymbols
from emu.ftrace.native import symbol_names as native
from emu.native.records import Records

__all__ = ["SymbolNames"]


class SymbolNames:
    """The symbols of a kernel and of its loaded modules."""

    def __init__(self, symbols: TracedSymbols) -> None:
        self._symbols = symbols
        self._record = native.SymbolNames.allocate()
        self._used = False
        self._table = np.zeros((0, 4), np.uint64)
        self._text = np.zeros(0, np.uint8)

    @property
    def record(self) -> native.SymbolNames:
        """The record for native code, which uses it from now on."""
        if not self._used:
            self._used = True
            self._refresh()
        return self._record

    def module_came(self) -> None:
        """Symbols have been added or replaced."""
        if self._used:
            self._refresh()

    def _refresh(self) -> None:
        found = [
            (one.address, one.address + one.size, one.name, f" [{module}]" if module else "")
            for one, module in sorted(self._symbols, key=lambda one: one[0].address)
        ]
        text = bytearray(b"\0")
        places: dict[str, int] = {"": 0}
        for name in [part for one in found for part in one[2:]]:
            if name not in places:
                places[name] = len(text)
                text += name.encode(errors="surrogateescape") + b"\0"
        self._text = np.frombuffer(bytes(text), np.uint8).copy()
        base = self._text.ctypes.data
        rows = [(start, end, base + places[name], base + places[tail]) for start, end, name, tail in found]
        self._table = np.array(rows, np.uint64)
        self._record.count, self._record.symbols = len(rows), Records[native.Symbol](self._table.ctypes.data)
