# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes: probes at an offset in a file, in every process that maps it. The guest's kernel sets them, in ktraced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native import trace_records
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.sites.callbacks import listen
from emu.kernel.kernel import Kernel
from emu.kernel.work import WorkKind
from emu.native.records import Values, Words

__all__ = ["UprobePlace", "Uprobes"]


@dataclass(frozen=True)
class UprobePlace:
    """The place of a uprobe.

    Attributes:
        path: the file's absolute path.
        offset: the instruction's offset in the file.
        ref_ctr_offset: the offset of a counter in the file of the probe's users; 0 if it has none.
        returns: probe the return of the function that begins there, not the instruction.
    """

    path: str
    offset: int
    ref_ctr_offset: int = 0
    returns: bool = False


class Uprobes:
    """All uprobes. The guest knows them by numbers, which are reused once the guest has forgotten them.

    The operations are queued and done later, in order. If one fails, its `failed` is called with an errno.

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

    def add(self, place: UprobePlace, consumer: Consumer, failed: Callable[[int], None]) -> int:
        """Defines a probe, which does nothing until it is enabled. Returns its number.

        Args:
            place: the place. ENOENT, ENOTDIR and so on if there is no such file; EINVAL if it is not a regular file.
            consumer: the probe's consumer, as long as the probe exists.
            failed: called on failure; the number no longer belongs to the probe then.
        """
        self._use()
        number = self._free.pop() if self._free else self._new_number()
        self._consumers[number] = consumer.address
        letter = "r" if place.returns else "p"
        text = f"{letter} {place.offset:#x} {place.ref_ctr_offset:#x} {place.path}"
        added = partial(self._added, number, failed)
        self._kernel.work.ask(WorkKind.UPROBE_CREATE, number, text.encode(errors="surrogateescape"), added)
        return number

    def enable(self, number: int, failed: Callable[[int], None]) -> None:
        """Makes the probe's consumer act from now on. EINVAL if the offset is beyond the end of the file, not a multiple of the
        instruction size, or has a different counter already; EOPNOTSUPP if the instruction cannot be probed.
        """
        self._kernel.work.ask(WorkKind.UPROBE_ENABLE, number, on_done=partial(_unless_done, failed))

    def disable(self, number: int) -> None:
        """Stops the probe's consumer."""
        self._kernel.work.ask(WorkKind.UPROBE_DISABLE, number)

    def remove(self, number: int) -> None:
        """Removes the probe."""
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
