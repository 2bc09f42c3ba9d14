# SPDX-License-Identifier: GPL-2.0-only
"""A machine that goes back to an earlier state while it is traced; or is saved, or closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.ftrace.buffers.entries import Events
from emu.linux.machine import LinuxMachine
from tests.lib.inside_trace import calls_of, frames_of, outside
from tests.lib.linux_kernel import insert, machines_kept_in

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

BUSY = "uname | cat & sleep 0.01; wait"
SWITCHING = {"save_fpregs_to_fpstate", "xfd_validate_state"}


def words_of(logs: list[Events]) -> list[tuple[bytes, bytes]]:
    """Everything that was recorded."""
    return [(log.words[log.offset // 4].tobytes(), log.time.tobytes()) for log in logs]


def traced_run(machine: LinuxMachine) -> list[Events]:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("tracing_on", "1")
    machine.run(BUSY)
    machine.tracefs.write("tracing_on", "0")
    return outside(machine)


def test_a_restored_machine_is_traced_as_the_first_time(traced: LinuxMachine) -> None:
    """Although tasks that are under way when it goes back have other calls, and other tasks run."""
    fs = traced.tracefs
    before = traced.checkpoint()
    fs.write("current_tracer", "function_graph")
    first = traced_run(traced)
    traced.restore(before)
    assert sum(map(len, outside(traced))) == 0 and fs.read("trace").count("\n") == 4  # that time is gone
    assert words_of(traced_run(traced)) == words_of(first)
    frames_of(first)
    # While it is traced
    fs.write("tracing_on", "1")
    for background in ("dd if=/dev/zero of=/dev/null bs=1M count=300 2>/dev/null &", "sleep 5 &"):
        traced.run(background)
        traced.advance(3_000_000)
        traced.restore(before)
        traced.run(BUSY)
        traced.advance(5_000_000)
        found = outside(traced)
        frames_of(found)
        now = [cpu.cycles for cpu in traced.board.cpus]
        assert all(0 < log.time[0] <= log.time[-1] <= traced.board.nanoseconds(end) for log, end in zip(found, now, strict=True))


def test_tasks_that_are_traced_are_looked_up_again(traced: LinuxMachine) -> None:
    fs, before = traced.tracefs, traced.checkpoint()
    fs.write("current_tracer", "function")
    fs.write("set_ftrace_pid", "1")
    fs.write("tracing_on", "1")
    traced.run("true")
    traced.restore(before)
    running = {index: traced._tracing.kernel.tasks.pid(task) for index, task in traced._tracing.kernel.tasks.running().items()}
    assert [records.pid for records in traced.trace_array.recorder.records.cpus] == list(running.values())
    traced.run("true")
    names, calls = traced._tracing.kernel.symbols, calls_of(outside(traced))
    assert len(calls) > 1000
    # A CPU that switches to the task names the previous one for a moment.
    assert {names.describe(call.function).split("+")[0] for call in calls if call.pid != 1} <= SWITCHING


def test_modules_come_and_go_with_the_state(traced: LinuxMachine, real_kernel: Path) -> None:
    fs, before = traced.tracefs, traced.checkpoint()
    functions = fs.read("available_filter_functions")
    insert(traced, real_kernel, "dummy")
    with_module = fs.read("available_filter_functions")
    after = traced.checkpoint()
    fs.write("set_ftrace_filter", "*:mod:dummy")
    chosen = fs.read("set_ftrace_filter")
    assert "dummy_xmit [dummy]\n" in chosen
    traced.restore(before)
    assert fs.read("available_filter_functions") == functions != with_module
    traced.restore(after)
    assert fs.read("available_filter_functions") == with_module


def test_a_traced_machine_is_saved_as_any_other(traced: LinuxMachine, tmp_path: Path, machines_folder: Path) -> None:
    traced.save(tmp_path / "untraced")
    traced.tracefs.write("current_tracer", "function_graph")
    traced.tracefs.write("tracing_on", "1")
    traced.save(tmp_path / "traced")
    assert (tmp_path / "traced").read_bytes() == (tmp_path / "untraced").read_bytes()
    first = traced.run("cat /proc/uptime /proc/interrupts")
    with LinuxMachine.load(tmp_path / "traced") as again:
        assert again.tracefs.read("current_tracer") == "nop\n"
        assert again.run("cat /proc/uptime /proc/interrupts") == first


def test_a_machine_may_be_closed_while_it_is_traced(real_kernel: Path, machines_folder: Path) -> None:
    with machines_kept_in(machines_folder):
        machine = LinuxMachine(kernel=real_kernel)
    fs = machine.tracefs
    fs.mkdir("instances/one")
    fs.write("instances/one/current_tracer", "function")
    fs.write("current_tracer", "function_graph")
    machine.run("true")
    machine.close()
    for use in (lambda: fs.read("trace"), lambda: fs.write("tracing_on", "0"), lambda: fs.rmdir("instances/one")):
        with pytest.raises(ValueError, match="is closed"):
            use()
