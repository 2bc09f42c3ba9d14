# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of tables: what is found is what differs, and chance is not."""

from __future__ import annotations

import pytest

from emu.campaign.comparison import CannotCompare, compare_tables
from emu.campaign.table import table_of
from emu.trace.comparison import significance
from tests.lib.tables import entries, entry


def test_what_differs_by_more_than_chance_is_found() -> None:
    found = compare_tables(table_of(entries(20)), table_of(entries(20, slow=1.2, chance=1)))
    seen = {(change.parameters["tracer"], change.parameters["cpus"], change.measure, change.value) for change in found.changes}
    assert seen == {(tracer, 4, *what) for tracer in ("nop", "function") for what in (("cycles", None), ("outcome", "hang"))}
    assert (found.groups, found.fixed, found.runs, found.only) == (6, {"arch": "x86_64"}, (20, 20), ([], []))
    assert found.chance is not None and found.chance.method == significance.NAME and found.chance.level == 0.05
    for change in found.changes:
        assert change.probability is not None and change.probability <= found.chance.of_one_test and change.runs == (20, 20)
        assert change.percent == pytest.approx(20 if change.value is None else 80, abs=8)
    assert [abs(change.percent or 0) for change in found.changes] == sorted(
        (abs(change.percent or 0) for change in found.changes), reverse=True
    )
    assert found.others == 4  # cycles of the other groups


def test_false_alarms_are_rare() -> None:
    alarms = [compare_tables(table_of(entries(8, chance=n)), table_of(entries(8, chance=1000 + n))).changes for n in range(40)]
    assert sum(map(bool, alarms)) <= 6  # of 40, each with a probability of 0.05 at most


def test_the_same_is_the_same() -> None:
    table = table_of(entries(5))
    found = compare_tables(table, table)
    assert (found.changes, found.others) == ([], 0)
    short = compare_tables(table_of(entry(seed=n, x_=5) for n in range(3)), table_of(entry(seed=n, x_=5) for n in range(5)))
    assert (short.changes, short.others, short.runs) == ([], 0, (3, 5))


def test_of_one_run_each_all_that_differs_is_found() -> None:
    first = table_of([entry(n=1, x_=10, text_="a", gone_=1), entry(n=2, x_=0, text_="a", gone_=1), entry(n=3, x_=1)])
    second = table_of([entry(n=1, x_=11, text_="b", gone_=None), entry(n=2, x_=5, text_="a", gone_=1), entry(n=4, x_=1)])
    found = compare_tables(first, second)
    assert found.chance is None
    got = [(change.parameters["n"], change.measure, change.value, change.mean, change.percent) for change in found.changes]
    assert got == [
        (2, "x", None, (0, 5), None), (1, "gone", "", (0, 1), 100), (1, "text", "a", (1, 0), -100),
        (1, "x", None, (10, 11), pytest.approx(10)),
    ]  # fmt: skip
    assert found.only == ([{"n": 3}], [{"n": 4}])


def test_names_that_only_one_table_has() -> None:
    first = table_of([entry(a=1, b=2, seed=0, x_=1, other_=1, kind_=1, id_="", none_=None)])
    second = table_of([entry(a=1, c=2, seed=5, x_=2, more_=1, kind_="a", id_="", none_=None)])
    found = compare_tables(first, second)
    assert found.unmatched == (["b", "kind", "other"], ["c", "kind", "more"])
    assert [(change.measure, change.parameters) for change in found.changes] == [("x", {})]


def test_texts_of_several_values_are_tested_one_by_one() -> None:
    texts = "abc"
    first = table_of(entry(seed=n, t_=texts[n % 3]) for n in range(60))
    second = table_of(entry(seed=n, t_="c" if n % 3 else "d") for n in range(60))
    changes = compare_tables(first, second).changes
    third = 100 / 3
    found = {change.value: change.percent for change in changes}
    assert found == pytest.approx({"a": -third, "b": -third, "c": third, "d": third})
    sides = [table_of(entry(x_=1, t_=text * n, s=n) for n in range(20)) for text in ("a", "b")]
    many = compare_tables(*sides)
    assert many.left_out == ["t"] and many.changes == []


def test_few_runs_cannot_show_anything() -> None:
    one, several = table_of(entries(1)), table_of(entries(5, slow=2))
    found = compare_tables(one, several)
    assert found.chance is not None and found.chance.tests == 0 and found.changes == [] and found.others > 0


def test_a_parameter_that_tells_the_tables_apart_is_not_compared() -> None:
    """Each table has one value of it."""
    sides = [table_of(entry(tracer=tracer, n=n, seed=seed, x_=n + more) for n in (1, 2) for seed in range(9))
             for tracer, more in (("nop", 0), ("function", 5))]  # fmt: skip
    found = compare_tables(*sides)
    assert found.apart == {"tracer": ("nop", "function")} and found.groups == 2 and len(found.changes) == 2
    assert [change.parameters for change in found.changes] == [{"n": 1}, {"n": 2}]


def test_what_cannot_be_compared() -> None:
    with pytest.raises(CannotCompare, match=r"no runs of one have the parameters of any run of the other \(a\)"):
        compare_tables(*(table_of([entry(a=first, x_=1), entry(a=first + 2, x_=1)]) for first in (1, 2)))
    with pytest.raises(CannotCompare, match="they have no measure in common"):
        compare_tables(table_of([entry(a=1, x_=1)]), table_of([entry(a=1, y_=1)]))
    with pytest.raises(CannotCompare, match="no rows"):
        compare_tables(table_of([]), table_of([]))
