# SPDX-License-Identifier: GPL-2.0-only
"""Records of system calls that are followed from outside."""

from __future__ import annotations

from emu.ftrace.native.trace_records import Event
from emu.native.records import GuestRecord, Record, Records, Values, inline, u32, u64

__all__ = ["ANY", "ARGUMENTS", "FIRST", "SECOND", "Calling", "Entry", "OfSyscall", "SyscallPlace", "SyscallRegisters", "Syscalls"]

ARGUMENTS = 6

# A call for which there is nothing else to do is told at the first kind of places, any other one at the second kind.
ANY, FIRST, SECOND = 0, 1, 2


class SyscallRegisters(GuestRecord):
    """struct pt_regs of a system call. Those of another ABI have their arguments in other registers."""

    number: u64  # as the program has given it, or a tracer of programs has changed it
    result: u64
    argument_0: u64
    argument_1: u64
    argument_2: u64
    argument_3: u64
    argument_4: u64
    argument_5: u64
    other_0: u64
    other_1: u64
    other_2: u64
    other_3: u64
    other_4: u64
    other_5: u64


class Calling(GuestRecord):
    """struct task_struct, as far as system calls need more of it."""

    status: u32  # says whether the call is one of another ABI
    work: u64  # bits of what is to be done besides obeying the call


class OfSyscall(Record):
    """A system call's events; None: the event is not used."""

    enter: Event | None
    exit: Event | None
    arguments: u64  # the number of its arguments
    strings: u64  # a bit for each argument whose string is recorded


class Syscalls(Record):
    """What is recorded of system calls."""

    raw_enter: Event | None  # raw_syscalls:sys_enter
    raw_exit: Event | None
    raw_enter_last: bool  # whether it is recorded after the system call's own event
    raw_exit_last: bool
    string_size: u64  # the most characters of a string that are recorded
    calls: Records[OfSyscall]  # by number
    count: u64


class SyscallPlace(Record):
    """A place in the kernel's code to which every system call comes."""

    syscalls: Syscalls
    code: u64  # its address
    kind: u64  # ANY, FIRST or SECOND
    register: u64  # unless it is a first one: the index of the register that has the call's number there


class Entry(Record):
    """The head of an entry."""

    common: u64
    number: u64
    values: Values[u64] = inline(ARGUMENTS)  # the arguments, or the result
