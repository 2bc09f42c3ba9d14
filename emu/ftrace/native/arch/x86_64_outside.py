# SPDX-License-Identifier: GPL-2.0-only
"""Traces an x86-64 kernel from outside: these functions run before the blocks with which functions begin, and before those to
which calls return. They change nothing of the guest. When a function begins, its return address is at 0(%rsp). When it has
returned, the address was at -8(%rsp).
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.arch.x86_64_walk import walk_from
from emu.cpu.native.callouts import build_watch_returns
from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.ftrace.native import (
    awaited_returns,
    call_stacks,
    context,
    function,
    function_graph,
    pids,
    saved_cmdlines,
    syscalls,
    task_switch,
)
from emu.ftrace.native.arch import OutsideCallbacks, OutsideTaskCallbacks, SyscallCallbacks, x86_64_orc
from emu.ftrace.native.call_values import CallValues
from emu.ftrace.native.context import array_of, host_address
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.orc_record import OrcTables
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.unwind import Unwind
from emu.ftrace.native.user_strings import UserString
from emu.native.functions import Compiled, Native, callback, njit
from emu.native.records import Words, u64

__all__ = [
    "build", "build_syscalls", "build_tasks", "build_translate", "build_unwind", "place_of", "put_arguments", "return_address",
    "returned",
]  # fmt: skip

SLOT_SIZE = 8  # bytes, of an address on a stack
PAGE_OFFSET, SLOT = u64(0xFFF), u64(0xFF8)
KERNEL_HALF = u64(1 << 63)
WORK_TRACEPOINT = u64(2)  # of include/linux/thread_info.h: SYSCALL_WORK_SYSCALL_TRACEPOINT
TS_COMPAT = u64(2)  # of arch/x86/include/asm/thread_info.h: "32bit syscall active (64BIT)"


@njit
def return_address(cpu: Cpu, sp: u64) -> u64:
    """The return address of the function that begins. The latest page of a stack is found without the page table."""
    array_cpu = ArrayCpu(cpu.callout)
    page = sp & ~PAGE_OFFSET
    if page != array_cpu.stack_page:
        array_cpu.stack_page = page
        array_cpu.stack_host = host_address(array_cpu.array, page)
    return Words(array_cpu.stack_host + (sp & SLOT))[0]


@njit
def place_of(cpu: Cpu, board: Board, address: u64) -> u64:
    """The RAM address of code; NEVER if it is none of the kernel's."""
    place = host_address(array_of(cpu), address) - board.ram
    return place if address & KERNEL_HALF and place < board.ram_size else NEVER


@njit
def orc_of(array: TraceArray) -> OrcTables:
    return array.orc


@njit
def word_at(array: TraceArray, address: u64) -> u64:
    return Words(host_address(array, address))[0]


def build_unwind(with_places: bool) -> Unwind:
    """The unwinder of the kernel's stacks: see `native.unwind`."""
    return x86_64_orc.build(orc_of, word_at, with_places=with_places)


def build_translate() -> Compiled[[TraceArray, u64], u64]:
    """See `TraceArray.translate`."""

    @callback
    def translate(array: TraceArray, address: u64) -> u64:
        place = walk_from(array.page_table, array.ram, array.ram_size, address)
        return array.nowhere if place == NEVER else array.ram + place

    return translate


@njit
def put_arguments(cpu: Cpu, place: u64) -> None:
    """Those of the System V ABI, "Parameter Passing"."""
    registers, words = Registers(cpu.env), Words(place)
    words[0] = registers.di
    words[1] = registers.si
    words[2] = registers.dx
    words[3] = registers.cx
    words[4] = registers.r8
    words[5] = registers.r9


@njit
def result(cpu: Cpu) -> u64:
    return Registers(cpu.env).ax


@callback
def returned(cpu: Cpu, address: u64) -> None:
    """A block begins to which a watched call may return."""
    array = array_of(cpu)
    of_graph, of_probes, of_programs = array.graph_returned, array.probes_returned, array.programs_returned
    if of_graph is not None:
        of_graph(cpu, address)
    if of_probes is not None:
        of_probes(cpu, address)
    if of_programs is not None:
        of_programs(cpu, address)


def build(guest: Guest, irqs_off: Callable[[u64], bool], general: bool, arguments: bool) -> OutsideCallbacks:
    """Compiles for a guest. `irqs_off`: see `NativeCpu`. `general`, `arguments`: see `OutsideCallbacks`."""
    about, stacks = context.build(guest), call_stacks.build(guest)
    values = CallValues(put_arguments if arguments else None, result)
    record_function, before_graph, after_graph = function.build(about, general, values)
    record_graph_entry, record_graph_return = function_graph.build(
        guest, about, stacks.task_calls, general, entry_depth=0, values=values
    )
    watch_returns = build_watch_returns("x86_64", place_of)
    follow, drop_left, returning = stacks.follow, stacks.drop_left, stacks.returning

    @callback
    def function_entry(cpu: Cpu, ip: u64) -> None:
        record_function(cpu, ip, return_address(cpu, Registers(cpu.env).sp), irqs_off(cpu.env))

    @callback
    def graph_entry(cpu: Cpu, ip: u64) -> None:
        frame = Registers(cpu.env).sp
        returns_to = return_address(cpu, frame)
        before_graph(cpu, ip, returns_to, irqs_off(cpu.env))
        follow(cpu)
        drop_left(ArrayCpu(cpu.callout), frame)
        if record_graph_entry(cpu, ip, returns_to, frame, irqs_off(cpu.env)):
            watch_returns(cpu, returns_to, array_of(cpu).returned)
        after_graph(cpu, ip)

    @callback
    def graph_return(cpu: Cpu, address: u64) -> None:
        """A function that ended with a jump to another one returns together with it."""
        array_cpu, frame = ArrayCpu(cpu.callout), Registers(cpu.env).sp - SLOT_SIZE
        follow(cpu)
        while returning(array_cpu, frame, address):
            record_graph_return(cpu, frame, irqs_off(cpu.env))

    return OutsideCallbacks(function_entry, graph_entry, graph_return)


def build_tasks(guest: Guest) -> OutsideTaskCallbacks:
    """Compiles for a guest."""
    native, stacks, thread_size = Native(guest.layouts), call_stacks.build(guest), guest.numbers.thread_size
    switch_stack, forget = stacks.switch_stack, stacks.forget
    choose, process_fork, process_free = pids.build(guest)
    process_switch = task_switch.build(guest, choose, saved_cmdlines.build(guest), stacks.task_calls.of_task)

    @callback
    def switched(cpu: Cpu, address: u64) -> None:
        registers = Registers(cpu.env)
        process_switch(cpu, registers.di, registers.si)
        switch_stack(cpu)

    @native.callback
    def forked(cpu: Cpu, address: u64) -> None:
        array_cpu, child = ArrayCpu(cpu.callout), Registers(cpu.env).di
        forget(array_cpu.array, child)
        awaited_returns.functions.forget(array_cpu.array, Task(host_address(array_cpu.array, child)).stack, thread_size)
        process_fork(cpu, array_cpu.hot.current_task, child)

    @callback
    def freed(cpu: Cpu, address: u64) -> None:
        task = Registers(cpu.env).di
        awaited_returns.functions.forget_task(array_of(cpu), task)
        process_free(cpu, task)

    return OutsideTaskCallbacks(switched, forked, freed, stacks.run_task)


@njit
def register(cpu: Cpu, index: u64) -> u64:
    """A general register, by its number in instructions."""
    return Words(cpu.env)[index]


def build_syscalls(guest: Guest, user_string: UserString | None) -> SyscallCallbacks:
    """Compiles for a guest. `user_string`: see `native.syscalls`."""
    return syscalls.build(guest, register, TS_COMPAT, ~WORK_TRACEPOINT, user_string)
