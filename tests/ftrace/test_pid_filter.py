# SPDX-License-Identifier: GPL-2.0-only
"""The pid lists of one trace array, and what native code gets to know about running tasks."""

from __future__ import annotations

import pytest

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.buffers.pid_filter import OF_EVENTS, OF_FUNCTIONS, PidFilter, Pids, pid_flags
from emu.ftrace.native.trace_values import PID_LIMIT


@pytest.fixture
def records() -> ArrayRecords:
    """The records of two CPUs that run tasks 5 and 6."""
    made = ArrayRecords(2)
    for cpu, pid in zip(made.cpus, (5, 6), strict=True):
        cpu.pid = pid
    return made


@pytest.mark.parametrize(
    ("chosen", "excluded", "ignored"),
    [
        (None, None, [0, 0]),
        (frozenset({5}), None, [0, 1]),
        (None, frozenset({5}), [1, 0]),
        (frozenset({5, 6}), frozenset({6}), [0, 1]),
        (frozenset(), None, [1, 1]),  # an empty list is a list
    ],
)
def test_the_tasks_that_run_are_heard_or_ignored_at_once(
    records: ArrayRecords, chosen: Pids, excluded: Pids, ignored: list[int]
) -> None:
    flags = pid_flags(records)
    pids, of_events = PidFilter(records, flags, OF_FUNCTIONS), PidFilter(records, flags, OF_EVENTS)
    pids.choose(frozenset({1, 5}))
    pids.exclude(frozenset({2, 6}))
    of_events.choose(frozenset({6, 7}))
    of_events.exclude(frozenset({5, 8}))
    pids.choose(chosen)
    pids.exclude(excluded)
    assert (pids.chosen, pids.excluded) == (chosen, excluded)
    assert (of_events.chosen, of_events.excluded) == ({6, 7}, {5, 8})
    assert [cpu.events_ignored for cpu in records.cpus] == [1, 0]
    assert [cpu.ignored for cpu in records.cpus] == ignored
    assert records.array.only_chosen == (chosen is not None)


def test_no_task_has_a_pid_that_is_too_large(records: ArrayRecords) -> None:
    pids = PidFilter(records, pid_flags(records), OF_FUNCTIONS)
    pids.choose(frozenset({PID_LIMIT - 1, PID_LIMIT, 1 << 40}))
    assert pids.chosen == {PID_LIMIT - 1}
