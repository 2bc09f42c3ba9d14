# SPDX-License-Identifier: GPL-2.0-only
"""Times of functions and trees of calls, compared with sums over the calls in the trace's text; and a machine's own Trace."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from emu.machine import Machine
from emu.trace import Trace
from emu.trace.call_tree import CallNode, call_tree
from emu.trace.function_times import function_times
from tests.lib.booted_machine import booted_machine

LINE = re.compile(r"^ *(\d+)\) +(\S+)-(\d+) +\|(?: +[!#*$@+]? *(\d+\.\d+) us +)?[^|]*\| ( *)(\S.*)$")
HZ = 1000  # nanoseconds in a unit of the text


class TextCall(NamedTuple):
    """A call that has returned, as the text shows it."""

    path: tuple[str, ...]
    pid: int
    cpu: int
    duration: int


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        write = made.tracefs.write
        write("buffer_size_kb", "20000")
        write("current_tracer", "function_graph")
        write("trace_options", "funcgraph-proc")
        write("trace_options", "nofuncgraph-irqs")
        write("set_event", "sched:sched_switch")
        write("tracing_on", "0")
        made.run("ls /bin | wc -l", trace=True)
        yield made


@pytest.fixture(scope="module")
def trace(machine: Machine) -> Trace:
    return machine.trace()


def text_calls(text: str) -> list[TextCall]:
    """The calls that the text shows with both ends."""
    found = []
    stacks: dict[tuple[int, int], list[str]] = defaultdict(list)
    for line in text.splitlines():
        match = LINE.match(line)
        if match is None or match[6].startswith("/*"):
            continue
        cpu, pid, duration = int(match[1]), int(match[3]), match[4]
        stack, depth = stacks[pid, 0 if pid else cpu], len(match[5]) // 2
        nanoseconds = round(float(duration) * HZ) if duration else 0
        if match[6].startswith("}"):
            if len(stack) == depth + 1:
                found.append(TextCall(tuple(stack), pid, cpu, nanoseconds))
            del stack[depth:]
        else:
            name = match[6].partition("(")[0]
            del stack[depth:]
            if match[6].endswith("();") and len(stack) == depth:
                found.append(TextCall((*stack, name), pid, cpu, nanoseconds))
            elif len(stack) == depth:
                stack.append(name)
    return found


@pytest.fixture(scope="module")
def calls(machine: Machine) -> list[TextCall]:
    return text_calls(machine.tracefs.read("trace"))


def test_the_text_tells_of_most_calls(trace: Trace, calls: list[TextCall]) -> None:
    """The text's indentation starts anew within interrupts, so it does not show the callers of some calls."""
    finished = int(trace.calls["finished"].sum())
    assert 0.96 * finished < len(calls) <= finished


def test_times_of_functions_are_sums_over_calls(trace: Trace) -> None:
    columns = {name: trace.calls[name].tolist() for name in ("function", "pid", "cpu", "duration", "self_time", "finished")}
    rows = list(zip(*columns.values(), strict=True))
    for groups in ((), ("process",), ("cpu",), ("cpu", "process")):
        durations = defaultdict(list)
        own: Counter[object] = Counter()
        for function, pid, cpu, duration, self_time, finished in rows:
            if finished:
                key = (function, pid if "process" in groups else None, cpu if "cpu" in groups else None)
                durations[key].append(duration)
                own[key] += self_time
        found = {
            (time.function, time.pid, time.cpu): (time.calls, time.total, time.minimum, time.maximum, time.self_time)
            for time in function_times(trace, groups)
        }
        assert found == {key: (len(d), sum(d), min(d), max(d), own[key]) for key, d in durations.items()}


def test_functions_were_called_as_the_text_says(trace: Trace, calls: list[TextCall]) -> None:
    counted = Counter(call.path[-1] for call in calls)
    totals: Counter[str] = Counter()
    for call in calls:
        totals[call.path[-1]] += call.duration
    times = function_times(trace)
    same = [time for time in times if time.calls == counted[time.function]]
    assert len(same) > 0.85 * len(times)
    for time in times:
        assert counted[time.function] <= time.calls
        if time in same:
            assert abs(time.total - totals[time.function]) <= 10 * time.calls  # the last digit of the text


def test_only_some_tasks_and_cpus(trace: Trace) -> None:
    everywhere = {time.function: time.calls for time in function_times(trace)}
    parts = [{time.function: time.calls for time in function_times(trace, cpus=[cpu])} for cpu in (0, 1)]
    assert everywhere == Counter(parts[0]) + Counter(parts[1])
    pid = int(trace.calls["pid"].max())
    assert {time.pid for time in function_times(trace, ["process"], pids=[pid])} == {pid}


def paths(node: CallNode, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], CallNode]]:
    here = (*above, node.function)
    yield here, node
    for child in node.children:
        yield from paths(child, here)


def test_a_tree_adds_up_the_calls_of_each_path(trace: Trace, calls: list[TextCall]) -> None:
    tree = call_tree(trace, "vfs_read")
    counted: Counter[tuple[str, ...]] = Counter()
    for call in calls:
        if "vfs_read" in call.path:
            counted[call.path[call.path.index("vfs_read") :]] += 1
    found = {path: node.calls for path, node in paths(tree)}
    assert len(found) > 5
    assert all(abs(found.get(path, 0) - count) <= 2 for path, count in counted.items())
    for _, node in paths(tree):
        assert sum(child.total for child in node.children) <= node.total
        assert node.children == sorted(node.children, key=lambda child: (-child.total, child.function))


def test_the_tree_of_all_calls_has_all_calls(trace: Trace) -> None:
    tree = call_tree(trace)
    nodes = [node for _, node in paths(tree)][1:]
    finished = trace.calls["finished"]
    assert sum(node.calls for node in nodes) == int(finished.sum())
    assert sum(node.self_time for node in nodes) == int(trace.calls["self_time"][finished].sum())
    assert tree.total == sum(child.total for child in tree.children)


def test_a_machine_shows_what_it_has_recorded(machine: Machine, trace: Trace) -> None:
    """Compares every field of a switch with the text; and reading consumes nothing."""
    switches = trace["sched:sched_switch"]
    shown = re.findall(r"sched_switch: prev_comm=(\S+) prev_pid=(\d+) prev_prio=(\d+) .*next_comm=(\S+) next_pid=(\d+)",
                       machine.tracefs.read("trace"))  # fmt: skip
    columns = [switches[name] for name in ("prev_comm", "prev_pid", "prev_prio", "next_comm", "next_pid")]
    assert [tuple(map(str, row)) for row in zip(*(column.tolist() for column in columns), strict=True)] == shown
    assert np.all(np.diff(switches["time"].astype(np.int64)) >= 0)
    assert machine.trace().calls.count == trace.calls.count


def test_a_machine_has_instances(machine: Machine) -> None:
    machine.tracefs.mkdir("instances/some")
    try:
        assert machine.trace("some").calls.count == 0
        with pytest.raises(KeyError):
            machine.trace("other")
    finally:
        machine.tracefs.rmdir("instances/some")
