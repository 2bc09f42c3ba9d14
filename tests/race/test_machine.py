# SPDX-License-Identifier: GPL-2.0-only
"""The race lab on the machine: what really happens to a guest whose code is patched incorrectly."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Synchronise, Write
from emu.race import machine
from emu.race.limits import Limits
from emu.race.machine.course import Possible
from emu.race.machine.direction import Direction
from emu.race.machine.labs import lab
from emu.race.scenario import scenario_file
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import Forget, LabStep, swapped, without
from emu.race.scenario.protocol_text import ChangedProtocol, ShippedProtocol
from emu.race.scenario.scenario import Handler, LabProtocol, Scenario, Wrong
from emu.race.schedule.event import What
from emu.race.schedule.verdict import Outcome, Verdict


def explored(protocol: LabProtocol | str, fetch: str, **scenario: Any) -> Verdict:
    """The machine's verdict on a protocol."""
    function = ShippedProtocol(protocol) if isinstance(protocol, str) else protocol
    return machine.explore(Scenario("test", function, "test", **scenario), fetch)


def breakpoint_with(change: Any, *numbers: int) -> LabProtocol:
    """The protocol `breakpoint` with a change of its list of steps."""
    return lambda patches, breakpoint: change(PROTOCOLS["breakpoint"](patches, breakpoint), *numbers)


def written(steps: str) -> LabProtocol:
    """A protocol of its steps for up to two sites, as in a scenario's file, with `;` between them."""
    lines = "".join(f"    {step.strip()}\n" for step in steps.split(";"))
    return scenario_file.parse(f"scenario test\nplace 0 5\nprotocol\n{lines}").protocol


def whats(verdict: Verdict) -> list[What]:
    return [event.what for event in verdict.schedule]


# The shipped protocols


@pytest.mark.parametrize("fetch", ["coherent", "stale", "torn1", "torn8", "translation"])
def test_breakpoints_are_safe(fetch: str) -> None:
    found = explored("breakpoint", fetch, places=(5,))
    assert (found.outcome, found.wrong, found.why) == (Outcome.SAFE, None, "")
    reached, of = found.coverage["positions of the patcher"]
    assert reached == of >= 8
    assert 50 < found.states < found.moves


@pytest.mark.parametrize("protocol", ["flush", "stop_machine"])
@pytest.mark.parametrize("fetch", ["stale", "word", "flushed"])
def test_sparc_writes_words(protocol: str, fetch: str) -> None:
    assert explored(protocol, fetch, arch="sparc64", places=(0, 60), nmi_sites=frozenset({2})).outcome is Outcome.SAFE


def test_sparc_needs_the_flush() -> None:
    def unflushed(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [Write(patch.address, patch.old, patch.new) for patch in patches]

    found = explored(unflushed, "word", arch="sparc64")
    assert found.wrong is Wrong.LATE
    assert whats(found) == [What.WRITE, What.DONE, What.FETCH]


@pytest.mark.parametrize("protocol", ["flush", "stop_machine"])
@pytest.mark.parametrize("fetch", ["stale", "ziccif"])
def test_risc_v_writes_words(protocol: str, fetch: str) -> None:
    found = explored(protocol, fetch, arch="riscv64", places=(0, 60), nmi_sites=frozenset({2}))
    assert found.outcome is Outcome.SAFE


def test_parcels_of_risc_v_may_be_torn() -> None:
    found = explored("flush", "parcel", arch="riscv64")
    assert found.wrong is Wrong.TORN and whats(found) == [What.WRITE, What.FETCH]
    found = explored("stop_machine", "parcel", arch="riscv64", change=Change.NOPS_TO_CALL)
    assert found.wrong is Wrong.TORN and found.schedule[-1].offset == 2


@pytest.mark.parametrize("place", [0, 60])
def test_a_pair_needs_the_wait_for_tasks(place: int) -> None:
    pair = {"arch": "riscv64", "places": (place,), "change": Change.NOPS_TO_PAIR}
    assert explored("pair", "ziccif", **pair).outcome is Outcome.SAFE
    found = explored(ChangedProtocol(ShippedProtocol("pair"), without=(3,)), "ziccif", **pair)
    assert found.wrong is Wrong.HALF and found.schedule[-1].offset == 4
    assert "then: guest oops" in found.why or "then: guest panic" in found.why
    back = explored("pair", "ziccif", **{**pair, "change": Change.PAIR_TO_NOPS})
    assert back.outcome is Outcome.SAFE


def test_three_cpus_and_two_sites_with_nmis() -> None:
    found = explored("stop_machine", "coherent", cpus=3, places=(61, 0), nmi_sites=frozenset({2}))
    assert found.outcome is Outcome.SAFE
    assert found.states > 1000


# History: bugs of code patching in Linux, and rules of processors' manuals


def test_an_nmi_during_stop_machine_meets_half_a_call_and_the_guest_panics() -> None:
    """Until 2009, an NMI could execute a site while stop_machine was writing it."""
    found = explored("stop_machine", "torn1", nmi_sites=frozenset({1}))
    assert found.wrong is Wrong.TORN
    assert "then: guest panic on CPU 0: Fatal exception in interrupt" in found.why
    assert [what for what in whats(found) if what in (What.NMI, What.WRITE)] in ([What.NMI, What.WRITE], [What.WRITE, What.NMI])
    assert explored("stop_machine", "torn1").outcome is Outcome.SAFE
    assert explored("breakpoint", "torn1", nmi_sites=frozenset({1})).outcome is Outcome.SAFE


def test_the_third_synchronisation_is_needed() -> None:
    """A question on LKML in January 2010: without it, a CPU reaches a breakpoint that has already been forgotten."""
    found = explored(breakpoint_with(without, 6), "coherent")
    assert found.wrong is Wrong.BREAKPOINT
    assert whats(found)[-2:] == [What.DONE, What.HANDLE]
    assert "guest panic on CPU 0: breakpoint at race_site_0a" in found.why
    assert explored(breakpoint_with(without, 6), "coherent", handler=Handler.RETRY).outcome is Outcome.SAFE


def test_the_tail_must_not_be_first() -> None:
    """When Linux switched to breakpoints in 2012, the order of head and tail was what mattered."""
    found = explored(breakpoint_with(swapped, 1, 3), "torn1")
    assert found.wrong is Wrong.TORN
    assert whats(found) == [What.WRITE, What.FETCH]
    assert "guest oops on CPU 0" in found.why


@pytest.mark.parametrize(("deaf", "wrong"), [(frozenset(), None), (frozenset({1}), Wrong.LATE)])
def test_cross_modifying_code_needs_a_serialising_instruction(deaf: frozenset[int], wrong: Wrong | None) -> None:
    """The other processor must serialise after the code has changed, before it executes it.

    Intel SDM 3A, 'Handling Self- and Cross-Modifying Code'.
    """

    def handshake(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [*[Write(patch.address, patch.old, patch.new) for patch in patches], Synchronise()]

    assert explored(handshake, "stale", deaf=deaf).wrong is wrong


# What else can go wrong


def test_a_task_between_two_nops_comes_back_into_the_midst_of_a_call() -> None:
    found = explored("stop_machine", "coherent", change=Change.NOPS_TO_CALL)
    assert found.wrong in (Wrong.TORN, Wrong.HALF)
    assert found.schedule[-1].offset == 2


def test_a_skipped_call_calls_neither_function() -> None:
    assert explored("breakpoint", "coherent", change=Change.CALL_TO_CALL, handler=Handler.SKIP).wrong is Wrong.SKIPPED
    assert explored("breakpoint", "coherent", change=Change.NOP_TO_CALL, handler=Handler.SKIP).outcome is Outcome.SAFE


@pytest.mark.parametrize("other", [{"handler": Handler.DIE}, {"misses": frozenset({1})}])
def test_a_handler_that_knows_no_site_kills_the_task(other: dict[str, Any]) -> None:
    found = explored("breakpoint", "coherent", **other)
    assert found.wrong is Wrong.BREAKPOINT
    assert "guest oops on CPU 0 | task race_lab/0" in found.why


def test_a_handler_that_has_forgotten_the_sites() -> None:
    def forgetful(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        steps: list[LabStep] = [*PROTOCOLS["breakpoint"](patches, breakpoint)]
        return [*steps[:-1], Forget(), steps[-1]]

    found = explored(forgetful, "coherent")
    assert found.wrong is Wrong.BREAKPOINT
    assert whats(found)[-2:] == [What.FORGET, What.HANDLE]


def test_a_handler_that_knows_one_site_late() -> None:
    """The breakpoint of site 2 is there before the handler knows the site; the one of site 1 was known from the beginning."""
    late = written("write head breakpoint; know 2; sync; write tail new; sync; write head new; sync")
    found = explored(late, "coherent", places=(0, 5))
    assert found.wrong is Wrong.BREAKPOINT and found.schedule[-1].site == 2
    early = written("know 2; write head breakpoint; sync; write tail new; sync; write head new; sync")
    assert explored(early, "coherent", places=(0, 5)).outcome is Outcome.SAFE
    forgets = written("write head breakpoint; sync; write tail new; sync; write head new; forget 1; sync")
    found = explored(forgets, "coherent", places=(0, 5))
    assert found.wrong is Wrong.BREAKPOINT and found.schedule[-1].site == 1


@pytest.mark.parametrize("arch", ["x86_64", "riscv64"])
def test_a_release_that_does_not_synchronise(arch: str) -> None:
    """The CPUs that waited go on with what they saw before."""
    found = explored("stop_machine", "stale", arch=arch, deaf=frozenset({1}))
    assert found.wrong is Wrong.LATE and found.schedule[-1].versions == (0,)
    assert explored("stop_machine", "stale", arch=arch).outcome is Outcome.SAFE


@pytest.mark.parametrize(
    ("protocol", "fails_at"),
    [("breakpoint", 1), ("breakpoint", 3), ("breakpoint", 6), ("stop_machine", 1), ("stop_machine", 2)],
)
def test_the_drivers_way_back(protocol: str, fails_at: int) -> None:
    """The driver itself performs it after it has found unexpected bytes in memory."""
    found = explored(protocol, "torn8", places=(5, 61), fails_at=fails_at)
    assert found.outcome is Outcome.SAFE


@pytest.mark.parametrize(
    ("steps", "whats_done"),
    [
        ([Release()], [What.RELEASE]),
        ([Park()], [What.PARK]),
        ([Park(), Synchronise()], [What.PARK, What.WAIT, What.WAIT, What.SYNC]),
        ([Park(), Park(), Release()], [What.PARK, What.WAIT, What.WAIT, What.PARK]),
    ],
)
def test_a_protocol_that_does_not_end(steps: list[LabStep], whats_done: list[What]) -> None:
    found = explored(lambda patches, breakpoint: steps, "coherent")
    assert found.wrong is Wrong.STUCK
    assert found.why == "the protocol does not end; then: patching does not end"
    assert whats(found) == whats_done


@pytest.mark.parametrize(
    ("arch", "code"),
    [
        *(
            ("x86_64", code)
            for code in ("eb fe", "fa f4", "0f 22 c0", "31 e4", "0f 05", "48 cf", "9d", "fa eb fd", "0f 0b", "c3")
        ),
        *(("sparc64", code) for code in ("30 68 00 00", "83 f0 00 00", "9d e3 bf ff", "91 90 20 03", "91 d0 20 6d")),
        *(
            ("riscv64", code)
            for code in ("6f 00 00 00", "73 00 20 10", "73 00 50 10", "73 10 00 18", "02 90", "00 00", "01 71", "82 80")
        ),
    ],
)
def test_whatever_a_cpu_executes_is_a_verdict(arch: str, code: str) -> None:
    """Loops, endless waits, unmapped addresses, no stack, wild returns, traps that belong to programs."""

    def nonsense(patches: Sequence[Patch], breakpoint: bytes) -> list[LabStep]:
        return [Write(patch.address, patch.old, bytes.fromhex(code).ljust(len(patch.old), b"\0")) for patch in patches]

    found = explored(nonsense, "coherent", arch=arch)
    assert found.wrong is Wrong.TORN
    assert whats(found) == [What.WRITE, What.FETCH]
    assert explored("stop_machine", "coherent", arch=arch).outcome is Outcome.SAFE, "the lab is as before"


def test_what_does_not_count_as_wrong() -> None:
    never = frozenset(Wrong) - {Wrong.TORN}
    assert explored(breakpoint_with(swapped, 1, 3), "torn1", never=never).outcome is Outcome.SAFE
    late = frozenset(Wrong) - {Wrong.LATE}
    assert explored(lambda patches, breakpoint: [], "coherent").wrong is Wrong.LATE
    assert explored(lambda patches, breakpoint: [], "coherent", never=late).outcome is Outcome.SAFE


# Properties of a search


def test_the_same_search_says_the_same_again() -> None:
    scenario = Scenario("test", breakpoint_with(without, 2), "test")
    first, second = (machine.explore(scenario, "torn1") for _ in range(2))
    assert first == second
    assert [event.text for event in first.schedule] == [event.text for event in second.schedule]


def test_a_limit_decides_nothing() -> None:
    found = machine.explore(Scenario("test", ShippedProtocol("breakpoint"), "test"), "coherent", Limits(states=10))
    assert (found.outcome, found.why) == (Outcome.UNDECIDED, "the limit of 10 states was reached")
    assert found.states >= 10


def test_an_interrupt_ends_a_search_and_leaves_the_lab_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario("test", ShippedProtocol("breakpoint"), "test")
    whole = machine.explore(scenario, "coherent")
    perform, left = Direction.perform, 0

    def interrupted(direction: Direction, possible: Possible) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
        perform(direction, possible)

    monkeypatch.setattr(Direction, "perform", interrupted)
    for event in (1, 2, 20, whole.moves - 1):
        left = event
        found = machine.explore(scenario, "coherent")
        assert (found.outcome, found.why) == (Outcome.UNDECIDED, "interrupted")
        assert event <= found.moves < whole.moves
    assert machine.explore(scenario, "coherent") == whole


def test_safe_says_what_it_takes_for_granted() -> None:
    taken = explored("flush", "coherent", arch="sparc64").assumptions
    assert any("one of each CPU" in sentence for sentence in taken)
    assert any("no timer" in sentence for sentence in taken)
    bounded = explored("flush", "coherent", arch="sparc64", visits=2)
    assert any("2 times at most" in sentence for sentence in bounded.assumptions)
    assert not any("one of each CPU" in sentence for sentence in bounded.assumptions)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"places": (7,)}, "the guest's module has no site at 7 of a page, but at 0, 5, 13, 61, 63, 4093"),
        ({"places": (5, 5, 5)}, "the guest's module has 2 sites at 5 of a page, not 3"),
        ({"user": True}, "'user': the guest's CPUs begin in the kernel, and no synchronisation is deferred"),
        ({"handler_sites": frozenset({1})}, "'in-handler': the guest's breakpoint handler comes to no site"),
        ({"nests": True}, "'nests': the guest's NMIs begin at the top of the same stack, as with 'ist nmi'"),
        ({"cpus": 9}, "a machine has at most 8 CPUs"),
    ],
)
def test_what_only_the_model_can_do(other: dict[str, Any], why: str) -> None:
    scenario = Scenario("test", ShippedProtocol("breakpoint"), "test", **other)
    assert machine.unsupported(scenario) == why
    with pytest.raises(ValueError, match=why):
        machine.explore(scenario, "coherent")


def test_every_site_that_is_offered_is_there() -> None:
    for arch, places in (("x86_64", (*(0, 5, 13, 61, 63) * 2, 4093)), ("sparc64", (0, 60) * 2), ("riscv64", (0, 2, 4, 60) * 2)):
        assert machine.unsupported(Scenario("test", ShippedProtocol("stop_machine"), "test", arch=arch, places=places)) is None
        sites = lab(arch, 2, 0).sites(places)
        assert all((site.address - place) % 64 == 0 for site, place in zip(sites, places, strict=True))
        assert len({site.address // 64 for site in sites}) == len(places)


def test_every_byte_of_what_sites_hold_differs() -> None:
    """Otherwise a torn instruction could be a valid one."""
    booted = lab("x86_64", 2, 0)
    for change in (Change.NOP_TO_CALL, Change.CALL_TO_CALL):
        scenario = Scenario("test", ShippedProtocol("breakpoint"), "test", change=change)
        for place, site in [(place, site) for place, sites in booted.module.sites.items() for site in sites]:
            (patch,) = scenario.patches([site.address], *booted.targets((place,)))
            start = change is Change.CALL_TO_CALL  # the opcode is the same
            assert all(a != b for a, b in zip(patch.old[start:], patch.new[start:], strict=True)), site
