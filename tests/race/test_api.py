# SPDX-License-Identifier: GPL-2.0-only
"""The race lab from Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from emu import race
from emu.race import Patch, Synchronise, Write
from emu.race.schedule import schedule

CROSSING = """\
scenario  crossing
place     61
protocol  stop_machine
nmi       1
fetch     coherent translation
"""


def hasty(patches: Sequence[Patch], breakpoint: bytes) -> list[Write | Synchronise]:
    return [*[Write(patch.address, patch.old, patch.new) for patch in patches], Synchronise()]


def test_a_scenario_as_text_file_or_object(tmp_path: Path) -> None:
    path = tmp_path / "crossing.race"
    path.write_text(CROSSING)
    coherent, translation = race.explore(CROSSING)
    assert (coherent.outcome, coherent.wrong, len(coherent.schedule)) == (race.Outcome.UNSAFE, race.Wrong.TORN, 6)
    assert (translation.outcome, translation.ok) == (race.Outcome.SAFE, True)
    assert race.explore(path) == race.explore(str(path)) == race.explore(coherent.scenario) == [coherent, translation]


def test_an_own_wrong_protocol_is_refuted() -> None:
    scenario = race.Scenario("hasty", hasty, "hasty", places=(5,), never=frozenset({race.Wrong.TORN}))
    verdicts = race.explore(scenario, fetch="stale,amd")
    assert [(verdict.fetch, verdict.wrong) for verdict in verdicts] == [("stale", "torn"), ("torn8", "torn")]
    assert any(verdict.wrong for verdict in race.certify(hasty, cpus=2, sites=1, fetch=["torn1"]))


def test_other_cpus_and_sites() -> None:
    (one,) = race.explore(CROSSING, fetch="translation", cpus=1)
    (three,) = race.explore(CROSSING, fetch="translation", cpus=3, sites=6)
    assert (one.scenario.cpus, one.scenario.places) == (1, (61,))
    assert (three.scenario.cpus, three.scenario.places) == (3, (61, 0, 5, 13, 61, 0))
    assert one.states < three.states


@pytest.mark.parametrize("limit", [10, race.Limits(states=10)])
def test_limits(limit: int | race.Limits) -> None:
    verdicts = race.explore(CROSSING, cpus=3, sites=4, fetch="translation", limit=limit)
    assert [verdict.outcome for verdict in verdicts] == [race.Outcome.UNDECIDED]


def test_what_is_found_can_be_replayed_on_the_machine(tmp_path: Path) -> None:
    coherent, _ = race.explore(CROSSING)
    path = tmp_path / "crossing.schedule"
    schedule.write(race.Schedule.of(coherent), path)
    again = race.replay(path)
    assert (again.on, again.wrong) == ("machine", coherent.wrong)
    assert "Fatal exception in interrupt" in again.why  # printed by the guest itself
    assert race.replay(race.Schedule.of(coherent)) == again


def test_both_engines() -> None:
    verdicts = race.explore(CROSSING, on="both")
    assert [(verdict.fetch, verdict.on, verdict.wrong) for verdict in verdicts] == [
        ("coherent", "model", "torn"),
        ("coherent", "machine", "torn"),
        ("translation", "model", None),
        ("translation", "machine", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"on": "paper"}, "there is no engine 'paper'; there are model, machine and both"),
        ({"fetch": "word"}, "x86_64 has no fetch model 'word'"),
        ({"fetch": ["stale", "intell"]}, "x86_64 has no fetch model 'intell'"),
        ({"cpus": 0}, "0 CPUs: 1 to 8 are possible"),
        ({"sites": 9}, "9 sites: 1 to 8 are possible"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        race.explore(CROSSING, **arguments)  # type: ignore[arg-type]


def test_what_only_the_model_has() -> None:
    with pytest.raises(ValueError, match="scenario crossing is for the model alone: the guest's module has no site at 7"):
        race.explore(CROSSING.replace("61", "7"), on="machine")


def test_bad_protocols() -> None:
    with pytest.raises(ValueError, match="there is no architecture 'mips'; there are x86_64, sparc64, riscv64"):
        race.certify(hasty, "mips")
    with pytest.raises(ValueError, match="protocol bogus: there is no protocol 'bogus'"):
        race.certify("bogus")
    with pytest.raises(ValueError, match=r"^protocol <lambda>: returned no list"):
        race.certify(lambda patches, breakpoint: None)
    with pytest.raises(ValueError, match="is not within a site"):
        race.certify(lambda patches, breakpoint: [Write(0, b"x", b"y")])


def test_importing_it_loads_nothing_else() -> None:
    program = "import sys, emu.race; print([name for name in sys.modules if name.startswith(('emu.race.', 'numba', 'unicorn'))])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_all_names_are_there() -> None:
    assert all(getattr(race, name) for name in race.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        _ = race.nosuch  # type: ignore[attr-defined]
