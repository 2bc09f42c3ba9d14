# SPDX-License-Identifier: GPL-2.0-only
"""Non-maskable interrupts: before any instruction of a traced kernel, while its code is being patched, and from watchdogs."""

from __future__ import annotations

import re
import struct
from collections import Counter

import pytest

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_records
from emu.ftrace.buffers import entries
from emu.machine import GuestPanic, Machine
from emu.native.functions import callback
from emu.native.records import Record, u32, u64
from tests.lib.booted_machine import booted_machine
from tests.lib.graph_calls import check_calls, start_graph
from tests.lib.stepping import ENDLESS, LONGEST_STEP, execute, irqs_off, place_of, run_to, step
from tests.lib.tracer_switches import switch_under_load

NMIS = 500
LINE = re.compile(r"^\s*(\S+)-(\d+)\s+\[(\d+)\]\s+(\S+)\s+([\d.]+): (\w+) <-(\w+)$", re.MULTILINE)
FEW_HERTZ = 10_000_000  # seconds pass quickly


def test_an_nmi_is_traced_as_one(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        machine.tracefs.write("set_ftrace_filter", "nmi_handle")
        machine.tracefs.write("current_tracer", "function")
        machine.inject_nmi(1)
        machine.inject_nmi(1)  # it is pending already
        assert machine.run("true").status == 0
        (event,) = LINE.findall(machine.tracefs.read("trace"))
    comm, _, cpu, flags, _, _, caller = event
    assert (comm, cpu, flags) == ("<idle>", "001", "d.Z1.")
    assert caller in ("exc_nmi", "do_nmi")


def test_there_is_no_nmi_for_a_cpu_that_is_not_there(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine, pytest.raises(ValueError, match="CPU 2: there are 2"):
        machine.inject_nmi(2)


def delivered_from(machine: Machine, cpu: Cpu) -> tuple[int, int] | None:
    """If the CPU is at the first instruction of its NMI handler: the interrupted address and stack pointer."""
    image = machine.kernel.image
    if machine.board.arch.name == "sparc64":
        if cpu.pc != image.symbol("ttable") + 0x4F * 32:
            return None
        return int(Env.from_address(cpu.env).ts[1].tpc), place_of(cpu)[1]
    if machine.board.arch.name == "riscv64":
        registers = cpu.registers()
        if cpu.pc != image.symbol("handle_exception") or registers["scause"] != 1 << 63 | 63:
            return None
        return registers["sepc"], registers["sp"]
    if cpu.pc != image.symbol("asm_exc_nmi"):
        return None
    ip, _, _, sp, _ = struct.unpack("<5Q", cpu.read(place_of(cpu)[1], 40))
    return ip, sp


def nmi_before_every_instruction(machine: Machine, count: int) -> tuple[set[int], int]:
    """Makes the CPU take `count` NMIs, each before a different instruction.

    Returns the addresses before which they came, and how many came with interrupts off.
    """
    (cpu,) = machine.board.cpus
    places = set()
    taken = off = 0
    while taken < count:
        masked = irqs_off(machine, cpu)
        place, before = place_of(cpu), cpu.record.taken
        machine.inject_nmi(0)
        step(machine, cpu, 1)
        if cpu.record.taken == before:
            continue  # it cannot be delivered here
        place = delivered_from(machine, cpu) or place  # one instruction may have been executed before the delivery
        taken += 1
        off += masked
        places.add(place[0])
        for _ in range(ENDLESS):
            if cpu.pc == place[0] and place_of(cpu) == place:
                break
            step(machine, cpu, LONGEST_STEP)
        else:
            raise AssertionError(f"NMI {taken} does not return")
        execute(machine, cpu)
    return places, off


def on_the_programs_stack(machine: Machine) -> set[int]:
    """The x86-64 kernel's last instructions before a return to user mode, behind the switch of stacks: swapgs, sysretq."""
    swapgs, sysretq = bytes.fromhex("0f01f8"), bytes.fromhex("480f07")
    entry = machine.kernel.image.function_at(machine.kernel.image.symbol("entry_SYSCALL_64"))
    end = entry.address + entry.size
    assert machine.board.cpus[0].read(end - 6, 6) == swapgs + sysretq
    return {end - 6, end - 3}


@pytest.mark.parametrize(
    ("command", "function"),
    [
        ("ls /bin", "sys_openat"),
        ("ls /bin", "tick_sched_timer"),
        ("ls /bin | sed s/a/b/", "__schedule"),
        ("recurse 200 1", "sys_getpid"),
    ],
)
def test_an_nmi_before_every_instruction(arch: str, command: str, function: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        expected = machine.run(command).output
        start_graph(machine)
        machine.run(f"(usleep 1000; {command} > /result) &")
        run_to(machine, function)
        places, off = nmi_before_every_instruction(machine, NMIS)
        assert len(places) > 100
        assert off > 10 or function == "sys_getpid"
        if arch == "x86_64" and function == "sys_getpid":
            assert places >= on_the_programs_stack(machine)
        machine.advance(50_000_000)
        machine.tracefs.write("tracing_on", "0")
        (ring,) = machine.trace_array.recorder.rings
        begun = ring.unread().entries(entries.FUNCGRAPH_ENTRY)
        calls = Counter(int(row["func"]) for row in begun if int(row["type"]) == entries.EventType.FUNCGRAPH_ENTRY)
        name = {address: machine.kernel.image.function_at(address) for address in calls}
        assert sum(n for function, n in calls.items() if (one := name[function]) and one.name == "nmi_handle") == NMIS
        count, _ = check_calls(machine)
        assert count > 3 * NMIS
        machine.tracefs.write("current_tracer", "nop")
        assert machine.run("cat /result").output == expected
        assert machine.warnings == []


SHORTEST, LONGEST = 61, 397  # longer than the handler, so that other code runs too


class Storm(Record):
    """The state of a series of NMIs on a CPU."""

    cpu: cpu_records.Cpu
    left: u64  # blocks until the next one
    distance: u64  # blocks between the last two


@callback
def next_block(uc: u64, address: u64, size: u32, storm: Storm) -> None:
    """Raises an NMI after a number of blocks, which increases each time, until it starts from the beginning."""
    storm.left -= 1
    if storm.left != 0:
        return
    storm.distance += 7
    if storm.distance > LONGEST:
        storm.distance = SHORTEST
    storm.left = storm.distance
    storm.cpu.nmi = True
    storm.cpu.deadline = 0


def begin_storm(cpu: Cpu) -> object:
    """Starts a series of NMIs on a CPU, which lasts as long as the result exists."""
    storm = Storm.allocate()
    storm.cpu = cpu.record
    storm.left, storm.distance = SHORTEST, SHORTEST + cpu.index
    cpu.watch_blocks(next_block.address, storm.address)
    return storm


def test_nmis_while_sites_change_under_load(arch: str, protocol: str) -> None:
    """Handlers run into half-written sites, and are patched themselves."""
    with booted_machine(arch, cpus=2) as machine:
        machine.patching.protocol = protocol
        storm = [begin_storm(cpu) for cpu in machine.board.cpus]
        hits = switch_under_load(machine, "busy 4 1", 9)
        assert len(storm) == 2
        assert (hits[-1] > 10) == (protocol == "breakpoint")


def locked_up(arch: str, word: str, command_line: str, seconds: int) -> Machine:
    """A machine with a CPU that has been stuck for some time."""
    machine = Machine(arch=arch, cpus=2, frequency=FEW_HERTZ, command_line=command_line)
    machine.run(f"echo {word} > /dev/lkdtm &")
    machine.advance(seconds * FEW_HERTZ)
    return machine


def test_a_cpu_that_takes_no_interrupts_is_reported_by_its_watchdog(arch: str) -> None:
    with locked_up(arch, "HARDLOCKUP", "nmi_watchdog=1 watchdog_thresh=1", 5) as machine:
        (warning,) = machine.warnings
    assert re.match(r"guest warning on CPU (\d): NMI watchdog: Watchdog detected hard LOCKUP on cpu \1\n", warning)
    assert "  lkdtm_HARDLOCKUP+0x" in warning and "  lkdtm_write+0x" in warning


def test_without_the_watchdog_nobody_notices(arch: str) -> None:
    with locked_up(arch, "HARDLOCKUP", "watchdog_thresh=1", 3) as machine:
        assert machine.warnings == []


def test_a_hard_lockup_ends_the_machine_if_that_is_asked_for(arch: str) -> None:
    with pytest.raises(GuestPanic, match=r"guest panic on CPU \d: Hard LOCKUP\n(.*\n)*backtrace:\n(.*\n)*  lkdtm_HARDLOCKUP"):
        locked_up(arch, "HARDLOCKUP", "nmi_watchdog=1 nmi_watchdog=panic watchdog_thresh=1", 5)


def test_a_cpu_that_does_not_schedule_is_reported_by_its_tick(arch: str) -> None:
    with locked_up(arch, "SOFTLOCKUP", "nmi_watchdog=1 watchdog_thresh=1", 5) as machine:
        console = bytes(machine._output).decode()
        warnings = machine.warnings
    said = re.findall(r"^\[[ .\d]+\] (watchdog: BUG: soft lockup - CPU#\d stuck for (\d)s! \[\w+:\d+\])$", console, re.MULTILINE)
    said = list(dict.fromkeys(said))  # a warning may be logged as well
    assert [seconds for _, seconds in said] == ["2", "4"]
    assert len(warnings) == 2
    for (text, _), warning in zip(said, warnings, strict=True):
        assert text in warning and "  lkdtm_SOFTLOCKUP+0x" in warning


def test_the_watchdog_leaves_those_alone_that_work_and_those_that_sleep(arch: str) -> None:
    with Machine(arch=arch, cpus=2, frequency=FEW_HERTZ, command_line="nmi_watchdog=1 watchdog_thresh=1") as machine:
        machine.tracefs.write("set_ftrace_filter", "watchdog_overflow_callback")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("spin 200; sleep 5; spin 200; sleep 3; spin 1500").status == 0
        assert machine.warnings == []
        assert LINE.findall(machine.tracefs.read("trace"))
        assert not machine.advance(10 * FEW_HERTZ)
