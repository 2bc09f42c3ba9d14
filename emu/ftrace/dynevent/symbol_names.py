# SPDX-License-Identifier: GPL-2.0-only
"""The names of functions and variables for native code (`native.symbol_names`): what arguments of the type symstr store."""

from __future__ import annotations

import numpy as np

from emu.ftrace.symbols import KernelSymbols
from emu.native.record import Record

__all__ = ["SymbolNames"]


class SymbolNames:
    """The symbols of a kernel and of its loaded modules."""

    def __init__(self, symbols: KernelSymbols) -> None:
        self._symbols = symbols
        self._record: Record | None = None  # when it is used
        self._tables = np.zeros((4, 0), np.uint64)
        self._text = np.zeros(0, np.uint8)

    @property
    def address(self) -> int:
        """Of the native record. Whoever asks uses it from then on."""
        if self._record is None:
            from emu.ftrace.native import symbol_names

            self._record = Record(symbol_names.WORDS)
            self._refresh(self._record)
        return self._record.address

    def module_came(self) -> None:
        """There are more symbols, or others."""
        if self._record is not None:
            self._refresh(self._record)

    def _refresh(self, record: Record) -> None:
        from emu.ftrace.native import symbol_names as native

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
        self._tables = np.array(rows, np.uint64).T.copy()
        record.set(native.COUNT, len(rows))
        for n, field in enumerate((native.STARTS, native.ENDS, native.NAMES, native.TAILS)):
            record.set(field, self._tables[n].ctypes.data)
