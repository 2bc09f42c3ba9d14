# SPDX-License-Identifier: GPL-2.0-only
"""The tracers wakeup, wakeup_rt and wakeup_dl: how long woken tasks wait for a CPU."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from emu.ftrace.native.wakeup_record import MAX_DL_PRIO, MAX_PRIO, MAX_RT_PRIO
from emu.ftrace.tracers.latency import LatencyTracer
from emu.ftrace.tracers.tracer import TracedArray

__all__ = ["WAKEUP", "WAKEUP_DL", "WAKEUP_RT"]

_KEYS = tuple(f"__tracepoint_sched_{name}" for name in ("wakeup", "wakeup_new", "switch", "migrate_task"))


class WakeupTracer(LatencyTracer):
    """Measures how long a woken task waits, always for the task with the highest priority.

    Args:
        name: the name in current_tracer.
        prio_limit: the tasks that it follows (`Wakeup.prio_limit`).
    """

    def __init__(self, name: str, prio_limit: int) -> None:
        super().__init__(name, in_instances=True)
        self._prio_limit = prio_limit

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        return _KEYS

    def start(self, array: TracedArray) -> None:
        super().start(array)
        array.globals.wakeups.start(array.records, self._prio_limit)

    def stop(self, array: TracedArray) -> None:
        array.globals.wakeups.stop()
        super().stop(array)

    def recording(self, array: TracedArray, on: bool) -> None:
        if on:
            self._forget_begun(array)
            array.clear()
        super().recording(array, on)

    def _forget_begun(self, array: TracedArray) -> None:
        super()._forget_begun(array)
        array.globals.wakeups.forget()


WAKEUP = WakeupTracer("wakeup", MAX_PRIO)
WAKEUP_RT = WakeupTracer("wakeup_rt", MAX_RT_PRIO)
WAKEUP_DL = WakeupTracer("wakeup_dl", MAX_DL_PRIO)
