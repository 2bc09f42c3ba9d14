# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 instructions that the host executes: `syscall`, `rdtsc`, `in`, and `out` to the host-call port."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unicorn import x86_const as x86

from emu.cpu.arch.x86_64.state import CS, SS
from emu.cpu.native import callouts
from emu.cpu.native.arch.x86_64_env import Env, Segment
from emu.cpu.native.cpu_records import Cpu, Uc
from emu.native.functions import Native, external, njit
from emu.native.records import Layouts, i32, u32, u64

__all__ = ["EXECUTED", "PRIVILEGE", "build_execute", "build_hooks"]

_raise = external("raise_exception_err_x86_64", None, Env, i32, i32)
_read_flags = external("helper_read_eflags_x86_64", u64, Env)
_write_flags = external("helper_write_eflags_x86_64", None, Env, u64, u32)

HOST_CALL_PORT = 0xE0
PRIVILEGE = u64(3)  # QEMU: bits of hflags
GENERAL_PROTECTION = 13
DONE = 1  # tells Unicorn that the instruction has been executed
LOW_HALF = u64(0xFFFF_FFFF)

# The descriptor caches loaded by `syscall` (manual volume 2B, SYSCALL): flat, ring 0, 64-bit code and writable data.
CODE_FLAGS, DATA_FLAGS = 0x00A0_9B00, 0x00C0_9300
FLAT_LIMIT, WRITABLE_FLAGS = 0xFFFF_FFFF, 0xFFFF_FFFF
SYSCALL_LENGTH = 2

SYSCALL = 0
EXECUTED = ("helper_syscall_x86_64",)
"""The helpers of the instructions that the block hook executes."""


@njit
def load_segment(segment: Segment, selector: u64, flags: u64) -> None:
    segment.selector = selector
    segment.base = 0
    segment.limit = FLAT_LIMIT
    segment.flags = flags


def build_execute(layouts: Layouts) -> Callable[[Cpu, u64], None]:
    """execute(cpu, number): executes the instruction with this number in EXECUTED."""
    njit = Native(layouts).njit

    @njit
    def syscall(env: Env) -> None:
        """SYSCALL as described in the manual (volume 2B). Unicorn would leave the whole instruction to a hook."""
        flags = _read_flags(env)
        env.cx = env.eip + SYSCALL_LENGTH
        env.r11 = flags
        _write_flags(env, flags & ~env.fmask, WRITABLE_FLAGS)
        selector = env.star >> 32 & 0xFFFC
        load_segment(env.segments[CS], selector, CODE_FLAGS)
        load_segment(env.segments[SS], selector + 8, DATA_FLAGS)
        env.hflags &= ~PRIVILEGE
        env.eip = env.lstar

    @njit
    def execute(cpu: Cpu, number: u64) -> None:
        if number == SYSCALL:
            syscall(Env(cpu.env))

    return execute


def build_hooks(layouts: Layouts) -> Sequence[tuple[int, int]]:
    """(Unicorn's number of an instruction, address of the hook that executes it)"""
    native = Native(layouts)

    @native.njit
    def read_time(cpu: Cpu, env: Env) -> None:
        env.ax = cpu.cycles & LOW_HALF
        env.dx = cpu.cycles >> 32

    @native.callback
    def rdtsc(uc: Uc, cpu: Cpu) -> i32:
        """RDTSC reads the cycle counter."""
        read_time(cpu, Env(cpu.env))
        return DONE

    @native.callback
    def rdtscp(uc: Uc, cpu: Cpu) -> i32:
        """RDTSCP: the cycle counter, and the CPU's number in ECX."""
        env = Env(cpu.env)
        read_time(cpu, env)
        env.cx = cpu.index
        return DONE

    @native.njit
    def check_port(env: Env) -> None:
        """IOPL is 0: only the kernel may access ports. Unicorn omits the check (SDM volume 1, 19.5.1)."""
        if env.hflags & PRIVILEGE:
            _raise(env, GENERAL_PROTECTION, 0)

    @native.callback
    def port_in(uc: Uc, port: u32, size: i32, cpu: Cpu) -> u32:
        """`in`: every port reads as all ones."""
        check_port(Env(cpu.env))
        return 0xFFFF_FFFF

    @native.callback
    def host_call(uc: Uc, port: u32, size: i32, value: u32, cpu: Cpu) -> None:
        """`out` to the host-call port (docs/board.md). Other ports do nothing."""
        env, arguments = Env(cpu.env), cpu.arguments
        check_port(env)
        if port != HOST_CALL_PORT:
            return
        arguments[0], arguments[1], arguments[2], arguments[3] = env.di, env.si, env.dx, env.cx
        if callouts.host_call(cpu, env.ax):
            env.ax = cpu.result

    return (
        (x86.UC_X86_INS_RDTSC, rdtsc.address),
        (x86.UC_X86_INS_RDTSCP, rdtscp.address),
        (x86.UC_X86_INS_IN, port_in.address),
        (x86.UC_X86_INS_OUT, host_call.address),
    )
