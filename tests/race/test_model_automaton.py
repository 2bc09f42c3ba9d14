# SPDX-License-Identifier: GPL-2.0-only
"""What the model's CPUs may do, one rule after another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Synchronise, Write
from emu.race.model import STUCK, automaton_of, explore
from emu.race.model.replay import ModelRun
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import Forget, Free, LabStep, WaitTasks
from emu.race.scenario.scenario import Handler, Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.verdict import Outcome


def whole(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
    return [Write(patch.address, patch.old, patch.new) for patch in patches]


def scenario(protocol: Any = "breakpoint", **others: Any) -> Scenario:
    function = PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    return Scenario("one", function, str(protocol), **others)


def walk(of: Scenario, fetch: str, *events: str) -> ModelRun:
    """Follows events, each given by its agent and kind; of several possible ones, the first: that with the newest bytes."""
    way = ModelRun(automaton_of(of, fetch), of.cpus)
    for event in events:
        way = way.followed(next(move for move in way.possible(agent(event)) if move.event.what == event.split()[1]))
    return way


def agent(event: str) -> int:
    name = event.split()[0]
    return PATCHER if name == "patcher" else int(name.removeprefix("cpu"))


def kinds(way: ModelRun, cpu: int) -> list[What]:
    """The kinds of the possible next events."""
    return list(dict.fromkeys(move.event.what for move in way.possible(cpu)))


def codes(way: ModelRun, cpu: int) -> list[str]:
    return [move.event.code.hex(" ") for move in way.possible(cpu) if move.event.what is What.FETCH]


OLD, NEW = "0f 1f 44 00 00", "e8 df b3 b2 20"


def test_a_store_is_seen_in_pieces_where_it_crosses_a_quadword() -> None:
    for place, pieces in ((0, [5]), (3, [5]), (4, [4, 1]), (5, [3, 2]), (13, [3, 2]), (61, [3, 2])):
        events = automaton_of(scenario(whole, places=(place,)), "torn1").patcher.events
        assert [len(event.code) for event in events] == [*pieces, 0]
    assert len(automaton_of(scenario(whole, places=(61,)), "translation").patcher.events) == 2


def test_what_is_seen_before_and_after_a_synchronisation() -> None:
    of = scenario(lambda patches, breakpoint: [*whole(patches, breakpoint), Synchronise()])
    assert codes(walk(of, "coherent", "patcher write"), 0) == [NEW]
    assert codes(walk(of, "stale", "patcher write"), 0) == [NEW, OLD]
    assert codes(walk(of, "stale", "patcher write", "cpu0 fetch"), 0) == [NEW]  # after the newest version never an older one
    assert codes(walk(of, "torn8", "patcher write", "cpu0 fetch"), 0) == [NEW, OLD]
    assert len(codes(walk(of, "torn1", "patcher write"), 0)) == 32
    synchronised = walk(of, "torn1", "patcher write", "patcher sync", "cpu0 interrupt")
    assert codes(synchronised, 0) == [NEW] and len(codes(synchronised, 1)) == 32


def test_the_patcher_waits_for_every_answer() -> None:
    of = scenario()
    asked = walk(of, "coherent", "patcher write", "patcher sync", "cpu1 interrupt")
    assert kinds(asked, PATCHER) == [] and kinds(asked, 0) == [What.INTERRUPT, What.FETCH] and kinds(asked, 1) == [What.FETCH]
    answered = walk(of, "coherent", "patcher write", "patcher sync", "cpu1 interrupt", "cpu0 interrupt")
    assert kinds(answered, PATCHER) == [What.WRITE]


def test_a_cpu_that_waits_does_nothing_and_goes_on_synchronised() -> None:
    of = scenario("stop_machine", cpus=1, nmi_sites=frozenset((1,)))
    assert kinds(walk(of, "stale", "patcher park"), 0) == [What.WAIT, What.FETCH, What.NMI]
    parked = walk(of, "stale", "patcher park", "cpu0 wait", "patcher write")
    assert kinds(parked, 0) == [What.NMI]
    nmi = parked.followed(parked.possible(0)[0])
    assert codes(nmi, 0) == [NEW, OLD] and kinds(nmi, 0) == [What.FETCH]
    released = parked.followed(parked.possible(PATCHER)[0])
    assert kinds(released, 0) == [What.GO_ON, What.NMI] and kinds(released, PATCHER) == []
    assert codes(released.followed(released.possible(0)[0]), 0) == [NEW]


def test_interrupts_are_off_in_the_breakpoint_handler() -> None:
    of = scenario(cpus=1, nmi_sites=frozenset((1,)))
    trapped = walk(of, "coherent", "patcher write", "patcher sync", "cpu0 fetch")
    assert kinds(trapped, 0) == [What.HANDLE, What.NMI]
    nested = trapped.followed(trapped.possible(0)[1])
    hit = nested.followed(nested.possible(0)[0])  # a breakpoint hit in an NMI differs from one in the handler
    assert kinds(hit, 0) == [What.HANDLE]
    assert kinds(walk(of, "coherent", "patcher write", "patcher sync", "cpu0 fetch", "cpu0 handle"), 0) == [
        What.INTERRUPT, What.FETCH, What.NMI,
    ]  # fmt: skip


def test_no_nmi_comes_within_an_nmi() -> None:
    of = scenario(nmi_sites=frozenset((1,)))
    assert kinds(walk(of, "coherent", "cpu0 nmi"), 0) == [What.FETCH]
    assert What.NMI in kinds(walk(of, "coherent", "cpu0 nmi", "cpu0 fetch"), 0)


def test_visits_and_nmis_are_bounded() -> None:
    of = scenario(visits=1, nmi_sites=frozenset((1,)))
    assert kinds(walk(of, "coherent", "cpu0 fetch"), 0) == [What.NMI]
    assert kinds(walk(of, "coherent", "cpu0 nmi", "cpu0 fetch"), 0) == [What.FETCH]
    assert kinds(walk(of, "coherent", "cpu0 nmi", "cpu0 fetch", "cpu0 fetch"), 0) == []
    assert explore(of, "stale").outcome is Outcome.SAFE


def test_a_deaf_synchronisation_is_answered_and_changes_nothing() -> None:
    of = scenario(deaf=frozenset((1,)))
    events = ("patcher write", "patcher sync", "cpu0 interrupt", "cpu1 interrupt")
    assert codes(walk(of, "stale", *events), 0) == ["cc 1f 44 00 00", OLD]
    assert codes(walk(dataclasses.replace(of, deaf=frozenset()), "stale", *events), 0) == ["cc 1f 44 00 00"]


def test_user_mode_owes_its_synchronisation_until_the_kernel_is_entered() -> None:
    of = scenario(user=True, cpus=1, nmi_sites=frozenset((1,)))
    asked = walk(of, "stale", "patcher write", "patcher sync")
    assert kinds(asked, PATCHER) == [What.WRITE] and kinds(asked, 0) == [What.ENTER, What.NMI]
    assert codes(walk(of, "stale", "patcher write", "patcher sync", "cpu0 enter"), 0) == ["cc 1f 44 00 00"]
    assert codes(walk(of, "stale", "patcher write", "patcher sync", "cpu0 nmi"), 0) == ["cc 1f 44 00 00"]
    assert codes(walk(of, "stale", "patcher write", "cpu0 enter"), 0) == ["cc 1f 44 00 00", OLD]
    assert kinds(walk(of, "stale", "cpu0 enter", "patcher write", "patcher sync", "cpu0 exit"), PATCHER) == []
    entry = dataclasses.replace(of, entry_sites=frozenset((1,)))
    entering = walk(entry, "stale", "patcher write", "patcher sync", "cpu0 enter")
    assert codes(entering, 0) == ["cc 1f 44 00 00", OLD]
    assert codes(entering.followed(entering.possible(0)[1]), 0) == ["cc 1f 44 00 00"]


@pytest.mark.parametrize("handler", [handler for handler in Handler if handler is not Handler.WAIT])
def test_what_the_handler_does(handler: Handler) -> None:
    of = scenario(handler=handler, cpus=1)
    known = walk(of, "coherent", "patcher write", "cpu0 fetch").possible(0)[0]
    forgotten = scenario(
        lambda patches, breakpoint: [*PROTOCOLS["breakpoint"](patches, breakpoint)[:1], Forget()], handler=handler, cpus=1
    )
    unknown = walk(forgotten, "coherent", "patcher write", "patcher forget", "cpu0 fetch").possible(0)[0]
    texts = {
        Handler.EMULATE: "does what is new",
        Handler.SKIP: "goes on behind the instruction",
        Handler.RETRY: "does what is new",
        Handler.DIE: "nobody knows it",
    }
    assert known.event == Event(0, What.HANDLE, 1) and known.event.text == texts[handler]
    assert known.wrong is (Wrong.BREAKPOINT if handler is Handler.DIE else None)
    assert unknown.wrong is Wrong.BREAKPOINT


def test_a_handler_that_waits_does_nothing_until_the_breakpoint_has_gone() -> None:
    def gone(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [*PROTOCOLS["breakpoint"](patches, breakpoint)[:1], Write(patches[0].address, breakpoint, b"\x0f")]

    of = scenario(gone, handler=Handler.WAIT, cpus=1)
    trapped = walk(of, "coherent", "patcher write", "cpu0 fetch")
    assert kinds(trapped, 0) == []
    again = walk(of, "coherent", "patcher write", "cpu0 fetch", "patcher write", "cpu0 handle")
    assert kinds(again, 0) == [What.FETCH] and again.possible(0)[0].event.code[:1] == b"\x0f"


def test_a_handler_that_retries_executes_what_is_there_now() -> None:
    def gone(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [*PROTOCOLS["breakpoint"](patches, breakpoint)[:1], Write(patches[0].address, breakpoint, b"\x0f"), Forget()]

    of = scenario(gone, handler=Handler.RETRY, cpus=1)
    again = walk(of, "stale", "patcher write", "cpu0 fetch", "patcher write", "patcher forget", "cpu0 handle")
    assert codes(again, 0) == [OLD, "cc 1f 44 00 00"]


def test_while_it_goes_back_the_handler_does_what_is_old() -> None:
    of = scenario(fails_at=2, places=(0,), cpus=1)
    way = walk(of, "coherent", "patcher write", "patcher sync", "cpu0 interrupt", "patcher sync", "cpu0 fetch")
    assert way.possible(0)[0].event.text == "does what is old"
    assert explore(of, "stale").outcome is Outcome.SAFE


def test_while_it_goes_back_the_handler_calls_no_trampoline_that_is_freed() -> None:
    def hasty(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        head, sync, tail, *rest = PROTOCOLS["breakpoint"](patches, breakpoint)
        return [head, sync, WaitTasks(), Free(), tail, *rest]

    verdict = explore(scenario(hasty, change=Change.CALL_TO_NOP, fails_at=2, cpus=1), "coherent")
    last = verdict.schedule[-1]
    assert (verdict.wrong, last.what, last.text) == (Wrong.FREED, What.HANDLE, "does what is old")


def test_the_breakpoint_handler_may_meet_a_torn_site() -> None:
    def second_whole(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [*PROTOCOLS["breakpoint"](patches[:1], breakpoint)[:1], *whole(patches[1:], breakpoint)]

    of = scenario(second_whole, places=(0, 5), handler_sites=frozenset((2,)))
    verdict = explore(of, "coherent")
    assert verdict.wrong is Wrong.TORN and verdict.schedule[-1].site == 2


class Pair(Scenario):
    """Two words become two others, like RISC-V's auipc and jalr: sethi and jmpl."""

    first_word = bytes.fromhex("01000000")

    def patches(self, sites: Sequence[int], first: int, second: int) -> list[Patch]:
        return [Patch(at, self.first_word + bytes.fromhex("01000000"), bytes.fromhex("03000400 9fc06000")) for at in sites]


class KeptPair(Pair):
    """The first word remains sethi."""

    first_word = bytes.fromhex("03000400")


def words(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
    pieces = [(patch, n) for patch in patches for n in (0, 4) if patch.old[n : n + 4] != patch.new[n : n + 4]]
    return [*[Write(p.address + n, p.old[n : n + 4], p.new[n : n + 4]) for p, n in pieces], Synchronise()]


def test_half_of_the_old_code_and_half_of_the_new() -> None:
    verdict = explore(Pair("pair", words, "words", arch="sparc64"), "word")
    assert verdict.wrong is Wrong.HALF and len(verdict.schedule) == 3
    assert explore(KeptPair("pair", words, "words", arch="sparc64"), "word").outcome is Outcome.SAFE


UNENDING: dict[str, tuple[Any, list[What]]] = {
    "no release": (lambda patches, breakpoint: [Park(), Release(), Park()], [What.PARK]),
    "no park": (lambda patches, breakpoint: [Release(), Synchronise()], [What.RELEASE]),
    "parked twice": (lambda patches, breakpoint: [Park(), Park(), Release()], [What.PARK, What.PARK]),
    "synchronised while parked": (lambda patches, breakpoint: [Park(), Synchronise(), Release()], [What.PARK, What.SYNC]),
    "tasks that are parked": (lambda patches, breakpoint: [Park(), WaitTasks(), Release()], [What.PARK, What.WAIT_TASKS]),
}


@pytest.mark.parametrize("name", UNENDING)
def test_a_protocol_that_does_not_end_is_stuck(name: str) -> None:
    protocol, last = UNENDING[name]
    verdict = explore(scenario(protocol), "torn1")
    asked = [event.what for event in verdict.schedule if event.agent == PATCHER]
    assert (verdict.wrong, verdict.why) == (Wrong.STUCK, STUCK) and asked[-len(last) :] == last
    tolerated = scenario(protocol, never=frozenset(Wrong) - {Wrong.STUCK})
    assert explore(tolerated, "torn1").outcome is Outcome.SAFE


def test_something_wrong_comes_before_that_it_does_not_end() -> None:
    verdict = explore(scenario(lambda patches, breakpoint: [*whole(patches, breakpoint), Park()], places=(5,)), "coherent")
    assert verdict.wrong is Wrong.TORN


def test_what_the_scenario_does_not_mind_is_not_wrong() -> None:
    of = scenario(whole, places=(5,))
    assert explore(of, "torn8").wrong is Wrong.TORN
    late = explore(dataclasses.replace(of, never=frozenset(Wrong) - {Wrong.TORN}), "torn8")
    assert late.wrong is Wrong.LATE and late.schedule[-2].what is What.DONE
    assert explore(dataclasses.replace(of, never=frozenset((Wrong.STUCK,))), "torn8").outcome is Outcome.SAFE


def test_all_is_reached_if_it_is_safe_and_less_if_it_is_not() -> None:
    safe = explore(scenario(places=(61,)), "stale")
    assert all(reached == of > 0 for reached, of in safe.coverage.values()) and len(safe.coverage) == 3
    unsafe = explore(scenario("stop_machine", places=(61,), nmi_sites=frozenset((1,))), "stale")
    assert all(0 < reached < of for reached, of in unsafe.coverage.values())


def test_what_is_assumed_depends_on_the_scenario() -> None:
    def said(**others: Any) -> str:
        return " ".join(explore(scenario(**others), others.pop("on", "torn1")).assumptions)

    plain = said()
    assert "1 site and any number of CPUs, each with one task " in plain and "No NMI" in plain and "any number of times" in plain
    assert "aligned piece of 8 bytes, and the pieces one after another, from the lowest address." in plain
    assert "user mode" not in plain
    assert "NMIs come 2 times at most" in said(nmi_sites=frozenset((1,)), visits=2)
    assert "user mode" in said(user=True)
    assert "Write 2 finds something else" in said(fails_at=2)
    assert "counts as wrong" not in plain
    assert "late is all that counts as wrong." in said(never=frozenset((Wrong.LATE,)))
    assert "torn and late are all that counts as wrong." in said(never=frozenset((Wrong.LATE, Wrong.TORN)))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"places": ()}, "2 CPUs and 0 sites"),
        ({"places": (4096,)}, "a site at 4096 of its page; a multiple of 1 below 4096 is allowed"),
        ({"arch": "sparc64", "places": (2,)}, "a site at 2 of its page; a multiple of 4 below 4096 is allowed"),
        ({"nmi_sites": frozenset((2,))}, "the scenario has no site 2; it has 1"),
        ({"fails_at": 9}, "write 9 cannot fail: the protocol makes 3"),
        ({"cpus": 0}, "0 CPUs"),
    ],
)
def test_an_impossible_scenario_is_refused_in_one_line(wrong: dict[str, Any], said: str) -> None:
    protocol = "flush" if "arch" in wrong else "breakpoint"
    with pytest.raises(ValueError, match=said) as refused:
        explore(scenario(protocol, **wrong), "stale")
    assert "\n" not in str(refused.value)


def test_a_fetch_model_of_another_architecture_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x86_64 has no fetch model 'word'; it has coherent, stale, torn1"):
        explore(scenario(), "word")


def test_two_instructions_are_unsafe_whatever_the_protocol() -> None:
    for protocol in ("breakpoint", "stop_machine"):
        assert explore(scenario(protocol, change=Change.NOPS_TO_CALL), "coherent").wrong is Wrong.TORN
