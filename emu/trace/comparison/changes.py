# SPDX-License-Identifier: GPL-2.0-only
"""The changes between two traces, or two sets of traces, by path. Only for sets can chance be ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from emu.trace.comparison import significance
from emu.trace.comparison.call_paths import NO_CALLER, CallPaths
from emu.trace.comparison.runs import Side, measure
from emu.trace.trace import Trace

__all__ = ["By", "Chance", "Change", "Comparison", "Kind", "compare"]

By = Literal["path", "function"]
Kind = Literal["appeared", "vanished", "more calls", "fewer calls", "slower", "faster"]


@dataclass(frozen=True)
class Change:
    """A difference on one path.

    Attributes:
        kind: the kind of change.
        path: the functions, outermost first.
        calls: calls per run on each side, on average.
        self_time: nanoseconds per run on that path, without callees.
        probability: the probability that chance alone causes such a difference; None: unknown, with one run per side.
    """

    kind: Kind
    path: tuple[str, ...]
    calls: tuple[float, float]
    self_time: tuple[float, float]
    probability: float | None

    @property
    def mean(self) -> tuple[float, float]:
        """Nanoseconds per call, on each side."""
        first, second = (time / calls if calls else 0.0 for time, calls in zip(self.self_time, self.calls, strict=True))
        return first, second

    @property
    def difference(self) -> float:
        """By how many nanoseconds a run takes longer."""
        return self.self_time[1] - self.self_time[0]


@dataclass(frozen=True)
class Chance:
    """How changes were distinguished from chance.

    Attributes:
        level: the probability of reporting any change although nothing is different.
        of_one_test: the probability below which a single test counts.
        tests: how many tests can be below it; 0: there are too few runs or calls to find anything.
        method: the tests' names.
    """

    level: float
    of_one_test: float
    tests: int
    method: str = significance.NAME


@dataclass(frozen=True)
class Comparison:
    """Attributes:
    changes: those beyond chance, the most costly first; with one run per side, all differences.
    others: the number of other paths that differ: not beyond chance or, with one run, below a path that appeared or vanished.
    paths: the number of paths.
    runs: the number of runs on each side.
    chance: None with one run per side, for which it is unknown.
    """

    changes: list[Change]
    others: int
    paths: int
    runs: tuple[int, int]
    chance: Chance | None


def compare(first: Iterable[Trace], second: Iterable[Trace], *, by: By = "path", level: float = 0.05) -> Comparison:
    """Compares one run with another, or several with several. Each of several runs counts once.

    Paths below one that appeared or vanished are not listed separately.

    Args:
        first, second: the runs of each side. Each trace is read once and then released.
        by: whether functions are distinguished by call path.
        level: see `Chance`; ignored with one run per side.

    Raises:
        CannotCompare: a trace has no calls, or one run is compared with several.
    """
    paths = CallPaths(whole=by == "path")
    sides = measure((first, second), paths)
    calls, times = ([getattr(side.totals, name) for side in sides] for name in ("calls", "self_time"))
    differ = (calls[0] != calls[1]) | (times[0] != times[1])
    if sides[0].runs == 1:
        changes, chance = _differences(paths, sides, differ), None
    else:
        changes, chance = _more_than_chance(paths, sides, level)
    changes.sort(key=lambda change: (-abs(change.difference), change.path, change.kind))
    others = int(np.count_nonzero(differ)) - len({change.path for change in changes})
    return Comparison(changes, others, len(paths), (sides[0].runs, sides[1].runs), chance)


def _differences(paths: CallPaths, sides: Sequence[Side], differ: NDArray[np.bool_]) -> list[Change]:
    """The differences in numbers of calls, or only in times."""
    changes = (_change(paths, sides, path, None) for path in _compared(paths, sides) if differ[path])
    return [
        replace(change, kind=(_TimeTest if change.calls[0] == change.calls[1] else _CountTest).kind(change)) for change in changes
    ]


def _more_than_chance(paths: CallPaths, sides: Sequence[Side], level: float) -> tuple[list[Change], Chance]:
    tests = [test for path in _compared(paths, sides) for test in (_CountTest(path, sides), _TimeTest(path, sides))]
    threshold = significance.tarone(np.array([test.least for test in tests]), level)
    possible = [test for test in tests if test.least <= threshold]
    changes = []
    for test in possible:
        if (probability := test.probability()) <= threshold:
            change = _change(paths, sides, test.path, probability)
            changes.append(replace(change, kind=test.kind(change)))
    return changes, Chance(level, threshold, len(possible))


def _compared(paths: CallPaths, sides: Sequence[Side]) -> list[int]:
    """The paths whose callers were called on both sides."""
    on_both = (sides[0].totals.calls > 0) & (sides[1].totals.calls > 0)
    return [path for path, caller in enumerate(paths.callers) if caller == NO_CALLER or on_both[caller]]


class _TimeTest:
    """Tests whether the calls on a path took equally long on both sides.

    Attributes:
        least: the smallest probability that the test can yield.
    """

    def __init__(self, path: int, sides: Sequence[Side]) -> None:
        self.path = path
        self._first, self._second = (side.times(path) for side in sides)
        self.least = significance.least_of_ranks(self._first, self._second)

    def probability(self) -> float:
        """The probability that chance alone causes such a difference."""
        return significance.ranks(self._first, self._second)

    @staticmethod
    def kind(change: Change) -> Kind:
        return "slower" if change.mean[1] > change.mean[0] else "faster"


class _CountTest:
    """Tests whether a path was called equally often. Attributes and methods are those of `_TimeTest`."""

    def __init__(self, path: int, sides: Sequence[Side]) -> None:
        self.path = path
        first, second = (side.counts(path) for side in sides)
        self._samples = first, second
        self._sums = int(first.sum()), int(second.sum())
        self._are_events = max(first.max(initial=0), second.max(initial=0)) <= 1
        if self._are_events:
            self.least = significance.least_of_fisher(len(first), len(second), sum(self._sums))
        else:
            self.least = significance.least_of_ranks(first, second)

    def probability(self) -> float:
        first, second = self._samples
        if self._are_events:
            return significance.fisher(self._sums[0], len(first), self._sums[1], len(second))
        return significance.ranks(first, second)

    @staticmethod
    def kind(change: Change) -> Kind:
        if not change.calls[0]:
            return "appeared"
        if not change.calls[1]:
            return "vanished"
        return "more calls" if change.calls[1] > change.calls[0] else "fewer calls"


def _change(paths: CallPaths, sides: Sequence[Side], path: int, probability: float | None) -> Change:
    """The change of a path, with both sides' numbers. The test determines the kind."""
    calls, times = ([float(getattr(side.totals, name)[path]) for side in sides] for name in ("calls", "self_time"))
    return Change("slower", paths.names(path), (calls[0], calls[1]), (times[0], times[1]), probability)
