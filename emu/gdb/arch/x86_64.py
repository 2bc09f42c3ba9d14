# SPDX-License-Identifier: GPL-2.0-only
"""x86-64's registers for a debugger."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from unicorn import x86_const as x86

from emu.cpu.cpu import Cpu
from emu.gdb.arch import Feature, GdbArch, Read, Register, Trap

_GENERAL = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16)))
_SEGMENTS = ("cs", "ss", "ds", "es", "fs", "gs")
_CONTROL = ("cr0", "cr2", "cr3", "cr4", "cr8")
_X87 = ("fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop")  # GDB's names

_FLAGS = (
    ("CF", 0), ("", 1), ("PF", 2), ("AF", 4), ("ZF", 6), ("SF", 7), ("TF", 8), ("IF", 9), ("DF", 10), ("OF", 11),
    ("NT", 14), ("RF", 16), ("VM", 17), ("AC", 18), ("VIF", 19), ("VIP", 20), ("ID", 21),
)  # fmt: skip
_MXCSR = (
    ("IE", 0), ("DE", 1), ("ZE", 2), ("OE", 3), ("UE", 4), ("PE", 5), ("DAZ", 6), ("IM", 7), ("DM", 8), ("ZM", 9),
    ("OM", 10), ("UM", 11), ("PM", 12), ("FZ", 15),
)  # fmt: skip


def _flags(name: str, bits: tuple[tuple[str, int], ...]) -> str:
    fields = "".join(f'<field name="{bit}" start="{at}" end="{at}"/>' for bit, at in bits)
    return f'<flags id="{name}" size="4">{fields}</flags>'


_VECTOR = (
    '<vector id="v4f" type="ieee_single" count="4"/><vector id="v2d" type="ieee_double" count="2"/>'
    '<vector id="v16i8" type="int8" count="16"/><vector id="v8i16" type="int16" count="8"/>'
    '<vector id="v4i32" type="int32" count="4"/><vector id="v2i64" type="int64" count="2"/>'
    '<union id="vec128"><field name="v4_float" type="v4f"/><field name="v2_double" type="v2d"/>'
    '<field name="v16_int8" type="v16i8"/><field name="v8_int16" type="v8i16"/><field name="v4_int32" type="v4i32"/>'
    '<field name="v2_int64" type="v2i64"/><field name="uint128" type="uint128"/></union>'
)

_POINTERS = {"rbp": "data_ptr", "rsp": "data_ptr"}
_CORE = (
    *(Register(name, 64, _POINTERS.get(name, "int64")) for name in _GENERAL),
    Register("rip", 64, "code_ptr"),
    Register("eflags", 32, "i386_eflags"),
    *(Register(name, 32, "int32") for name in _SEGMENTS),
    *(Register(f"st{n}", 80, "i387_ext") for n in range(8)),
    *(Register(name, 32, "int", "float") for name in _X87),
)

# Unicorn's numbers by GDB's names. fctrl, fstat and ftag are FPCW, FPSW and FPTAG.
_NUMBERS: Mapping[str, int] = {
    **{name: getattr(x86, f"UC_X86_REG_{name.upper()}") for name in (*_GENERAL, "rip", "eflags", *_SEGMENTS, *_CONTROL)},
    **{f"xmm{n}": getattr(x86, f"UC_X86_REG_XMM{n}") for n in range(16)},
    "mxcsr": x86.UC_X86_REG_MXCSR, "fs_base": x86.UC_X86_REG_FS_BASE, "gs_base": x86.UC_X86_REG_GS_BASE,
    "fctrl": x86.UC_X86_REG_FPCW, "fstat": x86.UC_X86_REG_FPSW, "ftag": x86.UC_X86_REG_FPTAG,
    "fiseg": x86.UC_X86_REG_FCS, "fioff": x86.UC_X86_REG_FIP, "foseg": x86.UC_X86_REG_FDS, "fooff": x86.UC_X86_REG_FDP,
    "fop": x86.UC_X86_REG_FOP,
}  # fmt: skip
_LINUX = "org.gnu.gdb.i386.linux"
_ORIG_RAX, _NO_CALL = "orig_rax", (1 << 64) - 1  # the system call to begin again: there is none
_STACK = tuple(f"st{n}" for n in range(8))  # of x87
_MODEL_SPECIFIC: Mapping[str, int] = {"efer": 0xC000_0080, "k_gs_base": 0xC000_0102}
_SET = frozenset((*_GENERAL, "eflags", "mxcsr", *_X87, *(f"xmm{n}" for n in range(16)), *_STACK))

# Traps: Intel SDM, volume 3, chapter 6
_SYSTEM_CALLS = (b"\x0f\x05", b"\x0f\x34")  # SYSCALL, SYSENTER
_INTERRUPTS = (b"\xcc", b"\xcd", b"\xf1")  # INT3, INT n, INT1
_IRETQ = b"\x48\xcf"
_LSTAR = 0xC000_0082
_ASKED = (1, 3, 4)  # the vectors of INT1, INT3 and INTO
_WITH_ERROR_CODE = (8, 10, 11, 12, 13, 14, 17, 21, 29, 30)
_FIRST_FREE = 32  # vectors before it are the CPU's
_MANTISSA = (1 << 64) - 1

# Intel's manual, volume 3, table 6-1. SYSCALL has no vector.
_SYSCALL = 0x100
_TRAPS = (
    "divide_error", "debug", "nmi", "breakpoint", "overflow", "bound_range", "invalid_opcode", "device_not_available",
    "double_fault", "", "invalid_tss", "segment_not_present", "stack_fault", "general_protection", "page_fault", "",
    "math_fault", "alignment_check", "machine_check", "simd_exception",
)  # fmt: skip


def _place(cpu: Cpu, name: str) -> int:
    """Unicorn's number of an x87 register: numbers are those of the registers, and names are counted from the stack's top."""
    top = int(cpu.uc.reg_read(x86.UC_X86_REG_FPSW)) >> 11
    return int(x86.UC_X86_REG_FP0) + (top + _STACK.index(name)) % 8


class X86_64(GdbArch):  # noqa: N801  # the architecture's own spelling
    """x86-64, with x87 and SSE registers, and the kernel's: control registers and bases of segments."""

    name = "i386:x86-64"
    linux_feature = _LINUX
    stack_pointer = "rsp"
    counters = ("rip",)
    frame = "rsp", -8
    traps: ClassVar[Mapping[str, Collection[int]]] = {
        **{name: (n,) for n, name in enumerate(_TRAPS) if name}, "interrupt": range(32, 256), "syscall": (_SYSCALL,),
    }  # fmt: skip
    unwound = "rip", "rsp", "rbp"
    kernel_names: ClassVar[Mapping[str, str]] = {f"r{name}": name for name in ("ip", "sp", "bp", "bx")}
    features = (
        Feature("org.gnu.gdb.i386.core", _CORE, _flags("i386_eflags", _FLAGS)),
        Feature(
            "org.gnu.gdb.i386.sse",
            (*(Register(f"xmm{n}", 128, "vec128") for n in range(16)), Register("mxcsr", 32, "i386_mxcsr", "vector")),
            _VECTOR + _flags("i386_mxcsr", _MXCSR),
        ),
        Feature("org.gnu.gdb.i386.segments", (Register("fs_base", 64, "int"), Register("gs_base", 64, "int"))),
        Feature(_LINUX, (Register(_ORIG_RAX),)),
        Feature("org.emu.control", tuple(Register(name, group="system") for name in ("k_gs_base", *_CONTROL, "efer"))),
    )

    def read(self, cpu: Cpu, name: str) -> int | None:
        if name == "rip":
            return cpu.pc
        if name == _ORIG_RAX:
            return _NO_CALL
        if (number := _MODEL_SPECIFIC.get(name)) is not None:
            return int(cpu.uc.msr_read(number))
        if name in _STACK:
            mantissa, exponent = cpu.uc.reg_read(_place(cpu, name))
            return int(mantissa) | int(exponent) << 64
        return int(cpu.uc.reg_read(_NUMBERS[name]))

    def write(self, cpu: Cpu, name: str, value: int) -> bool:
        if name == "rip":
            cpu.record.location[0] = value
            return True
        if name not in _SET:
            return False
        if name in _STACK:
            cpu.uc.reg_write(_place(cpu, name), (value & _MANTISSA, value >> 64))
        else:
            cpu.uc.reg_write(_NUMBERS[name], value)
        return True

    def asks(self, code: bytes) -> bool:
        return code[:2] in _SYSTEM_CALLS or code[:1] in _INTERRUPTS

    def returns(self, code: bytes) -> bool:
        return code.startswith(_IRETQ)

    def trap_entries(self, cpu: Cpu, read: Read) -> Iterable[int]:
        yield from self.jumped_to(cpu)
        yield from self._gates(cpu, read)

    def jumped_to(self, cpu: Cpu) -> Iterable[int]:
        yield int(cpu.uc.msr_read(_LSTAR))

    def entries_of(self, cpu: Cpu, read: Read, kind: int) -> Iterable[int]:
        if kind == _SYSCALL:
            return (int(cpu.uc.msr_read(_LSTAR)),)
        return (entry for entry, vector in self._gates(cpu, read).items() if vector == kind)

    def _gates(self, cpu: Cpu, read: Read) -> Mapping[int, int]:
        """The vectors by the addresses of their handlers."""
        _, base, limit, _ = cpu.uc.reg_read(x86.UC_X86_REG_IDTR)
        table = read(base, limit + 1)
        gates = struct.iter_unpack("<HHHHII", table[: len(table) & -16])
        return {low | middle << 16 | high << 32: n for n, (low, _, kind, middle, high, _) in enumerate(gates) if kind & 0x8000}

    def syscall_number(self, cpu: Cpu) -> int:
        return int(cpu.uc.reg_read(x86.UC_X86_REG_RAX))

    def trap(self, cpu: Cpu, read: Read) -> Trap | None:
        space = self.address_space(cpu)
        vector = self._gates(cpu, read).get(cpu.pc)
        if vector is None:  # SYSCALL
            pc, sp = (int(cpu.uc.reg_read(number)) for number in (x86.UC_X86_REG_RCX, x86.UC_X86_REG_RSP))
            return Trap(pc, sp, space, asked=True, kind=_SYSCALL)
        frame = int(cpu.uc.reg_read(x86.UC_X86_REG_RSP)) + 8 * (vector in _WITH_ERROR_CODE)
        pc, _, _, sp, _ = struct.unpack("<5Q", read(frame, 40))
        before = read(pc - 2, 2) if vector >= _FIRST_FREE else b""
        return Trap(pc, sp, space, vector in _ASKED or before == bytes((0xCD, vector)), vector)

    def address_space(self, cpu: Cpu) -> int:
        return int(cpu.uc.reg_read(x86.UC_X86_REG_CR3)) & ~0xFFF


ARCH = X86_64()
