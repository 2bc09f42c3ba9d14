# SPDX-License-Identifier: GPL-2.0-only
"""The differences between architectures for tests that run on each of them."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from emu.architectures import ARCHITECTURES

__all__ = ["FACTS", "OTHERS", "Facts"]

OTHERS = ARCHITECTURES[1:]  # all but the default


@dataclass(frozen=True)
class Facts:
    """The facts about one architecture."""

    cpus: tuple[int, int, int]  # numbers of CPUs: one, few and many
    arguments: tuple[str, ...]  # the registers of a call's arguments, as Cpu.registers() names them
    stack_pointer: str  # named likewise
    stack_bias: int  # added to the stack pointer for the address of the stack
    undefined: bytes  # an undefined instruction
    forbidden: int  # a shell's status for a program that was killed for a privileged operation
    system_call: str  # the kernel's function that dispatches system calls
    traps_division: bool  # a division by zero is a fault
    fork: str  # the function of the system call by which programs fork
    folds_resched: bool  # a due reschedule is also a bit of preempt_count
    timer_interrupt: str  # the handler of the tick
    page_fault: str  # the handler of page faults of a program
    stack_overflow: str  # a pattern of the message for a kernel stack overflow
    compiler: str  # the compiler of the committed images
    version: str  # the first line of its --version


FACTS = {
    "x86_64": Facts(
        cpus=(1, 2, 4),
        arguments=("rdi", "rsi"),
        stack_pointer="rsp",
        stack_bias=0,
        undefined=bytes.fromhex("0f0b"),
        forbidden=128 + signal.SIGSEGV,
        system_call="do_syscall_64",
        fork="sys_fork",
        traps_division=True,
        folds_resched=True,
        timer_interrupt="sysvec_apic_timer_interrupt",
        page_fault="exc_page_fault",
        stack_overflow=r"BUG: TASK stack guard page was hit at [0-9a-f]{16} \(stack is [0-9a-f]{16}\.\.[0-9a-f]{16}\)",
        compiler="gcc",
        version="gcc (Debian 12.2.0-14+deb12u1) 12.2.0",
    ),
    "sparc64": Facts(
        cpus=(1, 4, 16),
        arguments=("o0", "o1"),
        stack_pointer="sp",
        stack_bias=2047,
        undefined=bytes(4),
        forbidden=128 + signal.SIGILL,
        system_call="do_syscall",
        fork="sys_fork",
        traps_division=True,
        folds_resched=False,
        timer_interrupt="timer_interrupt",
        page_fault="do_sparc64_fault",
        stack_overflow="kernel stack overflow",
        compiler="sparc64-linux-gnu-gcc",
        version="sparc64-linux-gnu-gcc (Debian 12.2.0-13) 12.2.0",
    ),
    "riscv64": Facts(
        cpus=(1, 4, 16),
        arguments=("a0", "a1"),
        stack_pointer="sp",
        stack_bias=0,
        undefined=bytes(4),
        forbidden=128 + signal.SIGILL,
        system_call="do_syscall",
        fork="sys_clone",
        traps_division=False,
        folds_resched=True,
        timer_interrupt="riscv_timer_interrupt",
        page_fault="do_page_fault",
        stack_overflow="Kernel stack overflow",
        compiler="riscv64-linux-gnu-gcc",
        version="riscv64-linux-gnu-gcc (Debian 12.2.0-13) 12.2.0",
    ),
}
