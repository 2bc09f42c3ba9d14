# SPDX-License-Identifier: GPL-2.0-only
"""Functions of modules come and go outside at the same instants as in Linux's own list."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.linux.machine import LinuxMachine
from tests.lib.inside_trace import calls_of, frames_of, outside
from tests.lib.linux_kernel import insert, module_file

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

LIST = "cat /sys/kernel/tracing/available_filter_functions"


def listed(machine: LinuxMachine) -> tuple[str, str]:
    """The list inside, and outside."""
    return machine.run(LIST).output.decode(), machine.tracefs.read("available_filter_functions")


def module_part(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.endswith("]")]


def names_called(machine: LinuxMachine) -> list[str]:
    """The functions that were called, with their modules, in order of time."""
    names = machine._tracing.kernel.symbols
    calls = sorted(calls_of(outside(machine)), key=lambda call: call.time)
    shown = (names.describe(call.function) for call in calls)
    return [f"{name.split('+')[0]}{name[name.find(' ['):] if ' [' in name else ''}" for name in shown]


def test_lists_are_equal_line_for_line(traced: LinuxMachine, real_kernel: Path) -> None:
    inside, ours = listed(traced)
    assert inside == ours and inside.count("\n") > 30_000
    for name in ("dummy", "loop"):
        insert(traced, real_kernel, name)
        inside, ours = listed(traced)
        assert inside == ours and f"[{name}]" in inside
    traced.run("rmmod dummy")
    inside, ours = listed(traced)
    assert inside == ours and "[dummy]" not in inside


def test_the_lists_are_equal_while_a_module_is_initialised(traced: LinuxMachine, real_kernel: Path) -> None:
    """Its initialisation functions are listed until they are freed, also while others' are."""
    traced.run("cat > /tmp/dummy.ko", stdin=module_file(real_kernel, "dummy"))
    seen: list[list[str]] = []
    place = traced._guest.symbols.address("register_netdevice")
    assert place is not None

    def look(cpu: object, address: int) -> None:
        seen.append(module_part("\n".join(traced._tracing.functions.functions.label(n) for n in range(len(functions())))))

    def functions() -> object:
        return traced._tracing.functions.functions

    traced.board.callouts.notice(place, traced.board.python_handler(look))
    traced.run("insmod /tmp/dummy.ko")
    traced.board.callouts.notice(place, None)
    assert len(seen) == 1 and "dummy_init_module [dummy]" in seen[0]
    inside, ours = listed(traced)
    assert inside == ours and "dummy_init_module" not in ours


def test_a_module_is_traced_from_its_first_function_on(traced: LinuxMachine, real_kernel: Path) -> None:
    """Its parameters are set before it is initialised, here by a function of its own."""
    fs = traced.tracefs
    traced.run("cat > /tmp/loop.ko", stdin=module_file(real_kernel, "loop"))
    fs.write("current_tracer", "function")
    fs.write("set_ftrace_filter", "*:mod:loop")
    fs.write("tracing_on", "1")
    done = traced.run("insmod /tmp/loop.ko max_loop=3 && rmmod loop")
    assert done.status == 0, done
    fs.write("tracing_on", "0")
    called = names_called(traced)
    assert called[:2] == ["max_loop_param_set_int [loop]", "loop_init [loop]"]
    assert called.count("loop_add [loop]") == called.count("lo_free_disk [loop]") == 3
    assert all(name.endswith(" [loop]") for name in called)


def test_names_are_those_of_the_module_that_was_there(traced: LinuxMachine, real_kernel: Path) -> None:
    """A module may be loaded where another one was."""
    fs = traced.tracefs
    insert(traced, real_kernel, "dummy")
    traced.run("rmmod dummy")
    insert(traced, real_kernel, "brd")
    fs.write("current_tracer", "function")
    fs.write("set_ftrace_filter", "*:mod:brd")
    fs.write("tracing_on", "1")
    traced.run("rmmod brd")
    fs.write("tracing_on", "0")
    assert names_called(traced) and all(name.endswith(" [brd]") for name in names_called(traced))


def test_a_module_goes_while_its_graph_is_recorded(traced: LinuxMachine, real_kernel: Path) -> None:
    """Also when its functions are the only ones."""
    fs = traced.tracefs
    fs.write("current_tracer", "function_graph")
    insert(traced, real_kernel, "dummy")
    fs.write("set_ftrace_filter", "*:mod:dummy")
    fs.write("tracing_on", "1")
    traced.run("rmmod dummy")
    assert fs.read("set_ftrace_filter") == fs.read("enabled_functions") == ""  # as in Linux: the list stays, and is empty
    insert(traced, real_kernel, "dummy")
    fs.write("set_ftrace_filter", "*:mod:dummy")
    fs.write("trace", "")
    traced.run("cat /sys/class/net/dummy0/statistics/rx_bytes; rmmod dummy")
    frames = frames_of(outside(traced))
    assert len(frames) > 1 and all(frame.returned for frame in frames)
