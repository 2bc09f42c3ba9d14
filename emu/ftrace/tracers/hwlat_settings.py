# SPDX-License-Identifier: GPL-2.0-only
"""What the tracer hwlat is asked to do. Its threads, and what the files of hwlat_detector show, are the guest's."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.errors import TraceError
from emu.kernel.memory import GuestMemory
from emu.kernel.work import Work, WorkKind

__all__ = ["HwlatDetector"]

_MODES = ("none", "round-robin", "per-cpu")  # as enum hwlat_mode
_LONGEST_MODE = 63  # bytes that are written to the file
_SAME_MODE = -1


class HwlatDetector:
    """The detector of a machine. Times are in microseconds.

    Args:
        memory: of the guest, with its image loaded.
        work: for the guest.

    Attributes:
        threshold: tracing_thresh for its next run, unless there is one: that which the last run had.
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
        """The modes there are, with the one in force in brackets."""
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
        """From the beginning of one look to that of the next."""
        return self._get("sample_window")

    def set_window(self, time: int) -> None:
        """Raises TraceError: EINVAL."""
        if time < self.width:
            raise TraceError(errno.EINVAL, f"a window of {time} us is shorter than its width, {self.width} us")
        self._set("sample_window", time)

    @property
    def width(self) -> int:
        """How long threads look."""
        return self._get("sample_width")

    def set_width(self, time: int) -> None:
        """Raises TraceError: EINVAL."""
        if time > self.window:
            raise TraceError(errno.EINVAL, f"a width of {time} us is longer than its window, {self.window} us")
        self._set("sample_width", time)

    @property
    def silence(self) -> int:
        """For how many nanoseconds a thread may take no interrupts."""
        return self.width * 1000 if self._looks else 0

    @property
    def busy(self) -> bool:
        """Whether hwlat is the tracer of an array."""
        return self._user is not None

    def begin(self, user: ArrayRecords, cpus: frozenset[int], threshold: int) -> None:
        """hwlat is the tracer of an array from now on, and has found nothing yet.

        Args:
            user: the array's records.
            cpus: the array's tracing_cpumask.
            threshold: tracing_thresh before.
        """
        self._user = user
        self.cpumask_changed(user, cpus)
        self._threshold_before = threshold
        self._set("count", 0)

    def end(self, threshold: int) -> int:
        """hwlat is no longer the tracer. `threshold`: tracing_thresh until now. Returns what it was before."""
        self._user = None
        self.threshold = threshold
        return self._threshold_before

    def cpumask_changed(self, records: ArrayRecords, cpus: frozenset[int]) -> None:
        """The array that has these records has another tracing_cpumask: if hwlat is its tracer, threads look there."""
        if records is self._user:
            self._memory.set_cpumask(self._tracing, "trace_array.tracing_cpumask", cpus)

    def start_threads(self) -> None:
        """Has its threads begin, unless they have begun."""
        self._start(_SAME_MODE)

    def stop_threads(self, then: Callable[[], None] = lambda: None) -> None:
        """Has its threads end, if there are any. `then`: called when they have recorded for the last time."""
        self._work.ask(WorkKind.HWLAT_STOP, on_done=partial(self._stopped, then))

    def _start(self, mode: int) -> None:
        self._work.ask(WorkKind.HWLAT_START, mode, on_done=self._started)

    def _started(self, result: int) -> None:
        self._looks = True

    def _stopped(self, then: Callable[[], None], result: int) -> None:
        self._looks = False
        then()
