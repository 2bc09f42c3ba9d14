# SPDX-License-Identifier: GPL-2.0-only
"""Python functions called by native code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from emu.native.records import Record

__all__ = ["PythonHandler"]

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)


class PythonHandler:
    """A Python function for native code, which passes it a record, often a CPU's, and a number or another record."""

    def __init__(self, call: Callable[[int, int], None]) -> None:
        self._function = _HANDLER(call)
        self.address: int = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def __call__(self, record: Record, argument: int | Record) -> None:
        self._function(record.address, argument if isinstance(argument, int) else argument.address)
