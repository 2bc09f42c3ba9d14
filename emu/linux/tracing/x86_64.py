# SPDX-License-Identifier: GPL-2.0-only
"""What is particular to tracing an x86-64 Linux from outside: the native code, compiled when it is first used, and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from emu.cpu.arch import CpuArch
from emu.cpu.native.cpu_records import Cpu
from emu.cpu.pc import PC_ARCH
from emu.ftrace.arch.native_tracing import NativeTracing, once
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.native import context
from emu.ftrace.native.arch import (
    OutsideCallbacks,
    OutsideTaskCallbacks,
    ProgramProbes,
    SyscallCallbacks,
    WakeupCalls,
    WatchedProbes,
    WatchedSections,
    x86_64_outside,
)
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_numbers import GuestNumbers
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.unwind import Unwind
from emu.linux.tracing.x86_64_syscalls import LEAVES, enter_places
from emu.native.functions import Compiled
from emu.native.records import u64

__all__ = [
    "CALLING", "LEAVES", "LINK", "NATIVE", "PC", "SP", "SYSCALL_REGISTERS", "THREAD_SIZE",
    "OutsideTracing", "enter_places", "instruction_begins", "numbers", "probe_registers", "probed_offset",
]  # fmt: skip

THREAD_SIZE = 16 << 10  # of arch/x86/include/asm/page_64_types.h, without KASAN
PC, SP, LINK = "ip", "sp", "bp"  # the members of struct pt_regs
# The same, of a system call: by the fields of SyscallRegisters, whose other arguments are those of 32-bit programs
SYSCALL_REGISTERS: Mapping[str, str] = {
    "number": "orig_ax", "result": "ax",
    **{f"argument_{n}": name for n, name in enumerate(("di", "si", "dx", "r10", "r8", "r9"))},
    **{f"other_{n}": name for n, name in enumerate(("bx", "cx", "dx", "si", "di", "bp"))},
}  # fmt: skip
# Members of struct task_struct: that says whether a call is a 32-bit program's; what is to be done besides obeying a call
CALLING: Mapping[str, str] = {"status": "thread_info.status", "work": "thread_info.syscall_work"}


class OutsideTracing(NativeTracing):
    """What native code does for tracing an x86-64 Linux."""

    cpu: ClassVar[CpuArch] = PC_ARCH
    cycle_clock: ClassVar[str] = "x86-tsc"
    fault_texts: ClassVar[bool] = False

    @once
    def outside_callbacks(self, guest: Guest, general: bool, arguments: bool) -> OutsideCallbacks:
        """The native functions for calls."""
        return x86_64_outside.build(guest, self.cpu.native().irqs_off, general, arguments)

    def returned(self) -> Compiled[[Cpu, u64], None]:
        """The native function for where watched calls return to (trace_records.TraceArray)."""
        return x86_64_outside.returned

    @once
    def watched_probes(self, guest: Guest) -> WatchedProbes:
        """The native functions for kprobes."""
        made: WatchedProbes = self._native("_watched").build(guest)
        return made

    @once
    def program_probes(self, guest: Guest) -> ProgramProbes:
        """The native functions for uprobes."""
        made: ProgramProbes = self._native("_programs").build(guest)
        return made

    @once
    def outside_tasks(self, guest: Guest) -> OutsideTaskCallbacks:
        """The native functions that follow tasks."""
        return x86_64_outside.build_tasks(guest)

    @once
    def watched_sections(self, guest: Guest) -> WatchedSections:
        """The native functions for critical sections."""
        from emu.ftrace.native import watched_sections

        about = context.build(guest)
        return watched_sections.build(guest, about, self.cpu.native().irqs_off, self._unwind(guest, about))

    @once
    def wakeup_calls(self, guest: Guest) -> WakeupCalls:
        """The native functions that follow wakeups."""
        from emu.ftrace.native import wakeup_calls

        about = context.build(guest)
        unwind, arguments = self._unwind(guest, about), self._native().arguments
        return wakeup_calls.build(guest, about, self.cpu.native().irqs_off, unwind, arguments)

    @once
    def syscalls(self, guest: Guest, strings: bool) -> SyscallCallbacks:
        """The native functions that make the events of system calls. `strings`: of arguments are recorded, too."""
        from emu.ftrace.native import user_strings

        return x86_64_outside.build_syscalls(guest, user_strings.build(self._user_address(guest)) if strings else None)

    @once
    def translate(self) -> Compiled[[TraceArray, u64], u64]:
        """The native function that finds what the kernel has mapped besides its image and all RAM."""
        return x86_64_outside.build_translate()

    def _unwind(self, guest: Guest, about: Context, with_places: bool = False) -> Unwind:
        return x86_64_outside.build_unwind(with_places)


NATIVE = OutsideTracing()


def numbers(of_user: int, depth: int) -> GuestNumbers:
    """The numbers, from include/linux/sched.h, preempt.h and arch/x86/include/asm. They are macros, which BTF does not have.

    Args:
        of_user: where a program's struct pt_regs is, from the lowest address of its task's stack on.
        depth: the calls of a task under way that are followed.
    """
    return GuestNumbers(
        thread_size=u64(THREAD_SIZE),
        of_user=u64(of_user),
        task_size=u64((1 << 47) - 4096),
        depth=u64(depth),
        task_report=u64(0x7F),
        task_idle=u64(0x402),
        pf_kthread=u64(0x200000),
        tif_need_resched=u64(1 << 3),
        preempt_mask=u64(0xFF),
        softirq_served=u64(0x100),
        softirq_disabled=u64(0xFE00),
        hardirq_mask=u64(0xF_0000),
        nmi_mask=u64(0xF0_0000),
        preempt_need_resched=u64(0x8000_0000),
        preempt_enabled=u64(0x8000_0000),
        trace_string=u64(0),
    )


# First bytes of instructions: int3, jmp rel32, call rel32
BREAKPOINT, JUMP, CALL = 0xCC, 0xE9, 0xE8
JUMP_SIZE = 5
LONGEST_INSTRUCTION = 15
OPENING_SIZE = 4  # bytes of endbr64


def probed_offset(opening: bytes, offset: int) -> tuple[int, bool]:
    """Where Linux probes a function that begins with some bytes, if it shall probe an offset in it: never at an endbr64.

    Returns: the offset; and whether that counts as the function's beginning.
    """
    from emu.ftrace.native.arch.x86_64_orc import OPENINGS  # imported when needed: it is compiled

    if opening.hex() in OPENINGS:
        is_entry = offset in (0, OPENING_SIZE)
        return (OPENING_SIZE if is_entry else offset), is_entry
    return offset, offset == 0


def instruction_begins(code: bytes, image: bytes, offset: int) -> bool:
    """Whether an instruction begins at an offset in a function.

    Args:
        code: the function's, from its beginning on, some bytes beyond the offset.
        image: the same as it was compiled. Linux's own probes replace an instruction there by a breakpoint, or some by a jump.
    """
    import capstone

    decoder = capstone.Cs(*PC_ARCH.capstone_mode)
    at = replaced = 0  # the first byte behind what is replaced
    while at < offset:
        first, was = code[at], image[at]
        if at >= replaced and first != was and (first == BREAKPOINT or (first == JUMP and was != CALL)):
            replaced = at + (1 if first == BREAKPOINT else JUMP_SIZE)
        source = image if at < replaced else code
        found = next(decoder.disasm_lite(source[at : at + LONGEST_INSTRUCTION], 0, 1), None)
        if found is None:
            return False
        at += found[1]
    return at == offset


def probe_registers() -> ProbeRegisters:
    """The registers that probes see."""
    from emu.ftrace.arch.x86_64_probing import PROBING
    from emu.ftrace.native.awaited_returns_record import ARGUMENTS

    words = PROBING.registers.words
    return PROBING.registers._replace(entry_arguments=range(words, words + ARGUMENTS))
