# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests on x86-64: Intel syntax; page tables, gates and a task state segment."""

from __future__ import annotations

import ctypes
import functools
import re
import struct
from collections.abc import Iterator, Mapping, Set
from typing import ClassVar

import capstone
import keystone
from unicorn import x86_const as x86

from emu.cpu.arch import RESET_PAGE
from emu.cpu.arch.x86_64.state import layout, register
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.internals import LIBRARY
from emu.race.litmus.arch import CODE, STACK_SIZE, STACKS, Decoded, LitmusArch, Order, Register
from emu.race.litmus.arch.x86_64_att import from_att, is_att, to_att

__all__ = ["ARCH"]

# Physical pages, mapped at the same virtual addresses and at those 2 GiB below the end of the address space.
_PML4, _PDPT, _PD, _PT, _IDT, _TSS, _HANDLERS, _TRAP_STACK = (0x20000 + 0x1000 * n for n in range(8))
_PRESENT, _WRITABLE, _ACCESSED, _DIRTY = 1, 2, 0x20, 0x40  # bits of a page table entry (SDM 3A, table 4-20)
_CODE_SEGMENT, _TSS_SEGMENT = 8, 0x18
_INTERRUPT_GATE, _BUSY_TSS = 0x8E, 0x8B00
_TRAP_STACK_SIZE = 64
_EXCEPTIONS = (
    "#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", "vector 9", "#TS", "#NP", "#SS", "#GP", "#PF", "vector 15",
    "#MF", "#AC", "#MC", "#XM",
)  # fmt: skip

_read_flags = LIBRARY.helper_read_eflags_x86_64
_read_flags.argtypes, _read_flags.restype = [ctypes.c_void_p], ctypes.c_uint64
_write_flags = LIBRARY.helper_write_eflags_x86_64
_write_flags.argtypes, _write_flags.restype = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32], None

# SDM 3A, "Serializing Instructions". This CPU does not have `serialize`; `mov` to CR8 does not serialise.
_SERIALISING = {"cpuid", "iret", "iretd", "iretq", "invd", "invlpg", "lgdt", "lidt", "lldt", "ltr", "wbinvd", "wrmsr"}
_JUMPS = re.compile(r"(j|call|ret|loop|iret)")
_LOCKED = re.compile(r"lock |xchg .*\[")
_MASK = (1 << 64) - 1
_TO_CONTROL = re.compile(r"(cr[0-7]|dr[0-7]),")

_ABSOLUTE = re.compile(r"\[\s*(0x[0-9a-f]+)\s*\]")
_FAR = 0x1000
_HINT = re.compile(rb"^(\x66?)\x0f\x18([\x20-\x27\x60-\x67\xa0-\xa7])", re.DOTALL)


def _registers() -> Iterator[tuple[str, Register]]:
    for name in ("ax", "bx", "cx", "dx"):
        yield f"{name[0]}l", Register(f"r{name}", 0, 8)
        yield f"{name[0]}h", Register(f"r{name}", 8, 8)
    for name in ("si", "di", "bp", "sp"):
        yield f"{name}l", Register(f"r{name}", 0, 8)
    for name in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp"):
        for prefix, bits in (("r", 64), ("e", 32), ("", 16)):
            yield prefix + name, Register(f"r{name}", 0, bits)
    for n in range(8, 16):
        for suffix, bits in (("", 64), ("d", 32), ("w", 16), ("b", 8)):
            yield f"r{n}{suffix}", Register(f"r{n}", 0, bits)


def _as_nop(code: re.Match[bytes]) -> bytes:
    """keystone uses another opcode for `nop` with an operand, a hint: 0f 18 /4 instead of 0f 1f /0."""
    return code[1] + b"\x0f\x1f" + bytes((code[2][0] & 0xC7,))


_CONDITIONS = {"z": "e", "nz": "ne", "c": "b", "nae": "b", "nc": "ae", "nb": "ae", "na": "be", "nbe": "a", "nge": "l", "nl": "ge",
               "ng": "le", "nle": "g", "pe": "p", "po": "np"}  # fmt: skip


class X86_64(LitmusArch):  # noqa: N801  # the architecture's own spelling
    """x86-64 (Intel SDM)."""

    name: ClassVar[str] = "x86_64"
    language: ClassVar[str] = "an instruction of x86-64 in Intel's syntax"
    keystone_mode: ClassVar[tuple[int, int] | None] = (keystone.KS_ARCH_X86, keystone.KS_MODE_64)
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    longest: ClassVar[int] = 15
    padding: ClassVar[bytes] = bytes.fromhex("90")  # nop
    filler: ClassVar[bytes] = b"\x06"
    registers: ClassVar[Mapping[str, Register]] = dict(_registers())
    words: ClassVar[Set[str]] = {
        *registers, "byte", "word", "dword", "qword", "xmmword", "ptr", "rip", "cs", "ds", "es", "fs", "gs", "ss",
        *(f"{kind}{n}" for kind in ("cr", "dr", "xmm", "mm") for n in range(16)),
    }  # fmt: skip
    aliases: ClassVar[Mapping[str, str]] = {
        **{head + old: head + new for head in ("j", "set", "cmov") for old, new in _CONDITIONS.items()},
        "movabs": "mov", "sal": "shl", "retn": "ret", "repe": "rep", "repz": "rep", "repnz": "repne",
    }  # fmt: skip

    herd_head: ClassVar[str] = "X86_64"
    jumps: ClassVar[re.Pattern[str] | None] = _JUMPS
    data_model: ClassVar[str] = "stores wait in a buffer of their CPU (TSO; Intel SDM 3A, \"Memory Ordering\")"

    @functools.cached_property
    def _detailed(self) -> capstone.Cs:
        decoder = capstone.Cs(*self.capstone_mode)
        decoder.detail = True
        return decoder

    def from_herd(self, line: str) -> str:
        return from_att(line) if is_att(line) else line

    def for_herd(self, line: str) -> str:
        return to_att(line)

    def linear_addresses(self, cpu: Cpu, code: bytes, address: int) -> Set[int]:
        found = set()
        for instruction in self._detailed.disasm(code, address, 1):
            values = {**cpu.registers(), "rip": address + instruction.size}
            for operand in instruction.operands:
                if operand.type == capstone.x86.X86_OP_MEM:
                    base, index = (instruction.reg_name(n) or "" for n in (operand.mem.base, operand.mem.index))
                    value = values.get(base, 0) + values.get(index, 0) * operand.mem.scale + operand.mem.disp
                    found.add(value & _MASK)
        return found

    def encodings(self, source: str, address: int) -> Iterator[bytes]:
        found = _ABSOLUTE.search(source)
        if found is None:
            code = self.assembled(source, address)
            yield _HINT.sub(_as_nop, code, count=1) if source.startswith("nop") else code
            return
        # keystone makes constant addresses relative to rip in some instructions, and encodes others wrongly.
        size = len(self.assembled(source.replace(found[0], f"[rip + {_FAR:#x}]"), address))
        distance = int(found[1], 16) - address - size
        yield self.assembled(source.replace(found[0], f"[rip {'-' if distance < 0 else '+'} {abs(distance):#x}]"), address)

    def serialises(self, instruction: Decoded) -> bool:
        mnemonic = instruction.mnemonic
        return mnemonic in _SERIALISING or (mnemonic == "mov" and bool(_TO_CONTROL.match(instruction.operands)))

    def order(self, instruction: Decoded) -> Order:
        mnemonic = instruction.mnemonic
        if mnemonic in ("mfence", "lfence"):
            return Order.LATER_ACCESSES if mnemonic == "mfence" else Order.FENCES
        return Order.STORES if self.serialises(instruction) or _LOCKED.match(instruction.text) else Order.NOTHING

    def prepare(self, board: Board) -> None:
        def words(address: int, *values: int) -> None:
            board.ram[address : address + 8 * len(values)] = struct.pack(f"<{len(values)}Q", *values)

        writable, constant = _PRESENT | _ACCESSED | _WRITABLE | _DIRTY, _PRESENT | _ACCESSED
        for table, entries, below in ((_PML4, (0, 511), _PDPT), (_PDPT, (0, 510), _PD), (_PD, (0,), _PT)):
            for entry in entries:
                words(table + 8 * entry, below | writable)
        for page in (CODE, CODE + 0x1000, _TRAP_STACK):
            words(_PT + (page >> 12) * 8, page | writable)
        for page in (RESET_PAGE, _IDT, _TSS, _HANDLERS):
            words(_PT + (page >> 12) * 8, page | constant)
        words(_TSS + 0x24, _TRAP_STACK + _TRAP_STACK_SIZE)  # IST1 (SDM 3A, figure 7-11)
        for vector in range(256):
            handler = _HANDLERS + vector
            gate = _CODE_SEGMENT << 16 | 1 << 32 | _INTERRUPT_GATE << 40  # uses the stack IST1 (SDM 3A, figure 6-8)
            words(_IDT + 16 * vector, gate | handler & 0xFFFF | handler >> 16 << 48, 0)
        board.ram[_HANDLERS : _HANDLERS + 0x1000] = b"\xf4" * 0x1000  # hlt
        board.reset_page_table = _PML4

    def start(self, cpu: Cpu, entry: int, registers: Mapping[str, int]) -> None:
        cpu.start(entry, 0, 0)
        cpu.uc.reg_write(x86.UC_X86_REG_IDTR, (0, _IDT, 0xFFF, 0))
        cpu.uc.reg_write(x86.UC_X86_REG_TR, (_TSS_SEGMENT, _TSS, 0x67, _BUSY_TSS))
        values = {"rsp": STACKS + STACK_SIZE * (cpu.index + 1), "rdi": 0, "rsi": 0, **registers}
        for name, value in values.items():
            ctypes.c_uint64.from_address(cpu.env + register(name if name[1:].isdigit() else name[1:])).value = value

    def settle(self, cpu: Cpu) -> None:
        at = layout()
        _write_flags(cpu.env, _read_flags(cpu.env), 0xFFFF_FFFF)
        # The inputs for lazily computed flags (cc_dst and cc_src2) are meaningless now: the flags have been computed.
        ctypes.c_uint64.from_address(cpu.env + at.env_eflags + 8).value = 0
        ctypes.c_uint64.from_address(cpu.env + at.env_eflags + 24).value = 0

    def fault(self, cpu: Cpu) -> str:
        vector = cpu.pc - _HANDLERS
        if not 0 <= vector < 0x100:
            return ""
        ctypes.memset(cpu.board.ram_address + _TRAP_STACK, 0, _TRAP_STACK_SIZE)
        return _EXCEPTIONS[vector] if vector < len(_EXCEPTIONS) else f"vector {vector}"


ARCH = X86_64()
