# SPDX-License-Identifier: GPL-2.0-only
"""The measurements of each run, by path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.trace.comparison.call_paths import CallPaths
from emu.trace.trace import Trace

__all__ = ["CannotCompare", "Side", "measure"]

Sample = NDArray[np.float64]


class CannotCompare(ValueError):
    """A trace has no calls, or one run is compared with several. The message is one line."""


@dataclass(frozen=True, eq=False)
class Totals:
    """For each path: the number of calls, and the nanoseconds in it without callees; averages over the runs."""

    calls: NDArray[np.float64]
    self_time: NDArray[np.float64]


class _Run:
    """The calls of one trace, by path."""

    def __init__(self, trace: Trace, paths: CallPaths) -> None:
        calls = trace.calls
        if not calls.count:
            raise CannotCompare("a trace has no calls; `emu record -p function_graph` records them")
        path = paths.number(trace)
        self.calls = np.bincount(path)
        self.finished = np.bincount(path, calls["finished"])
        self.self_time = np.bincount(path, calls["self_time"].astype(np.float64))


class Side:
    """The runs of one side of a comparison.

    Attributes:
        runs: the number of runs.
        totals: the totals of each path.
    """

    def __init__(self, runs: Sequence[_Run], paths: int) -> None:
        self.runs = len(runs)

        def of_each(columns: Iterable[NDArray[np.generic]]) -> NDArray[np.float64]:
            return np.array([np.pad(column, (0, paths - len(column))) for column in columns])  # 0 for paths that were found later

        self._calls = of_each(run.calls for run in runs)
        finished, self_time = of_each(run.finished for run in runs), of_each(run.self_time for run in runs)
        self._mean = np.where(finished > 0, self_time / np.maximum(finished, 1), np.nan)
        self.totals = Totals(self._calls.mean(axis=0), self_time.mean(axis=0))

    def times(self, path: int) -> Sample:
        """Nanoseconds per call on the path, without callees; an element for each run that has such calls."""
        of_runs = self._mean[:, path]
        return of_runs[~np.isnan(of_runs)]

    def counts(self, path: int) -> Sample:
        """The number of calls in each run."""
        return self._calls[:, path].astype(np.float64)


def measure(sides: Sequence[Iterable[Trace]], paths: CallPaths) -> list[Side]:
    """Measures each side.

    Raises:
        CannotCompare: a trace has no calls, or one run is compared with several.
    """
    found = [[_Run(trace, paths) for trace in traces] for traces in sides]
    counts = set(map(len, found))
    if 1 in counts and counts != {1}:
        raise CannotCompare("one run cannot be compared with several: each side needs two or more, or both need one")
    return [Side(runs, len(paths)) for runs in found]
