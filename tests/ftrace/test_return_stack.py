# SPDX-License-Identifier: GPL-2.0-only
"""function_graph's return stacks: an inconsistent one is detected, and the guest continues."""

from __future__ import annotations

import collections
import functools
import itertools
import re
from collections.abc import Iterator

import capstone
import numba
import numpy as np
import pytest
from numba import carray, types

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import shell


@pytest.fixture
def machine(arch: str):
    with booted_machine(arch, cpus=2) as made:
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
    """The number of entries in a return stack."""
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


@pytest.mark.parametrize("index", [0x7FFF_0000, -100])
def test_an_index_that_the_guest_has_overwritten_stops_the_tracer(machine: Machine, index: int) -> None:
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("sleep 0.05 &")
    machine.advance(1_000_000)
    machine.kernel.memory.set_member(sleeping(machine, "sleep"), "task_struct.curr_ret_stack", index & 0xFFFF_FFFF)
    machine.advance(20_000_000)
    stopped, _ = machine.warnings  # the second one is the guest's: the return address is unknown
    assert "has no entry on its task's return stack" in stopped
    assert machine.run("echo lives").output == b"lives\n"


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


def test_calls_that_have_no_room_on_the_return_stack_are_counted(machine: Machine) -> None:
    """Only as many calls as there are entries are recorded; funcgraph-overrun shows how many more there have been."""
    calls, room = 101, deepest(machine)
    machine.run("insmod /lib/modules/sample_kprobes.ko")
    text = shell(
        machine,
        "echo sample_kprobes_depth > set_ftrace_filter; echo 1 > options/funcgraph-overrun; "
        f"echo function_graph > current_tracer; echo {calls - 1} > /sys/module/sample_kprobes/parameters/depth; "
        "cat /sys/module/sample_kprobes/parameters/depth trace",
    )
    assert text.startswith(f"{calls - 1}\n")  # the calls are unaffected
    entries = [line for line in text.splitlines() if "sample_kprobes_depth" in line]
    assert len(entries) == room
    counted = re.findall(r"^ \(Overruns: (\d+)\)$", text, re.MULTILINE)
    assert len(counted) == room - 1  # as in Linux, not for one that is a single line
    assert set(counted) == {str(calls - room)}  # all of them come before the first return
    assert machine.warnings == []


def test_a_child_begins_with_an_empty_return_stack(machine: Machine) -> None:
    """Its parent has called three functions that have not returned; the child's first one is at the left, and ends there."""
    functions = "copy_process kernel_clone sys_*fork sys_clone*"
    text = shell(
        machine,
        f"echo '{functions} schedule_tail' > set_ftrace_filter; echo 1 > options/funcgraph-proc; "
        "echo function_graph > current_tracer; (true); cat trace",
    )
    assert re.search(r"\|      copy_process\(\);$", text, re.MULTILINE)
    begun = re.findall(r"sh-(\d+) .*\|( +)schedule_tail\(\);$", text, re.MULTILINE)
    assert begun and {indentation for _, indentation in begun} == {"  "}
    assert machine.warnings == []


def test_a_damaged_entry_is_in_the_log_and_the_guest_goes_on(machine: Machine) -> None:
    machine.tracefs.write("current_tracer", "function_graph")
    log = machine.run("insmod /lib/modules/sample_crash.ko how=return; dmesg | tail -2").output.decode()
    (expected, received), (function,) = (
        re.findall(r"\] Bad frame pointer: expected (\w+), received (\w+)\n", log)[-1],
        re.findall(r"\]   from func (\w+) return to [0-9a-f]{16}\n", log)[-1:],
    )
    assert int(expected, 16) - int(received, 16) == 16
    assert function == "sample_crash_return"
    assert machine.run("echo alive").output == b"alive\n"
    assert len(machine.warnings) == 1 and machine.warnings[0].endswith("; tracing is off")


def test_stacks_show_callers_where_the_return_addresses_are_the_stub(machine: Machine) -> None:
    """Those of an event, and of an oops."""
    trace = shell(
        machine,
        "echo 'kernel_clone sys_*fork sys_clone* *:mod:sample_crash' > set_ftrace_filter; "
        "echo function_graph > current_tracer; echo stacktrace > events/sched/sched_process_fork/trigger; (true); cat trace",
    )
    assert re.search(r"<stack trace>\n(?: => .*\n)+ => kernel_clone\n => sys_\w+\n", trace)
    machine.run("insmod /lib/modules/sample_crash.ko how=null where=thread; usleep 100")
    log = machine.run("dmesg").output.decode()
    called = re.findall(r"\]   (\w+)\+0x", log.split("Call Trace:")[1])
    assert called[:4] == ["sample_crash_null", "sample_crash", "sample_crash_thread", "kthread"]
    assert re.search(r"\| +sample_crash_null \[sample_crash\]\(\) \{", machine.tracefs.read("trace"))
    assert "return_to_handler" not in trace + log


def test_what_is_under_way_when_a_graph_function_is_chosen_chooses_nothing(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("current_tracer", "function_graph")
    machine.run("sleep 0.01 & ls > /dev/null")  # and init, the shell and the idle tasks have active calls
    tracefs.write("set_graph_function", "__do_fault")
    tracefs.write("trace", "")
    machine.run("ls > /dev/null; wait; sleep 0.02")
    tracefs.write("options/funcgraph-proc", "1")
    roots, nested = set(), collections.Counter[str]()
    for task, text in re.findall(r"^ \d\) +(\S+) .*\|  +(\S.*)$", tracefs.read("trace"), re.MULTILINE):
        if not nested[task] and "()" in text:
            roots.add(text.split("(")[0])
        nested[task] = max(nested[task] + text.endswith("{") - text.startswith("}"), 0)
    tracefs.write("options/funcgraph-proc", "0")
    assert roots == {"__do_fault"}


# Words of a log of blocks: their number, the kernel's start; then address and size of each block of the kernel.
BLOCKS, KERNEL, FIRST_BLOCK = range(3)
MOST_BLOCKS = 1_000_000


@functools.cache
def block_log() -> numba.core.ccallback.CFunc:
    """The hook that writes the log, compiled."""

    def write(uc, address, size, user):
        log = carray(user, (FIRST_BLOCK + 2 * MOST_BLOCKS,), dtype=np.uint64)
        count = log[BLOCKS]
        if address >= log[KERNEL] and count < MOST_BLOCKS:
            log[FIRST_BLOCK + 2 * count] = address
            log[FIRST_BLOCK + 2 * count + 1] = size
            log[BLOCKS] = count + np.uint64(1)

    return numba.cfunc(types.void(types.uint64, types.uint64, types.uint32, types.voidptr))(write)


def returns(machine: Machine, command: str) -> Iterator[tuple[int, int, int]]:
    """Executes a command on an x86-64 machine with one CPU.

    Yields the returns in system calls, up to the first exception or task switch in each: the address of the return, its target,
    and the target predicted by a CPU's return stack.
    """
    (cpu,), image = machine.board.cpus, machine.kernel.image
    begins = image.symbol("entry_SYSCALL_64")
    others = {function.address for function in image.functions if function.name.startswith(("asm_", "__switch_to_asm"))}
    log = np.zeros(FIRST_BLOCK + 2 * MOST_BLOCKS, np.uint64)
    log[KERNEL] = machine.board.arch.kernel_map
    cpu.watch_blocks(block_log().address, log.ctypes.data)
    machine.run(command)
    blocks = log[FIRST_BLOCK:].reshape(-1, 2)[: int(log[BLOCKS])].tolist()
    assert len(blocks) < MOST_BLOCKS
    disassembler = capstone.Cs(*machine.board.arch.capstone_mode)
    last = {(at, size): list(disassembler.disasm(cpu.read(at, size), at))[-1] for at, size in set(map(tuple, blocks))}
    calls: list[int] = []
    known = False
    for (at, size), (following, _) in itertools.pairwise(blocks):
        if at == begins or following in others:
            calls, known = [], at == begins
        instruction = last[at, size]
        if instruction.mnemonic == "call":
            calls.append(at + size)
        elif instruction.mnemonic == "ret" and known:
            yield instruction.address, following, calls.pop()


def test_returns_beside_traced_calls_are_as_predicted() -> None:
    """On x86-64 a traced call returns to the trampoline, and from there to the caller: these two returns cannot be predicted."""
    with booted_machine("x86_64", cpus=1) as machine:
        tracefs, symbol = machine.tracefs, machine.kernel.image.symbol
        tracefs.write("set_ftrace_filter", "rw_verify_area __might_fault")
        tracefs.write("current_tracer", "function_graph")
        trampoline, stub = symbol("return_to_handler"), symbol("ftrace_return_to_handler")
        diverted, others = 0, 0
        for at, goes_to, expected in returns(machine, "dd if=/dev/zero of=/dev/null bs=1 count=100"):
            if goes_to == trampoline:
                diverted += 1
            elif at != stub:
                others += 1
                assert goes_to == expected, machine.kernel.symbols.describe(at)
        assert diverted >= 300
        assert others > 5 * diverted
