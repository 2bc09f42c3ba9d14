# SPDX-License-Identifier: GPL-2.0-only
"""Chooses the native code that runs at the labels in the kernel's .ftrace.text."""

from __future__ import annotations

from collections.abc import Iterable

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native.arch import Callback
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import CLOCK_LINEAR
from emu.kernel.kernel import Kernel

__all__ = ["TraceCallbacks", "listen", "needs_general"]


def listen(kernel: Kernel, callbacks: Iterable[Callback]) -> None:
    """Calls these functions from now on when the guest reaches their labels."""
    for label, function in callbacks:
        kernel.board.callouts.dispatch(kernel.image.symbol(label), function)


def needs_general(top: TraceArray) -> bool:
    """Whether calls need more than the common way of recording. `top`: the top array's record."""
    return bool(
        top.asks_each or top.clock != CLOCK_LINEAR or top.max_depth or top.only_selected or top.hides or top.skip_interrupts
        or top.threshold or top.func_stacks or top.func_repeats or top.graph_entry_filter or top.graph_exit_filter
        or top.cost_call
    )  # fmt: skip


class TraceCallbacks:
    """The native callbacks of the board: for tasks, and, once tracing has been used, for traced calls.

    Traced calls use the general code only while something needs it. Most traces never do, and it costs more per call. Neither
    version is compiled before it is needed.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: what is recorded. Each change takes effect before the guest continues.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: Guest, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._used = False
        image = kernel.image
        kernel.board.callouts.look_at_blocks(image.symbol("__ftrace_text_start"), image.symbol("__ftrace_text_end"))
        listen(kernel, arch.task_callbacks(guest))
        records.on_change(self._choose)

    def use_events(self) -> None:
        """Must be called before a static key is turned on."""
        listen(self._kernel, self._arch.event_callbacks(self._guest))

    def use_breakpoints(self) -> None:
        """Must be called before a permanent breakpoint is set."""
        listen(self._kernel, [self._arch.probe_callbacks(self._guest).breakpoint])

    def use(self) -> None:
        """Must be called before a site calls a tracer."""
        self._used = True
        self._choose()

    def _choose(self) -> None:
        if self._used:
            listen(self._kernel, self._arch.callbacks(self._guest, needs_general(self._records.top)))
