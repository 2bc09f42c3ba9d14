# SPDX-License-Identifier: GPL-2.0-only
"""The layout of a kernel's structures: the running tasks, as RAM has them by it, are those of the guest's /proc."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from emu.cpu.arch.x86_64 import mmu
from emu.ftrace.btf import Btf
from emu.ftrace.btf_types import Kind
from emu.linux import arch
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Place, Structures, Task
from emu.linux.symbols import Symbols
from tests.linux.made_btf import BtfWriter
from tests.linux.made_kernels import PHYSICAL, TEXT, Symbol, kallsyms, kernel_with

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

OLD = [
    (0x40, "d", "__preempt_count"), (0x48, "d", "hardirq_stack_ptr"), (0x50, "d", "cpu_current_top_of_stack"),
    (0x80, "d", "current_task"),
]  # fmt: skip
NEW = [(0x1000, "d", "pcpu_hot")]
OFFSETS = TEXT + 0x100  # __per_cpu_offset
PF_KTHREAD = 0x20_0000  # include/linux/sched.h


def types(state: str, *left_out: str) -> Btf:
    """Structures whose members follow each other: of task_struct, all that are asked for, with 8 bytes each."""
    made = BtfWriter()
    long, integer = made.integer("unsigned long", 8), made.integer("int", 4, 1)
    inner = made.aggregate(Kind.STRUCT, "thread_info", 8, ("flags", long, 0))
    thread = made.aggregate(Kind.STRUCT, "thread_struct", 16, ("sp", long, 64))
    named = [name for name in Task._fields if name not in ("thread_flags", "state", "saved_stack_pointer", *left_out)]
    members = [("thread_info", inner, 0), (state, integer, 64), ("thread", thread, 128)]
    members += [(name, integer, 256 + 64 * n) for n, name in enumerate(named)]
    made.aggregate(Kind.STRUCT, "task_struct", 32 + 8 * len(named), *members)
    made.aggregate(Kind.STRUCT, "signal_struct", 16, ("thread_head", long, 64))
    made.aggregate(Kind.STRUCT, "mm_struct", 128, ("pgd", long, 576))
    made.aggregate(Kind.STRUCT, "pt_regs", 168, *((name, long, 64 * n) for n, name in enumerate(arch.REGISTERS)))
    hot = [("current_task", long, 0), ("preempt_count", integer, 64), ("top_of_stack", long, 128)]
    hot.append(("hardirq_stack_ptr", long, 192))
    made.aggregate(Kind.STRUCT, "pcpu_hot", 64, ("", made.aggregate(Kind.STRUCT, "", 64, *hot), 0))
    return made.btf()


def made_symbols(folder: Path, percpu: list[Symbol]) -> Symbols:
    others = [(TEXT + 0x2000 + 0x40 * n, "t", f"function_{n}") for n in range(300)]
    found = [*percpu, (TEXT, "T", "_text"), (OFFSETS, "D", "__per_cpu_offset"), (TEXT + 0x1000, "B", "_end"), *others]
    return Symbols(kernel_with(kallsyms(found, "6.4", b""), folder))


def test_a_kernel_with_symbols_for_what_each_cpu_has(tmp_path: Path, cache: Path) -> None:
    found = Structures(types("__state"), made_symbols(tmp_path, OLD))
    assert found.per_cpu._asdict() == {"current_task": 0x80, "preempt_count": 0x40, "hardirq_stack": 0x48, "top_of_stack": 0x50}
    assert (found.task.state, found.task.thread_flags, found.task.saved_stack_pointer) == (Place(8, 4), Place(0, 8), Place(24, 8))
    assert (found.task.pid, found.task.tgid) == (Place(32, 4), Place(40, 4))
    assert (found.thread_head, found.pgd) == (Place(8, 8), Place(72, 8))
    assert (found.registers["r15"], found.registers["ip"], found.registers["ss"], found.registers_size) == (0, 128, 160, 168)


def test_a_kernel_with_one_structure_for_them(tmp_path: Path, cache: Path) -> None:
    found = Structures(types("state"), made_symbols(tmp_path, NEW))
    expected = {"current_task": 0x1000, "preempt_count": 0x1008, "hardirq_stack": 0x1018, "top_of_stack": 0x1010}
    assert (found.per_cpu._asdict(), found.task.state) == (expected, Place(8, 4))


def test_what_a_kernel_lacks_is_said(tmp_path: Path, cache: Path) -> None:
    for symbols, left_out, why in (
        (OLD, "comm", "struct task_struct has no member 'comm'"),
        (OLD[:3], "", "there is no symbol current_task or pcpu_hot.current_task"),
    ):
        with pytest.raises(LookupError) as refused:
            Structures(types("__state", left_out), made_symbols(tmp_path, symbols))
        assert str(refused.value) == why


def test_addresses_of_what_each_cpu_has(tmp_path: Path, cache: Path) -> None:
    symbols = made_symbols(tmp_path, NEW)
    ram = memoryview(bytearray(PHYSICAL + 0x1_0000))
    struct.pack_into("<QQ", ram, OFFSETS - arch.KERNEL_HALF, 0xFFFF_8880_1000_0000, (1 << 64) - 0x800)
    memory, found = LinuxMemory(ram, symbols), Structures(types("__state"), symbols)
    addresses = [found.per_cpu_address(memory, cpu, found.per_cpu.preempt_count) for cpu in (0, 1)]
    assert addresses == [0xFFFF_8880_1000_1008, 0x808]  # since Linux 6.15, a symbol is an address, and the sum may wrap


# A real one


class Tasks:
    """What a guest's RAM says of its tasks."""

    def __init__(self, machine: LinuxMachine, kernel: Path, symbols: Symbols) -> None:
        self.btf = kernel_btf(read_kernel(kernel))
        self.memory = LinuxMemory(machine.board.ram, symbols)
        self.layout = Structures(self.btf, symbols)
        self.first = symbols.address("init_task") or 0

    def get(self, task: int, name: str) -> int:
        place: Place = getattr(self.layout.task, name)
        return self.memory.word(task + place.offset, place.size)

    def name(self, task: int) -> str:
        return self.memory.string(task + self.layout.task.comm.offset, self.layout.task.comm.size)

    def all(self) -> dict[int, int]:
        """The leaders of all thread groups, by their numbers."""
        found: dict[int, int] = {}
        task = self.first
        while True:
            task = self.memory.word(task + self.layout.task.tasks.offset) - self.layout.task.tasks.offset
            if task == self.first:
                return found
            found[self.get(task, "pid")] = task


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def test_tasks_are_those_of_proc(machine: LinuxMachine, real_kernel: Path, real_symbols: Symbols) -> None:
    tasks = Tasks(machine, real_kernel, real_symbols)
    done = machine.run("nice -n 5 sleep 1000 & sleep 0.1; cat /proc/[0-9]*/stat")
    listed = {}
    for line in done.output.decode().splitlines():
        number, _, text = line.partition(" (")
        name, _, words = text.rpartition(") ")
        listed[int(number)] = name, words.split()
    found = tasks.all()
    assert len(found) > 30 and found.keys() <= listed.keys()
    assert {listed[pid][0] for pid in listed.keys() - found.keys()} <= {"sh", "cat", "sleep"}  # the command's, which has ended
    for pid, task in found.items():
        shown, fields = listed[pid]
        assert tasks.name(task) == shown[:15] or shown.startswith("kworker/")
        parent = tasks.get(task, "real_parent")
        policy, rt_priority, prio = tasks.get(task, "policy"), tasks.get(task, "rt_priority"), signed(tasks.get(task, "prio"))
        assert (int(fields[38]), int(fields[37]), int(fields[15])) == (policy, rt_priority, prio - 100)
        assert (int(fields[1]), int(fields[16])) == (tasks.get(parent, "tgid"), tasks.get(task, "static_prio") - 120)
        assert (tasks.get(task, "tgid"), tasks.get(task, "group_leader")) == (pid, task)
        assert bool(tasks.get(task, "flags") & PF_KTHREAD) == (tasks.get(task, "mm") == 0) == (fields[20] == "0")
        assert tasks.get(task, "exit_state") == 0
        threads = tasks.get(task, "signal") + tasks.layout.thread_head.offset
        assert tasks.memory.word(threads) == task + tasks.layout.task.thread_node.offset


def test_a_sleeping_task(machine: LinuxMachine, real_kernel: Path, real_symbols: Symbols) -> None:
    """Its state, its registers, its stack, its page table."""
    tasks = Tasks(machine, real_kernel, real_symbols)
    done = machine.run("sleep 1000 & sleep 0.1; cat /proc/$!/syscall; echo $!").output.decode().split()
    *call, stack_pointer, place, pid = done
    (task,) = [task for number, task in tasks.all().items() if number == int(pid)]
    memory, layout = tasks.memory, tasks.layout
    assert (tasks.get(task, "state") & 0xFF, tasks.name(task)) == (1, "sleep")  # TASK_INTERRUPTIBLE
    stack, saved = tasks.get(task, "stack"), tasks.get(task, "saved_stack_pointer")
    assert stack < saved < stack + (16 << 10)
    current = memory.word(layout.per_cpu_address(memory, 0, layout.per_cpu.current_task))
    top = memory.word(layout.per_cpu_address(memory, 0, layout.per_cpu.top_of_stack)) - tasks.get(current, "stack")
    registers = stack + top - layout.registers_size
    names = "orig_ax", "di", "si", "dx", "r10", "r8", "r9", "sp", "ip"
    found = [memory.word(registers + layout.registers[name]) for name in names]
    assert found == [int(call[0]), *(int(word, 16) for word in (*call[1:], stack_pointer, place))]
    mm = tasks.get(task, "mm")
    pgd = memory.word(mm + layout.pgd.offset) - arch.DIRECT_MAP
    arguments = memory.word(mm + tasks.btf.offset("mm_struct.arg_start"))
    physical = mmu.walk(machine.board.ram, pgd, arguments)
    assert physical is not None and bytes(machine.board.ram[physical : physical + 11]) == b"sleep\x001000\0"


def test_what_each_cpu_has(machine: LinuxMachine, real_kernel: Path, real_symbols: Symbols) -> None:
    """Its stack pointer lies on the stack of the task that runs; asleep, it runs its idle task."""
    tasks = Tasks(machine, real_kernel, real_symbols)
    for _ in range(40):
        machine.advance(100_000_000)
        if all(cpu.halted for cpu in machine.board.cpus):
            break
    memory, layout = tasks.memory, tasks.layout
    names = []
    for cpu in machine.board.cpus:
        variables = {
            name: memory.word(layout.per_cpu_address(memory, cpu.index, variable), 4 if name == "preempt_count" else 8)
            for name, variable in layout.per_cpu._asdict().items()
        }
        task = variables["current_task"]
        names.append(tasks.name(task))
        stack = tasks.get(task, "stack")
        assert stack < cpu.registers()["rsp"] <= variables["top_of_stack"] <= stack + (16 << 10)
        assert variables["preempt_count"] & 0x7FFF_FFFF < 1 << 17  # no interrupt: the rest has what is nested
        memory.read(variables["hardirq_stack"] - 8, 8)
    assert names == [f"swapper/{n}" for n in range(len(names))]
