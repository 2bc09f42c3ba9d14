# SPDX-License-Identifier: GPL-2.0-only
"""Makes the events of system calls at places of a Linux's code to which every call comes: before the kernel obeys it, and when
the kernel begins to return to the program.

Linux does this only for tasks with a certain bit in their flags, which nothing sets from outside.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import stages
from emu.ftrace.native.arch import SyscallCallbacks
from emu.ftrace.native.context import host_address
from emu.ftrace.native.entry import end_entry
from emu.ftrace.native.guest_records import Guest, Task
from emu.ftrace.native.syscall_record import (
    ANY,
    ARGUMENTS,
    FIRST,
    Calling,
    Entry,
    OfSyscall,
    SyscallPlace,
    SyscallRegisters,
    Syscalls,
)
from emu.ftrace.native.trace_records import ArrayCpu, Event, TraceArray
from emu.ftrace.native.trace_values import PLACE_BLOCK
from emu.ftrace.native.user_strings import UserString
from emu.native.functions import Native, njit
from emu.native.records import Bytes, Ints, u64

__all__ = ["build"]

HEAD, WORD, LENGTH = u64(16), u64(8), u64(16)  # the last: bits, in a __data_loc word
RAW_ENTER, RAW_EXIT = HEAD + WORD * ARGUMENTS, HEAD + WORD  # bytes of entries
INT, NONE, SIGN = u64((1 << 32) - 1), u64((1 << 32) - 1), u64(1 << 31)  # a call's number is an int; -1 is none's


@njit
def put(cpu: Cpu, array: TraceArray, event: Event | None, address: u64, stage: u64, size: u64) -> None:
    """Records the entry for an event, if an array uses it."""
    if event is not None and event.files is not None:
        context = array.event_context
        context.place = PLACE_BLOCK
        context.ip = address
        stages.put(cpu, array, event, None, Bytes(stage), size)


@njit
def of_number(syscalls: Syscalls, number: u64) -> OfSyscall | None:
    """The events of the system call with a number; None if there is none."""
    return syscalls.calls[number] if number < syscalls.count else None


def without_strings(cpu: Cpu, array: TraceArray, called: OfSyscall, stage: u64, most: u64, size: u64) -> u64:
    """No strings are recorded."""
    return size


def build(
    guest: Guest, register: Callable[[Cpu, u64], u64], other_abi: u64, others_work: u64, user_string: UserString | None
) -> SyscallCallbacks:
    """Compiles for a guest.

    Args:
        guest: the layout of its structures.
        register: register(cpu, index) -> a general register.
        other_abi: the bits of Calling.status that a system call of another ABI has.
        others_work: the bits of Calling.work by which somebody else than tracing may look at a call, and deny it.
        user_string: reads strings in a program's memory; None: none are recorded.
    """
    native, of_user = Native(guest.layouts), guest.numbers.of_user

    @native.njit
    def registers_of(array: TraceArray, task: u64) -> SyscallRegisters:
        """Those that a task had in its program."""
        return SyscallRegisters(host_address(array, Task(host_address(array, task)).stack + of_user))

    @native.njit
    def is_other(array: TraceArray, task: u64) -> bool:
        return Calling(host_address(array, task)).status & other_abi != 0

    @native.njit
    def work_of(array: TraceArray, task: u64) -> u64:
        return Calling(host_address(array, task)).work

    @native.njit
    def fill_arguments(entry: Entry, registers: SyscallRegisters, other: bool) -> None:
        values = entry.values
        if other:
            values[0], values[1], values[2] = registers.other_0, registers.other_1, registers.other_2
            values[3], values[4], values[5] = registers.other_3, registers.other_4, registers.other_5
        else:
            values[0], values[1], values[2] = registers.argument_0, registers.argument_1, registers.argument_2
            values[3], values[4], values[5] = registers.argument_3, registers.argument_4, registers.argument_5

    @njit
    def with_strings(cpu: Cpu, array: TraceArray, called: OfSyscall, stage: u64, most: u64, size: u64) -> u64:
        """Stores the strings of arguments behind an entry of `size` bytes, and their places in it. Returns its whole size."""
        values, location, end = Entry(stage).values, stage + HEAD + WORD * called.arguments, size
        for n in range(ARGUMENTS):
            if called.strings >> u64(n) & 1:
                length = user_string(cpu, array, values[n], Bytes(stage + end), most) if user_string is not None else u64(0)
                Ints(location)[0] = end | length << LENGTH
                location += 4
                end += length
        return end_entry(Bytes(stage), end)

    strings = njit(without_strings) if user_string is None else with_strings

    @njit
    def fill_number(entry: Entry, number: u64) -> None:
        """Stores a call's number, an int, as a long."""
        entry.number = (number ^ SIGN) - SIGN

    @native.callback
    def enter(cpu: Cpu, argument: u64) -> None:
        """The kernel is about to obey a system call, with interrupts on."""
        place, array_cpu = SyscallPlace(argument), ArrayCpu(cpu.callout)
        array, syscalls, task = array_cpu.array, place.syscalls, array_cpu.hot.current_task
        registers = registers_of(array, task)
        number = registers.number & INT
        if place.kind != ANY and (place.kind == FIRST) != (work_of(array, task) & others_work == 0):
            return  # it is told at another place
        if place.kind != FIRST and register(cpu, place.register) & INT == NONE and number != NONE:
            return  # it is denied, by seccomp or by a tracer of programs
        stage = stages.enter(array)
        if stage == 0:
            return
        entry, other = Entry(stage), is_other(array, task)
        fill_number(entry, number)
        fill_arguments(entry, registers, other)
        if not syscalls.raw_enter_last:
            put(cpu, array, syscalls.raw_enter, place.code, stage, RAW_ENTER)
        called = of_number(syscalls, number)
        if called is not None and not other and called.enter is not None and called.enter.files is not None:
            size = strings(cpu, array, called, stage, syscalls.string_size, called.enter.size)
            put(cpu, array, called.enter, place.code, stage, size)
        if syscalls.raw_enter_last:
            fill_arguments(entry, registers, other)
            put(cpu, array, syscalls.raw_enter, place.code, stage, RAW_ENTER)
        stages.leave(array)

    @native.callback
    def leave(cpu: Cpu, argument: u64) -> None:
        """The kernel begins to return to the program, with interrupts on."""
        place, array_cpu = SyscallPlace(argument), ArrayCpu(cpu.callout)
        array, syscalls, task = array_cpu.array, place.syscalls, array_cpu.hot.current_task
        registers = registers_of(array, task)
        number = registers.number & INT
        stage = stages.enter(array)
        if stage == 0:
            return
        entry = Entry(stage)
        fill_number(entry, number)
        entry.values[0] = registers.result
        if not syscalls.raw_exit_last:
            put(cpu, array, syscalls.raw_exit, place.code, stage, RAW_EXIT)
        called = of_number(syscalls, number)
        if called is not None and not is_other(array, task):
            put(cpu, array, called.exit, place.code, stage, RAW_EXIT)
        if syscalls.raw_exit_last:
            put(cpu, array, syscalls.raw_exit, place.code, stage, RAW_EXIT)
        stages.leave(array)

    return SyscallCallbacks(enter, leave)
