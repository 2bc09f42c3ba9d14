# SPDX-License-Identifier: GPL-2.0-only
"""`live`: runs that go on for ever, in which a CPU or a patcher does not get on although everyone has a turn."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest

from emu.architectures import ARCHITECTURES
from emu.race import machine
from emu.race.generator import generated
from emu.race.limits import Limits
from emu.race.model import explore
from emu.race.model.replay import replay
from emu.race.scenario.scenario import Handler, Scenario, Wrong
from emu.race.scenario.scenario_file import parse
from emu.race.scenario.scenario_format import format
from emu.race.schedule.event import What
from emu.race.schedule.verdict import Outcome, Verdict
from tests.race import plain_model

FEW, MANY = 60, 1_000


def scenario(text: str) -> Scenario:
    return parse("scenario x\nlive\n" + text.replace("; ", "\n") + "\n")


def searched(text: str, fetch: str = "coherent") -> Verdict:
    return explore(scenario(text), fetch)


@pytest.mark.parametrize("protocol", ["breakpoint", "stop_machine"])
@pytest.mark.parametrize("words", ["", "nmi 1", "user", "fails 2", "change call > call", "irq 1; idle 1", "hotplug free"])
def test_what_is_shipped_lets_everyone_get_on(protocol: str, words: str) -> None:
    found = searched(f"protocol {protocol}; {words.replace('fails 2', 'fails 1')}", "translation")
    assert found.wrong is not Wrong.STARVED


def test_a_handler_that_waits_holds_up_the_patcher() -> None:
    found = searched("protocol breakpoint; handler wait; cpus 1")
    assert [event.what for event in found.schedule] == [What.WRITE, What.SYNC, What.FETCH]
    assert found.why == "CPU 0 waits for ever, and the patcher waits for its answer"


def test_it_may_wait_while_nobody_waits_for_it() -> None:
    """Stores alone need no answer: the handler waits for the last of them."""
    text = "handler wait; cpus 1; protocol;  write head breakpoint;  write tail new;  write head new"
    assert searched(text).wrong is not Wrong.STARVED
    waits = searched("handler wait; cpus 1; protocol;  write head breakpoint;  write tail new")
    assert waits.wrong is Wrong.STARVED and waits.why == "CPU 0 waits for ever"


def test_a_round() -> None:
    found = searched("protocol breakpoint without 6; handler retry; cpus 1", "stale")
    assert found.wrong is Wrong.STARVED and found.why.startswith("events 10 to 11 repeat for ever on CPU 0")
    assert [event.what for event in found.schedule[-2:]] == [What.HANDLE, What.FETCH]
    assert searched("protocol breakpoint without 6; handler retry; cpus 1").outcome is Outcome.SAFE


def test_an_interrupt_ends_a_round_but_not_in_an_nmi() -> None:
    """A sync comes in the round of a handler that tries again, but not if it is an NMI's."""
    steps = "protocol;  write head breakpoint;  sync;  forget;  write all old;  sync; handler retry; cpus 1; never starved"
    outside = searched(steps, "stale")
    within = searched(f"{steps}; nmi 1", "stale")
    assert outside.outcome is Outcome.SAFE
    assert within.wrong is Wrong.STARVED and within.why.endswith("and the patcher waits for its answer")


def test_a_wait_for_tasks_may_last_for_ever() -> None:
    steps = "protocol;  write head breakpoint;  sync;  forget;  write all old;  wait-tasks; handler retry; cpus 1; never starved"
    found = searched(steps, "stale")
    assert found.wrong is Wrong.STARVED and "repeat for ever on CPU 0, and the patcher waits" in found.why


def test_user_mode_and_home_are_no_places_to_wait_in() -> None:
    assert searched("protocol breakpoint; user", "stale").outcome is Outcome.SAFE
    assert searched("protocol;  wait-tasks; user; change nops > call").wrong is not Wrong.STARVED


def test_it_is_looked_for_only_with_the_word() -> None:
    text = "scenario x\nprotocol breakpoint\nhandler wait\n"
    assert explore(parse(text), "coherent").outcome is Outcome.SAFE
    assert explore(parse(f"{text}live\nnever torn\n"), "coherent").outcome is Outcome.SAFE
    with pytest.raises(ValueError, match="'starved' is no outcome of a search"):
        parse(f"{text}expect starved\n")
    assert parse(f"{text}live\nexpect starved in 3\n").live


@pytest.mark.parametrize(("cpus", "events"), [(1, 3), (2, 3), (3, 3)])
def test_others_answer_only_what_they_must(cpus: int, events: int) -> None:
    assert len(searched(f"protocol breakpoint; handler wait; cpus {cpus}").schedule) == events
    later = searched(f"protocol;  sync;  sync;  write head breakpoint;  sync; handler wait; cpus {cpus}")
    assert len(later.schedule) == 2 * (1 + cpus) + 3


def test_a_schedule_is_followed_to_the_same_end() -> None:
    for cpus in (1, 2):
        for text in ("protocol breakpoint; handler wait", "protocol breakpoint without 6; handler retry"):
            found = searched(f"{text}; cpus {cpus}", "stale")
            again = replay(found.schedule, found.scenario, found.fetch)
            assert (again.wrong, again.why, again.schedule) == (found.wrong, found.why, found.schedule)
            assert replay(found.schedule[:-1], found.scenario, found.fetch).wrong is None


def test_it_is_read_back_and_not_for_the_machine() -> None:
    of = scenario("protocol breakpoint; handler wait")
    assert parse(format(of)) == of
    assert machine.unsupported(of) == "'live': the machine is not searched for what repeats for ever"
    assert machine.unsupported(dataclasses.replace(of, live=False)) == "'handler': the guest's breakpoint handler does not wait"


def compared(seed: str, count: int, cpus: int, most: int) -> int:
    """Compares with the plain model, in scenarios in which only this is wrong. Returns how many are starved."""
    random, starved = Random(seed), 0
    handlers = (Handler.RETRY, Handler.RETRY, Handler.WAIT, Handler.EMULATE)
    for number in range(count):
        of = generated(random, arch=ARCHITECTURES[0 if number % 4 else number // 4 % 3], cpus=cpus, most_sites=2)
        handler = random.choice(handlers) if of.breakpoint else of.handler
        of = dataclasses.replace(of, live=True, never=frozenset((Wrong.STARVED, Wrong.STUCK)), handler=handler)
        fetch = random.choice(of.models)
        try:
            plain = plain_model.search(of, fetch, cpus, most)
        except plain_model.TooLarge:
            continue
        found = explore(of, fetch, Limits(states=None), reduce=False)
        assert plain.wrong == ({found.wrong} if found.wrong else set()), (format(of), fetch)
        if found.wrong is Wrong.STARVED:
            starved += 1
            assert of.others or plain.events == len(found.schedule), (format(of), fetch)
            again = replay(found.schedule, of, fetch)
            assert (again.wrong, again.why) == (found.wrong, found.why), (format(of), fetch)
    return starved


def test_the_plain_model_finds_the_same() -> None:
    assert compared("live, few", FEW, 1, 1_000) >= 2


@pytest.mark.long("1,000 scenarios take minutes")
@pytest.mark.parametrize(("cpus", "least"), [(1, 60), (2, 10)])
def test_the_plain_model_finds_the_same_for_many(cpus: int, least: int) -> None:
    assert compared("live, many", MANY, cpus, 5_000) >= least
