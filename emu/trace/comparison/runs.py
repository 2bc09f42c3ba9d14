# SPDX-License-Identifier: GPL-2.0-only
"""What was measured on each path: of one run each outermost call, of several runs what each of them comes to.

Calls within one outermost call, a system call or an interrupt, are not independent of each other: where one of them takes
long, because nothing is in the cache, its neighbours do, too. So each outermost call counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emu.trace.comparison.call_paths import NO_CALLER, CallPaths
from emu.trace.trace import Trace

__all__ = ["CannotCompare", "Measured", "OneRun", "SeveralRuns", "measure"]

Sample = NDArray[np.float64]


class CannotCompare(ValueError):
    """A trace has no calls. The message is one line."""


@dataclass(frozen=True, eq=False)
class Totals:
    """Of each path: how often it was called, and nanoseconds in it without those in what it calls; the mean of the runs."""

    calls: NDArray[np.float64]
    self_time: NDArray[np.float64]


class Measured(Protocol):
    """One side of a comparison.

    Attributes:
        runs: how many.
        totals: of each path.
    """

    @property
    def runs(self) -> int: ...
    @property
    def totals(self) -> Totals: ...

    def times(self, path: int) -> Sample:
        """Nanoseconds of a call on the path, without those in what it calls; an element for each unit that has such calls."""

    def counts(self, path: int) -> Sample:
        """How often it was called; an element for each unit, or one for all if there are no units in which it could be."""


class _Run:
    """The calls of one trace, by their paths. A unit is an outermost call."""

    def __init__(self, trace: Trace, paths: CallPaths) -> None:
        calls = trace.calls
        if not calls.count:
            raise CannotCompare("a trace has no calls; `emu record -p function_graph` records them")
        path, outermost = paths.number(trace)
        self._paths = paths
        self._outermost = int(np.count_nonzero(outermost == np.arange(len(outermost))))
        order = np.lexsort((outermost, path))
        path, outermost = path[order], outermost[order]
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(path) != 0) | (np.diff(outermost) != 0)
        first = np.flatnonzero(new)
        self._path = path[first]
        self._counts = np.diff(np.append(first, len(order))).astype(np.float64)
        self._finished = np.add.reduceat(calls["finished"][order].astype(np.int64), first)
        self._times = np.add.reduceat(calls["self_time"][order].astype(np.float64), first)

    def complete(self) -> None:
        """Once all paths are numbered: where the units of each begin."""
        count = len(self._paths)
        self.calls = np.bincount(self._path, self._counts, count).astype(np.int64)
        self.finished = np.bincount(self._path, self._finished, count).astype(np.int64)
        self.self_time: NDArray[np.float64] = np.bincount(self._path, self._times, count).astype(np.float64)
        self._start = np.searchsorted(self._path, np.arange(count + 1))

    def times(self, path: int) -> Sample:
        here = slice(self._start[path], self._start[path + 1])
        some = self._finished[here] > 0
        return self._times[here][some] / self._finished[here][some]

    def counts(self, path: int) -> Sample:
        found = self._counts[self._start[path] : self._start[path + 1]]
        if not self._paths.whole:
            units = self._outermost
        elif self._paths.callers[path] == NO_CALLER:
            return np.array([float(self.calls[path])])
        else:
            units = int(self.calls[self._paths.first(path)])
        return np.concatenate([np.zeros(units - len(found)), found])


class OneRun:
    """One run: every outermost call counts."""

    runs = 1

    def __init__(self, run: _Run) -> None:
        self.times = run.times
        self.counts = run.counts
        self.totals = Totals(run.calls.astype(np.float64), run.self_time)


class SeveralRuns:
    """Several runs: each counts once."""

    def __init__(self, runs: Sequence[_Run]) -> None:
        self.runs = len(runs)
        self._calls: NDArray[np.int64] = np.array([run.calls for run in runs])
        finished, self_time = np.array([run.finished for run in runs]), np.array([run.self_time for run in runs])
        self._mean = np.where(finished > 0, self_time / np.maximum(finished, 1), np.nan)
        self.totals = Totals(self._calls.mean(axis=0), self_time.mean(axis=0))

    def times(self, path: int) -> Sample:
        of_runs = self._mean[:, path]
        return of_runs[~np.isnan(of_runs)]

    def counts(self, path: int) -> Sample:
        return self._calls[:, path].astype(np.float64)


def measure(sides: Sequence[Iterable[Trace]], paths: CallPaths) -> list[Measured]:
    """What was measured on each side.

    Raises:
        CannotCompare: a trace has no calls, or one run stands against several.
    """
    found = [[_Run(trace, paths) for trace in traces] for traces in sides]
    for runs in found:
        for run in runs:
            run.complete()
    counts = set(map(len, found))
    if 1 not in counts:
        return [SeveralRuns(runs) for runs in found]
    if counts != {1}:
        raise CannotCompare("one run cannot be compared with several: each side needs two or more, or both need one")
    return [OneRun(runs[0]) for runs in found]
