# SPDX-License-Identifier: GPL-2.0-only
"""machine.cpus: what a CPU executes, and executing one of its instructions."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from emu.cpu.guest_cpu import GuestCpu
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.stepping import run_to

CLOCK = {"asr23"}  # on SPARC V9 the CPU's clock is a register


def in_newfstatat(arch: str) -> Machine:
    """A machine with one CPU in a system call, right behind the first block of sys_newfstatat."""
    machine = Machine(arch=arch, cpus=1)
    machine.kernel.commands.give(["ls", "/bin"])
    run_to(machine, "sys_newfstatat")
    return machine


def place(machine: Machine) -> tuple[int, int]:
    (cpu,) = machine.cpus
    return cpu.pc, cpu.registers[FACTS[machine.board.arch.name].stack_pointer]


def registers_but_the_clock(machine: Machine) -> dict[str, int]:
    registers = machine.cpus[0].registers
    return {name: registers[name] for name in registers if name not in CLOCK}


def differing_words(one: Machine, other: Machine) -> list[tuple[int, int]]:
    """The words of memory that differ between two machines."""
    order = {"little": "<u8", "big": ">u8"}[one.board.arch.byte_order]
    here, there = (np.frombuffer(machine.board.ram, order) for machine in (one, other))
    return [(int(here[n]), int(there[n])) for n in np.flatnonzero(here != there)]


def test_steps_do_what_running_does(arch: str) -> None:
    with in_newfstatat(arch) as running, in_newfstatat(arch) as stepped:
        run_to(running, "cp_new_stat")
        (cpu,) = stepped.cpus
        steps = 0
        while place(stepped) != place(running):
            assert cpu.step()
            steps += 1
            assert steps < 10_000
        assert steps > 500
        assert registers_but_the_clock(stepped) == registers_but_the_clock(running)
        differing = differing_words(stepped, running)
        assert len(differing) < 5  # times that the scheduler has read from the clock
        assert all(abs(one - other) < 1000 for one, other in differing)


def test_a_step_is_one_instruction_and_the_others_stand_still(machine: Machine) -> None:
    machine.run("busy 4 3 > /dev/null &")
    machine.advance(100_000)
    one, other = machine.cpus
    before = one.cycles, other.cycles, other.pc, dict(other.registers)
    instructions = machine.board.cpus[0].instructions
    for _ in range(100):
        assert one.step()
    assert machine.board.cpus[0].instructions == instructions + 100
    assert (other.cycles, other.pc, dict(other.registers)) == before[1:]
    assert one.cycles > before[0]


def test_a_cpu_that_sleeps_wakes_for_its_next_interrupt(machine: Machine) -> None:
    while machine.advance(10_000_000):
        pass
    cpu = machine.cpus[1]
    assert "idle, asleep" in cpu.activity
    before, pc = cpu.cycles, cpu.pc
    assert not cpu.step()
    assert (cpu.cycles, cpu.pc) == (before, pc)
    machine.inject_nmi(1)
    assert cpu.step()
    assert "kernel" in cpu.activity and cpu.pc != pc


def test_a_step_answers_host_calls(arch: str) -> None:
    written: list[bytes] = []
    with Machine(arch=arch, cpus=1, console=written.append) as machine:
        machine.kernel.commands.give(["echo", "hello"])
        run_to(machine, "ksys_write")
        written.clear()
        for _ in range(50_000):
            machine.cpus[0].step()
            if written:
                break
        assert b"".join(written).startswith(b"hello")


def until(machine: Machine, condition: Callable[[GuestCpu], bool]) -> GuestCpu:
    """Steps the first CPU until a condition is true."""
    cpu = machine.cpus[0]
    for _ in range(100_000):
        if condition(cpu):
            return cpu
        cpu.step()
    raise AssertionError(cpu.activity)


def test_names_of_the_kernel_and_addresses_of_programs(arch: str) -> None:
    with in_newfstatat(arch) as machine:
        cpu = until(machine, lambda cpu: cpu.symbol.startswith("vfs_statx+0x0/0x"))
        task = machine.kernel.tasks.current(machine.board.cpus[0])
        assert f"-{machine.kernel.tasks.pid(task)}, kernel, vfs_statx+0x0/" in cpu.activity
        assert repr(cpu) == f"<CPU 0: {cpu.activity}>"
        cpu = until(machine, lambda cpu: "user mode" in cpu.activity)
        assert cpu.symbol == f"{cpu.pc:#x}" and cpu.activity.endswith(f", user mode, {cpu.pc:#x}")


def test_disassembly_marks_the_program_counter(arch: str) -> None:
    with in_newfstatat(arch) as machine:
        cpu = until(machine, lambda cpu: "vfs_statx+" in cpu.symbol and "+0x0/" not in cpu.symbol)
        head, *lines = cpu.disassembly.splitlines()
        assert head == f"{cpu.symbol}:"
        (marked,) = (line for line in lines if line.startswith("=>"))
        assert marked.split()[1] == f"{cpu.pc:x}:"
        assert machine.kernel.memory.read(cpu.pc, 1).hex() == marked.split()[2]
        user = until(machine, lambda cpu: "user mode" in cpu.activity)
        assert user.disassembly.splitlines()[1].startswith("=>")


NAMES = {
    "x86_64": {"rax", "r15", "rip", "rflags", "cs", "cr3", "gs_base"},
    "sparc64": {"g1", "o0", "l7", "i7", "pc", "npc", "ccr", "pstate", "tl", "pil", "cwp", "asi"},
    "riscv64": {"zero", "ra", "sp", "s0", "a0", "t6", "pc", "sstatus", "sepc", "scause", "stval", "satp", "sie"},
}


def test_registers_have_the_names_that_disassembly_has(arch: str) -> None:
    with in_newfstatat(arch) as machine:
        registers = machine.cpus[0].registers
        assert NAMES[arch] <= set(registers)
        if arch == "x86_64":
            assert registers["rip"] == machine.cpus[0].pc and registers["rsp"] > 0xFFFF_8880_0000_0000
            assert registers["cr0"] == 0x8005_0033 and registers["cs"] & 3 == 0
        elif arch == "sparc64":
            assert registers["npc"] == registers["pc"] + 4 and registers["sp"] == registers["o6"]
        else:
            assert registers["pc"] == machine.cpus[0].pc and registers["zero"] == 0


@pytest.mark.parametrize(
    ("arch", "comparison", "flags"),
    [("x86_64", r"cmpq (%\w+), (%\w+)$", "rflags"), ("sparc64", r"cmp (%\w+), (%\w+)$", "ccr")],
    ids=["x86_64", "sparc64"],
)
def test_flags_are_those_of_the_last_comparison(arch: str, comparison: str, flags: str) -> None:
    """QEMU computes them lazily. In both registers, bit 6 is set if two 64-bit numbers are equal. RISC-V has no flags."""
    with in_newfstatat(arch) as machine:
        seen = set()
        cpu = machine.cpus[0]
        for _ in range(20_000):
            match = re.search(comparison, cpu.disassembly.partition("=>")[2].partition("\n")[0])
            if match is None:
                cpu.step()
                continue
            one, other = (cpu.registers[name[1:]] for name in match.groups())
            cpu.step()
            assert bool(cpu.registers[flags] & 1 << 6) == (one == other)
            seen.add(one == other)
            if len(seen) == 2:
                return
        raise AssertionError(f"only {seen}")
