# SPDX-License-Identifier: GPL-2.0-only
"""The changes between two traces, or two sets of traces, path by path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from emu.trace.comparison import significance
from emu.trace.comparison.call_paths import NO_CALLER, CallPaths
from emu.trace.comparison.runs import Measured, measure
from emu.trace.trace import Trace

__all__ = ["By", "Change", "Comparison", "Kind", "compare"]

By = Literal["path", "function"]
Kind = Literal["appeared", "vanished", "more calls", "fewer calls", "slower", "faster"]


@dataclass(frozen=True)
class Change:
    """What is different on one path.

    Attributes:
        kind: what became of it.
        path: functions, the outermost first.
        calls: in a run of each side, on average.
        self_time: nanoseconds in such a run on that path, without what it calls.
        probability: that chance alone makes as large a difference.
    """

    kind: Kind
    path: tuple[str, ...]
    calls: tuple[float, float]
    self_time: tuple[float, float]
    probability: float

    @property
    def mean(self) -> tuple[float, float]:
        """Nanoseconds of a call, on each side."""
        first, second = (time / calls if calls else 0.0 for time, calls in zip(self.self_time, self.calls, strict=True))
        return first, second

    @property
    def difference(self) -> float:
        """Nanoseconds that a run takes more."""
        return self.self_time[1] - self.self_time[0]


@dataclass(frozen=True)
class Comparison:
    """Attributes:
    changes: those that are more than chance, the most costly first.
    others: how many other paths differ too, but not by more than chance does.
    paths: how many there are.
    runs: on each side.
    level: the probability that there is any change here although nothing is different.
    of_one_test: the probability below which a single test counts.
    tests: how many can be below it; 0: there are too few runs, or calls, to find anything.
    method: the tests' names.
    """

    changes: list[Change]
    others: int
    paths: int
    runs: tuple[int, int]
    level: float
    of_one_test: float
    tests: int
    method: str = significance.NAME


def compare(first: Iterable[Trace], second: Iterable[Trace], *, by: By = "path", level: float = 0.05) -> Comparison:
    """Compares one run with another, or several with several.

    Of two runs every outermost call counts once, whatever happens in it; of several runs each run. What appeared or
    vanished together with its caller is not named again.

    Args:
        first, second: the runs of each side; each trace is read once, and then let go.
        by: whether a function that is called on another path is another one.
        level: see `Comparison`.

    Raises:
        CannotCompare: a trace has no calls, or one run stands against several.
    """
    paths = CallPaths(whole=by == "path")
    sides = measure((first, second), paths)
    tests = _tests(paths, sides)
    threshold = significance.tarone(np.array([test.least for test in tests]), level)
    possible = [test for test in tests if test.least <= threshold]
    changes = []
    for test in possible:
        if (probability := test.probability()) <= threshold:
            change = _change(paths, sides, test.path, probability)
            changes.append(replace(change, kind=test.kind(change)))
    changes.sort(key=lambda change: (-abs(change.difference), change.path, change.kind))
    calls, times = ([getattr(side.totals, name) for side in sides] for name in ("calls", "self_time"))
    differ = np.count_nonzero((calls[0] != calls[1]) | (times[0] != times[1]))
    others = int(differ) - len({change.path for change in changes})
    return Comparison(changes, others, len(paths), (sides[0].runs, sides[1].runs), level, threshold, len(possible))


class _TimeTest:
    """Whether the calls on a path took as long on both sides.

    Attributes:
        least: the smallest probability that it can find.
    """

    def __init__(self, path: int, sides: Sequence[Measured]) -> None:
        self.path = path
        self._first, self._second = (side.times(path) for side in sides)
        self.least = significance.least_of_ranks(self._first, self._second)

    def probability(self) -> float:
        """That chance alone makes as large a difference."""
        return significance.ranks(self._first, self._second)

    @staticmethod
    def kind(change: Change) -> Kind:
        return "slower" if change.mean[1] > change.mean[0] else "faster"


class _CountTest:
    """Whether a path was called as often. Attributes and methods: those of `_TimeTest`."""

    def __init__(self, path: int, sides: Sequence[Measured]) -> None:
        self.path = path
        first, second = (side.counts(path) for side in sides)
        self._samples = first, second
        self._sums = int(first.sum()), int(second.sum())
        self._is_one_number = len(first) == len(second) == 1
        self._are_events = max(first.max(initial=0), second.max(initial=0)) <= 1
        if self._is_one_number:
            self.least = significance.least_of_binomial(sum(self._sums))
        elif self._are_events:
            self.least = significance.least_of_fisher(len(first), len(second), sum(self._sums))
        else:
            self.least = significance.least_of_ranks(first, second)

    def probability(self) -> float:
        first, second = self._samples
        if self._is_one_number:
            return significance.binomial(*self._sums)
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


def _tests(paths: CallPaths, sides: Sequence[Measured]) -> list[_TimeTest | _CountTest]:
    """Those of all paths whose callers were called on both sides."""
    called = [side.totals.calls for side in sides]
    on_both = (called[0] > 0) & (called[1] > 0)
    return [
        test
        for path, caller in enumerate(paths.callers)
        if caller == NO_CALLER or on_both[caller]
        for test in (_CountTest(path, sides), _TimeTest(path, sides))
    ]


def _change(paths: CallPaths, sides: Sequence[Measured], path: int, probability: float) -> Change:
    """What both sides have of a path; of which kind the change is, the test says."""
    calls, times = ([float(getattr(side.totals, name)[path]) for side in sides] for name in ("calls", "self_time"))
    return Change("slower", paths.names(path), (calls[0], calls[1]), (times[0], times[1]), probability)
