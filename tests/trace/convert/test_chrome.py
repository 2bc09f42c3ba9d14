# SPDX-License-Identifier: GPL-2.0-only
"""Chrome's JSON compared with the trace's calls, switches and other events."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emu.trace import Trace
from emu.trace.convert import ConvertOptions
from emu.trace.selection import Selection
from tests.trace.convert.conftest import A, B, converted, trace_of

CPUS, IDLE = 1 << 22, 1 << 23


def events(trace: Trace, options: ConvertOptions | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(converted(trace, "json", options))["traceEvents"]
    return found


def nanoseconds(microseconds: float) -> int:
    return round(microseconds * 1000)


def test_each_call_is_a_slice_of_its_task(trace: Trace) -> None:
    calls = trace.calls
    columns = (calls[name].tolist() for name in ("function", "pid", "cpu", "entry", "duration", "finished"))
    mine = Counter(
        (function, pid or IDLE + cpu, entry, duration)
        for function, pid, cpu, entry, duration, finished in zip(*columns, strict=True)
        if finished
    )
    slices = [event for event in events(trace) if event["ph"] == "X" and event["cat"] == "function"]
    finished = [event for event in slices if event.get("args", {}).get("finished", True)]
    assert len(slices) == calls.count
    assert Counter((e["name"], e["tid"], nanoseconds(e["ts"]), nanoseconds(e["dur"])) for e in finished) == mine


def test_slices_of_a_thread_nest(linux_trace: Trace) -> None:
    """Even where the times of Linux do not."""
    open_: dict[int, list[int]] = {}
    for event in events(linux_trace):
        if event["ph"] == "X" and event["cat"] == "function":
            start, ends = nanoseconds(event["ts"]), open_.setdefault(event["tid"], [])
            while ends and ends[-1] <= start:
                ends.pop()
            end = start + nanoseconds(event["dur"])
            assert not ends or end <= ends[-1]
            ends.append(end)


def test_tasks_on_a_cpu_follow_each_other(trace: Trace) -> None:
    slices = [event for event in events(trace) if event["ph"] == "X" and event["cat"] == "sched"]
    switches = trace["sched:sched_switch"]
    for cpu in (0, 1):
        mine = [event for event in slices if event["tid"] == CPUS + cpu]
        rows = [row for row in range(switches.count) if switches["cpu"][row] == cpu]
        starts = [(switches["time"][row], switches["next_comm"][row]) for row in rows if switches["next_pid"][row]]
        found = [(nanoseconds(event["ts"]), event["name"]) for event in mine]
        assert found[-len(starts) :] == starts and len(found) - len(starts) in (0, 1)
        ends = [nanoseconds(event["ts"] + event["dur"]) for event in mine]
        assert all(end <= start for end, (start, _) in zip(ends, found[1:], strict=False))


def test_other_events_are_instants_with_their_fields(trace: Trace) -> None:
    instants = [event for event in events(trace) if event["ph"] == "i"]
    expected = {path: trace[path].count for path in trace.events if not path.startswith("ftrace:funcgraph")}
    assert Counter(f"{event['cat']}:{event['name']}" for event in instants) == expected
    wakeups = [event["args"] for event in instants if event["name"] == "sched_waking"]
    table = trace["sched_waking"]
    names = ("comm", "pid", "prio", "target_cpu")
    mine = [dict(zip(names, row, strict=True)) for row in zip(*(table[name].tolist() for name in names), strict=True)]
    assert [{name: args[name] for name in names} for args in wakeups] == mine
    assert [event["args"]["buf"] for event in instants if event["name"] == "print"] == ['said "so", and more']


def test_what_it_is_of_is_said(linux_trace: Trace) -> None:
    whole = json.loads(converted(linux_trace, "json"))
    assert whole["displayTimeUnit"] == "ns"
    assert whole["otherData"]["uname"] == "Linux oracle 6.1.192-fulltrace x86_64"
    names = {event["tid"]: event["args"]["name"] for event in whole["traceEvents"] if event["name"] == "thread_name"}
    assert {pid: names[pid] for pid in linux_trace.tasks.comms} == linux_trace.tasks.comms
    for cpu in linux_trace.first.cpus:
        assert (names[CPUS + cpu], names[IDLE + cpu]) == (f"CPU {cpu}", f"swapper/{cpu}")


def test_a_call_that_has_not_returned_ends_where_another_begins(tmp_path: Path) -> None:
    entries = [(10, struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)), (30, struct.pack("<HBBiQi", 11, 0, 0, 5, B, 0))]
    slices = [event for event in events(trace_of(tmp_path, entries)) if event["ph"] == "X"]
    assert [(e["name"], e["ts"], e["dur"], e["args"]) for e in slices] == [
        ("a", 0.010, 0.020, {"finished": False}), ("b", 0.030, 0.0, {"finished": False}),
    ]  # fmt: skip


def test_an_empty_trace_and_one_of_which_nothing_is_selected(tmp_path: Path, trace: Trace) -> None:
    assert {event["ph"] for event in events(trace_of(tmp_path, []))} == {"M"}
    nothing = ConvertOptions(Selection(start=1 << 62))
    assert {event["ph"] for event in events(trace, nothing)} == {"M"}


@pytest.mark.parametrize("name", ['q"uote', "back\\slash", "\x01"])
def test_names_that_json_must_escape(tmp_path: Path, name: str) -> None:
    entry = struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)
    found = events(trace_of(tmp_path, [(10, entry)], tasks=f"5 {name}\n"))
    assert name in [event["args"]["name"] for event in found if event["name"] == "thread_name"]
