# SPDX-License-Identifier: GPL-2.0-only
"""The shipped protocols, their rollbacks, and all variants that differ by one or two stages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Step, Synchronise, Write
from emu.race import arch as race_arch
from emu.race import certify
from emu.race.certification import cases, mutant_cases
from emu.race.limits import Limits
from emu.race.model import explore, patcher
from emu.race.model.model_sites import model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.mutants import mutants
from emu.race.scenario.protocol_steps import pieces
from emu.race.scenario.protocol_text import ShippedProtocol
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.verdict import Outcome, Verdict

_PLACES = race_arch.load("x86_64").places


def unsafe(verdicts: Sequence[Verdict]) -> list[Verdict]:
    assert all(verdict.outcome is not Outcome.UNDECIDED for verdict in verdicts)
    return [verdict for verdict in verdicts if verdict.outcome is Outcome.UNSAFE]


def test_what_a_protocol_is_certified_for() -> None:
    for protocol, arch, sites, writes in (
        ("breakpoint", "x86_64", 2, 6),
        ("stop_machine", "x86_64", 1, 1),
        ("flush", "sparc64", 2, 2),
    ):
        found = cases(protocol, arch, sites=sites)
        places = race_arch.load(arch).places
        assert len(found) == 3 * len(places) * 2 * (1 + writes)
        assert {scenario.fails_at for scenario in found} == set(range(writes + 1))
        assert {scenario.nmi_sites for scenario in found} == {frozenset(), frozenset(range(1, sites + 1))}
        for site in range(sites):
            assert {scenario.places[site] for scenario in found} == set(places)
        assert all(scenario.cpus == 3 and Change.NOPS_TO_CALL is not scenario.change for scenario in found)


@pytest.mark.parametrize("protocol", ["flush", "stop_machine"])
def test_on_sparc_both_protocols_are_safe_with_nmis_too(protocol: str) -> None:
    verdicts = certify(protocol, "sparc64")
    assert {verdict.fetch for verdict in verdicts} == {model.name for model in race_arch.load("sparc64").fetch_models}
    assert unsafe(verdicts) == []


@pytest.mark.parametrize("protocol", ["flush", "stop_machine"])
def test_on_risc_v_both_protocols_are_safe_where_a_word_is_fetched_at_once(protocol: str) -> None:
    verdicts = certify(protocol, "riscv64", cpus=2, sites=1)
    assert {verdict.fetch for verdict in verdicts} == {model.name for model in race_arch.load("riscv64").fetch_models}
    wrong = [verdict for verdict in unsafe(verdicts) if protocol == "flush" or verdict.scenario.nmi_sites]
    assert unsafe(verdicts) == wrong, "stop_machine without NMIs is safe"
    assert {(verdict.fetch, verdict.wrong) for verdict in wrong} == {("parcel", Wrong.TORN)}


def test_a_pair_of_words_needs_the_wait_for_tasks() -> None:
    models = ("coherent", "stale", "ziccif", "translation")
    found = cases("pair", "riscv64", cpus=2, sites=1)
    assert {scenario.change for scenario in found} == {Change.NOPS_TO_PAIR, Change.PAIR_TO_NOPS}
    assert {scenario.places for scenario in found} == {(0,), (4,), (60,)} and not any(scenario.fails_at for scenario in found)
    assert unsafe(certify("pair", "riscv64", cpus=2, sites=2, fetch=models)) == []
    of = [s for s in mutant_cases("pair", "riscv64", fetch=models) if s.protocol_text == "pair without 3"]
    assert {explore(scenario, fetch).wrong for scenario in of for fetch in models} == {Wrong.HALF}


@pytest.mark.parametrize("protocol", ["flush", "stop_machine"])
def test_without_it_no_protocol_of_the_driver_writes_a_pair(protocol: str) -> None:
    for change, safe in (
        (Change.NOPS_TO_PAIR, False), (Change.PAIR_TO_NOPS, protocol == "stop_machine"), (Change.HALF_TO_PAIR, True),
        (Change.PAIR_TO_HALF, True),
    ):  # fmt: skip
        for place in race_arch.load("riscv64").places:
            shipped = ShippedProtocol(protocol)
            scenario = Scenario("", shipped, protocol, arch="riscv64", places=(place,), change=change)
            assert (explore(scenario, "ziccif").wrong is None) is safe, (change, place)


def test_breakpoint_and_the_way_back_from_it_are_safe_with_nmis_too() -> None:
    """A certification that takes longer, for all of 3 CPUs and 2 sites, is `emu race certify breakpoint`."""
    assert unsafe(certify("breakpoint", cpus=2, sites=1)) == []
    two_sites = [scenario for scenario in cases("breakpoint") if not (scenario.nmi_sites or scenario.fails_at)]
    assert unsafe([explore(scenario, fetch) for scenario in two_sites for fetch in scenario.models]) == []


def at_once(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """A protocol in which the breakpoint and the new tail are one store, which crosses a quadword at some places."""
    heads = [Write(patch.address, patch.old, breakpoint + patch.new[len(breakpoint) :]) for patch in patches]
    tails = [Write(patch.address, breakpoint, patch.new[: len(breakpoint)]) for patch in patches]
    return [*heads, Synchronise(), *tails, Synchronise()]


def test_breakpoint_is_safe_whichever_part_of_a_store_is_seen_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default the model makes the part at the lowest address visible first, but no manual guarantees that."""
    fragile = Scenario("at once", at_once, "at once", places=(5,), fetch=("coherent",))
    assert explore(fragile, "coherent").outcome is Outcome.SAFE
    monkeypatch.setattr(patcher, "pieces", lambda write, atom: reversed(list(pieces(write, atom))))
    assert explore(fragile, "coherent").wrong is Wrong.TORN
    assert unsafe(certify("breakpoint", cpus=1, sites=1)) == []


def test_a_large_search() -> None:
    scenario = next(s for s in cases("breakpoint") if s.places == (13, 61) and s.nmi_sites)
    verdict = explore(scenario, "stale")
    assert verdict.outcome is Outcome.SAFE and verdict.states > 2_000_000


def test_stop_machine_is_safe_without_nmis_and_on_emus_own_cpus() -> None:
    wrong = unsafe(certify("stop_machine", cpus=2, sites=1))
    assert all(verdict.wrong is Wrong.TORN and verdict.scenario.nmi_sites for verdict in wrong)
    models = {model.name for model in race_arch.load("x86_64").fetch_models}
    assert {verdict.fetch for verdict in wrong} == models - {"translation"}


def test_where_an_nmi_finds_stop_machine_at_work() -> None:
    """Unsafe is any site that contains a boundary of fetches or stores: a fetch may see only a part of the store."""

    def found(place: int) -> list[str]:
        scenario = Scenario("", PROTOCOLS["stop_machine"], "", places=(place,), nmi_sites=frozenset((1,)))
        return [fetch for fetch in scenario.models if explore(scenario, fetch).outcome is Outcome.UNSAFE]

    everywhere = ["coherent", "stale", "torn1", "torn8", "torn16", "torn64"]
    assert [found(place) for place in _PLACES] == [["torn1"], everywhere, everywhere, everywhere]


def parked_breakpoints(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """The protocol `breakpoint`, with all CPUs parked during each of its writes."""
    steps: list[Step] = []
    for step in PROTOCOLS["breakpoint"](patches, breakpoint):
        if isinstance(step, Synchronise):
            steps.append(Release())
        else:
            steps += [step] if steps and isinstance(steps[-1], Write) else [Park(), step]
    return steps


def test_breakpoints_make_stop_machine_safe_with_nmis() -> None:
    there = [scenario for scenario in cases(parked_breakpoints, cpus=2, sites=1) if not scenario.fails_at]
    assert unsafe([explore(scenario, fetch) for scenario in there for fetch in scenario.models]) == []


def wait_and_write_back(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
    """A rollback from the third stage of `breakpoint` while all CPUs are parked, without breakpoints."""
    there = PROTOCOLS["breakpoint"](patches, breakpoint)[:-1]
    made = [step for step in there if isinstance(step, Write)]
    back = [Write(write.address, write.new, write.expected) for write in reversed(made)]
    return [*there, Park(), *back, Release()]


def test_a_way_back_without_breakpoints_is_unsafe_with_nmis() -> None:
    def found(place: int, nmis: bool) -> list[str]:
        nmi_sites = frozenset((1,)) if nmis else frozenset[int]()
        never = frozenset((Wrong.TORN,))
        scenario = Scenario("", wait_and_write_back, "", places=(place,), nmi_sites=nmi_sites, never=never)
        return [fetch for fetch in scenario.models if explore(scenario, fetch).outcome is Outcome.UNSAFE]

    assert [found(place, nmis=False) for place in _PLACES] == [[], [], [], []]
    assert [found(place, nmis=True) for place in _PLACES] == [
        ["torn1"], ["torn1", "torn8"], ["torn1", "torn8", "torn16"], ["stale", "torn1", "torn8", "torn16", "torn64"],
    ]  # fmt: skip


def test_limits_hold_for_each_search() -> None:
    verdicts = certify("breakpoint", sites=1, fetch=["stale"], limit=Limits(states=100))
    assert {verdict.outcome for verdict in verdicts} == {Outcome.SAFE, Outcome.UNDECIDED}


@pytest.mark.parametrize(
    ("protocol", "arch", "said"),
    [
        ("hasty", "x86_64", "there is no protocol 'hasty'; there are breakpoint, flush, stop_machine, pair"),
        ("breakpoint", "sparc64", r"sparc64 has no protocol 'breakpoint' \(it has: flush, stop_machine\)"),
        ("pair", "x86_64", r"x86_64 has no protocol 'pair' \(it has: breakpoint, stop_machine\)"),
    ],
)
def test_a_protocol_that_is_not_there_is_refused(protocol: str, arch: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        certify(protocol, arch)


def test_mutants_have_names_and_each_differs() -> None:
    scenario = Scenario("", PROTOCOLS["breakpoint"], "", places=(0, 5))
    patches = model_patches(scenario)
    shipped = ShippedProtocol("breakpoint")
    found = mutants(shipped, patches, scenario.breakpoint)
    assert [mutant.text for mutant in found[:6]] == [f"breakpoint without {number}" for number in range(1, 7)]
    assert found[6].text == "breakpoint swap 1 2" and len(found) == 6 + 12  # 3 of the 15 pairs are equivalent
    steps = [tuple(mutant(patches, scenario.breakpoint)) for mutant in found]
    assert len(set(steps)) == len(steps) and tuple(shipped(patches, scenario.breakpoint)) not in steps


def test_what_mutants_are_searched_for() -> None:
    found = mutant_cases("breakpoint", cpus=3, sites=2, fetch=["torn8"])
    assert len(found) == len({scenario.name for scenario in found}) == (1 + 18) * 2 * len(_PLACES) * 2
    assert found[0].protocol_text == "breakpoint" and found[-1].protocol_text == "breakpoint swap 5 6"
    assert {scenario.change for scenario in found} == {Change.NOP_TO_CALL, Change.CALL_TO_CALL}
    assert {scenario.places for scenario in found} == {(0, 5), (5, 13), (13, 61), (61, 0)}
    assert {(scenario.cpus, scenario.fetch, scenario.fails_at) for scenario in found} == {(3, ("torn8",), 0)}


def test_mutants_of_a_function() -> None:
    def backwards(patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
        return [Synchronise(), *[Write(p.address, p.old, p.new) for p in patches]]

    verdicts = certify(backwards, cpus=2, sites=1, fetch="stale", mutants=True)
    late = {verdict.scenario.protocol_text for verdict in verdicts if verdict.wrong is Wrong.LATE}
    assert late == {"backwards", "backwards without 1", "backwards without 2"}, "the swapped one synchronises at its end"


def test_every_mutant_of_breakpoint_is_unsafe_somewhere() -> None:
    scenario = Scenario("", PROTOCOLS["breakpoint"], "")
    for mutant in mutants(ShippedProtocol("breakpoint"), model_patches(scenario), scenario.breakpoint):
        scenarios = [Scenario("", mutant, mutant.text, places=(place,), nmi_sites=frozenset((1,))) for place in _PLACES]
        assert any(explore(scenario, fetch).wrong for scenario in scenarios for fetch in scenario.models), mutant.text
