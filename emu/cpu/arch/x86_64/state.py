# SPDX-License-Identifier: GPL-2.0-only
"""The x86-64 CPU state: its location in Unicorn, the reset state, and access to it."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import struct
from dataclasses import dataclass

import unicorn
from unicorn import x86_const as x86

from emu.cpu.internals import CpuStructures, UnknownUnicorn, address_of, find_cpu, handle_of, peek, probing_memory
from emu.cpu.library_imports import replaced
from emu.cpu.native.cpu_records import CONTEXT_PC_NEXT, OPERATION_COUNT, TRANSLATE

__all__ = [
    "CS", "FS", "GENERAL_REGISTERS", "GS", "PRIVILEGE_LEVEL", "RESET_GDT", "SEGMENT_REGISTERS", "SS", "USER",
    "Layout", "SegmentCache", "layout", "register", "reset",
]  # fmt: skip

# QEMU's order of env.regs.
GENERAL_REGISTERS = ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di", *(f"r{n}" for n in range(8, 16)))

_UNICORN_GENERAL = (
    x86.UC_X86_REG_RAX, x86.UC_X86_REG_RCX, x86.UC_X86_REG_RDX, x86.UC_X86_REG_RBX,
    x86.UC_X86_REG_RSP, x86.UC_X86_REG_RBP, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDI,
    x86.UC_X86_REG_R8, x86.UC_X86_REG_R9, x86.UC_X86_REG_R10, x86.UC_X86_REG_R11,
    x86.UC_X86_REG_R12, x86.UC_X86_REG_R13, x86.UC_X86_REG_R14, x86.UC_X86_REG_R15,
)  # fmt: skip

_MSR_EFER, _MSR_STAR, _MSR_LSTAR, _MSR_FMASK = 0xC000_0080, 0xC000_0081, 0xC000_0082, 0xC000_0084

SEGMENT_REGISTERS = ("es", "cs", "ss", "ds", "fs", "gs")  # in the order of env.segs
CS, SS, FS, GS = (SEGMENT_REGISTERS.index(name) for name in ("cs", "ss", "fs", "gs"))

PRIVILEGE_LEVEL = USER = 3  # QEMU: bits of hflags, and their value in user mode


class SegmentCache(ctypes.Structure):
    """QEMU's SegmentCache; env.segs has one per segment register."""

    _fields_ = (("selector", ctypes.c_uint32), ("base", ctypes.c_uint64), ("limit", ctypes.c_uint32), ("flags", ctypes.c_uint32))


# The reset GDT: null, 08 kernel code (64-bit), 10 data. The guest loads its own.
RESET_GDT = struct.pack("<3Q", 0, 0x00AF_9B00_0000_FFFF, 0x00CF_9300_0000_FFFF)


@dataclass(frozen=True)
class Layout(CpuStructures):
    """The offsets of CpuStructures, and those of registers in the architectural state."""

    env_eip: int
    env_eflags: int
    env_cc_op: int  # uint32: the kind of the instruction that has set the arithmetic flags
    env_df: int  # int32: 1, or -1 if string instructions go backwards
    env_hflags: int
    env_hflags2: int
    env_segments: int  # a SegmentCache per entry of SEGMENT_REGISTERS
    env_cr3: int  # in an array of CR0 to CR4
    env_cr4: int
    env_star: int
    env_lstar: int
    env_fmask: int
    env_cpuid_1_ecx: int  # uint64; CPUID determines what the translator accepts
    env_fpus: int  # uint16: the x87 status word
    env_x87_flags: int  # uint8: x87 exceptions that are not in the status word yet
    env_sse_flags: int  # uint8: SSE exceptions that are not in MXCSR yet
    env_mxcsr: int  # uint32
    context_cc_op: int  # in DisasContext: uint32, as env_cc_op, of the instructions translated so far
    env_size: int  # bytes saved by Unicorn itself: the state without Unicorn's own data


def register(name: str) -> int:
    """The offset of a general register in the architectural state, in bytes."""
    return 8 * GENERAL_REGISTERS.index(name)


# The CPUID of Unicorn's default CPU, in 64-bit words: leaf 1's EDX and ECX, and leaf 7's EBX.
_CPUID = struct.pack("<3Q", 0x078B_FBFD, 0xC6D8_2203, 0x0000_0389)
_RDRAND = 1 << 30  # in leaf 1's ECX

_CONTEXT_HEADER = 40  # bytes of a struct uc_context before the state

# Bytes of the CPU state that are searched. Memory after the state must be excluded: the result of `peek` may be there,
# and would match too.
_ENV_SIZE = 0x1800


def _env_words(descriptor: int, env: int) -> bytes:
    return peek(descriptor, env, _ENV_SIZE)


def _offset_of_change(before: bytes, after: bytes, value: int, what: str) -> int:
    """The only offset at which `after` has `value` and `before` does not."""
    pattern = struct.pack("<Q", value)
    places = [o for o in range(0, len(after) - 7, 4) if after[o : o + 8] == pattern != before[o : o + 8]]
    if len(places) != 1:
        raise UnknownUnicorn(f"{what} found {len(places)} times in the CPU state")
    return places[0]


@functools.cache
def layout() -> Layout:
    """Finds the layout by probing a scratch Uc.

    Raises:
        UnknownUnicorn: something is not at a recognisable place.
    """
    uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    uc.mem_map(0, 0x1000)
    magic = [0x5EED_0000_0000_0000 + 0x0101_0101_0101 * (n + 1) for n in range(16)]
    for register, value in zip(_UNICORN_GENERAL, magic, strict=True):
        uc.reg_write(register, value)
    cpu = find_cpu(uc, struct.pack("<16Q", *magic), 0, "x86_64")
    env = ctypes.c_uint64.from_address(handle_of(uc) + cpu.uc_cpu).value + cpu.cpu_env
    with probing_memory() as memory:

        def probe(what: str, value: int, write: object) -> int:
            before = _env_words(memory, env)
            write(value)  # type: ignore[operator]  # a callable of one int; lambdas below
            return _offset_of_change(before, _env_words(memory, env), value, what)

        env_eip = probe("RIP", 0x1234_5678_9ABC, lambda v: uc.reg_write(x86.UC_X86_REG_RIP, v))
        env_cr3 = probe("CR3", 0x00AB_C000, lambda v: uc.reg_write(x86.UC_X86_REG_CR3, v))
        env_star = probe("STAR", 0x0018_0008_7654_3210, lambda v: uc.msr_write(_MSR_STAR, v))
        env_lstar = probe("LSTAR", 0x7FFF_8123_4567, lambda v: uc.msr_write(_MSR_LSTAR, v))
        env_fmask = probe("FMASK", 0x0004_7700, lambda v: uc.msr_write(_MSR_FMASK, v))
        env_cpuid = _env_words(memory, env).find(_CPUID)
        if env_cpuid < 0:
            raise UnknownUnicorn("CPUID's words are not in the CPU state")
        fpus, x87_flags, sse_flags, mxcsr = _exception_offsets(uc, memory, env)
        found = Layout(
            **vars(cpu),
            env_eip=env_eip,
            env_eflags=env_eip + 8,
            env_cc_op=env_eip + 0x28,
            env_df=env_eip + 0x2C,
            env_hflags=env_eip + 0x30,  # after eflags, cc_dst, cc_src, cc_src2, cc_op and df
            env_hflags2=env_eip + 0x34,
            env_segments=env_eip + 0x38,
            env_cr3=env_cr3,
            env_cr4=env_cr3 + 8,
            env_star=env_star,
            env_lstar=env_lstar,
            env_fmask=env_fmask,
            env_cpuid_1_ecx=env_cpuid + 8,
            env_fpus=fpus,
            env_x87_flags=x87_flags,
            env_sse_flags=sse_flags,
            env_mxcsr=mxcsr,
            context_cc_op=_CONTEXT_CC_OP,
            env_size=uc.context_save().size - _CONTEXT_HEADER,
        )
    _self_test(uc, found)
    _test_translation(uc, found)
    return found


# fninit; fld1; fldz; fdivp; divss %xmm1, %xmm0
_DIVIDE_BY_ZERO = bytes.fromhex("dbe3 d9e8 d9ee def9 f30f5ec1")
_FLOAT_ONE, _ZERO_DIVIDE = 0x3F80_0000, 4  # the dividend; the exception's flag
_MXCSR = 0x1F80  # no exceptions, all masked


def _exception_offsets(uc: unicorn.Uc, memory: int, env: int) -> tuple[int, int, int, int]:
    """Divides by zero. This sets a flag in three places: the x87 status word, softfloat's state for x87, and that for SSE, which
    MXCSR follows. Returns their offsets and MXCSR's."""
    uc.mem_write(0x200, _DIVIDE_BY_ZERO)
    for register, value in ((x86.UC_X86_REG_MXCSR, _MXCSR), (x86.UC_X86_REG_XMM0, _FLOAT_ONE), (x86.UC_X86_REG_XMM1, 0)):
        uc.reg_write(register, value)
    before = _env_words(memory, env)
    uc.emu_start(0x200, 0x200 + len(_DIVIDE_BY_ZERO))
    after = _env_words(memory, env)
    places = [n for n in range(len(after)) if (before[n], after[n]) == (0, _ZERO_DIVIDE)]
    mxcsr = after.find(struct.pack("<I", _MXCSR), places[-1]) if len(places) == 3 else -1
    if not 0 < mxcsr - places[-1] < 16:
        raise UnknownUnicorn(f"the flag of a division by zero appears at {places} in the CPU state")
    return places[0], places[1], places[2], mxcsr


def _self_test(uc: unicorn.Uc, at: Layout) -> None:
    """Takes a trap and executes an exact step, and checks the fields that these change."""
    cpu = ctypes.c_uint64.from_address(handle_of(uc) + at.uc_cpu).value
    exception = ctypes.c_int32.from_address(cpu + at.cpu_exception_index)
    opaque = ctypes.c_uint64.from_address(cpu + at.cpu_opaque)
    flags = ctypes.c_uint32.from_address(cpu + at.cpu_env + at.env_eflags)
    hflags = ctypes.c_uint32.from_address(cpu + at.cpu_env + at.env_hflags)
    if opaque.value != 0:
        raise UnknownUnicorn("CPUState.opaque is in use")
    seen: list[tuple[int, int]] = []

    def trap(_uc: int, vector: int) -> bool:
        if vector == -1:
            return False
        seen.append((vector, exception.value))
        return True

    callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int)(trap)
    stop_interrupt = ctypes.c_uint64.from_address(handle_of(uc) + at.uc_stop_interrupt)
    original = stop_interrupt.value
    stop_interrupt.value = ctypes.cast(callback, ctypes.c_void_p).value or 0
    uc.mem_write(0x100, b"\x90\x90\x0f\x0b")  # nop; nop; ud2
    uc.reg_write(x86.UC_X86_REG_EFLAGS, 0x202)
    with contextlib.suppress(unicorn.UcError):  # the callback's True ends the run as an invalid instruction
        uc.emu_start(0x100, 0)
    stop_interrupt.value = original
    if seen != [(6, 6)]:
        raise UnknownUnicorn(f"an invalid instruction was reported as {seen}, not as exception 6")
    if flags.value & 0x200 == 0 or hflags.value & 3:
        raise UnknownUnicorn("flags are not where they should be")


# In DisasContext, which begins with DisasContextBase: cc_op
_CONTEXT_CC_OP = 116
# nop; add %ebx, %eax; nop: QEMU's CC_OP_ADDL after the second instruction
_ADDITION, _ADDED = bytes.fromhex("90 01d8 90"), 8


def _test_translation(uc: unicorn.Uc, at: Layout) -> None:
    """Translates an addition, and checks the fields of DisasContext that this changes, before each instruction."""
    seen: list[tuple[int, int]] = []
    operation = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int)
    original = loop(address_of("translator_loop_x86_64"))
    kept: list[object] = []

    def translate(operations: int, context: int, cpu: int, block: int, most: int) -> None:
        changed = (ctypes.c_uint64 * OPERATION_COUNT).from_buffer_copy(ctypes.string_at(operations, 8 * OPERATION_COUNT))
        one = operation(changed[TRANSLATE])

        def translate_one(context: int, cpu: int) -> None:
            kind = ctypes.c_uint32.from_address(context + at.context_cc_op).value
            seen.append((ctypes.c_uint64.from_address(context + CONTEXT_PC_NEXT).value, kind))
            one(context, cpu)

        ours = operation(translate_one)
        kept.append(ours)
        changed[TRANSLATE] = ctypes.cast(ours, ctypes.c_void_p).value or 0
        original(ctypes.addressof(changed), context, cpu, block, most)

    uc.mem_write(0x300, _ADDITION)
    callback = loop(translate)
    with replaced("translator_loop_x86_64", ctypes.cast(callback, ctypes.c_void_p).value or 0):
        uc.emu_start(0x300, 0x300 + len(_ADDITION))
    if seen[:3] != [(0x300, 0), (0x301, 0), (0x303, _ADDED)]:
        raise UnknownUnicorn(f"the translator came to (address, flags) {seen}")


def reset(
    uc: unicorn.Uc,
    at: Layout,
    *,
    entry: int,
    page_table: int,
    gdt: int,
    arguments: tuple[int, int],
    code: int = 8,
    data: int = 0x10,
) -> None:
    """Puts a CPU into the board's reset state (docs/board.md): long mode, flat segments, interrupts off.

    Args:
        entry: the program counter.
        page_table: its physical address.
        gdt: its virtual address. It has the size of RESET_GDT, or at least descriptors up to `data`.
        arguments: the values of RDI and RSI.
        code, data: the selectors of the segments.
    """
    for register in _UNICORN_GENERAL:
        uc.reg_write(register, 0)
    uc.reg_write(x86.UC_X86_REG_GDTR, (0, gdt, data + 8 - 1, 0))
    uc.reg_write(x86.UC_X86_REG_CR4, 0xA0)  # PAE, PGE
    uc.reg_write(x86.UC_X86_REG_CR3, page_table)
    uc.msr_write(_MSR_EFER, 0xD01)  # NXE, LMA, LME, SCE
    uc.reg_write(x86.UC_X86_REG_CR0, 0x8005_0033)  # PG AM WP NE ET MP PE
    uc.reg_write(x86.UC_X86_REG_EFLAGS, 2)
    for register in (x86.UC_X86_REG_SS, x86.UC_X86_REG_DS, x86.UC_X86_REG_ES):
        uc.reg_write(register, data)
    uc.reg_write(x86.UC_X86_REG_CS, code)
    env = ctypes.c_uint64.from_address(handle_of(uc) + at.uc_cpu).value + at.cpu_env
    ctypes.c_uint64.from_address(env + at.env_cpuid_1_ecx).value &= ~_RDRAND  # it would return the host's random numbers
    ctypes.c_uint32.from_address(env + at.env_hflags).value &= ~PRIVILEGE_LEVEL  # writing CS does not change the privilege level
    uc.reg_write(x86.UC_X86_REG_RDI, arguments[0])
    uc.reg_write(x86.UC_X86_REG_RSI, arguments[1])
    ctypes.c_uint64.from_address(env + at.env_eip).value = entry
