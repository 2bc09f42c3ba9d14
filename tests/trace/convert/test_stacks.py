# SPDX-License-Identifier: GPL-2.0-only
"""Folded stacks compared with sums over single calls, and flame graphs compared with folded stacks."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from emu.trace import Trace
from emu.trace.convert import By, CannotConvert, ConvertOptions
from emu.trace.convert.flame_graph import MARGIN, WIDTH
from emu.trace.selection import Selection
from tests.lib.booted_machine import booted_machine
from tests.trace.convert.conftest import A, B, C, converted, stack, switch, trace_of

SVG = "{http://www.w3.org/2000/svg}"


def folded(trace: Trace, options: ConvertOptions | None = None) -> dict[str, int]:
    lines = converted(trace, "folded", options).decode().splitlines()
    assert lines == sorted(lines)
    found = {path: int(weight) for path, _, weight in (line.rpartition(" ") for line in lines)}
    assert len(found) == len(lines)
    return found


def switched_out(trace: Trace) -> list[tuple[int, int, int]]:
    """Task, beginning and end of each time off the CPU, found event by event; idle tasks are negative."""

    def key(pid: int, cpu: int) -> int:
        return pid or -1 - cpu

    found = []
    if "sched:sched_switch" in set(trace.events):
        out: dict[int, int] = {}
        columns = ("common_time", "common_cpu", "prev_pid", "next_pid")
        for time, cpu, before, after in zip(*(trace["sched_switch"][name].tolist() for name in columns), strict=True):
            if key(after, cpu) in out:
                found.append((key(after, cpu), out.pop(key(after, cpu)), time))
            out[key(before, cpu)] = time
    else:  # between two events of a task, others ran on its CPU, or it has moved to another one
        places: Counter[int] = Counter()
        last: dict[int, tuple[int, int, int]] = {}
        events = zip(trace.first.columns.time.tolist(), trace.first.columns.cpu.tolist(), trace.first.pid.tolist(), strict=True)
        for time, cpu, pid in events:
            places[cpu] += 1
            when, *where = last.get(key(pid, cpu), (time, cpu, places[cpu] - 1))
            if where != [cpu, places[cpu] - 1]:
                found.append((key(pid, cpu), when, time))
            last[key(pid, cpu)] = time, cpu, places[cpu]
    return found


def summed(trace: Trace, by: By, chosen: list[bool]) -> dict[str, int]:
    """Sums over calls: self times without the time in which the task was switched out."""
    calls = trace.calls
    names, tasks, cpus, parents, own = (calls[name].tolist() for name in ("function", "task", "cpu", "parent", "self_time"))
    keys = np.where(calls["pid"] == 0, -1 - calls["cpu"].astype(int), calls["pid"])
    for key, start, end in switched_out(trace):
        around = (keys == key) & (calls["entry"] <= start) & ((calls["exit"] > start) | ~calls["finished"])
        if around.any():
            innermost = max(np.flatnonzero(around).tolist(), key=lambda row: (calls["entry"][row], calls["depth"][row]))
            own[innermost] = max(own[innermost] - (end - start), 0)
    paths: list[str] = []
    found: Counter[str] = Counter()
    for n, parent in enumerate(parents):
        root = {"task": f"{tasks[n]};", "cpu": f"CPU {cpus[n]};", "function": ""}[by]
        paths.append(f"{root if parent < 0 else paths[parent] + ';'}{names[n]}")
        if chosen[n]:
            found[paths[n]] += own[n]
    return {path: weight for path, weight in found.items() if weight}


@pytest.mark.parametrize("by", ["task", "cpu", "function"])
def test_weights_are_sums_over_calls(trace: Trace, by: By) -> None:
    assert folded(trace, ConvertOptions(by=by)) == summed(trace, by, [True] * trace.calls.count)


def test_of_a_real_linux(linux_trace: Trace) -> None:
    if linux_trace.calls.count:
        found, expected = folded(linux_trace), summed(linux_trace, "task", [True] * linux_trace.calls.count)
        other = [path for path in found.keys() | expected if found.get(path) != expected.get(path)]
        assert len(other) <= len(expected) // 100  # a switch that was recorded as if it were at the very end of a call
    else:
        with pytest.raises(CannotConvert, match=r"^neither calls nor stacks were recorded"):
            folded(linux_trace)


def test_only_calls_that_are_selected_have_weight(trace: Trace) -> None:
    cpu = trace.calls["cpu"]
    assert folded(trace, ConvertOptions(Selection(cpus=[1]))) == summed(trace, "task", (cpu == 1).tolist())
    middle = int(trace.calls["entry"][trace.calls.count // 2])
    later = (trace.calls["entry"] >= middle).tolist()
    assert folded(trace, ConvertOptions(Selection(start=middle))) == summed(trace, "task", later)


def test_a_path_at_two_depths_is_one(tmp_path: Path) -> None:
    """The caller of the second one was not recorded."""

    def call(function: int, depth: int, start: int) -> list[tuple[int, bytes]]:
        exit_ = struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, function, depth, 0, start, start + 4)
        return [(start, struct.pack("<HBBiQi", 11, 0, 0, 5, function, depth)), (start + 5, exit_)]

    assert folded(trace_of(tmp_path, [*call(A, 0, 10), *call(A, 2, 20)])) == {"name;a": 8}


def test_stacks_of_events_are_counted(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.tracefs.write("events/sched/sched_process_fork/trigger", "stacktrace")
        machine.run("ls | wc -l", trace=True)
        trace = machine.trace()
        found = folded(trace)
        assert sum(found.values()) == trace["ftrace:kernel_stack"].count > 0
        assert all(path.startswith(("init;", "sh;")) and ";kernel_clone;" in path for path in found)
        assert b" samples, self " in converted(trace, "svg")


@pytest.mark.parametrize("order", "<>")
def test_a_stack_ends_where_it_says(tmp_path: Path, order: str) -> None:
    stack = struct.pack(f"{order}HBBiiiQQQQ", 4, 0, 0, 5, 3, 0, B, A, (1 << 64) - 1, C)
    assert folded(trace_of(tmp_path, [(10, stack), (20, stack)], order=order)) == {"name;a;b": 2}


OFF = ConvertOptions(off_cpu=True)


def test_time_off_the_cpu_is_that_until_the_task_runs_again(tmp_path: Path) -> None:
    first = [
        switch(10, 0, 5, 0), stack(11, 5, B, A), switch(40, 0, 0, 5),  # 30 in b
        switch(50, 0, 5, 6), stack(51, 5, C, A), switch(60, 0, 6, 0), stack(61, 6, B, A),  # 5 continues at 70 on another CPU
    ]  # fmt: skip
    second = [switch(70, 1, 0, 5), switch(90, 1, 5, 0), stack(91, 5, B, A)]  # and is not switched in again
    trace = trace_of(tmp_path, first, second, tasks="5 five\n6 six\n")
    assert folded(trace, OFF) == {"five;a;b": 30, "five;a;c": 20}
    assert folded(trace, ConvertOptions(Selection(start=45), by="function", off_cpu=True)) == {"a;c": 20}
    svg = converted(trace, "svg", OFF).decode()
    assert "off CPU: time from a task&apos;s switch-out" in svg or "off CPU: time from a task's switch-out" in svg
    assert "c: 40.00 %, 0.020 us, self 0.020 us, 1 switch<" in svg
    assert "stacks of events: how often" in converted(trace, "svg").decode()


def test_switches_without_a_stack_are_counted(tmp_path: Path) -> None:
    events = [switch(10, 0, 5, 0), stack(11, 5, A), switch(20, 0, 0, 5), switch(30, 0, 5, 0), switch(50, 0, 0, 5)]
    options = ConvertOptions(off_cpu=True)
    assert folded(trace_of(tmp_path, events), options) == {"name;a": 10}
    assert options.notes == ["1 time off the CPU left out: its switch has no stack"]
    for others in ([events[0], events[2]], [events[1]], []):
        with pytest.raises(CannotConvert, match=r"^no sched_switch with stacks was recorded; `emu record -e sched_switch -R st"):
            folded(trace_of(tmp_path, others), OFF)


def test_all_time_of_a_task_is_on_the_cpu_or_off_it(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.tracefs.write("events/sched/sched_switch/trigger", "stacktrace")
        machine.tracefs.write("events/sched/sched_switch/enable", "1")
        machine.run("sleep 0.002; ls | wc -l", trace=True)
        trace = machine.trace()
    weights = folded(trace, ConvertOptions(by="function", off_cpu=True))
    gaps = [end - start for key, start, end in switched_out(trace) if key > 0]
    assert sum(weights.values()) == sum(gaps) > 0
    [slept] = [weight for path, weight in weights.items() if "nanosleep" in path and ";schedule;" in path]
    assert 2_000_000 <= slept < 4_000_000


@pytest.mark.parametrize(("option", "says"), [
    ("sleep-time", "without the time in which their task was switched out; of all tasks and CPUs"),
    ("nosleep-time", "without the time in which their task was switched out (nosleep-time); of all tasks and CPUs"),
])  # fmt: skip
def test_a_task_that_sleeps_is_not_on_the_cpu(arch: str, option: str, says: str) -> None:
    with booted_machine(arch) as machine:
        settings = {"current_tracer": "function_graph", "trace_options": option, "events/sched/sched_switch/enable": "1"}
        for file, text in settings.items():
            machine.tracefs.write(file, text)
        machine.run("sleep 0.02", trace=True)
        trace = machine.trace()
    slept = max(trace.calls["self_time"][trace.calls["function"] == "__schedule"].tolist())
    assert (slept > 10_000_000) == (option == "sleep-time")
    assert all(weight < 1_000_000 for path, weight in folded(trace).items() if path.startswith("sleep;"))
    assert says in converted(trace, "svg").decode()


def test_times_of_another_clock_say_nothing_of_calls(tmp_path: Path) -> None:
    exit_ = struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, A, 0, 0, 10, 50)
    events = [(10, struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)), switch(20, 0, 5, 0), switch(40, 0, 0, 5), (50, exit_)]
    trace = trace_of(tmp_path, events)
    assert folded(trace) == {"name;a": 20}
    trace = trace_of(tmp_path, events, clock="mono")
    assert folded(trace) == {"name;a": 40}
    assert "with the time in which their task was switched out" in converted(trace, "svg").decode()


def frames(svg: bytes) -> list[tuple[str, str, float, float, float]]:
    """Name, details, x, width and y of each frame."""
    found = []
    for frame in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if frame.get("class") == "frame":
            rect, title = frame.find(f"{SVG}rect"), frame.find(f"{SVG}title")
            assert rect is not None and title is not None and title.text
            x, width, y = (float(rect.get(name, "")) for name in ("x", "width", "y"))
            found.append((frame.get("data-name", ""), title.text, x, width, y))
    return found


def test_frames_stand_on_their_callers_and_are_as_wide_as_their_time(trace: Trace) -> None:
    svg = converted(trace, "svg")
    found = frames(svg)
    weights = folded(trace)
    whole, wide = sum(weights.values()), WIDTH - 2 * MARGIN
    totals: Counter[str] = Counter()
    for path, weight in weights.items():
        parts = path.split(";")
        totals.update({";".join(parts[: n + 1]): weight for n in range(len(parts))})
    name, _, x, width, below = found[0]
    assert (name, x, width) == ("all", MARGIN, wide)
    levels: dict[float, list[tuple[str, float, float]]] = {below: [("", x, width)]}
    row = below - found[1][4]
    for name, _, x, width, y in found[1:]:
        [path] = [path for path, left, size in levels[y + row] if left - 0.02 <= x and x + width <= left + size + 0.02]
        path = f"{path};{name}" if path else name
        assert width == pytest.approx(totals[path] * wide / whole, abs=0.006)
        levels.setdefault(y, []).append((path, x, width))
    drawn = {path for level in levels.values() for path, _, _ in level}
    assert {path for path, total in totals.items() if total * wide / whole >= 0.1} == drawn - {""}
    assert svg == converted(trace, "svg")


def test_details_tell_share_time_and_calls(tmp_path: Path) -> None:
    events = [
        (10, struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)), (20, struct.pack("<HBBiQi", 11, 0, 0, 5, B, 1)),
        (35, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, B, 1, 0, 20, 30)),
        (50, struct.pack("<HBBiQiIQQ", 10, 0, 0, 5, A, 0, 0, 10, 50)),
    ]  # fmt: skip
    trace = trace_of(tmp_path, events, tasks='5 <&">\n')
    assert [details for _, details, *_ in frames(converted(trace, "svg"))] == [
        "all: 100.00 %, 0.040 us, self 0.000 us", '<&">: 100.00 %, 0.040 us, self 0.000 us',
        "a: 100.00 %, 0.040 us, self 0.030 us, 1 call", "b: 25.00 %, 0.010 us, self 0.010 us, 1 call",
    ]  # fmt: skip


def test_a_flame_graph_needs_nothing_else(trace: Trace) -> None:
    svg = converted(trace, "svg", ConvertOptions(title="a < b")).decode()
    assert "a &lt; b" in svg
    assert [part for part in svg.split('"') if "://" in part and "w3.org" not in part] == []


def test_of_nothing_there_is_no_picture(trace: Trace) -> None:
    with pytest.raises(CannotConvert, match=r"^nothing that was selected has taken any time$"):
        converted(trace, "svg", ConvertOptions(Selection(start=1 << 62)))
