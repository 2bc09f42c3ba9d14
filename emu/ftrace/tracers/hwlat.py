# SPDX-License-Identifier: GPL-2.0-only
"""The hwlat tracer: threads of the guest look for time that the hardware takes from the CPUs."""

from __future__ import annotations

from emu.ftrace.buffers.entries import EventType
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["HWLAT"]

_ENTRIES = (EventType.HWLAT,)


class _Hwlat(Tracer):
    """The tracer. If tracing_thresh is 0, it sets its own: the value of its last run, or 10 us at first."""

    has_threads = True

    def excludes(self, other: Tracer) -> bool:
        return other is self

    def start(self, array: TracedArray) -> None:
        array.use_events()
        array.take_entries(_ENTRIES, True)
        detector = OwnGlobals.of(array).hwlat
        detector.begin(array.records, array.cpumask, array.threshold)
        array.max_latency.set(0)
        array.threshold = array.threshold or detector.threshold
        if array.recording:
            detector.start_threads()

    def stop(self, array: TracedArray) -> None:
        detector = OwnGlobals.of(array).hwlat
        if detector.busy:
            array.take_entries(_ENTRIES, False)
            array.ignore_threads()
            detector.stop_threads(then=array.threads_stopped)
            array.threshold = detector.end(array.threshold)

    def recording(self, array: TracedArray, on: bool) -> None:
        detector = OwnGlobals.of(array).hwlat
        if not detector.busy:
            return
        if on:
            detector.start_threads()
        else:
            detector.stop_threads()


HWLAT = _Hwlat("hwlat", in_instances=True)
