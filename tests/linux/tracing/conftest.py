# SPDX-License-Identifier: GPL-2.0-only
"""A machine that is traced from outside, which all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.ftrace.tracefs import TraceFS
from emu.linux.checkpoint import LinuxCheckpoint
from emu.linux.machine import LinuxMachine
from tests.lib.linux_kernel import machines_kept_in

KB = 200_000  # of each CPU's ring buffer: nothing is overwritten


def leave_as_found(fs: TraceFS) -> None:
    """Nothing is traced, and nothing is recorded."""
    fs.write("tracing_on", "0")
    fs.write("current_tracer", "nop")
    for name in fs.listdir("instances"):
        fs.rmdir(f"instances/{name}")
    for line in fs.read("set_ftrace_filter").splitlines():
        function, _, command = line.partition(":")
        if command:  # ftrace.rst: one with a count is removed by the count 0
            name, _, count = command.partition(":")
            fs.append("set_ftrace_filter", f"!{function}:{name}" + ("" if count == "unlimited" else ":0"))
    for name in (
        "set_event", "set_event_pid", "set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace",
        "set_ftrace_pid", "trace",
    ):  # fmt: skip
        fs.write(name, "")
    fs.write("max_graph_depth", "0")
    fs.write("snapshot", "0")
    fs.write("trace_clock", "local")
    for option in ("func_stack_trace", "function-fork", "funcgraph-args", "funcgraph-retaddr"):
        fs.write(f"options/{option}", "0")


def forget_events(fs: TraceFS) -> None:
    """No event is enabled, has a trigger, or is defined."""
    fs.write("set_event", "")
    defined = [line.split()[0].partition(":")[2] for line in fs.read("dynamic_events").splitlines()]
    for name in reversed([name if "/" in name else f"synthetic/{name}" for name in defined]):
        trigger = f"events/{name}/trigger"
        for line in reversed([line for line in fs.read(trigger).splitlines() if not line.startswith("#")]):
            fs.append(trigger, "!" + line.split(" [")[0])
        fs.append("dynamic_events", f"-:{name}")


@pytest.fixture(scope="session")
def started(real_kernel: Path, machines_folder: Path) -> Iterator[tuple[LinuxMachine, LinuxCheckpoint]]:
    """A machine with two CPUs after the boot, with large buffers."""
    with machines_kept_in(machines_folder), LinuxMachine(kernel=real_kernel) as machine:
        machine.tracefs.write("tracing_on", "0")
        machine.tracefs.write("buffer_size_kb", str(KB))
        yield machine, machine.checkpoint()


@pytest.fixture
def traced(started: tuple[LinuxMachine, LinuxCheckpoint]) -> Iterator[LinuxMachine]:
    """The same, as after the boot. Nothing is traced, and nothing is recorded."""
    machine, after_boot = started
    machine.restore(after_boot)
    machine.warnings.clear()
    fs = machine.tracefs
    fs.write("buffer_size_kb", str(KB))
    yield machine
    leave_as_found(fs)
    assert machine.warnings == []
