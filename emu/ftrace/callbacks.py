# SPDX-License-Identifier: GPL-2.0-only
"""Chooses the native code that runs at the labels of the kernel's .ftrace.text."""

from __future__ import annotations

from emu.ftrace.arch import FtraceArch
from emu.ftrace.array_records import RecordLists
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.trace_records import CLOCK_LINEAR, TraceArray
from emu.kernel.kernel import Kernel

__all__ = ["TraceCallbacks"]


class TraceCallbacks:
    """What the board calls for tasks, and, from the first use of tracing on, for traced calls.

    Traced calls get the general code only while something needs it: most traces never do, and it costs more at each call. None
    of the two is compiled before it is needed.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: say what is recorded. Each change of them is followed before the guest goes on.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: GuestLayout, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._used = False
        image = kernel.image
        kernel.board.dispatch_range(image.symbol("__ftrace_text_start"), image.symbol("__ftrace_text_end"))
        for label, function in arch.task_callbacks(guest):
            kernel.board.dispatch(image.symbol(label), function)
        records.on_change(self._choose)

    def use_events(self) -> None:
        """Must be called before a static key is turned on."""
        for label, function in self._arch.event_callbacks(self._guest):
            self._kernel.board.dispatch(self._kernel.image.symbol(label), function)

    def use_breakpoints(self) -> None:
        """Must be called before there is a breakpoint that stays."""
        label, function = self._arch.probe_callbacks(self._guest).breakpoint
        self._kernel.board.dispatch(self._kernel.image.symbol(label), function)

    def use(self) -> None:
        """Must be called before a site calls a tracer."""
        self._used = True
        self._choose()

    def _choose(self) -> None:
        if self._used:
            for label, function in self._arch.callbacks(self._guest, _is_general(self._records.top)):
                self._kernel.board.dispatch(self._kernel.image.symbol(label), function)


def _is_general(top: TraceArray) -> bool:
    """Whether calls are recorded in some unusual way, so that the callbacks must be the general ones."""
    return any((
        top.asks_each, top.clock != CLOCK_LINEAR, top.max_depth, top.only_selected, top.hides, top.skip_interrupts, top.threshold,
        top.func_stacks, top.func_repeats, top.graph_entry_filter, top.graph_exit_filter, top.cost_call,
    ))  # fmt: skip
