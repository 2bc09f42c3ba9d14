# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots taken while the guest runs, and the messages in the trace when one cannot be taken.

As in Linux (tracing_snapshot_instance_cond), the messages go to the array's own trace, as by trace_puts().
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from types import MappingProxyType

from emu.cpu.cpu import Cpu
from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import PLACE_HOST_CALL
from emu.ftrace.native.tracing_snapshot import IN_NMI, LATENCY_TRACER, NOT_ALLOCATED, SnapshotHandlers

__all__ = ["REFUSALS", "Snapshots"]

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)

REFUSALS: Mapping[int, tuple[str, str]] = MappingProxyType({
    IN_NMI: ("*** SNAPSHOT CALLED FROM NMI CONTEXT ***", "*** snapshot is being ignored        ***"),
    NOT_ALLOCATED: ("*** SNAPSHOT NOT ALLOCATED ***", "*** stopping trace here!   ***"),
    LATENCY_TRACER: ("*** LATENCY TRACER ACTIVE ***", "*** Can not use snapshot (sorry) ***"),
})  # fmt: skip


class Snapshots:
    """Takes snapshots while the guest runs.

    Args:
        kernel: the kernel that is traced.
        arch: compiles the native code.
        guest: the layout of the kernel's structures.
        records: the records of all trace arrays.
    """

    def __init__(self, kernel: TracedKernel, arch: NativeTracing, guest: Guest, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._refuse: dict[int, Callable[[Cpu, int], None]] = {}  # by the address of the array's record
        self._handlers: SnapshotHandlers | None = None

    def add(self, array: TraceArray, refuse: Callable[[Cpu, int], None]) -> None:
        """Calls `refuse` when a CPU should take a snapshot of an array, but cannot. Its argument is one of REFUSALS."""
        self._refuse[array.address] = refuse

    def remove(self, array: TraceArray) -> None:
        """Forgets an array that is gone."""
        del self._refuse[array.address]

    def use(self) -> SnapshotHandlers:
        """Must be called before anybody takes a snapshot in a running guest."""
        if self._handlers is None:
            self._handlers = self._arch.snapshot_handlers(self._guest)
            refuse = self._kernel.board.python_handler(self._refused)
            for array in self._records.arrays:
                array.take_snapshot, array.take_snapshot_for_action = self._handlers
                array.refuse_snapshot = refuse
        return self._handlers

    def take(self, cpu: Cpu, array: TraceArray) -> None:
        """Takes a snapshot for the kernel itself, by a host call."""
        handlers = self.use()
        self._records.event_context.place = PLACE_HOST_CALL
        _HANDLER(handlers.take.address)(cpu.record.address, array.address)

    def _refused(self, cpu: Cpu, array: int) -> None:
        """Native code could not take a snapshot."""
        self._refuse[array](cpu, TraceArray(array).snapshot_refused)
