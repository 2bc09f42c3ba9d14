# SPDX-License-Identifier: GPL-2.0-only
"""The osnoise and timerlat tracers: threads of the guest measure what keeps them from running."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.ftrace.buffers.entries import EventType
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["OSNOISE", "TIMERLAT"]


class _OsnoiseTracer(Tracer):
    """The tracer. Several arrays may have it, but one cannot have osnoise while another has timerlat.

    Args:
        timerlat: whether the threads wait for a timer, instead of polling the clock.
        entries: the entries that they record.
    """

    has_threads = True

    def __init__(self, name: str, *, timerlat: bool, entries: Collection[EventType]) -> None:
        super().__init__(name, in_instances=True)
        self._timerlat = timerlat
        self._entries = entries

    def excludes(self, other: Tracer) -> bool:
        return isinstance(other, _OsnoiseTracer) and other is not self

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return ("osnoise_key",)

    def start(self, array: TracedArray) -> None:
        array.max_latency.set(0)
        array.take_entries(self._entries, True)

    def ready(self, array: TracedArray) -> None:
        OwnGlobals.of(array).osnoise.start(array.records, self._timerlat)

    def stop(self, array: TracedArray) -> None:
        array.take_entries(self._entries, False)
        array.ignore_threads()
        OwnGlobals.of(array).osnoise.stop(array.records, then=array.threads_stopped)

    def recording(self, array: TracedArray, on: bool) -> None:
        """The threads run while tracing_on is 1 in an array, or something other than a write has cleared it."""
        if on:
            OwnGlobals.of(array).osnoise.start(array.records, self._timerlat)
        else:
            OwnGlobals.of(array).osnoise.stop(array.records)


OSNOISE = _OsnoiseTracer("osnoise", timerlat=False, entries=(EventType.OSNOISE,))
TIMERLAT = _OsnoiseTracer("timerlat", timerlat=True, entries=(EventType.TIMERLAT, EventType.KERNEL_STACK))
