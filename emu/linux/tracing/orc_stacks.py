# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces of a Linux guest, by its kernel's ORC tables."""

from __future__ import annotations

import errno
from collections.abc import Sequence

import numpy as np

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.btf import Btf
from emu.ftrace.errors import TraceError
from emu.ftrace.native.arch import StackCallbacks
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.orc_record import TextTables
from emu.ftrace.native.trace_values import STACK_LIMIT
from emu.ftrace.tracers.stack_traces import StackTraces
from emu.linux.image import Kernel
from emu.linux.modules import Module
from emu.linux.orc import NoOrc, Orc, OrcLayout, OrcText, kernel_texts
from emu.linux.symbols import Symbols
from emu.linux.tracing import arch as outside
from emu.native.records import Words

__all__ = ["OrcStacks"]


class OrcStacks(StackTraces):
    """Prepares native code to unwind the guest's stacks.

    Args:
        kernel: its kernel.
        symbols, btf: the kernel's.
        guest: the layout of its structures.
        records: where native code finds the tables.
    """

    def __init__(self, kernel: Kernel, symbols: Symbols, btf: Btf, guest: Guest, records: RecordLists) -> None:
        self._kernel, self._symbols, self._guest, self._records = kernel, symbols, guest, records
        self._stack = np.zeros(STACK_LIMIT, np.uint64)
        for array in records.arrays:
            array.stack = Words(self._stack.ctypes.data)

        self._layout = OrcLayout.of(lambda member: btf.has(f"orc_entry.{member}"))
        self._tables: TextTables | None = None
        self._modules: dict[str, Sequence[OrcText]] = {}

    def use(self) -> None:
        if self._tables is not None:
            return
        try:
            text, init = kernel_texts(Orc.of_kernel(self._kernel, self._symbols, self._layout), self._symbols)
        except NoOrc as error:
            raise TraceError(errno.ENODEV, f"stacks cannot be unwound: {error}") from None
        self._modules[""] = [init]
        self._tables = TextTables(text)
        for array in self._records.arrays:
            array.orc = self._tables.record
        self._follow_modules()

    def module_added(self, module: Module) -> None:
        """A module has been loaded."""
        try:
            orc = Orc.of(module.orc.ip_address, module.orc.ip, module.orc.entries, self._layout)
            self._modules[module.name] = [orc.text(text.start, len(text)) for text in (module.text, module.init_text) if text]
        except NoOrc:
            self._modules[module.name] = []
        self._follow_modules()

    def module_gone(self, name: str) -> None:
        """A module has been unloaded."""
        self._modules.pop(name, None)
        self._follow_modules()

    def _follow_modules(self) -> None:
        if self._tables is not None:
            self._tables.set_others([text for texts in self._modules.values() for text in texts])

    def callbacks(self) -> StackCallbacks:
        self.use()
        return outside.NATIVE.stack_callbacks(self._guest)
