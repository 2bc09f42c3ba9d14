# SPDX-License-Identifier: GPL-2.0-only
"""What `compare` finds in made-up traces, and the error rate of its tests."""

from __future__ import annotations

import importlib
import itertools
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from emu.trace import Trace
from emu.trace.comparison import CannotCompare, Change, compare
from emu.trace.comparison import significance as tests
from tests.lib.trace_dat import Dat, Pages

NAMES = ("outer", "inner", "leaf", "irq")
ADDRESS = {name: 0xFFFFFFFF81000000 + 64 * n for n, name in enumerate(NAMES)}
SYMBOLS = "".join(f"{address:x} T {name}\n" for name, address in ADDRESS.items())
EDGES = f"{ADDRESS['irq']:x} A __irqentry_text_start\n{ADDRESS['irq'] + 64:x} A __irqentry_text_end\n"
END = f"{ADDRESS['irq'] + 128:x} T end\n"


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The tested code imports it lazily, which takes longer than one of hypothesis's examples may."""
    importlib.import_module("scipy.stats")


def ranked(values: Sequence[float]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    return rankdata(values)


Call = tuple[str, int, "Sequence[Call]"]  # a function, its self time in nanoseconds, and its callees


class Recorder:
    """Writes calls one after the other."""

    def __init__(self) -> None:
        self._pages = Pages()
        self._time = 1000

    def call(self, call: Call, depth: int = 0) -> None:
        name, own, inner = call
        start = self._time
        self._pages.add(start, struct.pack("<HBBiQi", 11, 0, 0, 5, ADDRESS[name], depth))
        for one in inner:
            self.call(one, depth + 1)
        self._time += own
        end = struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, ADDRESS[name], depth, 0, start, self._time)
        self._pages.add(self._time, end)

    def trace(self, path: Path) -> Trace:
        self._pages.flush()
        path.write_bytes(Dat([self._pages.data], kallsyms=EDGES + SYMBOLS + END).version7())
        return Trace.open(path)


@pytest.fixture
def trace(tmp_path: Path):  # type: ignore[no-untyped-def]  # a function
    numbers = itertools.count()

    def make(*calls: Call) -> Trace:
        recorder = Recorder()
        for call in calls:
            recorder.call(call)
        return recorder.trace(tmp_path / f"{next(numbers)}.dat")

    return make


def said(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.kind, " > ".join(change.path)) for change in changes]


def test_a_trace_does_not_differ_from_itself(trace) -> None:  # type: ignore[no-untyped-def]
    one = trace(*[("outer", 100 + n, [("inner", 10 * n, [])]) for n in range(50)])
    found = compare([one], [one])
    assert (found.changes, found.others, found.paths, found.runs, found.chance) == ([], 0, 2, (1, 1), None)


def test_the_path_that_became_slower_is_shown(trace) -> None:  # type: ignore[no-untyped-def]
    def run(extra: int) -> Trace:
        return trace(*[("outer", 100 + n % 7, [("inner", 10, [("leaf", 50 + n % 5 + extra, [])])]) for n in range(60)])

    [change] = compare([run(0)], [run(20)]).changes
    assert said([change]) == [("slower", "outer > inner > leaf")]
    assert change.calls == (60, 60) and change.difference == 60 * 20 and change.mean == (52, 72)
    assert change.probability is None  # one run cannot show what is due to chance
    assert said(compare([run(20)], [run(0)]).changes) == [("faster", "outer > inner > leaf")]


def test_what_appears_is_named_without_what_it_calls(trace) -> None:  # type: ignore[no-untyped-def]
    plain = trace(*[("outer", 100, [])] * 40)
    more = trace(*[("outer", 100, [("inner", 10, [("leaf", 5, [])])])] * 40)
    assert said(compare([plain], [more]).changes) == [("appeared", "outer > inner")]
    assert said(compare([more], [plain]).changes) == [("vanished", "outer > inner")]
    assert said(compare([plain], [more], by="function").changes) == [("appeared", "inner"), ("appeared", "leaf")]


def test_more_calls_in_each_call(trace) -> None:  # type: ignore[no-untyped-def]
    few = trace(*[("outer", 100, [("leaf", 5, [])] * (1 + n % 2)) for n in range(40)])
    many = trace(*[("outer", 100, [("leaf", 5, [])] * (4 + n % 3)) for n in range(40)])
    assert said(compare([few], [many]).changes) == [("more calls", "outer > leaf")]


def test_where_interrupts_come_in_is_no_difference(trace) -> None:  # type: ignore[no-untyped-def]
    interrupt = ("irq", 30, [("leaf", 3, [])])
    early = trace(*[("outer", 100, [interrupt, ("inner", 10, [])])] * 40)
    late = trace(*[("outer", 100, [("inner", 10, [interrupt])])] * 40)
    found = compare([early], [late])
    assert (found.changes, found.others) == ([], 0)
    assert found.paths == 4  # irq and irq > leaf are not below outer


def test_one_run_with_a_burst_is_chance(trace) -> None:  # type: ignore[no-untyped-def]
    plain = [("outer", 100, [("leaf", 5, [])])] * 40
    burst = [*plain[:-1], ("outer", 100, [("leaf", 500, [])] * 100)]
    [change] = compare([trace(*plain)], [trace(*burst)]).changes
    assert said([change]) == [("more calls", "outer > leaf")]  # with one run on each side, all differences are shown
    found = compare([trace(*plain) for _ in range(10)], [trace(*plain) for _ in range(9)] + [trace(*burst)])
    assert (found.changes, found.others) == ([], 1)


def test_the_number_of_calls_is_compared_before_their_time(trace) -> None:  # type: ignore[no-untyped-def]
    one = trace(("outer", 100, [("inner", 10, []), ("leaf", 5, [])]))
    other = trace(("outer", 90, [("inner", 10, []), ("inner", 5, []), ("leaf", 6, [])]))
    found = compare([one], [other])
    assert said(found.changes) == [("faster", "outer"), ("more calls", "outer > inner"), ("slower", "outer > leaf")]


def test_several_runs_count_once_each(trace) -> None:  # type: ignore[no-untyped-def]
    def runs(own: int) -> list[Trace]:
        return [trace(("outer", own + n, []), ("inner", 50 + n, [])) for n in range(10)]

    assert said(compare(runs(100), runs(120)).changes) == [("slower", "outer")]
    nothing = compare(runs(100)[:2], runs(120)[:2])
    assert nothing.changes == [] and nothing.chance is not None and nothing.chance.tests == 0


def test_what_cannot_be_compared(trace, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    one = trace(("outer", 1, []))
    with pytest.raises(CannotCompare, match="one run cannot be compared with several"):
        compare([one], [one, one])
    with pytest.raises(CannotCompare, match="has no calls"):
        compare([trace()], [one])


SMALL = st.lists(st.integers(0, 3), min_size=1, max_size=5)


@given(SMALL, SMALL)
def test_the_least_probability_of_ranks_is_that_of_the_extremes(first: list[int], second: list[int]) -> None:
    """Compares with all ways to divide the values."""
    ranks = ranked(first + second)
    samples = itertools.combinations(range(len(ranks)), len(first))
    far = [abs(sum(ranks[place] for place in places) - len(first) * ranks.mean()) for places in samples]
    expected = sum(one >= max(far) - 1e-9 for one in far) / len(far)
    least = tests.least_of_ranks(np.array(first, float), np.array(second, float))
    assert least == pytest.approx(expected)
    assert tests.ranks(np.array(first, float), np.array(second, float)) >= least * (1 - 1e-9)


@given(SMALL, SMALL)
def test_ranks_of_few_values_are_counted(first: list[int], second: list[int]) -> None:
    samples = np.array(first, float), np.array(second, float)
    ranks = ranked(np.concatenate(samples))
    far = [
        abs(sum(ranks[place] for place in places) - len(first) * ranks.mean())
        for places in itertools.combinations(range(len(ranks)), len(first))
    ]
    observed = abs(ranks[: len(first)].sum() - len(first) * ranks.mean())
    expected = sum(one >= observed - 1e-9 for one in far) / len(far)
    assert tests._counted(*samples) == pytest.approx(expected)


@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_the_least_probability_of_fisher_is_that_of_the_extremes(first: int, second: int, data: st.DataObject) -> None:
    events = data.draw(st.integers(0, first + second))
    least = tests.least_of_fisher(first, second, events)
    shares = range(max(0, events - second), min(events, first) + 1)
    found = [tests.fisher(one, first, events - one, second) for one in shares]
    assert min(found) >= least * (1 - 1e-9)


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=50), st.floats(0.001, 0.5))
def test_no_more_tests_count_than_the_level_is_divided_by(least: list[float], level: float) -> None:
    threshold = tests.tarone(np.array(least), level)
    assert sum(one <= threshold for one in least) * threshold <= level * (1 + 1e-9)
