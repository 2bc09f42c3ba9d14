# SPDX-License-Identifier: GPL-2.0-only
"""Prepares native code to record stack traces. Nothing is prepared before the first one is needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from contextlib import suppress

import numpy as np

from emu.cpu.far_memory import far_memory
from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native.arch import StackCallbacks
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_values import STACK_LIMIT
from emu.ftrace.probes.kprobes import Kprobes
from emu.ftrace.sites.keys import Keys
from emu.ftrace.tracers.stack_traces import StackTraces
from emu.kernel.image import Symbol
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module
from emu.native.records import Bytes, Words

__all__ = ["Stacks"]


class Stacks(StackTraces):
    """Tells native code which functions have no stack frame of their own.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: where native code finds this.
        keys: all branches of static keys.
        kprobes: the kprobes, whose breakpoints are in the kernel's code.
    """

    def __init__(
        self, kernel: Kernel, arch: FtraceArch, guest: Guest, records: RecordLists, keys: Keys, kprobes: Kprobes
    ) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._keys = keys
        self._kprobes = kprobes
        self._known = False
        # One byte per byte of the kernel mapping, because modules can be anywhere in it. Untouched pages cost nothing.
        self._frameless = np.frombuffer(far_memory(kernel.board.memory), np.uint8)
        self._stack = np.zeros(STACK_LIMIT, np.uint64)
        image = kernel.image
        trampolines = image.symbol("__ftrace_text_start")
        entry = image.function_at(image.symbol(kernel.arch.trap_entry)) if kernel.arch.trap_entry else None
        for array in records.arrays:
            array.frameless = Bytes(self._frameless.ctypes.data)
            array.stack = Words(self._stack.ctypes.data)
            array.trampolines, array.trampolines_size = trampolines, image.symbol("__ftrace_text_end") - trampolines
            if entry is not None:
                array.trap_entry, array.trap_entry_size = entry.address, entry.size

    def use(self) -> None:
        """Must be called before native code records a stack trace."""
        if not self._known:
            self._known = True
            image = self._kernel.image
            entry_code = range(image.symbol("__entry_text_start"), image.symbol("__entry_text_end"))
            self._learn(function for function in image.functions if function.address not in entry_code)
            for module in self._kernel.modules:
                self.module_added(module)

    def callbacks(self) -> StackCallbacks:
        """The native functions that record stack traces."""
        self.use()
        return self._arch.stack_callbacks(self._guest)

    def module_added(self, module: Module) -> None:
        """Adds a module's functions, and forgets the previous contents of its memory."""
        if self._known:
            for region in (module.core, module.init):
                if region is not None:
                    start = region.base - self._kernel.board.arch.kernel_map
                    self._frameless[start : start + region.size] = 0
            self._learn(module.functions)

    def _learn(self, functions: Iterable[Symbol]) -> None:
        memory, arch = self._kernel.memory, self._kernel.arch
        branches = self._keys.branches()
        keyed = sorted(branches)
        for function in functions:
            first = function.address
            inside = keyed[bisect_left(keyed, first) : bisect_left(keyed, first + function.size)]
            with suppress(LookupError):  # a damaged module
                code = self._kprobes.points.without_breakpoints(first, memory.read(first, function.size))
                place = first - self._kernel.board.arch.kernel_map
                targets = {branch - first: branches[branch] - first for branch in inside}
                self._frameless[place : place + len(code)] = arch.without_frame(code, targets)
