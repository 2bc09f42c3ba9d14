# SPDX-License-Identifier: GPL-2.0-only
"""The callback of the empty guest function to which the guest's events come."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context, event
from emu.ftrace.native.arch import Callback, EventCallbacks
from emu.ftrace.native.guest_records import Guest
from emu.native.functions import callback
from emu.native.records import u64

__all__ = ["build"]


def build(
    guest: Guest, arguments: Callable[[Cpu], tuple[u64, u64, u64, u64]], irqs_off: Callable[[u64], bool]
) -> EventCallbacks:
    """Compiles for a guest.

    Args:
        guest: its structures.
        arguments: arguments(cpu) -> the first four of the guest's function, compiled.
        irqs_off: see `NativeCpu`.
    """
    record_event = event.build(guest, context.build(guest))

    @callback
    def buffer_commit(cpu: Cpu, address: u64) -> None:
        """trace_event_buffer_commit(call, entry, dynamic, count)."""
        call, entry, dynamic, count = arguments(cpu)
        record_event(cpu, call, entry, dynamic, count, irqs_off(cpu.env))

    return EventCallbacks(Callback("trace_event_buffer_commit", buffer_commit))
