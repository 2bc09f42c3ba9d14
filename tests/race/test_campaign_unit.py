# SPDX-License-Identifier: GPL-2.0-only
"""Units of campaigns: plain values that say what a search from objects says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from emu.race import api, campaign_unit
from emu.race.campaign_unit import cases, searched
from emu.race.generator import numbered
from emu.race.limits import INTERRUPTED
from emu.race.model import explore
from emu.race.model.replay import replay
from emu.race.scenario.scenario_file import parse
from emu.race.schedule import schedule
from emu.race.schedule.verdict import Outcome, Verdict

HASTY = """\
from emu.ftrace.sites.patching import Write


def hasty(patches, breakpoint):
    return [Write(patch.address, patch.old, patch.new) for patch in patches]
"""
CROSSING = "scenario crossing\nplace 61\nprotocol stop_machine\nnmi 1\nfetch coherent translation\n"


def test_a_scenarios_text_gives_the_same_search() -> None:
    scenarios = api.cases("breakpoint", "x86_64", "stale,torn8", 2, 1, mutants=True)[::3]
    verdicts = [explore(scenario, fetch) for scenario in scenarios for fetch in scenario.models]
    rows = [searched(parameters, given) for parameters, given in cases(scenarios)]
    assert [(row["outcome"], row["wrong"], row["events"], row["states"], row["moves"], row["why"]) for row in rows] == [
        (v.outcome, v.wrong, len(v.schedule) or None, v.states, v.moves, v.why) for v in verdicts
    ]
    assert {row["outcome"] for row in rows} == {"safe", "unsafe"}


def test_everything_is_a_plain_value_and_always_the_same() -> None:
    scenarios = [numbered(7, number) for number in range(1, 13)]
    pairs = list(cases(scenarios, fetch="torn8", search=campaign_unit.SEARCHES, limit=500))
    assert len(pairs) == 24
    rows = [parameters | searched(parameters, given) for parameters, given in pairs]
    for row, (_, given) in zip(rows, pairs, strict=True):
        assert all(type(value) in (str, int, float, bool, type(None)) for value in [*row.values(), *given.values()])
        assert row == json.loads(json.dumps(row))
        assert (row["wrong"] is None) == (row["cause"] is None) == (row["schedule"] is None) == (row["events"] is None)
    assert rows == [parameters | searched(parameters, given) for parameters, given in pairs]
    assert {row["outcome"] for row in rows} == {"safe", "unsafe", "not decided"}


def test_the_schedule_can_be_replayed() -> None:
    for parameters, given in cases([parse(CROSSING)], fetch="coherent", search=campaign_unit.SEARCHES, seeds=(3,)):
        row = searched(parameters, given)
        read = schedule.parse(str(row["schedule"]))
        assert (read.wrong, len(read.events), read.seed) == (row["wrong"], row["events"], 0)
        assert replay(read.events, read.scenario, read.fetch).wrong == row["wrong"]
        assert row["cause"] == "torn from old: park; nmi; write all new; fetch"


def test_the_columns() -> None:
    (first, given), *others = cases([numbered(7, 3)], fetch="torn1,stale", search=("exhaustive", "random"), seeds=(4, 5), limit=9)
    assert first == {
        "scenario": "7-0003", "protocol": "park; write all new; release", "arch": "x86_64", "change": "nops > call",
        "places": "0 13", "nmi": False, "handler": "skip", "fails_at": 1, "cpus": 2,
        "fetch": "torn1", "on": "model", "search": "exhaustive", "seed": 4,
    }  # fmt: skip
    assert parse(str(given["scenario"])) == numbered(7, 3) and given["limit"] == 9
    assert [(other["fetch"], other["search"], other["seed"]) for other, _ in others] == [
        ("torn1", "random", 4), ("torn1", "random", 5),
        ("stale", "exhaustive", 4), ("stale", "random", 4), ("stale", "random", 5),
    ]  # fmt: skip


def test_a_protocol_of_a_file_needs_no_file(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    (folder / "my.py").write_text(HASTY)
    pairs = list(cases(api.cases(f"{folder}/my.py:hasty", "x86_64", "torn8", 2, 1, mutants=False)))
    (folder / "my.py").unlink()
    rows = [searched(parameters, given) for parameters, given in pairs]
    assert {row["wrong"] for row in rows} >= {None, "torn", "late"}
    assert len({parameters["scenario"] for parameters, _ in pairs}) == len(pairs)


def test_on_the_machine() -> None:
    on_model, on_machine = (
        parameters | searched(parameters, given)
        for parameters, given in cases([parse(CROSSING)], fetch="coherent", on=("model", "machine"), seeds=(1,))
    )
    assert (on_machine["outcome"], on_machine["cause"]) == (on_model["outcome"], on_model["cause"])
    assert "\nseed      1\n" in str(on_machine["schedule"])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"search": "lucky"}, "there is no search 'lucky'; there are exhaustive and random"),
        ({"on": "both"}, "there is no engine 'both'; there are model and machine"),
        ({"on": "machine", "search": "random"}, "a random search is of the model alone"),
        ({"fetch": "word"}, "x86_64 has no fetch model 'word'"),
        ({"seed": "1"}, "a seed '1' and a limit None"),
    ],
)
def test_bad_parameters(change: dict[str, object], why: str) -> None:
    ((parameters, given),) = cases([parse(CROSSING)], fetch="coherent")
    with pytest.raises(ValueError, match=why):
        searched(parameters | change, given)


def test_bad_cases() -> None:
    with pytest.raises(ValueError, match="there is no search 'lucky'"):
        list(cases([], search=("lucky",)))
    with pytest.raises(ValueError, match="is for the model alone: the guest's module has no site at 7"):
        list(cases([parse(CROSSING.replace("61", "7"))], on=("machine",)))


def test_an_interrupted_search_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    ((parameters, given),) = cases([parse(CROSSING)], fetch="coherent")
    verdict = Verdict(parse(CROSSING), "coherent", "model", Outcome.UNDECIDED, why=INTERRUPTED)
    monkeypatch.setattr(campaign_unit.model, "explore", lambda *_: verdict)
    with pytest.raises(KeyboardInterrupt):
        searched(parameters, given)
