# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots taken while the guest runs: by triggers, commands and histogram actions, and by the kernel itself.

This code is compiled when the first snapshot is needed.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import Context
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.snapshot import take_snapshot
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Compiled, callback, njit
from emu.native.records import u64

__all__ = ["IN_NMI", "LATENCY_TRACER", "NOT_ALLOCATED", "SnapshotHandlers", "build"]

IN_NMI, NOT_ALLOCATED, LATENCY_TRACER = 1, 2, 3
"""The reasons why no snapshot is taken (the array's `snapshot_refused`)."""


class SnapshotHandlers(NamedTuple):
    """Compiled functions. If no snapshot can be taken, they make Python report that in the trace."""

    take: Compiled[[Cpu, TraceArray], None]
    """For everything except histogram actions: while one has reserved the snapshot (`snapshot_reserved`), nothing happens."""

    take_for_action: Compiled[[Cpu, TraceArray], None]


def build(guest: Guest, context: Context) -> SnapshotHandlers:
    """Compiles for a guest."""
    numbers = guest.numbers
    preempt_count = context.preempt_count

    @njit
    def refusal(cpu: Cpu, array: TraceArray) -> u64:
        """Why no snapshot can be taken; 0 if one can. The reasons are checked in Linux's order."""
        array_cpu = of_cpu(cpu, array.cpus)
        if preempt_count(array_cpu) & numbers.nmi_mask:
            return IN_NMI
        if array_cpu.spare_ring is None:
            return NOT_ALLOCATED
        if array.print_max:
            return LATENCY_TRACER
        return 0

    @njit
    def take_or_refuse(cpu: Cpu, array: TraceArray, reserved: bool) -> None:
        """`reserved`: whether the snapshot is reserved for others."""
        array.snapshot_refused = refusal(cpu, array)
        if array.snapshot_refused != 0:
            array.refuse_snapshot(cpu, array)
        elif not reserved:
            take_snapshot(array)

    @callback
    def take(cpu: Cpu, array: TraceArray) -> None:
        take_or_refuse(cpu, array, array.snapshot_reserved)

    @callback
    def take_for_action(cpu: Cpu, array: TraceArray) -> None:
        take_or_refuse(cpu, array, False)

    return SnapshotHandlers(take, take_for_action)
