# SPDX-License-Identifier: GPL-2.0-only
"""The stack tracer: the maximum depth of the kernel's stacks, and the calls that were under way then (Linux: trace_stack.c)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.guest.traced_kernel import FunctionNames
from emu.ftrace.native import stack_tracer_record
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_values import STACK_CHECKED
from emu.ftrace.sites.filters import FunctionFilter, Functions, ModuleFilters, SiteMask
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.stack_traces import StackTraces

__all__ = ["StackTracer"]

_HEADER = """        Depth    Size   Location    ({count} entries)
        -----    ----   --------
"""
_DISABLED = """#
#  Stack tracer disabled
#
# To enable the stack tracer, either add 'stacktrace' to the
# kernel command line
# or 'echo 1 > /proc/sys/kernel/stack_tracer_enabled'
#
"""


class StackTracer:
    """The state of the stack tracer. After changing `enabled` or `filter`, the caller must update the sites.

    Args:
        arch: the machine's architecture.
        guest: the layout of its structures.
        records: where native code finds the tracer's record.
        stacks: unwinds stacks.
        symbols: the functions' names.

    Attributes:
        enabled: whether it runs (`kernel.stack_tracer_enabled`).
        filter: the functions that are checked (stack_trace_filter); an empty filter means all.
        waiting_filter: words for modules that are not loaded.
    """

    callback = Callback.ENTRY
    flag = STACK_CHECKED

    def __init__(
        self,
        arch: NativeTracing,
        guest: Guest,
        records: RecordLists,
        stacks: StackTraces,
        symbols: FunctionNames,
        functions: Functions,
    ) -> None:
        self._arch = arch
        self._guest = guest
        self._records = records
        self._stacks = stacks
        self._symbols = symbols
        self._record = stack_tracer_record.StackTracer.allocate()
        self._is_ready = False  # whether native code can measure stacks
        self._enabled = False
        self.filter = FunctionFilter(functions)
        self.waiting_filter = ModuleFilters()

    @property
    def enabled(self) -> bool:
        return self._enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        if on and not self._is_ready:
            self._is_ready = True
            self._stacks.use()
            self._record.check = self._arch.stack_tracer(self._guest)
            for array in self._records.arrays:
                array.stack_tracer = self._record
        self._enabled = on

    @property
    def filtered(self) -> bool:
        """Whether there is a filter."""
        return bool(self.filter or self.waiting_filter)

    @property
    def max_size(self) -> int:
        """The size in bytes of the deepest stack. A stack is recorded only if it is deeper."""
        return self._record.max_size

    @max_size.setter
    def max_size(self, size: int) -> None:
        self._record.max_size = size

    def text(self) -> str:
        """The deepest stack (stack_trace): for each function, its own stack use and the depth including its callers."""
        count = self._record.count
        disabled = "" if self.enabled or self.max_size else _DISABLED
        return _HEADER.format(count=count) + disabled + "".join(self._lines(count))

    def _lines(self, count: int) -> Iterator[str]:
        words, top = self._record.calls, self._record.top
        calls = [(words[2 * n], top - words[2 * n + 1]) for n in range(count)]
        for n, (address, depth) in enumerate(calls):
            above = calls[n + 1][1] if n + 1 < count else 0
            yield f"{n:3}) {depth:8}   {depth - above:5}   {self._symbols.describe(address)}\n"

    # The interface of observers of calls (Watch)

    def __bool__(self) -> bool:
        return self._enabled

    def sites(self, selected: SiteMask) -> SiteMask:
        """The sites that it observes."""
        return self.filter.mask if self.filtered else np.ones_like(selected)

    def functions_changed(self, functions: Functions) -> None:
        self.filter = self.filter.on(functions)

    def module_coming(self, name: str) -> None:
        self.filter = self.filter.with_words(self.waiting_filter.take(name))
