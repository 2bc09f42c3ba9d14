# SPDX-License-Identifier: GPL-2.0-only
"""emu race campaign: each row is what a search by itself says, and what is wrong is counted by its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.campaign import read_table
from emu.race import api
from emu.race.campaign_unit import COLUMNS, cases, searched
from emu.race.model.replay import replay
from emu.race.schedule.schedule import read as read_schedule
from tests.cli.conftest import Emu

CORPUS = Path(api.__file__).parent / "corpus"


def test_a_campaign(emu: Emu, tmp_path: Path) -> None:
    """Of the mutants of breakpoint: a row for each search, a schedule for each cause."""
    words = ("race", "campaign", "--protocol", "breakpoint", "--mutants", "--fetch", "torn1", "-o", str(tmp_path))
    first = emu(*words, "--workers", "1")
    assert first.status == 0
    rows = read_table(tmp_path / "table.parquet").rows()
    pairs = cases(api.cases("breakpoint", "x86_64", None, 2, 1, mutants=True), fetch="torn1")
    expected = [parameters | searched(parameters, given) for parameters, given in pairs]
    assert sorted(rows, key=repr) == sorted(({name: row[name] for name in rows[0]} for row in expected), key=repr)
    assert set(rows[0]) == set(COLUMNS)
    causes = {row["cause"] for row in rows} - {None}
    assert f", for {len(causes)} causes\n" in first.out.decode() and 5 < len(causes) < 30
    schedules = sorted((tmp_path / "schedules").glob("*.schedule"))
    assert len(schedules) == len(causes)
    for path in schedules:
        schedule = read_schedule(path)
        assert replay(schedule.events, schedule.scenario, schedule.fetch).wrong is schedule.wrong
    before = [path.read_bytes() for path in schedules]
    again = emu(*words)
    assert (again.status, again.out) == (0, first.out) and [path.read_bytes() for path in schedules] == before


def test_files_on_both_engines_with_several_cpus(emu: Emu, tmp_path: Path) -> None:
    file = CORPUS / "2012-tail-first.race"
    words = ("--on", "both", "--fetch", "torn1", "--cpus", "1,2", "-o", str(tmp_path), "--workers", "1")
    done = emu("race", "campaign", *words, str(file))
    assert done.status == 0
    rows = read_table(tmp_path / "table.parquet").rows()
    assert sorted((row["cpus"], row["on"]) for row in rows) == [(1, "machine"), (1, "model"), (2, "machine"), (2, "model")]
    assert len({(row["wrong"], row["events"], row["cause"]) for row in rows}) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "one of FILE..., --protocol and --generate says what is searched"),
        ("--protocol breakpoint --generate 3", "one of FILE..., --protocol and --generate says what is searched"),
        ("--generate 3 --mutants", "--mutants needs --protocol"),
        ("--protocol breakpont", "there is no protocol 'breakpont'"),
        ("--generate 3 --seeds 1,x", "--seeds x: this is no whole number"),
        ("--generate 3 --search rnadom", "there is no search 'rnadom'; there are exhaustive and random"),
        ("--generate 3 --fetch torn3", "torn3"),
        ("--generate 3 --cpus 9", "9 CPUs: 1 to 8 are possible"),
        ("x.litmus", "x.litmus: a campaign searches scenarios, *.race"),
        ("nosuch.race", "nosuch.race"),
    ],
)
def test_what_is_refused(emu: Emu, tmp_path: Path, words: str, said: str) -> None:
    done = emu("race", "campaign", "-o", str(tmp_path / "c"), *words.split())
    assert done.status == 2 and said in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "c").exists()
