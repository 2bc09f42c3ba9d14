# SPDX-License-Identifier: GPL-2.0-only
"""function_graph's return stacks: what is wrong with one is noticed, and the guest goes on."""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine


@pytest.fixture
def machine(arch: str):
    with Machine(arch=arch, cpus=2) as made:
        yield made


def sleeping(machine: Machine, name: str) -> int:
    """The task of a background command."""
    (task,) = [task for task in machine.kernel.tasks if machine.kernel.tasks.comm(task) == name]
    return task


def top_of_stack(machine: Machine, task: int) -> int:
    """The index of the latest entry, -1 if there is none."""
    value = machine.kernel.memory.member(task, "task_struct.curr_ret_stack")
    return value - (1 << 32) if value >> 31 else value


def deepest(machine: Machine) -> int:
    """How many entries a return stack has."""
    return machine.kernel.image.constant("FTRACE_RETFUNC_DEPTH")


def entry(machine: Machine, task: int, depth: int) -> int:
    """The address of an entry of a task's return stack."""
    image = machine.kernel.image
    return task + image.offset("task_struct.ret_stack") + depth * image.size("ftrace_ret_stack")


def test_a_return_that_does_not_match_warns_and_stops_the_tracer_but_not_the_guest(machine: Machine) -> None:
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("(sleep 0.05; echo slept > /slept) &")
    machine.advance(1_000_000)
    task = sleeping(machine, "sleep")
    depth = machine.kernel.memory.member(task, "task_struct.curr_ret_stack")
    assert 0 < depth < deepest(machine)
    top = entry(machine, task, depth)
    machine.kernel.memory.set_member(top, "ftrace_ret_stack.fp", machine.kernel.memory.member(top, "ftrace_ret_stack.fp") + 16)
    machine.advance(20_000_000)
    assert len(machine.warnings) == 1
    assert "has no entry on its task's return stack" in machine.warnings[0]
    assert machine.run("cat /slept").output == b"slept\n"
    before = machine.tracefs.read("trace")
    machine.run("true")
    assert machine.tracefs.read("trace") == before


def test_calls_that_are_under_way_when_the_tracer_changes_return_well(machine: Machine) -> None:
    for tracer in ("function_graph", "nop", "function_graph", "function", "function_graph"):
        machine.tracefs.write("current_tracer", tracer)
        machine.run("(usleep 3000; echo late) &")
        machine.advance(100_000)
    machine.advance(20_000_000)
    machine.tracefs.write("current_tracer", "nop")
    assert machine.warnings == []
    for task in machine.kernel.tasks:
        assert top_of_stack(machine, task) < 10


def test_a_new_task_starts_with_an_empty_stack_and_a_full_one_counts_overruns(machine: Machine) -> None:
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("sleep 0.05 &")
    machine.advance(1_000_000)
    task = sleeping(machine, "sleep")
    assert machine.kernel.memory.member(task, "task_struct.trace_overrun") == 0
    # Entries that were never made fill the stack below: what is called next has no room.
    depth = machine.kernel.memory.member(task, "task_struct.curr_ret_stack")
    machine.kernel.memory.set_member(task, "task_struct.curr_ret_stack", deepest(machine) - 1)
    for n in range(deepest(machine) - 1, deepest(machine) - 2 - depth, -1):
        for word in range(0, machine.kernel.image.size("ftrace_ret_stack"), 8):
            low = entry(machine, task, n - (deepest(machine) - 1 - depth)) + word
            machine.kernel.memory.write_word(entry(machine, task, n) + word, machine.kernel.memory.read_word(low))
    while machine.advance(2_000):
        pass
    assert machine.kernel.memory.member(task, "task_struct.trace_overrun") > 0
    assert machine.run("echo alive").output == b"alive\n"
    assert machine.warnings == []


def test_what_is_under_way_when_a_graph_function_is_chosen_chooses_nothing(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("current_tracer", "function_graph")
    machine.run("sleep 0.01 & ls > /dev/null")  # and init, the shell and the idle tasks are in the middle of something
    tracefs.write("set_graph_function", "__do_fault")
    tracefs.write("trace", "")
    machine.run("ls > /dev/null; wait; sleep 0.02")
    roots, nested = set(), {0: 0, 1: 0}
    for cpu, text in re.findall(r"^ (\d)\) .*\|  +(\S.*)$", tracefs.read("trace"), re.MULTILINE):
        if not nested[int(cpu)] and "()" in text:
            roots.add(text.split("(")[0])
        nested[int(cpu)] = max(nested[int(cpu)] + text.endswith("{") - text.startswith("}"), 0)
    assert roots == {"__do_fault"}
