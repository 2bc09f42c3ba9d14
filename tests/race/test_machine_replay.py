# SPDX-License-Identifier: GPL-2.0-only
"""Schedules are replayed on the machine: in another process, from the model, and event by event."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from emu.race import machine, model
from emu.race.scenario.protocol_text import ChangedProtocol, ShippedProtocol
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.permitted import NotPermitted
from emu.race.schedule.verdict import Outcome

_PROTOCOL = ChangedProtocol(ShippedProtocol("breakpoint"), without=(4,))
_SCENARIO = Scenario("test", _PROTOCOL, _PROTOCOL.text)

_IN_ANOTHER_PROCESS = """
from emu.race import machine
from tests.race.test_machine_replay import _SCENARIO
found = machine.explore(_SCENARIO, "torn1")
print(found.digest, found.why, *found.schedule, sep="\\n")
"""


def test_a_schedule_of_another_process() -> None:
    run = subprocess.run([sys.executable, "-c", _IN_ANOTHER_PROCESS], capture_output=True, text=True, timeout=100, check=True)
    digest, why, *events = run.stdout.splitlines()
    found = machine.explore(_SCENARIO, "torn1")
    assert (found.digest, found.why, list(map(str, found.schedule))) == (digest, why, events)
    again = machine.replay(found.schedule, _SCENARIO, "torn1", digest=digest)
    assert (again.outcome, again.wrong, again.why) == (Outcome.UNSAFE, Wrong.TORN, why)
    assert again.schedule == found.schedule


def test_a_schedule_of_the_model() -> None:
    found = model.explore(_SCENARIO, "torn1")
    again = machine.replay(found.schedule, _SCENARIO, "torn1")
    assert again.wrong is found.wrong
    assert [(e.agent, e.what, e.versions) for e in again.schedule] == [(e.agent, e.what, e.versions) for e in found.schedule]
    assert again.schedule != found.schedule, "distances are the machine's own"


@pytest.mark.parametrize("change", [{"seed": 1}, {"cpus": 3}, {"arch": "sparc64"}])
def test_a_schedule_of_another_machine_is_refused(change: dict[str, object]) -> None:
    digest = machine.explore(_SCENARIO, "coherent").digest
    seed = change.pop("seed", 0)
    assert isinstance(seed, int)
    flush = ShippedProtocol("stop_machine")
    scenario = dataclasses.replace(_SCENARIO, protocol=flush, **change)  # type: ignore[arg-type]  # of several types
    with pytest.raises(ValueError, match=rf"^the schedule is of another machine: its digest is {digest}, and that of [^\n]*$"):
        machine.replay([], scenario, "coherent", seed, digest)


def refusal(*events: Event, fetch: str = "torn1") -> str:
    with pytest.raises(NotPermitted) as refused:
        machine.replay(events, _SCENARIO, fetch)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_an_event_that_is_not_permitted_is_refused() -> None:
    write = Event(PATCHER, What.WRITE, 1, 0, b"\xcc")
    sync = Event(PATCHER, What.SYNC)
    assert refusal(sync) == "event 1 is not permitted: patcher sync; permitted: write 1+0 cc"
    assert refusal(write, sync, write).endswith("permitted: nothing"), "nobody has answered"
    assert refusal(Event(2, What.INTERRUPT)).endswith("permitted: nothing"), "there is no CPU 2"
    assert refusal(Event(0, What.HANDLE, 1)).startswith(
        "event 1 is not permitted: cpu0 handle 1; permitted: fetch 1+0 0f 1f 44 00 00"
    )
    future = Event(0, What.FETCH, 1, 0, bytes(5), (1, 0, 0, 0, 0))
    assert refusal(future).startswith("event 1 is not permitted: cpu0 fetch 1+0")
    stale = Event(0, What.FETCH, 1, 0, bytes(5), (0, 0, 0, 0, 0))
    assert refusal(write, stale, fetch="coherent").startswith("event 2 is not permitted")


def test_no_event_follows_what_is_wrong() -> None:
    found = machine.explore(_SCENARIO, "torn1")
    with pytest.raises(NotPermitted, match=f"event {len(found.schedule) + 1} is not permitted"):
        machine.replay([*found.schedule, Event(1, What.FETCH, 1)], _SCENARIO, "torn1")


def test_a_schedule_on_which_nothing_goes_wrong() -> None:
    found = machine.explore(_SCENARIO, "torn1")
    again = machine.replay(found.schedule[:-1], _SCENARIO, "torn1")
    assert (again.outcome, again.why) == (Outcome.UNDECIDED, "nothing goes wrong on the way")


def test_more_visits_than_a_search_makes() -> None:
    """In a scenario without a bound, a search lets each CPU visit a site once; a schedule may have more visits."""
    fetch = Event(0, What.FETCH, 1, 0, bytes(5), (0,))
    assert len(machine.replay([fetch] * 5, _SCENARIO, "stale").schedule) == 5


def test_registers_forwards_and_backwards() -> None:
    found = machine.explore(_SCENARIO, "torn1")
    walk = machine.MachineRun(found.schedule, _SCENARIO, "torn1")
    count = len(found.schedule)
    forwards = [[dict(walk.registers(number, cpu)) for cpu in range(2)] for number in range(count + 1)]
    backwards = [[dict(walk.registers(number, cpu)) for cpu in range(2)] for number in reversed(range(count + 1))]
    assert forwards == backwards[::-1]
    assert walk.verdict.why == found.why
    culprit = found.schedule[-1].agent
    assert forwards[count][culprit]["rip"] != forwards[count - 1][culprit]["rip"]
    assert forwards[count][1 - culprit] == forwards[count - 1][1 - culprit]
