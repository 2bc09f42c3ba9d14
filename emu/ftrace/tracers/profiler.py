# SPDX-License-Identifier: GPL-2.0-only
"""The function profiler: on each CPU, how often functions were called and how long they ran (Linux: ftrace_profile)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native import probes
from emu.ftrace.native.profile_record import FunctionProfile
from emu.ftrace.native.trace_records import Places
from emu.ftrace.native.trace_values import PROFILED
from emu.ftrace.sites.filters import Functions, SiteMask
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.text.duration import duration
from emu.native.records import HOST, Records

__all__ = ["Profiler"]

_FIELDS = len(HOST.fields(FunctionProfile))

_HEADER = """\
  Function                               Hit    Time            Avg             s^2
  --------                               ---    ----            ---             ---
"""


class Profiler:
    """The CPUs' counts since the profiler was last switched on. After changing `enabled`, the caller must update the sites.

    Args:
        records: where native code finds the counts.

    Attributes:
        enabled: whether it counts (function_profile_enabled).
    """

    callback = Callback.GRAPH
    flag = PROFILED

    def __init__(self, records: RecordLists) -> None:
        self._records = records
        self._enabled = False
        self._rows: dict[int, int] = {}  # by function number
        self._names = [""]  # of each row; row 0 belongs to no function
        self._counts: list[NDArray[np.uint64]] = []  # of each CPU: its `FunctionProfile`s
        self._table: Places | None = None

    @property
    def enabled(self) -> bool:
        return self._enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        if on and not self._enabled:
            for counts in self._counts:
                counts[:] = 0
        self._enabled = on

    def follow(self, functions: Functions, places: NDArray[np.int64]) -> None:
        """Gives each function a row. Rows of functions that are gone stay. `places`: the offset of each site, for native code."""
        for number, name in zip(functions.numbers.tolist(), functions.names, strict=True):
            if number not in self._rows:
                self._rows[number] = len(self._names)
                self._names.append(name)
        rows = np.array([self._rows[number] for number in functions.numbers.tolist()], np.uint64)
        self._table = probes.table_of(places.astype(np.uint64), rows)
        cpus = self._records.top_cpus
        before = self._counts or [np.zeros((0, _FIELDS), np.uint64) for _ in cpus]
        self._counts = [_grown(counts, len(self._names)) for counts in before]
        for cpu, counts in zip(cpus, self._counts, strict=True):
            cpu.profile = Records[FunctionProfile](counts.ctypes.data)
        self._records.top.profiled_sites = self._table

    # The interface of observers of calls (Watch)

    def __bool__(self) -> bool:
        return self._enabled

    def sites(self, selected: SiteMask) -> SiteMask:
        """The sites that it observes: those that set_ftrace_filter selects."""
        return selected

    def functions_changed(self, functions: Functions) -> None:
        """Does nothing: see `follow`."""

    def module_coming(self, name: str) -> None:
        """Does nothing: it has no filter of its own."""

    # Reading

    def text(self, cpu: int, threshold: int) -> str:
        """A CPU's counts, the longest time first (trace_stat/functionN).

        `threshold`: nanoseconds; functions with a smaller average time are left out.
        """
        return _HEADER + "".join(self._lines(cpu, threshold))

    def _lines(self, cpu: int, threshold: int) -> Iterator[str]:
        if not self._counts:
            return
        counts = self._counts[cpu]
        called = np.flatnonzero(counts[:, 0])
        for row in called[np.argsort(~counts[called, 1], kind="stable")].tolist():
            hits, time, squares = counts[row].tolist()
            if time // hits < threshold:
                continue
            columns = (duration(time), duration(time // hits), duration(_variance(hits, time, squares)))
            yield f"  {self._names[row][:30]:30}  {hits:10}    {'    '.join(columns)}\n"


def _variance(hits: int, time: int, squares: int) -> int:
    """The sample variance of the calls' times, in units of 1,000 square nanoseconds, in 64-bit arithmetic.

    Args:
        hits: the number of calls.
        time: the sum of their times.
        squares: the sum of the squares.
    """
    if hits < 2:
        return 0
    mask = (1 << 64) - 1
    return (hits * squares - time * time & mask) // max(hits * (hits - 1) * 1000 & mask, 1)


def _grown(counts: NDArray[np.uint64], rows: int) -> NDArray[np.uint64]:
    """The counts, extended to at least so many functions."""
    if len(counts) >= rows:
        return counts
    grown = np.zeros((rows, _FIELDS), np.uint64)
    grown[: len(counts)] = counts
    return grown
