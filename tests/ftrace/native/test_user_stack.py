# SPDX-License-Identifier: GPL-2.0-only
"""The stack traces of programs in user_stack events."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.arch.sparc64.state import Env
from emu.ftrace.native import context
from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.host_compiler import compile_static

# Calls deeper() recursively, as many times as its argument says, and then getpid(). With a second argument "wait", it waits for
# ticks instead; with "lost", its stack pointer is invalid when it calls getpid(). It has no libc, so every function has a frame.
# Then it writes the addresses that a stack trace must have.
PROGRAM = r"""
typedef unsigned long word;

#ifdef __x86_64__
#define WRITE 1
#define GETPID 39
#define EXIT 60
asm(".globl _start; _start: mov %rsp, %rdi; xor %ebp, %ebp; and $-16, %rsp; call start; hlt");

static inline __attribute__((always_inline)) word system_call(word number, word a, word b, word c, word *pc)
{
	word result = number;

	asm volatile("lea 1f(%%rip), %%r10; mov %%r10, %[pc]; syscall\n1:"
		: "+a" (result), [pc] "=m" (*pc) : "D" (a), "S" (b), "d" (c) : "rcx", "r10", "r11", "memory");
	return result;
}

static inline __attribute__((always_inline)) void getpid_without_stack(word *pc)
{
	word result = GETPID;

	asm volatile("lea 1f(%%rip), %%r10; mov %%r10, %[pc]; mov %%rbp, %%rbx; mov $0x10000, %%ebp; syscall\n"
		"1: mov %%rbx, %%rbp" : "+a" (result), [pc] "=m" (*pc) : : "rbx", "rcx", "r10", "r11", "memory");
}
#elif defined(__riscv)
#define WRITE 64
#define GETPID 172
#define EXIT 93
asm(".globl _start; _start: .option push; .option norelax; la gp, __global_pointer$; .option pop;"
    "mv a0, sp; li s0, 0; andi sp, sp, -16; call start; unimp");

static inline __attribute__((always_inline)) word system_call(word number, word a, word b, word c, word *pc)
{
	register word result asm("a0") = a;
	register word second asm("a1") = b;
	register word third asm("a2") = c;
	register word which asm("a7") = number;
	word at;

	asm volatile("la %[at], 1f; ecall; 1:"
		: "+r" (result), [at] "=&r" (at) : "r" (second), "r" (third), "r" (which) : "memory");
	*pc = at;
	return result;
}

static inline __attribute__((always_inline)) void getpid_without_stack(word *pc)
{
	word at;

	asm volatile("li a7, %[number]; mv t1, s0; la %[at], 1f; li s0, 0x10000; ecall; 1: mv s0, t1"
		: [at] "=&r" (at) : [number] "i" (GETPID) : "a0", "a7", "t1", "memory");
	*pc = at;
}
#else
#define WRITE 4
#define GETPID 20
#define EXIT 1
asm(".globl _start; _start: add %sp, 2047 + 128, %o0; sub %sp, 192, %sp; call start; nop");

static inline __attribute__((always_inline)) word system_call(word number, word a, word b, word c, word *pc)
{
	register word result asm("o0") = a;
	register word second asm("o1") = b;
	register word third asm("o2") = c;
	register word which asm("g1") = number;
	word at;

	asm volatile("rd %%pc, %[at]; ta 0x6d\n"
		: "+r" (result), "+r" (second), [at] "=&r" (at) : "r" (third), "r" (which) : "memory", "cc");
	*pc = at + 8;
	return result;
}

static inline __attribute__((always_inline)) void getpid_without_stack(word *pc)
{
	word at;

	asm volatile("mov %[number], %%g1; mov %%sp, %%l7; rd %%pc, %[at]; mov 1, %%sp; ta 0x6d; mov %%l7, %%sp"
		: [at] "=&r" (at) : [number] "i" (GETPID) : "g1", "l7", "o0", "o1", "memory", "cc");
	*pc = at + 12;
}
#endif

static word addresses[40], count, ignored;
static volatile word ticks = 300000;

static __attribute__((noinline)) void innermost(char action)
{
	word pc = 0;

	addresses[count++] = (word)__builtin_return_address(0);
	if (action == 'w')
		while (ticks)
			ticks--;
	else if (action == 'l')
		getpid_without_stack(&pc);
	else
		system_call(GETPID, 0, 0, 0, &pc);
	addresses[count++] = pc;
}

static __attribute__((noinline)) void deeper(int levels, char action)
{
	addresses[count++] = (word)__builtin_return_address(0);
	if (levels > 0)
		deeper(levels - 1, action);
	else
		innermost(action);
	asm volatile("" : : : "memory");
}

__attribute__((noinline)) void start(word *arguments)
{
	char **argv = (char **)(arguments + 1);

	addresses[count++] = (word)__builtin_return_address(0);
	deeper(argv[1][0] - 'a', arguments[0] > 2 ? argv[2][0] : 0);
	system_call(WRITE, 1, (word)addresses, count * sizeof(word), &ignored);
	system_call(EXIT, 0, 0, 0, &ignored);
	for (;;)
		;
}
"""
OPTIONS = (
    "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie",
    "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-inline",
)  # fmt: skip


@pytest.fixture(scope="module")
def guest(arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with the program at /mnt/calls."""
    folder = tmp_path_factory.mktemp("programs")
    compile_static(arch, PROGRAM, folder / "calls", *OPTIONS)
    with Machine(arch=arch, cpus=1, shares=[Share(folder, guest="/mnt")]) as machine:
        machine.tracefs.write("options/userstacktrace", "1")
        yield machine
        assert machine.run("echo alive").output == b"alive\n"
        assert machine.warnings == []


def stacks_of(machine: Machine, event: str, command: str) -> tuple[list[list[int]], list[int]]:
    """The user stacks recorded at an event while the program runs, and those that the program writes: innermost first."""
    write = machine.tracefs.write
    write("trace", "")
    write(f"events/{event}/enable", "1")
    try:
        done = machine.run(command, trace=True)
    finally:
        write(f"events/{event}/enable", "0")
    assert done.status == 0
    stacks = re.findall(r"^ +calls-\d+ .*: <user stack trace>\n((?: =>  <[0-9a-f]{16}>\n)*)", machine.tracefs.read("trace"), re.M)
    written = np.frombuffer(done.output, machine.kernel.image.byte_order + "u8").tolist()
    return [[int(address, 16) for address in re.findall("<(.*)>", stack)] for stack in stacks], written[::-1]


@pytest.mark.parametrize("levels", [0, 1, 2, 4, 5, 6, 7, 11])
def test_the_calls_of_a_program(guest: Machine, levels: int) -> None:
    """On SPARC V9 their windows are in the CPU, or on the program's stack."""
    stacks, expected = stacks_of(guest, "syscalls/sys_enter_getpid", f"/mnt/calls {chr(ord('a') + levels)}")
    assert len(expected) == levels + 4
    assert stacks == [expected[:8]]


def test_a_program_whose_stack_is_nowhere(arch: str, guest: Machine) -> None:
    """On SPARC V9 the calls are still in its windows."""
    stacks, expected = stacks_of(guest, "syscalls/sys_enter_getpid", "/mnt/calls c lost")
    assert stacks == [expected[: 8 if arch == "sparc64" else 1]]


@pytest.mark.static_timing("how often a task is interrupted is counted")
def test_a_program_that_gives_the_cpu_to_another(guest: Machine) -> None:
    """On SPARC V9 its windows have then left the CPU, and the innermost one is saved in the task."""
    stacks, expected = stacks_of(guest, "sched/sched_switch", "/mnt/calls k wait > /dev/null & /mnt/calls k wait; wait")
    inside = [stack for stack in stacks if stack[1:] == expected[1:8]]
    assert len(inside) > 4


@pytest.mark.static_timing("how often a task is interrupted is counted")
def test_an_interrupt_shows_where_the_program_is(guest: Machine) -> None:
    stacks, expected = stacks_of(guest, "timer/hrtimer_expire_entry", "/mnt/calls c wait")
    inside = [stack for stack in stacks if stack[1:] == expected[1:]]
    assert len(inside) > len(stacks) // 2 > 2
    assert all(0 < stack[0] - expected[1] + 0x1000 < 0x2000 for stack in inside)


def test_kernel_threads_have_no_program(guest: Machine) -> None:
    write = guest.tracefs.write
    write("trace", "")
    write("events/sched/sched_switch/enable", "1")
    guest.run("ls /; usleep 50000", trace=True)
    write("events/sched/sched_switch/enable", "0")
    kinds = re.findall(r"^ +(.*)-\d+ +\[.*?: (?:(sched_switch)|(<user))", guest.tracefs.read("trace"), re.M)
    switched, stacks = ({task for task, *kind in kinds if kind[n]} for n in (0, 1))
    assert "<idle>" in switched and "sh" in stacks
    assert not any(task == "<idle>" or task.startswith(("rcu", "kworker", "ksoftirqd", "migration")) for task in stacks)


ADDRESS = st.one_of(
    st.integers(0, (1 << 64) - 1),
    st.integers(0, 20).map(lambda n: 0x40_0000 + 0x1000 * n - 8),
    st.integers(0, 1 << 16).map(lambda n: (1 << 47) - n),
    st.integers(0, 1 << 16).map(lambda n: (1 << 43) - n),
    st.integers(0, 1 << 20).map(lambda n: 0xFFFF_F800_0000_0000 + 8 * n),
)


def test_whatever_a_program_has_where_its_stack_should_be(arch: str, guest: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing outside the program's memory is read."""
    recorder, layout = guest.trace_array.recorder, guest.trace_array.recorder.globals.guest
    module = importlib.import_module(f"emu.ftrace.native.arch.{arch}_user")
    unwind = module.build(layout, context.build(layout))
    array, order = np.uint64(recorder.globals.records.top.address), guest.kernel.image.byte_order
    registers, out = np.zeros(64, order + "u8"), np.zeros(10, np.uint64)
    examined = []

    def examine(cpu: np.uint64, task: np.uint64, address: int, sp: int, link: int) -> None:
        saved = guest.kernel.arch.saved_registers(guest.kernel.image)
        for place, value in zip(saved, (address, sp, link), strict=True):
            registers[place // 8] = value
        out[:] = 0xA5
        count = int(unwind(cpu, array, task, np.uint64(registers.ctypes.data), np.uint64(out.ctypes.data), np.uint64(8)))
        assert 0 <= count <= 8 and (out[count:] == 0xA5).all()
        assert (out[0] == address) if address else count == 0
        examined.append(count)

    def write_marker(text: bytes, newline: int | None = None) -> bool:
        caller = guest.kernel.acting_cpu
        task = guest.kernel.memory.host_address(guest.kernel.tasks.current(caller))

        @settings(max_examples=500, deadline=None, database=None, derandomize=True)
        @given(ADDRESS, ADDRESS, ADDRESS)
        def wild(address: int, sp: int, link: int) -> None:
            examine(np.uint64(caller.record.address), np.uint64(task), address, sp, link)

        state = Env.from_address(caller.env) if arch == "sparc64" else None
        others = state.otherwin if state else 0
        if state:
            state.otherwin = 0
        try:
            wild()
        finally:
            if state:
                state.otherwin = others
        return True

    monkeypatch.setattr(recorder.host_events, "write_marker", write_marker)
    assert guest.run("echo x > /sys/kernel/tracing/trace_marker").status == 0
    assert len(examined) >= 500 and max(examined) > 1
