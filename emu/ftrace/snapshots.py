# SPDX-License-Identifier: GPL-2.0-only
"""Snapshots that are taken while the guest runs, and what the trace says when one cannot be taken.

As in Linux (tracing_snapshot_instance_cond), the array's own trace says it, by texts as trace_puts() writes them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from types import MappingProxyType

from emu.cpu.cpu import Cpu
from emu.ftrace.arch import FtraceArch
from emu.ftrace.array_records import RecordLists
from emu.ftrace.native import array_record, event_context
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.tracing_snapshot import IN_NMI, LATENCY_TRACER, NOT_ALLOCATED
from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["REFUSALS", "Snapshots"]

_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)

REFUSALS: Mapping[int, tuple[str, str]] = MappingProxyType({
    int(IN_NMI): ("*** SNAPSHOT CALLED FROM NMI CONTEXT ***", "*** snapshot is being ignored        ***"),
    int(NOT_ALLOCATED): ("*** SNAPSHOT NOT ALLOCATED ***", "*** stopping trace here!   ***"),
    int(LATENCY_TRACER): ("*** LATENCY TRACER ACTIVE ***", "*** Can not use snapshot (sorry) ***"),
})  # fmt: skip


class Snapshots:
    """What takes them.

    Args:
        kernel: with its image loaded.
        arch: compiles.
        guest: the kernel's structures.
        records: of all trace arrays.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: GuestLayout, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._refuse: dict[int, Callable[[Cpu, int], None]] = {}  # by the address of the array's record
        self._take = 0

    def add(self, array: Record, refuse: Callable[[Cpu, int], None]) -> None:
        """Has `refuse` called when a CPU is to take a snapshot of an array, but cannot. It gets one of REFUSALS."""
        self._refuse[array.address] = refuse

    def remove(self, array: Record) -> None:
        """The array is gone."""
        del self._refuse[array.address]

    def use(self) -> None:
        """Must be called before anybody takes a snapshot while the guest runs."""
        if not self._take:
            handlers = self._arch.snapshot_handlers(self._guest)
            self._take = handlers.take.address
            self._records.set_in_all(array_record.TAKE_SNAPSHOT, self._take)
            self._records.set_in_all(array_record.TAKE_SNAPSHOT_FOR_ACTION, handlers.take_for_action.address)
            self._records.set_in_all(array_record.REFUSE_SNAPSHOT, self._kernel.board.python_handler(self._refused))

    def take(self, cpu: Cpu, array: Record) -> None:
        """The kernel itself takes one, by a host call."""
        self.use()
        self._records.event_context.set(event_context.PLACE, event_context.PLACE_HOST_CALL)
        _HANDLER(self._take)(cpu.record.address, array.address)

    def _refused(self, cpu: Cpu, array: int) -> None:
        """Native code has not taken one."""
        why = ctypes.c_uint64.from_address(array + int(array_record.SNAPSHOT_REFUSED)).value
        self._refuse[array](cpu, why)
