# SPDX-License-Identifier: GPL-2.0-only
"""Several patchers: locks, preemption, and all orders of their steps."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest

from emu.race import machine
from emu.race.limits import Limits
from emu.race.model import automaton_of, explore, of_one_cpu, reduction
from emu.race.model.replay import replay
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.scenario.scenario_file import parse
from emu.race.scenario.scenario_format import format
from emu.race.scenario.text_file import TextError
from emu.race.schedule import schedule
from emu.race.schedule.event import PATCHER, What
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.show import table
from emu.race.schedule.verdict import Outcome, Verdict

FIRST = "write head breakpoint; sync; write tail new; sync; write head new; sync"
SECOND = "write head breakpoint; sync; write tail old; sync; write head old; sync"


def scenario(*patchers: str, words: str = "") -> Scenario:
    """A scenario of patchers, each its steps, or `preempts: ` and its steps; and of other words."""
    lines = ["scenario x", words]
    for number, text in enumerate(patchers):
        preempts, _, steps = text.rpartition(": ")
        lines += [f"patcher {preempts}" if number else "protocol", *(f"    {step}" for step in steps.split("; "))]
    return parse("\n".join(lines) + "\n")


def searched(of: Scenario, fetch: str = "torn1") -> Verdict:
    return explore(of, fetch)


def locked(steps: str) -> str:
    return f"lock; {steps}; unlock"


def test_each_alone_is_safe_and_both_together_are_not() -> None:
    assert searched(scenario(FIRST)).outcome is Outcome.SAFE
    assert searched(scenario(FIRST, SECOND)).wrong is Wrong.TORN
    found = searched(scenario(locked(FIRST), locked(SECOND)))
    assert found.outcome is Outcome.SAFE and found.any_number_of_cpus


def test_a_lock_that_only_one_takes_does_not_help() -> None:
    assert searched(scenario(locked(FIRST), SECOND)).wrong is Wrong.TORN


def test_another_lock_is_another() -> None:
    other = f"lock 2; {SECOND}; unlock 2"
    assert searched(scenario(locked(FIRST), other)).wrong is Wrong.TORN


def test_locks_in_two_orders_are_a_deadlock() -> None:
    sides = ("lock; lock 2; write all new; unlock 2; unlock", "lock 2; lock; write all new; unlock; unlock 2")
    found = searched(scenario(*sides), "coherent")
    assert found.wrong is Wrong.STUCK and [event.agent for event in found.schedule] == [PATCHER, PATCHER - 1]
    assert searched(scenario(sides[0], sides[0]), "coherent").wrong is not Wrong.STUCK


def test_a_lock_that_is_taken_twice_is_never_had() -> None:
    assert searched(scenario("lock; lock; write all new; sync")).wrong is Wrong.STUCK
    assert searched(scenario("lock; unlock; lock; write all new; sync"), "coherent").outcome is Outcome.SAFE


def test_who_has_not_got_a_lock_does_not_give_it_back() -> None:
    assert searched(scenario(locked(FIRST), f"unlock; {locked(SECOND)}")).outcome is Outcome.SAFE


def test_a_patcher_that_preempts_waits_for_a_lock_for_ever() -> None:
    found = searched(scenario(locked(FIRST), f"preempts: {locked(SECOND)}"))
    assert found.wrong is Wrong.STUCK
    assert [(event.agent, event.what) for event in found.schedule] == [(PATCHER, What.LOCK), (PATCHER - 1, What.PREEMPT)]


def test_those_who_are_preempted_stand_still() -> None:
    of = scenario("write all new; sync; write all new; sync", "preempts: write all old; sync; write all new; sync")
    patcher = automaton_of(of, "coherent").patcher
    begun = next(step.to for step in patcher.steps(0) if step.event.what is What.PREEMPT)
    at = begun
    while (step := patcher.steps(at)[0]).event.what is not What.DONE:
        assert [other.event.agent for other in patcher.steps(at)] == [PATCHER - 1]
        at = step.to
    assert {other.event.agent for other in patcher.steps(step.to)} == {PATCHER}


def test_all_orders_are_there() -> None:
    """Two patchers of three events each, of which none excludes another, have 20 orders, and 16 positions."""
    of = scenario("know; know", "know; know")
    patcher = automaton_of(of, "coherent").patcher

    def orders(position: int) -> int:
        return sum(orders(step.to) for step in patcher.steps(position)) or 1

    assert orders(0) == 20 and len(patcher.done) == 16


def test_the_code_that_is_there_in_the_end_is_the_right_one() -> None:
    found = [searched(scenario(locked(one), locked(other))) for one, other in ((FIRST, SECOND), (SECOND, FIRST))]
    assert [verdict.outcome for verdict in found] == [Outcome.SAFE] * 2
    late = "lock; write all old; unlock; write all old"
    assert searched(scenario("lock; write all new; unlock; sync", late), "stale").wrong is Wrong.LATE


def test_one_patcher_forgets_what_another_has_written() -> None:
    """As the one record of Linux's text_poke: who ends first makes the handler forget the other's breakpoint."""
    knows = f"know; {FIRST}; forget"
    assert searched(scenario(knows)).outcome is Outcome.SAFE
    assert searched(scenario(knows, knows)).wrong is Wrong.BREAKPOINT
    assert searched(scenario(locked(knows), locked(knows))).outcome is Outcome.SAFE


def test_a_schedule_is_written_read_shown_and_followed() -> None:
    found = searched(scenario(locked(FIRST), f"preempts: {SECOND}", "lock; unlock", words="cpus 1"))
    assert found.wrong is Wrong.TORN
    of = Schedule.of(found)
    read = schedule.parse(schedule.text_of(of))
    assert read == of and "patcher 2 preempt" in " ".join(schedule.text_of(of).split())
    again = replay(read.events, read.scenario, read.fetch)
    assert (again.wrong, again.why, again.schedule) == (found.wrong, found.why, found.schedule)
    assert "patcher 2" in table(of) and "preempts the others" in table(of)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("patcher\n    write all new\nfails 1", "'fails' with several patchers"),
        ("patcher\n    write all new\n    sync\ndeaf 1", "'deaf' with several patchers"),
        ("patcher", "'patcher' has no value; "),
        ("patcher preempts", "'patcher' has no value; "),
        ("patcher flush\npatcher flush\npatcher flush\npatcher flush", "a patcher more than 4; fewer"),
        ("patcher flosh", "'flosh' is no protocol"),
        ("patcher\n    lock 5", "'5' is no lock; a number from 1 to 4"),
        ("patcher\n    lock 1 2", "'2' is one word too many; 'lock' has a lock's number or no value"),
        ("patcher flush\n    lock", "the line is indented"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(TextError) as error:
        parse(f"scenario x\nprotocol flush\n{text}\n")
    assert why in str(error.value)


def test_texts_are_read_back() -> None:
    of = scenario(FIRST, "preempts: lock 2; write all new by 4 1; unlock 2", words="live")
    of = dataclasses.replace(of, others=(*of.others, *parse("scenario x\nprotocol flush\npatcher flush\n").others))
    assert parse(format(of)) == of and "patcher   preempts\n" in format(of) and "patcher   flush\n" in format(of)


def test_the_machine_has_one_patcher() -> None:
    assert machine.unsupported(scenario(FIRST, SECOND)) == "'patcher': the machine has one patcher"
    assert machine.unsupported(scenario(locked(FIRST))) == "'lock': the machine's patcher takes no locks"


def nearly(random: Random, text: str) -> str:
    """The steps, sometimes without one, and mostly with a lock."""
    steps = text.split("; ")
    out = random.randrange(4 * len(steps))
    steps = [step for number, step in enumerate(steps) if number != out]
    return locked("; ".join(steps)) if random.random() < 0.9 else "; ".join(steps)


def test_one_cpu_stands_for_several() -> None:
    random, limits, safe = Random("several patchers"), Limits(states=20_000), 0
    for _ in range(16):
        of = scenario(nearly(random, FIRST), random.choice(("", "", "preempts: ")) + nearly(random, SECOND))
        fetch = random.choice(of.models)
        assert reduction.obstacle(of) == ""
        reduced = of_one_cpu(of, fetch, limits).outcome
        safe += reduced is Outcome.SAFE
        for cpus in (1, 2, 3):
            whole = explore(dataclasses.replace(of, cpus=cpus), fetch, limits, reduce=False).outcome
            assert whole in (reduced, Outcome.UNDECIDED) and (cpus > 1 or whole == reduced)
    assert 2 <= safe <= 10


STEPS = (
    "write 1 all new", "write 2 all new", "write 1 all old", "write 2 all old", "write head breakpoint", "write tail new",
    "write head new", "sync", "park", "release", "know 1", "forget 2", "wait-tasks", "free", "lock", "unlock",
)  # fmt: skip


def one_by_one(seed: str, count: int) -> int:
    """Compares searches of one site after another with those of all sites together. Returns how many are safe."""
    random, limits, safe = Random(seed), Limits(states=30_000), 0
    for _ in range(count):
        sides = ["; ".join(random.choices(STEPS, k=random.randint(2, 5))) for _ in range(2)]
        if random.random() < 0.6:
            sides = [locked(side) for side in sides]
        words = ["place 0 5", "change call > call", *random.sample(("nmi 1", "in-handler 2", "live", "handler retry"), 2)]
        of = scenario(sides[0], random.choice(("", "preempts: ")) + sides[1], words="\n".join(words))
        of = dataclasses.replace(of, cpus=1, never=frozenset(random.sample(sorted(Wrong), 2)))
        fetch = random.choice(of.models)
        apart = of_one_cpu(of, fetch, limits).outcome
        assert explore(of, fetch, limits, reduce=False).outcome in (apart, Outcome.UNDECIDED), (format(of), fetch)
        safe += apart is Outcome.SAFE
    return safe


def test_sites_are_searched_one_by_one() -> None:
    assert 5 <= one_by_one("few", 15) < 15


@pytest.mark.long("400 scenarios take minutes")
def test_sites_are_searched_one_by_one_for_many() -> None:
    assert one_by_one("many", 400) >= 150
