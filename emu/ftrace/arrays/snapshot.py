# SPDX-License-Identifier: GPL-2.0-only
"""The snapshot of one trace array, for users and for histograms."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.errors import TraceError

__all__ = ["Snapshot"]


class Snapshot:
    """Args:
    recorder: has the spare ring buffers.
    ops: has the tracer, which may use the snapshot's buffers for its worst latency.
    expand_buffer: gives the ring buffers the default size for tracing.
    """

    def __init__(self, recorder: Recorder, ops: FtraceOps, expand_buffer: Callable[[], None]) -> None:
        self._recorder, self._ops, self._expand_buffer = recorder, ops, expand_buffer

    def allocate(self) -> None:
        """Makes room for a snapshot, if there is none. Raises TraceError: ENOMEM."""
        self._expand_buffer()
        with self._enough_memory():
            self._recorder.allocate_snapshot()

    def reserve(self) -> Callable[[], None]:
        """Reserves the snapshot for a histogram's action, until the returned function is called. Makes room for the snapshot.

        Raises:
            TraceError: EBUSY if it is reserved already; ENOMEM.
        """
        self._check()
        self.allocate()
        self._recorder.globals.snapshots.use()
        self._recorder.records.array.snapshot_reserved = True
        return self._end_reservation

    def _end_reservation(self) -> None:
        self._recorder.records.array.snapshot_reserved = False

    def _check(self) -> None:
        self.check_reserved()
        self.check_print_max()

    def check_reserved(self) -> None:
        """Raises TraceError: EBUSY if a histogram's action has reserved the snapshot."""
        if self._recorder.records.array.snapshot_reserved:
            raise TraceError(errno.EBUSY, "an action of a histogram takes the snapshots")

    def check_print_max(self) -> None:
        """Raises TraceError: EBUSY if the tracer uses the snapshot's buffers for its worst latency."""
        if self._ops.tracer.print_max:
            raise TraceError(errno.EBUSY, f"the tracer '{self._ops.tracer.name}' keeps the worst latency in the snapshot's place")

    def take(self, cpu: int | None = None) -> None:
        """Takes a snapshot of one CPU or of all, and makes room for it if there is none. Raises TraceError: EBUSY, ENOMEM."""
        self._check()
        self._expand_buffer()
        with self._enough_memory():
            self._recorder.take_snapshot(cpu)

    def free(self) -> None:
        """Frees the snapshot and its room. Raises TraceError: EBUSY."""
        self._check()
        self._recorder.free_snapshot()

    def clear(self, cpu: int | None) -> None:
        """Empties the snapshot, or the part of one CPU. Raises TraceError: EBUSY."""
        self._check()
        self._recorder.clear_snapshot(cpu)

    @contextmanager
    def _enough_memory(self) -> Iterator[None]:
        try:
            yield
        except MemoryError:
            kb = sum(map(self._recorder.reader.size_kb, range(self._recorder.cpus)))
            raise TraceError(errno.ENOMEM, f"no memory for spare ring buffers of {kb} KiB") from None
