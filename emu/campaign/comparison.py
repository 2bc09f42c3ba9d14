# SPDX-License-Identifier: GPL-2.0-only
"""The differences between two tables: what was measured with the same parameters, in other runs.

Whether a difference is more than chance is decided as for traces (emu.trace.comparison).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emu.campaign.groups import FEW, Groups, Key, group, is_number, is_text, numbers, texts, varying
from emu.campaign.table import Table
from emu.campaign.text import is_short
from emu.campaign.unit import Scalar
from emu.trace.comparison import CannotCompare, Chance, significance

__all__ = ["CannotCompare", "Difference", "TableComparison", "compare_tables"]


@dataclass(frozen=True)
class Difference:
    """A measure that differs.

    Attributes:
        parameters: of the runs, without those that all compared runs share.
        measure: its name.
        value: None: the means of numbers are compared. Otherwise how often a text has this value: `mean` are shares of the runs.
            "" is no value at all.
        mean: on each side; None: no run has a number.
        runs: on each side.
        probability: the probability that chance alone causes such a difference; None: unknown, with one run per side.
    """

    parameters: Mapping[str, Scalar]
    measure: str
    value: str | None
    mean: tuple[float | None, float | None]
    runs: tuple[int, int]
    probability: float | None

    @property
    def percent(self) -> float | None:
        """By how many percent a mean is larger, or by how many percentage points a share is; None: the first mean is 0."""
        first, second = self.mean
        if first is None or second is None:
            return None
        if self.value is not None:
            return 100 * (second - first)
        return 100 * (second - first) / abs(first) if first else None


@dataclass(frozen=True)
class TableComparison:
    """Attributes:
    changes: the differences beyond chance, the largest first; with one run per side, all differences.
    others: the number of other measures of groups that differ.
    groups: how many groups of runs with the same parameters were compared.
    fixed: the parameters that all these runs share.
    apart: the parameters that have one value in each table, but not the same one: the two values.
    only: the groups that only one side has, for each side.
    unmatched: the parameters and measures that only one side has, for each side, and measures that are numbers on one alone.
    left_out: measures that are texts with too many values, or with long ones.
    runs: the smallest and the largest number of runs in a group.
    chance: None with one run per side everywhere.
    """

    changes: list[Difference]
    others: int
    groups: int
    fixed: Mapping[str, Scalar]
    apart: Mapping[str, tuple[Scalar, Scalar]]
    only: tuple[list[dict[str, Scalar]], list[dict[str, Scalar]]]
    unmatched: tuple[list[str], list[str]]
    left_out: list[str]
    runs: tuple[int, int]
    chance: Chance | None


def compare_tables(first: Table, second: Table, *, level: float = 0.05, over: str | Sequence[str] = "seed") -> TableComparison:
    """Compares the runs of two tables that have the same parameters, but for those of `over` and those that tell them apart.

    Args:
        first, second: the tables.
        level: see `Chance`.
        over: parameters in which runs of a group may differ.

    Raises:
        CannotCompare: they have no group, or no measure, in common.
    """
    first, second = sides = _aligned(first, second)
    without = (over,) if isinstance(over, str) else over
    apart = _apart(sides, without)
    names = [name for name in first.parameters if name in second.parameters and name not in (*without, *apart)]
    groups = [group(side, names) for side in sides]
    places = [{key: n for n, key in enumerate(side.keys)} for side in groups]
    common = [key for key in groups[0].keys if key in places[1]]
    if not common:
        raise CannotCompare(f"no runs of one have the parameters of any run of the other ({', '.join(names) or 'no rows'})")
    fixed = {name: common[0][n] for n, name in enumerate(names) if len({key[n] for key in common}) == 1}
    measures, left_out = _measures(sides)
    if not measures:
        raise CannotCompare("they have no measure in common")
    rows = [(groups[0].rows[places[0][key]], groups[1].rows[places[1][key]]) for key in common]
    tests = [test for name in measures for test in _tests(name, sides, common, rows)]
    sizes = [len(some) for pair in rows for some in pair]
    found, chance = _more_than_chance(tests, level) if max(sizes) > 1 else (_differences(tests), None)
    changes = [test.difference(_dictionary(names, test.key, fixed), probability) for test, probability in found]
    changes.sort(key=_largest_first)
    differ = {(test.key, test.measure) for test in tests if test.differs}
    others = len(differ - {(test.key, test.measure) for test, _ in found})
    only = _only(groups[0], places[1], fixed), _only(groups[1], places[0], fixed)
    unmatched = _unmatched(first, second, without, measures, left_out), _unmatched(second, first, without, measures, left_out)
    runs = min(sizes), max(sizes)
    return TableComparison(changes, others, len(common), fixed, apart, only, unmatched, left_out, runs, chance)


def _aligned(first: Table, second: Table) -> tuple[Table, Table]:
    """The tables; a parameter that is a number in one of them alone is a text in both, as it was written."""
    for name in first.parameters:
        if name in second.parameters and is_number(first, name) != is_number(second, name):
            first, second = (_with_text(side, name) if is_number(side, name) else side for side in (first, second))
    return first, second


def _with_text(table: Table, name: str) -> Table:
    import pyarrow

    place = table.columns.column_names.index(name)
    return Table(table.columns.set_column(place, name, table.columns[name].cast(pyarrow.string())), table.parameters)


def _apart(sides: tuple[Table, Table], without: Sequence[str]) -> dict[str, tuple[Scalar, Scalar]]:
    (_, first), (_, second) = map(varying, sides)
    return {
        name: (value, second[name])
        for name, value in first.items()
        if name in second and name not in without and value != second[name]
    }


def _measures(sides: tuple[Table, Table]) -> tuple[list[str], list[str]]:
    """The measures that can be compared; and those that are texts with many values or long ones."""
    first, second = sides
    shared = [name for name in first.measures if name in second.measures]
    kinds = {name: [_kind(side, name) for side in sides] for name in shared}
    alike = [name for name, (one, other) in kinds.items() if one == other or "none" in (one, other)]
    many = [name for name in alike if "text" in kinds[name] and not _are_few(_values(name, sides))]
    return [name for name in alike if name not in many and kinds[name] != ["none", "none"]], many


def _are_few(values: Sequence[str]) -> bool:
    return len(values) <= FEW and all(map(is_short, values))


def _kind(table: Table, name: str) -> str:
    return "number" if is_number(table, name) else "text" if is_text(table, name) else "none"


def _values(name: str, sides: tuple[Table, Table]) -> list[str]:
    return sorted({value for side in sides for value in texts(side, name)})


def _unmatched(
    mine: Table, its: Table, without: Sequence[str], measures: Sequence[str], left_out: Sequence[str]
) -> list[str]:
    """The names that only one table has, or that mean something else in the other one."""
    known = {*without, *measures, *left_out, *(name for name in mine.parameters if name in its.parameters)}
    return [name for name in mine.columns.column_names if name not in known and not _is_empty(mine, its, name)]


def _is_empty(mine: Table, its: Table, name: str) -> bool:
    return name in its.measures and name in mine.measures and _kind(mine, name) == _kind(its, name) == "none"


def _only(mine: Groups, its: Mapping[Key, int], fixed: Mapping[str, Scalar]) -> list[dict[str, Scalar]]:
    missing = [mine.dictionary(key) for key in mine.keys if key not in its]
    return [{name: value for name, value in one.items() if name not in fixed or value != fixed[name]} for one in missing]


def _dictionary(names: Sequence[str], key: Key, fixed: Mapping[str, Scalar]) -> dict[str, Scalar]:
    return {name: value for name, value in zip(names, key, strict=True) if name not in fixed}


def _largest_first(change: Difference) -> tuple[float, list[str], str, str]:
    size = float("inf") if change.percent is None else abs(change.percent)
    return -size, [*map(str, change.parameters.values())], change.measure, change.value or ""


# Tests


class _Test(Protocol):
    """A test of a measure in a group.

    Attributes:
        key: the group.
        least: the smallest probability that the test can yield.
        differs: whether anything differs at all.
    """

    key: Key
    measure: str
    least: float
    differs: bool

    def probability(self) -> float:
        """The probability that chance alone causes such a difference."""

    def difference(self, parameters: Mapping[str, Scalar], probability: float | None) -> Difference: ...


def _differences(tests: Sequence[_Test]) -> list[tuple[_Test, float | None]]:
    return [(test, None) for test in tests if test.differs]


def _more_than_chance(tests: Sequence[_Test], level: float) -> tuple[list[tuple[_Test, float | None]], Chance]:
    threshold = significance.tarone(np.array([test.least for test in tests]), level)
    possible = [test for test in tests if test.least <= threshold]
    probabilities = [(test, test.probability()) for test in possible if test.differs]
    found: list[tuple[_Test, float | None]] = [(test, value) for test, value in probabilities if value <= threshold]
    return found, Chance(level, threshold, len(possible))


def _tests(
    name: str, sides: tuple[Table, Table], keys: Sequence[Key], rows: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> Iterator[_Test]:
    """The tests of a measure in all groups."""
    if "text" in (_kind(sides[0], name), _kind(sides[1], name)):
        columns = [texts(side, name) for side in sides]
        for key, pair in zip(keys, rows, strict=True):
            found = [columns[n][some] for n, some in enumerate(pair)]
            values = sorted({*found[0], *found[1]})
            for value in values[: -1 if len(values) == 2 else None]:  # of two values, one says what the other one says
                yield _ShareTest(key, name, value, [of_side == value for of_side in found])
        return
    numbers_of = [numbers(side, name) if is_number(side, name) else np.full(side.columns.num_rows, np.nan) for side in sides]
    for key, pair in zip(keys, rows, strict=True):
        samples = [numbers_of[n][some] for n, some in enumerate(pair)]
        absent = [np.isnan(sample) for sample in samples]
        yield _MeanTest(key, name, [sample[~gone] for sample, gone in zip(samples, absent, strict=True)])
        if any(gone.any() for gone in absent):
            yield _ShareTest(key, name, "", absent)


class _MeanTest:
    """Tests whether numbers are larger on one side."""

    def __init__(self, key: Key, measure: str, samples: Sequence[NDArray[np.float64]]) -> None:
        self.key, self.measure = key, measure
        self._first, self._second = samples
        self.least = significance.least_of_ranks(self._first, self._second)
        one_value = len(np.unique(np.concatenate(samples))) <= 1
        some = len(self._first) > 0 and len(self._second) > 0
        self.differs = some and not one_value and not np.array_equal(np.sort(self._first), np.sort(self._second))

    def probability(self) -> float:
        return significance.ranks(self._first, self._second)

    def difference(self, parameters: Mapping[str, Scalar], probability: float | None) -> Difference:
        first, second = (float(sample.mean()) if len(sample) else None for sample in (self._first, self._second))
        runs = len(self._first), len(self._second)
        return Difference(parameters, self.measure, None, (first, second), runs, probability)


class _ShareTest:
    """Tests whether a text has a value more often on one side."""

    def __init__(self, key: Key, measure: str, value: str, have_it: Sequence[NDArray[np.bool_]]) -> None:
        self.key, self.measure, self._value = key, measure, value
        self._runs = len(have_it[0]), len(have_it[1])
        self._counts = int(have_it[0].sum()), int(have_it[1].sum())
        self.least = significance.least_of_fisher(*self._runs, sum(self._counts))
        self.differs = self._counts[0] * self._runs[1] != self._counts[1] * self._runs[0]

    def probability(self) -> float:
        return significance.fisher(self._counts[0], self._runs[0], self._counts[1], self._runs[1])

    def difference(self, parameters: Mapping[str, Scalar], probability: float | None) -> Difference:
        first, second = (count / runs for count, runs in zip(self._counts, self._runs, strict=True))
        return Difference(parameters, self.measure, self._value, (first, second), self._runs, probability)
