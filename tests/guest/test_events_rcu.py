# SPDX-License-Identifier: GPL-2.0-only
"""RCU's events: callbacks are invoked after they have been queued, and after a grace period that began later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from emu.machine import Machine
from tests.lib.event_lines import EventLine, events_of


@pytest.fixture(scope="module")
def lines(machine: Machine) -> Iterator[list[EventLine]]:
    """All events while objects are replaced under preempted readers, in each of RCU's ways."""
    yield events_of(machine, "rcu:*", "echo RCU > /dev/lkdtm; sleep 0.05")


def named(lines: list[EventLine], *names: str) -> list[EventLine]:
    return [line for line in lines if line.name in names]


def test_a_callback_is_invoked_after_a_grace_period(lines: list[EventLine]) -> None:
    waiting: dict[str, int] = {}
    periods: list[str] = []
    invoked = []
    for line in named(lines, "rcu_callback", "rcu_invoke_callback", "rcu_grace_period"):
        if line.name == "rcu_grace_period":
            periods.append(line.text.split()[-1])
            continue
        match = re.match(r"rcu_preempt rhp=(\S+) func=(\w+)", line.text)
        assert match, line
        if line.name == "rcu_callback":
            waiting[match[0]] = len(periods)
        elif match[0] in waiting:
            since = periods[waiting.pop(match[0]) :]
            assert "start" in since and "end" in since[since.index("start") :], line
            invoked.append(match[2])
    assert {"lkdtm_rcu_callback", "wakeme_after_rcu", "delayed_put_task_struct"} <= set(invoked)


def test_an_object_that_is_only_freed_is_told_by_its_offset(lines: list[EventLine]) -> None:
    queued, invoked = (
        re.findall(r"rhp=(\S+) func=(\d+)", "\n".join(line.text for line in named(lines, name)))
        for name in ("rcu_kvfree_callback", "rcu_invoke_kvfree_callback")
    )
    assert queued == invoked and len(queued) == 1
    assert queued[0][1] == "0"  # it is the first in its object


def test_a_batch_says_how_many_it_invoked(lines: list[EventLine]) -> None:
    for cpu in range(2):
        count = 0
        for line in (line for line in lines if line.cpu == cpu and line.flags[2] == "s"):
            if line.name == "rcu_batch_start":
                count = 0
            elif line.name in ("rcu_invoke_callback", "rcu_invoke_kvfree_callback"):
                count += 1
            elif line.name == "rcu_batch_end":
                match = re.fullmatch(r"rcu_preempt CBs-invoked=(\d+) idle=[C.][S.][I.]\.", line.text)
                assert match and int(match[1]) >= count, line
    assert named(lines, "rcu_batch_end")


def test_the_segments_hold_what_is_queued(lines: list[EventLine]) -> None:
    """After a callback has been queued, the lengths of the segments add up to the number in the callback's event."""
    pairs = pairwise(lines)
    sums = [
        (int(before.text.split()[-1]), sum(int(n) for n in re.findall(r"=(-?\d+)", after.text.partition("gp_seq")[0])))
        for before, after in pairs
        if before.name == "rcu_callback" and after.text.startswith("SegCBQueued") and before.cpu == after.cpu
    ]
    assert len(sums) > 5
    # A barrier's callback counts only in the length of the whole list.
    assert all(said == held for said, held in sums)


def test_a_grace_period_starts_and_ends(lines: list[EventLine]) -> None:
    numbers: dict[str, list[int]] = {"start": [], "end": []}
    for line in named(lines, "rcu_grace_period"):
        words = line.text.split()
        if words[-1] in numbers:
            assert line.comm == "rcu_preempt"
            numbers[words[-1]].append(int(words[1]))
    assert len(numbers["end"]) > 4 and set(numbers["end"][1:]) <= set(numbers["start"])
    assert all(number % 4 == 1 for number in numbers["start"])
    assert {line.text.split(maxsplit=2)[2] for line in named(lines, "rcu_grace_period_init")} == {"0 0 1 3"}


def test_every_cpu_reports_once_in_a_grace_period(lines: list[EventLine]) -> None:
    reports = Counter(
        (words[1], words[2].partition(">")[0])
        for line in named(lines, "rcu_quiescent_state_report")
        if (words := line.text.split())[0] == "rcu_preempt"
    )
    assert {mask for _, mask in reports} == {"1", "2"}
    assert set(reports.values()) == {1}


def test_a_preempted_reader_is_told_of_when_it_leaves(lines: list[EventLine]) -> None:
    def pids(name: str) -> list[str]:
        return [line.text.split()[-1] for line in named(lines, name)]

    preempted, unlocked = pids("rcu_preempt_task"), pids("rcu_unlock_preempted_task")
    assert len(preempted) > 4 and Counter(preempted) == Counter(unlocked)
    assert {line.comm.partition("/")[0] for line in named(lines, "rcu_preempt_task")} == {"lkdtm_rcu"}


def test_expedited_grace_periods_and_barriers_go_through_their_steps(lines: list[EventLine]) -> None:
    steps = [line.text.split()[-1] for line in named(lines, "rcu_exp_grace_period")]
    assert steps == ["snap", "start", "select", "startwait", "end"] * (len(steps) // 5) and len(steps) >= 20
    barrier = [line.text.split()[1] for line in named(lines, "rcu_barrier")]
    assert barrier[:2] == ["Begin", "Inc1"] and barrier[-1] == "Inc2"
    assert set(barrier) <= {"Begin", "Inc1", "IRQ", "IRQNQ", "CB", "LastCB", "Inc2"}


def test_what_starts_ends(lines: list[EventLine]) -> None:
    for cpu in range(2):
        counts = Counter(line.text.partition(" ")[::2] for line in named(lines, "rcu_utilization") if line.cpu == cpu)
        assert all(counts["Start", what] for what in ("context switch", "scheduler-tick", "RCU core"))
        assert all(abs(counts["Start", what] - counts["End", what]) <= 1 for _, what in counts)


def test_an_idle_cpu_is_left_for_interrupts_and_at_its_end(lines: list[EventLine]) -> None:
    follows = {"Start": {"Endirq", "End"}, "Endirq": {"Startirq"}, "Startirq": {"Endirq", "End"}, "End": {"Start"}}
    for cpu in range(2):
        words = [line.text.split() for line in named(lines, "rcu_dyntick") if line.cpu == cpu]
        assert len(words) > 10
        for before, after in pairwise(words):
            assert after[0] in follows[before[0]]
            assert before[2] == after[1]
