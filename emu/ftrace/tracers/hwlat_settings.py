# SPDX-License-Identifier: GPL-2.0-only
"""The settings of the hwlat tracer. Its threads, and the values in the files of hwlat_detector, are in the guest."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.errors import TraceError
from emu.kernel.memory import GuestMemory
from emu.kernel.work import Work, WorkKind

__all__ = ["HwlatDetector"]

_MODES = ("none", "round-robin", "per-cpu")  # in the order of enum hwlat_mode
_LONGEST_MODE = 63  # bytes accepted by the file
_SAME_MODE = -1


class HwlatDetector:
    """The detector of a machine. Times are in microseconds.

    Args:
        memory: the guest's memory, with its image loaded.
        work: starts and stops the guest's threads.

    Attributes:
        threshold: the tracing_thresh of the last run, which the next run uses if none is set.
    """

    def __init__(self, memory: GuestMemory, work: Work) -> None:
        self.threshold = 10
        self._user: ArrayRecords | None = None
        self._threshold_before = 0
        self._looks = False  # whether there may be threads
        self._memory = memory
        self._work = work
        self._data = memory.image.symbol("hwlat_data")
        self._tracing = memory.image.symbol("global_trace")

    def _get(self, member: str) -> int:
        return self._memory.member(self._data, f"hwlat_data.{member}")

    def _set(self, member: str, value: int) -> None:
        self._memory.set_member(self._data, f"hwlat_data.{member}", value)

    @property
    def modes(self) -> str:
        """All modes, the current one in brackets."""
        chosen = self._get("thread_mode")
        return " ".join(f"[{mode}]" if number == chosen else mode for number, mode in enumerate(_MODES))

    def set_mode(self, text: str) -> None:
        """Raises TraceError: EINVAL."""
        name = text.strip()
        if name not in _MODES or len(text) > _LONGEST_MODE:
            raise TraceError(errno.EINVAL, f"there is no mode '{name}' (there are: {' '.join(_MODES)})", (name, _MODES))
        mode = _MODES.index(name)
        if self.busy:
            self.stop_threads()
            self._start(mode)
        else:
            self._set("thread_mode", mode)

    @property
    def window(self) -> int:
        """The time from the start of one sampling period to the next."""
        return self._get("sample_window")

    def set_window(self, time: int) -> None:
        """Raises TraceError: EINVAL."""
        if time < self.width:
            raise TraceError(errno.EINVAL, f"a window of {time} us is shorter than its width, {self.width} us")
        self._set("sample_window", time)

    @property
    def width(self) -> int:
        """The time for which threads sample in each window."""
        return self._get("sample_width")

    def set_width(self, time: int) -> None:
        """Raises TraceError: EINVAL."""
        if time > self.window:
            raise TraceError(errno.EINVAL, f"a width of {time} us is longer than its window, {self.window} us")
        self._set("sample_width", time)

    @property
    def silence(self) -> int:
        """Nanoseconds for which a thread may take no interrupts."""
        return self.width * 1000 if self._looks else 0

    @property
    def busy(self) -> bool:
        """Whether hwlat is an array's tracer."""
        return self._user is not None

    def begin(self, user: ArrayRecords, cpus: frozenset[int], threshold: int) -> None:
        """hwlat becomes the tracer of an array, and has found nothing yet.

        Args:
            user: the array's records.
            cpus: the array's tracing_cpumask.
            threshold: tracing_thresh until now.
        """
        self._user = user
        self.cpumask_changed(user, cpus)
        self._threshold_before = threshold
        self._set("count", 0)

    def end(self, threshold: int) -> int:
        """hwlat is no longer the tracer. `threshold`: tracing_thresh until now. Returns the value before hwlat was set."""
        self._user = None
        self.threshold = threshold
        return self._threshold_before

    def cpumask_changed(self, records: ArrayRecords, cpus: frozenset[int]) -> None:
        """An array's tracing_cpumask has changed. If hwlat is its tracer, the threads sample on those CPUs."""
        if records is self._user:
            self._memory.set_cpumask(self._tracing, "trace_array.tracing_cpumask", cpus)

    def start_threads(self) -> None:
        """Starts the threads, unless they are running."""
        self._start(_SAME_MODE)

    def stop_threads(self, then: Callable[[], None] = lambda: None) -> None:
        """Stops the threads, if there are any. `then`: called when they have recorded for the last time."""
        self._work.ask(WorkKind.HWLAT_STOP, on_done=partial(self._stopped, then))

    def _start(self, mode: int) -> None:
        self._work.ask(WorkKind.HWLAT_START, mode, on_done=self._started)

    def _started(self, result: int) -> None:
        self._looks = True

    def _stopped(self, then: Callable[[], None], result: int) -> None:
        self._looks = False
        then()
