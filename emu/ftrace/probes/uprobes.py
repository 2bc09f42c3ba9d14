# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes: probes at an offset in a file, in every process that maps it. The guest's kernel sets them, in ktraced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native import trace_records
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.probes.uprobe_placing import UprobePlace, UprobePlacing
from emu.ftrace.sites.callbacks import listen
from emu.kernel.kernel import Kernel
from emu.kernel.work import WorkKind
from emu.native.records import Values, Words

__all__ = ["Uprobes"]


class Uprobes(UprobePlacing):
    """All uprobes of emu's own kernel. A number is reused once the guest has forgotten it.

    The operations are queued and done later, in order.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: where native code finds the probes.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, guest: Guest, records: RecordLists) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._free: list[int] = []
        self._consumers = np.zeros(8, np.uint64)
        self._saved_offsets = np.zeros(0, np.uint64)
        self._record = trace_records.Uprobes.allocate()
        self._tell()
        for array in records.arrays:
            array.uprobes = self._record

    def check(self, place: UprobePlace) -> None:
        """The guest looks for the file later."""

    def add(self, place: UprobePlace, consumer: Consumer, failed: Callable[[int], None]) -> int:
        self._use()
        number = self._free.pop() if self._free else self._new_number()
        self._consumers[number] = consumer.address
        letter = "r" if place.returns else "p"
        text = f"{letter} {place.offset:#x} {place.ref_ctr_offset:#x} {place.path}"
        added = partial(self._added, number, failed)
        self._kernel.work.ask(WorkKind.UPROBE_CREATE, number, text.encode(errors="surrogateescape"), added)
        return number

    def enable(self, number: int, failed: Callable[[int], None]) -> None:
        self._kernel.work.ask(WorkKind.UPROBE_ENABLE, number, on_done=partial(_unless_done, failed))

    def disable(self, number: int) -> None:
        self._kernel.work.ask(WorkKind.UPROBE_DISABLE, number)

    def remove(self, number: int) -> None:
        self._consumers[number] = 0
        self._kernel.work.ask(WorkKind.UPROBE_REMOVE, number, on_done=partial(self._forgotten, number))

    def _added(self, number: int, failed: Callable[[int], None], result: int) -> None:
        if result < 0 and self._consumers[number]:
            self._consumers[number] = 0
            self._free.append(number)
            failed(-result)

    def _forgotten(self, number: int, result: int) -> None:
        self._free.append(number)

    def _new_number(self) -> int:
        """A number that no probe has had yet. Numbers are used one after another."""
        number = self._record.count
        if number == len(self._consumers):
            self._consumers = np.append(self._consumers, np.zeros(number, np.uint64))
        self._tell(number + 1)
        return number

    def _tell(self, count: int = 0) -> None:
        self._record.consumers = Values[Consumer | None](self._consumers.ctypes.data)
        self._record.count = count

    def _use(self) -> None:
        """Must be called before the first probe is there."""
        if len(self._saved_offsets):
            return
        callbacks, probing = self._arch.uprobe_callbacks(self._guest), self._arch.probing()
        self._records.use_registers(probing.registers.words)
        self._saved_offsets = np.array([*probing.saved_offsets(self._kernel.image), 0], np.uint64)
        self._record.saved_offsets = Words(self._saved_offsets.ctypes.data)
        self._record.fill = callbacks.fill
        listen(self._kernel, (callbacks.dispatch, callbacks.dispatch_return))


def _unless_done(failed: Callable[[int], None], result: int) -> None:
    if result < 0:
        failed(-result)
