# SPDX-License-Identifier: GPL-2.0-only
"""The tracers osnoise and timerlat: threads of the guest find out what keeps them from running."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.ftrace.tracers.tracer import TracedArray, Tracer

__all__ = ["OSNOISE", "TIMERLAT"]


class _OsnoiseTracer(Tracer):
    """Args: timerlat: whether the threads wait for a timer, instead of reading the clock all the time."""

    has_threads = True

    def __init__(self, name: str, *, timerlat: bool) -> None:
        super().__init__(name)
        self._timerlat = timerlat

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return ("osnoise_key",)

    def start(self, array: TracedArray) -> None:
        array.max_latency.set(0)

    def ready(self, array: TracedArray) -> None:
        array.globals.osnoise.start(self._timerlat)

    def stop(self, array: TracedArray) -> None:
        array.ignore_threads()
        array.globals.osnoise.stop(then=array.threads_stopped)

    def recording(self, array: TracedArray, on: bool) -> None:
        """The threads run only while tracing_on is 1, unless something else than a write has cleared it."""
        if on:
            array.globals.osnoise.start(self._timerlat)
        else:
            array.globals.osnoise.stop()


OSNOISE = _OsnoiseTracer("osnoise", timerlat=False)
TIMERLAT = _OsnoiseTracer("timerlat", timerlat=True)
