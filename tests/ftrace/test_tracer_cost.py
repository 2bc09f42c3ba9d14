# SPDX-License-Identifier: GPL-2.0-only
"""--tracer-cost: each entry is delayed by the cost of the previous ones, to the cycle; without it, nothing costs anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import ENTRY as ENTRY_HEAD
from emu.ftrace.buffers.entries import FUNCGRAPH_EXIT, EventType, entries_at
from emu.ftrace.tracers.tracer_cost import LINUX, TRACER_COSTS
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

COST = TRACER_COSTS[LINUX]
ENTRY = COST.entry
CALL = COST.call
EVENT = COST.event
GRAPH = COST.graph_call + COST.graph_return
COMMAND = "dd if=/dev/zero of=/dev/null bs=1 count=30"
exact = pytest.mark.static_timing("what an entry costs is seen to the cycle")
READ = re.compile(r"^ +dd-\d+ +\[000\] \S+ +(\d+): (.*)$", re.MULTILINE)


class Entry(NamedTuple):
    """A line of the trace: its time in cycles, and its text."""

    time: int
    text: str


def entries(machine: Machine) -> Sequence[Entry]:
    """The entries of one dd."""
    return [Entry(int(time), text) for time, text in READ.findall(machine.tracefs.read("trace"))]


def traced(arch: str, cost: str, set_up: Callable[[Machine], None], **options: str) -> Sequence[Entry]:
    """The entries of a loop of system calls on one CPU, without an interrupt, a beginning or an end."""
    with booted_machine(arch, cpus=1, tracer_cost=cost, **options) as machine:
        machine.tracefs.write("trace_clock", machine.ftrace.arch.cycle_clock)
        set_up(machine)
        machine.tracefs.write("trace", "")
        machine.run(COMMAND)
        return entries(machine)[20:50]


def later(arch: str, set_up: Callable[[Machine], None]) -> int:
    """The number of cycles by which the distance between entries grows if recording takes time. It is the same for all, except
    where there may be a tick of the timer in between.
    """
    free, costly = (traced(arch, cost, set_up) for cost in ("none", LINUX))
    assert [entry.text for entry in free] == [entry.text for entry in costly]
    steps = [[after.time - before.time for before, after in pairwise(found)] for found in (free, costly)]
    assert all(step > 0 for step in steps[0])
    differences = Counter(with_cost - without for without, with_cost in zip(*steps, strict=True))
    [(difference, count)] = differences.most_common(1)
    assert count >= len(free) - 3
    return difference


@exact
def test_functions(arch: str) -> None:
    def set_up(machine: Machine) -> None:
        machine.tracefs.write("set_ftrace_filter", "vfs_read vfs_write")
        machine.tracefs.write("current_tracer", "function")

    assert later(arch, set_up) == ENTRY + CALL


@exact
def test_events(arch: str) -> None:
    def set_up(machine: Machine) -> None:
        machine.tracefs.write("set_event", "raw_syscalls")

    assert later(arch, set_up) == ENTRY + EVENT


@exact
def test_an_event_in_two_arrays_costs_twice(arch: str) -> None:
    def set_up(machine: Machine) -> None:
        machine.tracefs.mkdir("instances/other")
        machine.tracefs.write("instances/other/set_event", "raw_syscalls")
        machine.tracefs.write("set_event", "raw_syscalls")

    assert later(arch, set_up) == 2 * (ENTRY + EVENT)


@exact
def test_what_a_filter_leaves_out_is_not_free(arch: str) -> None:
    """Each sys_enter is recorded, and no sys_exit."""

    def set_up(machine: Machine) -> None:
        machine.tracefs.write("set_event", "raw_syscalls")
        machine.tracefs.write("events/raw_syscalls/sys_exit/filter", "ret < -4000")

    assert later(arch, set_up) == ENTRY + EVENT + COST.rejected


@exact
def test_a_handler_of_events_costs_the_same(arch: str) -> None:
    """With a trigger, other native code records the event."""

    def set_up(machine: Machine) -> None:
        machine.tracefs.write("set_event", "raw_syscalls:sys_enter")
        machine.tracefs.write("events/raw_syscalls/sys_enter/trigger", "traceoff if id == 9999")

    assert later(arch, set_up) == ENTRY + EVENT


def graph_calls(arch: str, cost: str) -> NDArray[Any]:
    """The returns of a function that the loop calls."""
    with booted_machine(arch, cpus=1, tracer_cost=cost) as machine:
        machine.tracefs.write("trace_clock", machine.ftrace.arch.cycle_clock)
        machine.tracefs.write("set_ftrace_filter", "vfs_read")
        machine.tracefs.write("current_tracer", "function_graph")
        machine.run(COMMAND)
        found = machine.trace_array.recorder.rings[0].unread()
        returns = found.entries(ENTRY_HEAD)["type"] == EventType.FUNCGRAPH_EXIT
        return entries_at(found.words, found.offset[returns], FUNCGRAPH_EXIT)[5:25]


@exact
def test_graphs(arch: str) -> None:
    """The cost of a call's entry is inside the call: Linux reads the clock before it records the entry."""
    free, costly = (graph_calls(arch, cost) for cost in ("none", LINUX))
    durations = [calls["rettime"] - calls["calltime"] for calls in (free, costly)]
    assert set((durations[1] - durations[0]).tolist()) == {ENTRY + COST.graph_call}
    steps = [np.diff(calls["calltime"]) for calls in (free, costly)]
    [(difference, count)] = Counter((steps[1] - steps[0]).tolist()).most_common(1)
    assert difference == 2 * ENTRY + GRAPH
    assert count >= len(free) - 3  # there may be a tick of the timer in between


def test_markers(arch: str) -> None:
    with booted_machine(arch, cpus=1, tracer_cost=LINUX) as machine:
        before = machine.cpus[0].cycles
        for _ in range(5):
            machine.tracefs.write("trace_marker", "here")
        assert machine.cpus[0].cycles == before + 5 * ENTRY


def test_with_a_pipeline_time_passes_too() -> None:
    def set_up(machine: Machine) -> None:
        machine.tracefs.write("set_event", "raw_syscalls:sys_enter")

    free, costly = (traced("x86_64", cost, set_up, timing="pipeline") for cost in ("none", LINUX))
    assert [entry.text for entry in free] == [entry.text for entry in costly]
    # Pending work completes while time passes, so a little more is lost than the time itself.
    length = [found[-1].time - found[0].time for found in (free, costly)]
    assert length[1] - length[0] == pytest.approx((len(free) - 1) * (ENTRY + EVENT), rel=0.1)


def test_an_unknown_cost_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no tracer cost is called 'windows' \(there are: none, linux\)"):
        Machine(tracer_cost="windows")
