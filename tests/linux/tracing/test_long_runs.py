# SPDX-License-Identifier: GPL-2.0-only
"""Long runs: each return has its entry, no entry is lost, and what remains open are calls of tasks that have not returned."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from emu.ftrace.buffers.entries import EventType
from emu.linux.machine import LinuxMachine
from emu.linux.tracing import layout
from tests.lib.graph_calls import outside_entries

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

BUSY = "for n in 1 2 3; do (dd if=/dev/zero bs=64k count={} | sha1sum) & done; wait; for n in $(seq {}); do uname | cat; done"
FORKS = "n=0; while [ $n -lt {} ]; do (:) & n=$((n + 1)); [ $((n % 50)) = 0 ] && wait; done; wait"

# The functions in which tasks are at the end: asleep, about to run, or gone
ASLEEP = {
    "schedule", "schedule_idle", "schedule_timeout", "schedule_preempt_disabled", "schedule_hrtimeout_range_clock",
    "preempt_schedule", "preempt_schedule_common", "preempt_schedule_irq", "__cond_resched", "do_task_dead",
    "schedule_hrtimeout_range", "__schedule", "raw_irqentry_exit_cond_resched", "irqentry_exit_to_user_mode",
    "smpboot_thread_fn", "worker_thread", "do_nanosleep",
    "schedule_tail", "do_idle", "default_idle_call", "cpuidle_idle_call",
}  # fmt: skip


def check_frames(machine: LinuxMachine) -> tuple[int, Counter[str]]:
    """Follows the entries and returns of each task. The clock must have been `counter`: CPUs' times are apart by up to a turn.

    Returns:
        The number of calls that have returned, and the latest calls of tasks that have not.
    """
    tasks: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)  # (depth, function, time of entry)
    columns = []
    for cpu, ring in enumerate(machine.trace_array.recorder.rings):
        assert ring.overrun == ring.dropped_events == 0
        events = ring.unread()
        found, exits = outside_entries(events)
        is_exit = found["type"] == EventType.FUNCGRAPH_EXIT
        since = np.zeros(len(found), np.uint64)
        since[is_exit] = exits["calltime"]
        assert (exits["calltime"] < exits["rettime"]).all() and (exits["rettime"] == events.time[is_exit]).all()
        assert (exits["overrun"] == 0).all()
        task = np.where(found["pid"] == 0, -1 - cpu, found["pid"])
        columns.append((events.time, task, is_exit, found["func"], found["depth"], since))
    time, task, is_exit, function, depth, calltime = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(time)
    assert (np.diff(time[order].astype(np.int64)) == 1).all()  # no event is missing
    rows = (column[order].tolist() for column in (time, task, is_exit, function, depth, calltime))
    returned = 0
    for now, of, is_return, called, deep, began in zip(*rows, strict=True):
        calls = tasks[of]
        if is_return:
            assert calls.pop() == (deep, called, began)
            returned += 1
        else:
            if deep == 0:
                calls.clear()  # the task is gone, and another one has its pid; or it has begun before the trace
            assert deep == (calls[-1][0] + 1 if calls else 0), (of, now)
            calls.append((deep, called, now))
    names = machine._tracing.kernel.symbols
    return returned, Counter(names.describe(calls[-1][1]).split("+")[0] for calls in tasks.values() if calls)


def check_under_way(machine: LinuxMachine, under_way: Counter[str]) -> None:
    """All tasks but those that run sleep, or are gone."""
    assert sum(count for name, count in under_way.items() if name not in ASLEEP) <= len(machine.board.cpus), under_way


@pytest.mark.parametrize(
    ("blocks", "processes", "pairs"),
    [(20, 4, 400_000), pytest.param(450, 220, 10_000_000, marks=pytest.mark.long("records ten million calls"))],
)
def test_no_frame_is_lost(traced: LinuxMachine, blocks: int, processes: int, pairs: int) -> None:
    fs = traced.tracefs
    fs.write("buffer_size_kb", str(pairs // 4))
    fs.write("trace_clock", "counter")
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    traced.run(BUSY.format(blocks, processes))
    fs.write("tracing_on", "0")
    returned, under_way = check_frames(traced)
    assert returned > pairs and traced._tracing.calls.left == 0
    check_under_way(traced, under_way)


def test_calls_under_way_return_although_nothing_more_is_traced(traced: LinuxMachine) -> None:
    """While all functions are left out, tasks return from their calls, end, and make others."""
    fs = traced.tracefs
    fs.write("trace_clock", "counter")
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    for _ in range(2):
        traced.run("(sleep 0.01; uname; sleep 0.1; uname) & cat /proc/uptime | cat")
        fs.write("set_ftrace_notrace", "*")
        traced.run("sleep 0.02; uname | cat")
        fs.write("set_ftrace_notrace", "")
        traced.run("uname | cat; sleep 0.2")
    fs.write("tracing_on", "0")
    returned, under_way = check_frames(traced)
    assert returned > 100_000
    check_under_way(traced, under_way)


@pytest.mark.long("tasks seldom go on at a CPU whose clock is behind")
def test_no_call_returns_before_it_begins(traced: LinuxMachine) -> None:
    """Also where a task slept on one CPU and goes on at another. Without care, two of these six million would."""
    fs = traced.tracefs
    fs.write("buffer_size_kb", "600000")
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    traced.run(BUSY.format(200, 100).replace("sha1sum)", "sha1sum) 2>&1"))  # found by chance
    fs.write("tracing_on", "0")
    for ring in traced.trace_array.recorder.rings:
        assert ring.overrun == 0
        events = ring.unread()
        found, exits = outside_entries(events)
        is_exit = found["type"] == EventType.FUNCGRAPH_EXIT
        assert (exits["calltime"] <= exits["rettime"]).all() and (events.time[1:] >= events.time[:-1]).all()
        assert (exits["rettime"] == np.maximum(events.time[is_exit], exits["calltime"])).all()


@pytest.mark.long("makes 40,000 processes")
def test_many_short_lives(traced: LinuxMachine) -> None:
    """Structures and stacks of tasks are used again and again."""
    fs = traced.tracefs
    fs.write("buffer_size_kb", str(1_500_000))
    fs.write("trace_clock", "counter")
    fs.write("set_ftrace_filter", "do_* wake_up_* *exit* schedule* __schedule* copy_*")
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    traced.run(FORKS.format(40_000))
    fs.write("tracing_on", "0")
    returned, under_way = check_frames(traced)
    assert returned > 1_000_000 and traced._tracing.calls.left == 0
    check_under_way(traced, under_way)
    assert traced._tracing.calls._record.used < 2000


def test_structures_of_tasks_are_used_again(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    fs.write("trace_clock", "counter")
    fs.write("set_ftrace_filter", "do_* wake_up_* *exit* schedule* __schedule* copy_*")
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    traced.run(FORKS.format(100))
    traced.run(FORKS.format(100))
    fs.write("tracing_on", "0")
    _, under_way = check_frames(traced)
    assert under_way["do_task_dead"] > 150
    check_under_way(traced, under_way)
    assert traced._tracing.calls._record.used < 180  # fewer than there were tasks


def events_of(machine: LinuxMachine, below: int) -> list[list[tuple[int, ...]]]:
    """(time, type, function, depth) of the events of each CPU, of calls at depths below a limit."""
    found = []
    for ring in machine.trace_array.recorder.rings:
        events = ring.unread()
        rows, _ = outside_entries(events)
        kept = rows["depth"] < below
        columns = (events.time[kept], *(rows[name][kept] for name in ("type", "func", "depth")))
        found.append(list(zip(*(column.tolist() for column in columns), strict=True)))
    return found


@pytest.mark.long("compiles for another depth")
def test_calls_that_are_too_deep(
    traced: LinuxMachine, real_kernel: Path, kept_machines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are left out, and counted; all others are as if there were room."""

    def recorded(machine: LinuxMachine, below: int) -> list[list[tuple[int, ...]]]:
        machine.tracefs.write("current_tracer", "function_graph")
        machine.tracefs.write("tracing_on", "1")
        machine.run("uname | cat; ls /sys/kernel/mm")
        machine.tracefs.write("tracing_on", "0")
        return events_of(machine, below)

    everything = recorded(traced, 12)
    monkeypatch.setattr(layout, "DEEPEST", 12)
    with LinuxMachine(kernel=real_kernel) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", "100000")
        assert recorded(machine, 1000) == everything
        overruns = set()
        for ring in machine.trace_array.recorder.rings:
            _, exits = outside_entries(ring.unread())
            overruns |= set(exits["overrun"].tolist())
        assert len(overruns) > 100
