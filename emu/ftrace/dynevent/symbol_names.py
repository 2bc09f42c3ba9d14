# SPDX-License-Identifier: GPL-2.0-only
"""The names of functions for native code (`native.symbol_names`): what arguments of the type symstr store."""

from __future__ import annotations

import numpy as np

from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["SymbolNames"]


class SymbolNames:
    """The functions of a kernel and of its loaded modules.

    Args:
        kernel: with its image loaded.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
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
        """There are more functions, or others."""
        if self._record is not None:
            self._refresh(self._record)

    def _refresh(self, record: Record) -> None:
        from emu.ftrace.native import symbol_names as native

        kernel = self._kernel
        named: dict[int, str] = {}
        for one in kernel.image.functions:
            named.setdefault(one.address, one.name)
        starts = sorted(named)  # each reaches to the next, as in the text of traces
        found = [(start, end, named[start], "") for start, end in zip(starts, [*starts[1:], starts[-1] + 1], strict=True)]
        for module in kernel.modules:
            found += [(one.address, one.address + one.size, one.name, f" [{module.name}]") for one in module.functions]
        found.sort(key=lambda one: one[0])
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
