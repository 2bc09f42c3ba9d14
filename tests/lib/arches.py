# SPDX-License-Identifier: GPL-2.0-only
"""What tests that run on every architecture must know of each."""

from __future__ import annotations

import signal
from dataclasses import dataclass

__all__ = ["FACTS", "Facts"]


@dataclass(frozen=True)
class Facts:
    """One architecture."""

    cpus: tuple[int, int, int]  # one, few and many of them
    arguments: tuple[str, ...]  # the registers of a call's arguments, as Cpu.registers() names them
    stack_pointer: str  # likewise
    undefined: bytes  # an instruction that there is not
    forbidden: int  # a shell's status of a program that was killed for what only the kernel may do
    system_call: str  # the kernel's function that calls those of system calls
    folds_resched: bool  # that a reschedule is due is also a bit of preempt_count
    timer_interrupt: str  # the one of a tick
    page_fault: str  # the handler of faults of a program
    stack_overflow: str  # a pattern: what is said when a kernel stack is full
    compiler: str  # of the committed images
    version: str  # the first line it says of itself


FACTS = {
    "x86_64": Facts(
        cpus=(1, 2, 4),
        arguments=("rdi", "rsi"),
        stack_pointer="rsp",
        undefined=bytes.fromhex("0f0b"),
        forbidden=128 + signal.SIGSEGV,
        system_call="do_syscall_64",
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
        undefined=bytes(4),
        forbidden=128 + signal.SIGILL,
        system_call="do_syscall",
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
        undefined=bytes(4),
        forbidden=128 + signal.SIGILL,
        system_call="do_syscall",
        folds_resched=True,
        timer_interrupt="riscv_timer_interrupt",
        page_fault="do_page_fault",
        stack_overflow="Kernel stack overflow",
        compiler="riscv64-linux-gnu-gcc",
        version="riscv64-linux-gnu-gcc (Debian 12.2.0-13) 12.2.0",
    ),
}
