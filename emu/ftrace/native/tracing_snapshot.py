# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots that are taken while the guest runs: by triggers, commands, actions of histograms, and by the kernel itself.

This code is compiled when the first of them is wanted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.context import Context
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.snapshot import take_snapshot
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, call_handler, load_u64, store_u64

__all__ = ["IN_NMI", "LATENCY_TRACER", "NOT_ALLOCATED", "SnapshotHandlers", "build"]

IN_NMI, NOT_ALLOCATED, LATENCY_TRACER = np.uint64(1), np.uint64(2), np.uint64(3)
"""Why none is taken (array_record.SNAPSHOT_REFUSED)."""

_HANDLER = types.void(types.uint64, types.uint64)
ZERO = np.uint64(0)


class SnapshotHandlers(NamedTuple):
    """Compiled functions, void (*)(cpu, array). If no snapshot can be taken, they have Python say so in the trace."""

    take: Any
    """For all but actions of histograms: while one takes the snapshots (array_record.SNAPSHOT_RESERVED), nothing is done."""

    take_for_action: Any


def build(memory: Accessors, guest: GuestLayout, context: Context) -> SnapshotHandlers:
    """Compiles for a guest."""
    preempt_count = context.preempt_count

    @njit
    def refusal(cpu, array):
        """Why no snapshot can be taken; 0: one can. The reasons come in Linux's order."""
        array_cpu = of_cpu(cpu, load_u64(array + array_record.CPUS))
        if preempt_count(array_cpu) & guest.nmi_mask:
            return IN_NMI
        if load_u64(array_cpu + array_cpu_record.SPARE_RING) == ZERO:
            return NOT_ALLOCATED
        if load_u64(array + array_record.PRINT_MAX) != ZERO:
            return LATENCY_TRACER
        return ZERO

    @njit
    def take_or_refuse(cpu, array, reserved):
        """`reserved`: not 0: others take the snapshots."""
        why = refusal(cpu, array)
        store_u64(array + array_record.SNAPSHOT_REFUSED, why)
        if why != ZERO:
            call_handler(load_u64(array + array_record.REFUSE_SNAPSHOT), cpu, array)
        elif reserved == ZERO:
            take_snapshot(array)

    @cfunc(_HANDLER)
    def take(cpu, array):
        take_or_refuse(cpu, array, load_u64(array + array_record.SNAPSHOT_RESERVED))

    @cfunc(_HANDLER)
    def take_for_action(cpu, array):
        take_or_refuse(cpu, array, ZERO)

    return SnapshotHandlers(take, take_for_action)
