# SPDX-License-Identifier: GPL-2.0-only
"""Summaries: means, intervals and counts, as they are computed by hand; and how they are printed."""

from __future__ import annotations

from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from emu.campaign.groups import Mean, is_number
from emu.campaign.summary import summary
from emu.campaign.table import table_of
from emu.cli.campaign.summary_table import mean_text, summary_table
from tests.lib.tables import entries, entry


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.none() | st.floats(-1e6, 1e6)), min_size=1))
def test_means_are_those_of_a_simple_program(rows: list[tuple[str, int, float | None]]) -> None:
    table = table_of(entry(name=name, n=n, seed=seed, x_=x, number_=1.5) for seed, (name, n, x) in enumerate(rows))
    found = summary(table)
    assert sum(group.rows for group in found.groups) == len(rows)
    for group in found.groups:
        full = {**found.fixed, **group.parameters}
        values = [x for name, n, x in rows if (name, n) == (full["name"], full["n"]) and x is not None]
        if not is_number(table, "x"):
            continue
        got = group.means["x"]
        assert got.count == len(values)
        assert got.mean == (pytest.approx(mean(values), rel=1e-9, abs=1e-6) if values else None)
        half = student.ppf(0.975, len(values) - 1) * stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
        assert got.half == (pytest.approx(half, rel=1e-6, abs=1e-6) if half is not None else None)


def test_groups_are_those_of_parameters_that_vary() -> None:
    found = summary(table_of(entries(5, slow=2)))
    assert found.fixed == {"arch": "x86_64"} and found.over == ("seed",) and found.left_out == ()
    assert [group.parameters for group in found.groups] == [
        {"tracer": tracer, "cpus": cpus} for tracer in ("function", "nop") for cpus in (1, 2, 4)
    ]
    assert all(group.rows == 5 and group.means["size"] == Mean(5, 7.0, 0.0) for group in found.groups)
    assert [group.counts["outcome"] for group in found.groups[:3]] == [{"ok": 5, "hang": 0}] * 2 + [{"ok": 1, "hang": 4}]


def test_equal_values_have_no_interval() -> None:
    """Their sum, divided by their number, need not be exactly such a value."""
    found = summary(table_of(entry(seed=seed, x_=0.1) for seed in range(3)))
    assert found.groups[0].means["x"] == Mean(3, 0.1, 0.0)


def test_several_parameters_may_be_left_out_and_measures_chosen() -> None:
    table = table_of(entries(5))
    assert [group.rows for group in summary(table, ["cycles"], over=("seed", "cpus")).groups] == [15, 15]
    assert [*summary(table, ["cycles"]).groups[0].means] == ["cycles"]
    without = summary(table_of([entry(n=1, x_=1), entry(n=2, x_=2)]))
    assert [(group.rows, group.means["x"]) for group in without.groups] == [(1, Mean(1, 1.0, None)), (1, Mean(1, 2.0, None))]
    assert summary(table_of([])).groups == []


def test_what_is_refused() -> None:
    table = table_of(entries(2))
    with pytest.raises(ValueError, match=r"the table has no measure 'cycle'; did you mean cycles\?"):
        summary(table, ["cycle"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        summary(table, level=95)


def test_texts_with_many_values_are_left_out() -> None:
    found = summary(table_of(entry(seed=n, digest_=f"{n:x}", right_=n % 2 == 0, none_=None) for n in range(11)))
    assert found.left_out == ("digest",)
    assert found.groups[0].counts == {"right": {"true": 6, "false": 5}} and found.groups[0].means == {}


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (860509.4, 1201.7, "860,509 ± 1,200"), (3.14159, 0.1234, "3.14 ± 0.12"), (3.14159, 0.0996, "3.14 ± 0.10"),
        (10.0, 9.96, "10 ± 10"), (5.0, None, "5"), (0.5, 0.0, "0.5"), (1234567.25, 0.0, "1,234,567.25"),
        (1e-12, 3e-13, "1e-12 ± 3e-13"), (0.0, 0.0, "0"), (-1500.0, 20.0, "-1,500 ± 20"), (1e300, None, "1e+300"),
    ],
)  # fmt: skip
def test_the_interval_has_two_digits(value: float, half: float | None, text: str) -> None:
    assert mean_text(value, half) == text


def test_the_table_fits_the_terminal(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    found = summary(table_of([*entries(5, slow=2), entry(arch="x86_64", tracer="nop", cpus=8, seed=0, cycles_=None)]))
    for width in (100, 30):
        monkeypatch.setenv("COLUMNS", str(width))
        summary_table(found)
        lines = capfdbinary.readouterr().out.decode().splitlines()
        assert max(map(len, lines)) <= width
        if width == 100:
            assert lines[0].split() == ["tracer", "cpus", "runs", "cycles", "size", "outcome", "ok", "outcome", "hang"]
            assert lines[1].split()[:3] == ["function", "1", "5"] and lines[1].split()[4] == "±"
            assert lines[7].split() == ["nop", "8", "1", "0", "0"]
            assert lines[8:] == [
                "in all runs: arch x86_64", "means over seed; ± is the half-width of their 95 % confidence interval",
            ]  # fmt: skip
