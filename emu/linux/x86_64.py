# SPDX-License-Identifier: GPL-2.0-only
"""What is particular to Linux's kernels for x86-64."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu

__all__ = [
    "DEFAULT_PACKAGES", "DIRECT_MAP", "DIRECT_MAP_BASE", "ELF_MACHINE", "ELF_MACHINE_NAME", "IMAGES", "KERNEL_HALF",
    "KERNEL_START", "LOADED_HIGH", "LONGEST_CALL", "MODULES_END", "MOST_MEMORY", "NAME", "NO_FUNCTIONS",
    "PACKAGE_ARCHITECTURE", "PAGE", "PAGES", "PAGES_BASE", "PAGE_TABLE", "PER_CPU", "REGISTERS", "SAVED_STACK_POINTER",
    "SITE_OFFSETS", "SWITCHED", "SYSCALL_PREFIXES", "SYSCALL_TABLE", "WITHOUT_CALLERS", "XLF_KERNEL_64", "argument",
    "ends_with_call", "walk",
]  # fmt: skip

NAME = "x86-64"
ELF_MACHINE = 62  # EM_X86_64 of the System V ABI
ELF_MACHINE_NAME = "EM_X86_64"  # pyelftools' spelling
IMAGES = "x86_64"  # the architecture's name in emu
KERNEL_HALF = 0xFFFF_FFFF_8000_0000  # Documentation/arch/x86/x86_64/mm.rst: "kernel text mapping, mapped to physical address 0"
# Functions with which a system call or a thread begins: nothing in the kernel calls them.
WITHOUT_CALLERS = (
    "entry_SYSCALL_64", "entry_SYSENTER_compat", "entry_SYSCALL_compat", "entry_INT80_compat", "syscall_return_via_sysret",
    "sysret32_from_system_call", "ret_from_fork",
)  # fmt: skip
MODULES_END = 0xFFFF_FFFF_FF00_0000  # the same: the end of the "module mapping space"; a program can execute code behind it
KERNEL_START = 0xFFFF_8000_0000_0000  # the same: the upper half, with 4 levels of page tables
DIRECT_MAP = 0xFFFF_8880_0000_0000  # the same: "direct mapping of all physical memory", without KASLR
DIRECT_MAP_BASE = "page_offset_base"  # the variable that has the address
PAGES = 0xFFFF_EA00_0000_0000  # the same: "virtual memory map", of struct page
PAGES_BASE = "vmemmap_base"
PAGE_TABLE = "init_top_pgt"  # the symbol of init_mm's page table
PAGE = 4096  # bytes
MOST_MEMORY = 1 << 30  # the size of that mapping with and without KASLR: no kernel is larger

# Documentation/arch/x86/boot.rst, "Details of Header Fields"
LOADED_HIGH = 1 << 0  # of loadflags
XLF_KERNEL_64 = 1 << 0  # of xloadflags: "this kernel has the legacy 64-bit entry point at 0x200"

PACKAGE_ARCHITECTURE = "amd64"
# Meta packages that depend on the newest kernel for virtual machines: Debian's, Ubuntu's.
DEFAULT_PACKAGES = ("linux-image-cloud-amd64", "linux-image-virtual")

# Variables of each CPU. By Linux's version: until 6.1 and since 6.15, symbols; between these, members of one structure.
PER_CPU: Mapping[str, tuple[str, ...]] = {
    "current_task": ("current_task", "pcpu_hot.current_task"),
    "preempt_count": ("__preempt_count", "pcpu_hot.preempt_count"),
    "hardirq_stack": ("hardirq_stack_ptr", "pcpu_hot.hardirq_stack_ptr"),
    "top_of_stack": ("cpu_current_top_of_stack", "pcpu_hot.top_of_stack"),
}
REGISTERS = (
    "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si", "di", "orig_ax", "ip", "cs",
    "flags", "sp", "ss",
)  # fmt: skip
SAVED_STACK_POINTER = "thread.sp"  # in struct task_struct
SWITCHED = "r15", "r14", "r13", "r12", "bx", "bp", "ip"  # struct inactive_task_frame, at that stack pointer

SYSCALL_TABLE = "sys_call_table"  # the symbol of the functions of system calls, by number
# So begin their names: one function may have several. (arch_syscall_match_sym_name of arch/x86/include/asm/ftrace.h)
SYSCALL_PREFIXES = ("__x64_sys_", "__ia32_sys_", "__do_sys_", "sys_")

LONGEST_CALL = 7  # bytes
NO_FUNCTIONS = ("__pfx_", "__cfi_")  # so begin symbols of the padding before functions: CONFIG_CALL_PADDING, CONFIG_CFI_CLANG
SITE_OFFSETS = (0, 4)  # of the call of ftrace in its function: before it, there may be an endbr64


def ends_with_call(code: bytes) -> bool:
    """Whether the last instruction of LONGEST_CALL bytes may be a call: relative, or through a register or memory."""
    if code[-5] == 0xE8:
        return True
    return any(code[-size] == 0xFF and code[1 - size] >> 3 & 7 == 2 for size in range(2, LONGEST_CALL + 1))


def walk(ram: memoryview, table: int, address: int) -> int | None:
    """The physical address of a kernel's address by the page table at physical address `table`; None if it is not mapped."""
    from emu.cpu.arch.x86_64 import mmu  # imported when needed: it takes as long as all else of a short command

    return mmu.walk(ram, table, address) if KERNEL_START <= address < 1 << 64 else None


def argument(cpu: Cpu, number: int) -> int:
    """An argument of the C function that begins on a CPU: of the first six."""
    return cpu.registers()[_ARGUMENTS[number]]


_ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")  # System V ABI, 3.2.3
