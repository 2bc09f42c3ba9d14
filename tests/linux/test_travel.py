# SPDX-License-Identifier: GPL-2.0-only
"""Stops and travel in time of an unmodified Linux: on a machine that was kept on the disk, whose memory is in a file at first."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from emu.history.reaching import EventPlace
from emu.history.stops import Breakpoint, Reason, Watchpoint
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from tests.lib.linux_kernel import boot_once

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

COMMAND = "ls /bin | wc; (sleep 0.01; echo a) & head -n 3 /proc/vmstat; wait"
FUNCTIONS = (
    "vfs_read", "vfs_write", "ksys_read", "do_sys_openat2", "__schedule", "try_to_wake_up", "kmem_cache_alloc", "fput",
    "do_exit", "handle_mm_fault", "kfree", "copy_process", "exit_mmap", "tick_sched_timer", "hrtimer_interrupt", "do_fault",
    "pipe_read", "pipe_write", "filp_close", "wake_up_new_task",
)  # fmt: skip


def state(machine: LinuxMachine) -> str:
    hashed = hashlib.sha256(machine.board.ram)
    for cpu in machine.board.cpus:
        hashed.update(repr((cpu.cycles, cpu.instructions, dict(cpu.registers()))).encode())
    return hashed.hexdigest()


@pytest.fixture(scope="module")
def end(real_kernel: Path, machines_folder: Path) -> str:
    """The state after the command, on a machine without a history."""
    with boot_once(real_kernel, machines_folder) as machine:
        assert machine.run(COMMAND).status == 0
        return state(machine)


@pytest.fixture(scope="module")
def shared_machine(real_kernel: Path, machines_folder: Path) -> Iterator[LinuxMachine]:
    with boot_once(real_kernel, machines_folder) as machine:
        machine.travel.begin(COMMAND)
        yield machine


@pytest.fixture
def machine(shared_machine: LinuxMachine) -> Iterator[LinuxMachine]:
    """A machine that is about to run COMMAND, with its history. Nothing stops it."""
    travel = shared_machine.travel
    travel.goto(travel.first)
    yield shared_machine
    for stop in travel.stops:
        travel.remove(stop)


def test_twenty_breakpoints_a_watchpoint_and_a_way_back_change_nothing(
    machine: LinuxMachine, real_symbols: Symbols, end: str
) -> None:
    travel = machine.travel
    for name in FUNCTIONS:
        address = real_symbols.address(name)
        assert address is not None, name
        travel.add(Breakpoint(address))
    travel.add(Watchpoint(real_symbols.address("total_forks") or 0))
    found = [travel.go().instant for _ in range(25)]
    assert [travel.back().instant for _ in range(5)] == found[-2:-7:-1]
    for stop in travel.stops:
        travel.remove(stop)
    assert travel.go().reason == Reason.ENDED
    assert state(machine) == end


def test_who_has_set_a_tasks_state(machine: LinuxMachine, real_symbols: Symbols) -> None:
    """By a virtual and a physical address: forward behind each write, and back before it."""
    travel, memory = machine.travel, LinuxMemory(machine.board.ram, real_symbols)
    known = Structures(kernel_btf(machine._kernel), real_symbols)
    reads = Breakpoint(real_symbols.address("pipe_read") or 0)
    travel.add(reads)
    stopped = travel.go()
    travel.remove(reads)
    task = memory.word(known.per_cpu_address(memory, stopped.cpu, known.per_cpu.current_task))
    place, size = task + known.task.state.offset, known.task.state.size
    physical = machine.board.place(place)
    assert physical is not None
    told = []
    for watch in (Watchpoint(place, size), Watchpoint(physical, size, physical=True)):
        travel.goto(stopped.instant)
        travel.add(watch)
        forward = []
        while memory.word(place, size) != 1:  # TASK_INTERRUPTIBLE
            assert travel.go().reason == Reason.WATCHPOINT
            cpu = machine.board.cpus[travel.cpu]
            forward.append((travel.cpu, real_symbols.lookup(cpu.pc).partition("+")[0], memory.word(place, size)))
        back = travel.back()
        assert (back.reason, memory.word(place, size)) == (Reason.WATCHPOINT, 0)
        assert real_symbols.lookup(machine.board.cpus[back.cpu].pc).partition("+")[0] == forward[-1][1]
        travel.remove(watch)
        told.append(forward)
    assert told[0] == told[1]
    assert told[0][-1][1].startswith(("prepare_to_wait", "set_current_state"))


def test_the_last_write_of_a_word_stores_what_is_there_at_the_end(machine: LinuxMachine) -> None:
    """Of words all over RAM, whatever writes them: a store, a string instruction, the CPU at an interrupt."""
    travel, ram, random_ = machine.travel, machine.board.ram, random.Random(3)
    before = np.frombuffer(bytes(ram), np.uint64)
    travel.go()
    end, last = np.frombuffer(bytes(ram), np.uint64), travel.now
    pages: dict[int, list[int]] = {}
    for word in np.flatnonzero(before != end).tolist():
        pages.setdefault(word // 512, []).append(word)
    for word in (random_.choice(words) for words in random_.sample([*pages.values()], 8)):
        travel.goto(last)
        watch = Watchpoint(8 * word, physical=True)
        travel.add(watch)
        stopped = travel.back()
        travel.remove(watch)
        assert stopped.reason == Reason.WATCHPOINT, hex(8 * word)
        travel.step(stopped.cpu)
        assert int.from_bytes(ram[8 * word : 8 * word + 8], "little") == end[word], hex(8 * word)


def test_from_random_instants_back_and_forward_again(machine: LinuxMachine, end: str) -> None:
    travel, random_ = machine.travel, random.Random(7)
    begin = travel.nanoseconds
    travel.go()
    last = travel.nanoseconds
    for _ in range(8):
        travel.goto(random_.randrange(begin, last))
        travel.step(random_.randrange(2), random_.randrange(1, 60))
        there, now = state(machine), travel.now
        assert travel.go().reason == Reason.ENDED
        assert state(machine) == end
        travel.goto(now)
        assert state(machine) == there


@pytest.mark.parametrize("traced", ["vfs_read", "sched:sched_switch"])
def test_an_event_leads_to_where_it_is_recorded(real_kernel: Path, machines_folder: Path, traced: str) -> None:
    """A function of a trace is about to be called, and a tracepoint to be hit, though tracing is begun again and again."""
    with boot_once(real_kernel, machines_folder) as machine:
        tracefs = machine.tracefs
        tracefs.write("tracing_on", "0")
        if ":" in traced:
            tracefs.write("set_event", traced)
        else:
            tracefs.write("set_ftrace_filter", traced)
            tracefs.write("current_tracer", "function")
        with machine._traced(True, False):
            machine.travel.begin("cat /proc/version")
            begun = machine.travel.now
            machine.travel.go()
            events = machine.trace()[traced if ":" in traced else "ftrace:function"]
            place = EventPlace(int(events["time"][0]), int(events["cpu"][0]))
            machine.travel.goto(begun)
            machine.at_event(place)
            cpu = machine.cpus[place.cpu]
            assert machine.travel.cpu == place.cpu
            assert machine.trace_array.reader.latest_time(place.cpu) < place.time
            assert cpu.symbol.split("+")[0] == (traced if ":" not in traced else "__schedule")
            for _ in range(2):
                machine.travel.step(place.cpu)
            assert machine.trace_array.reader.latest_time(place.cpu) == place.time
