# SPDX-License-Identifier: GPL-2.0-only
"""The code that runs at traced calls follows each change, while calls are traced: general code is used only if needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from emu.cpu.board import Handler
from emu.ftrace.buffers.entries import ENTRY, FUNCGRAPH_ENTRY, Events, EventType, Flag
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

LOAD = "while :; do cat /bin/true > /dev/null; done &"


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    """A busy machine with one CPU that traces calls."""
    with booted_machine(arch, cpus=1) as booted:
        booted.run(LOAD)
        yield booted
        assert booted.warnings == []


@pytest.fixture(params=["function", "function_graph"])
def tracer(machine: Machine, request: pytest.FixtureRequest) -> Iterator[str]:
    machine.tracefs.write("current_tracer", request.param)
    yield request.param
    machine.tracefs.write("current_tracer", "nop")


@pytest.fixture
def is_general(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Returns whether the general code runs at traced calls after the choice has been made anew."""
    dispatched: dict[int, Handler] = {}
    dispatch = machine.board.callouts.dispatch

    def note(address: int, function: Handler) -> None:
        dispatched[address] = function
        dispatch(address, function)

    monkeypatch.setattr(machine.board.callouts, "dispatch", note)
    recorder, arch = machine.trace_array.recorder, machine.trace_array.ftrace.arch

    def compare() -> bool:
        label, function = arch.callbacks(recorder.globals.guest, general=True).function_entry
        return dispatched[machine.kernel.image.symbol(label)] is function

    return compare


def recorded(machine: Machine) -> Events:
    """Records for a while."""
    machine.tracefs.write("trace", "")
    machine.advance(3_000_000)
    return machine.trace_array.recorder.rings[0].unread()


def kinds(events: Events) -> set[int]:
    return set(events.entries(ENTRY)["type"].tolist())


def calls(events: Events) -> np.ndarray:
    """The entry events of a graph."""
    return events.entries(FUNCGRAPH_ENTRY)[events.entries(ENTRY)["type"] == EventType.FUNCGRAPH_ENTRY]


def graph_changes(machine: Machine) -> dict[str, tuple[str, str, Callable[[Events], bool]]]:
    """By file: the text to write, the text that reverts it, and a property that events have only in between."""
    sites = machine.trace_array.ftrace.sites
    (read,) = (int(sites.addresses[n]) for n in range(len(sites)) if sites.functions.label(n) == "vfs_read")
    return {
        "max_graph_depth": ("1", "0", lambda events: not calls(events)["depth"].any()),
        "tracing_thresh": ("10", "0", lambda events: kinds(events) == {EventType.FUNCGRAPH_EXIT}),
        "set_graph_function": ("vfs_read", "", lambda events: set(calls(events)["func"][calls(events)["depth"] == 0]) <= {read}),
        "set_graph_notrace": ("vfs_read", "", lambda events: read not in calls(events)["func"]),
        "options/funcgraph-irqs": ("0", "1", lambda events: not (calls(events)["flags"] & Flag.HARDIRQ).any()),
    }


CHANGES = ("max_graph_depth", "tracing_thresh", "set_graph_function", "set_graph_notrace", "options/funcgraph-irqs")


@pytest.mark.parametrize("tracer", ["function_graph"], indirect=True)
@pytest.mark.parametrize("file", CHANGES)
def test_what_a_graph_shows(machine: Machine, tracer: str, file: str, is_general: Callable[[], bool]) -> None:
    there, back, holds = graph_changes(machine)[file]
    for _ in range(2):
        for text, wanted in ((there, True), (back, False)):
            machine.tracefs.write(file, text)
            recorded(machine)  # calls that began before
            events = recorded(machine)
            assert (len(events) > 0, is_general(), holds(events)) == (True, wanted, wanted)


@pytest.mark.parametrize("clock", ["counter", "uptime"])
def test_clocks(machine: Machine, tracer: str, clock: str, is_general: Callable[[], bool]) -> None:
    for name, wanted in ((clock, True), ("local", False), (clock, True), ("mono", False)):
        machine.tracefs.write("trace_clock", name)
        times = np.diff(recorded(machine).time[:100].astype(np.int64))
        assert len(times) == 99
        assert (is_general(), bool((times <= 1).all())) == (wanted, wanted)
    machine.tracefs.write("trace_clock", "local")


def test_a_clock_of_cycles_needs_nothing_general(machine: Machine, tracer: str, is_general: Callable[[], bool]) -> None:
    machine.tracefs.write("trace_clock", "counter")
    machine.tracefs.write("trace_clock", machine.trace_array.ftrace.arch.cycle_clock)
    before = machine.board.now
    events = recorded(machine)
    assert not is_general()
    assert before <= events.time[0] <= events.time[-1] <= machine.board.now
    machine.tracefs.write("trace_clock", "local")


def test_an_instance(machine: Machine, tracer: str, is_general: Callable[[], bool]) -> None:
    machine.tracefs.mkdir("instances/foo")
    ring = machine.trace_array.instances["foo"].recorder.rings[0]
    for name, wanted in (("function", True), ("nop", False), ("function", True), ("nop", False)):
        machine.tracefs.write("instances/foo/current_tracer", name)
        assert len(recorded(machine)) > 0
        assert (is_general(), ring.entries > 0) == (wanted, wanted)
    machine.tracefs.rmdir("instances/foo")


def test_a_command(machine: Machine, tracer: str, is_general: Callable[[], bool]) -> None:
    for _ in range(2):
        machine.tracefs.write("set_ftrace_filter", "vfs_read:traceoff")
        recorded(machine)
        assert is_general()
        assert machine.tracefs.read("tracing_on") == "0\n"
        machine.tracefs.write("set_ftrace_filter", "!vfs_read:traceoff")
        machine.tracefs.write("tracing_on", "1")
        assert len(recorded(machine)) > 0
        assert not is_general()
        assert machine.tracefs.read("tracing_on") == "1\n"


def test_tasks(machine: Machine, tracer: str) -> None:
    for pids, wanted in (("1", True), ("", False), ("1", True), ("", False)):
        machine.tracefs.write("set_ftrace_pid", pids)
        found = recorded(machine).entries(ENTRY)
        began = found[found["type"] != EventType.FUNCGRAPH_EXIT]
        assert set(began["pid"].tolist()).issubset({1}) is wanted
