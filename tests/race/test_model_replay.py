# SPDX-License-Identifier: GPL-2.0-only
"""Following schedules on the model: an event that is not allowed is refused, and the allowed ones are listed."""

from __future__ import annotations

import dataclasses

import pytest

from emu.ftrace.sites.patching import PROTOCOLS
from emu.race.model import explore
from emu.race.model.replay import replay
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.permitted import NotPermitted
from emu.race.schedule.verdict import Outcome, Verdict

STOPPED = Scenario("stopped", PROTOCOLS["stop_machine"], "stop_machine", places=(5,), nmi_sites=frozenset((1,)))


def found() -> Verdict:
    return explore(STOPPED, "torn8")


def test_the_events_are_followed() -> None:
    verdict = found()
    kinds = ["park", "wait", "wait", "write", "nmi", "fetch"]
    assert [event.what for event in verdict.schedule] == kinds
    assert replay(verdict.schedule, STOPPED, "torn8").wrong is Wrong.TORN


def test_nothing_may_go_wrong() -> None:
    verdict = replay(found().schedule[:-1], STOPPED, "torn8")
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, "nothing goes wrong on the way")


def test_the_bytes_are_for_readers_and_the_versions_count() -> None:
    *before, fetch = found().schedule
    same = dataclasses.replace(fetch, code=b"\x90" * len(fetch.code), text="nonsense")
    assert replay([*before, same], STOPPED, "torn8").schedule[-1] == fetch
    with pytest.raises(NotPermitted):
        replay([*before, dataclasses.replace(fetch, versions=(3, 3))], STOPPED, "torn8")


def test_each_of_the_fetches_alike_may_be_followed() -> None:
    scenario = Scenario("breakpoint", PROTOCOLS["breakpoint"], "breakpoint", places=(5,))
    head, sync = Event(PATCHER, What.WRITE, 1, 0, b"\xcc"), Event(PATCHER, What.SYNC)
    to_tail = [head, sync, Event(0, What.INTERRUPT), Event(1, What.INTERRUPT)]
    write = Event(PATCHER, What.WRITE, 1, 1, b"\0\0")
    for versions in ((1, 1), (2, 1)):  # both are a breakpoint
        fetch = Event(0, What.FETCH, 1, 0, bytes(5), versions)
        assert replay([*to_tail, write, fetch], scenario, "torn8").schedule[-1].text == "int3"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Event(0, What.WAIT), "event 1 is not permitted: cpu0 wait; permitted: fetch 1+0 0f 1f 44 00 00 @ 0 0, or nmi 1"),
        (Event(2, What.NMI, 1), "event 1 is not permitted: cpu2 nmi 1; permitted: nothing"),
        (Event(0, What.NMI, 2), "event 1 is not permitted: cpu0 nmi 2; "),
        (Event(PATCHER, What.RELEASE), "event 1 is not permitted: patcher release; permitted: park"),
    ],
)
def test_what_is_not_possible_is_refused_in_one_line(event: Event, said: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        replay([event], STOPPED, "torn8")
    assert str(refused.value).startswith(said) and "\n" not in str(refused.value)
    assert (refused.value.number, refused.value.event) == (1, event)


def test_only_some_of_many_possibilities_are_said() -> None:
    hasty = Scenario("hasty", PROTOCOLS["flush"], "flush", places=(0,))
    with pytest.raises(NotPermitted, match=r"or 24 more$"):
        replay([Event(PATCHER, What.WRITE, 1, 0, bytes(5)), Event(0, What.HANDLE, 1)], hasty, "torn1")


def test_nothing_follows_what_is_wrong() -> None:
    with pytest.raises(NotPermitted, match="event 7 is not permitted: cpu1 nmi 1; permitted: nothing"):
        replay([*found().schedule, Event(1, What.NMI, 1)], STOPPED, "torn8")
