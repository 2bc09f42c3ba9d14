# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests on SPARC V9: two TLB entries, and a trap table at which CPUs end."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping, Set
from typing import ClassVar

import capstone
import keystone

from emu.cpu.arch.sparc64.state import LOCKED_ENTRIES, WINDOW_REGISTERS, Env, condition_codes, window_register
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.internals import LIBRARY
from emu.race.litmus.arch import CODE, STACK_SIZE, STACKS, Decoded, LitmusArch, Order, Register

__all__ = ["ARCH"]

_TRAP_TABLE, _TRAP_SIZE = 0x20000, 32
_TRAP_LEVEL_1 = 0x200  # trap table entries for TL = 0 before those for TL > 0 (manual, 5.2.8)
_STACK_BIAS, _FRAME = 2047, 176
_NO_CONDITION_CODES = 0

# A locked, global, privileged and cacheable translation (UltraSPARC User's Manual, 6.2); pages of 8 or 64 KiB.
_TTE, _WRITABLE, _PAGE_64K = 1 << 63 | 1 << 6 | 0x30 | 4 | 1, 2, 1 << 61
_TRAPS = {
    0x08: "instruction_access_exception", 0x10: "illegal_instruction", 0x11: "privileged_opcode", 0x20: "fp_disabled",
    0x24: "clean_window", 0x28: "division_by_zero", 0x30: "data_access_exception", 0x34: "mem_address_not_aligned",
    0x64: "fast_instruction_access_MMU_miss", 0x68: "fast_data_access_MMU_miss", 0x6C: "fast_data_access_protection",
}  # fmt: skip
_SPILLS, _FILLS, _SOFTWARE = range(0x80, 0xC0), range(0xC0, 0x100), range(0x100, 0x180)

_put_ccr = LIBRARY.cpu_put_ccr_sparc64
_put_ccr.argtypes, _put_ccr.restype = [ctypes.c_void_p, ctypes.c_uint64], None

_RELATIVE = re.compile(r"((?:b|call)\S*\s+(?:.*,\s*)?)(0x[0-9a-f]+)")
_OPCODES = {(2, 0x3B): "flush", (3, 0x0D): "ldstub", (2, 0x38): "jmpl"}  # by op and op3
_CONDITIONS = ("a", "n", "ne", "e", "g", "le", "ge", "l", "gu", "leu", "cc", "cs", "pos", "neg", "vc", "vs",
               "rz", "rlez", "rlz", "rnz", "rgz", "rgez")  # fmt: skip
_DISTANCES = (0x3FFF_FFFF, 0x7_FFFF, 0x30_3FFF)  # displacement bits of CALL, BPcc and BPr (manual, appendix A)
_TRAP_NUMBER = "%icc, %g0 + "
# Atomic ones, and fences. Each MEMBAR is taken for one with #StoreLoad, the only one that TSO lacks.
_ORDERING = {"flush", "membar", "ldstub", "ldstuba", "swap", "swapa", "cas", "casx", "casa", "casxa"}
_INTEGER = ("g", "o", "l", "i")


class Sparc64(LitmusArch):
    """SPARC V9 (The SPARC Architecture Manual, version 9)."""

    name: ClassVar[str] = "sparc64"
    language: ClassVar[str] = "an instruction of SPARC V9"
    keystone_mode: ClassVar[tuple[int, int] | None] = (
        keystone.KS_ARCH_SPARC, keystone.KS_MODE_SPARC64 | keystone.KS_MODE_BIG_ENDIAN,
    )  # fmt: skip
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_SPARC, capstone.CS_MODE_BIG_ENDIAN | capstone.CS_MODE_V9)
    longest: ClassVar[int] = 4
    padding: ClassVar[bytes] = bytes.fromhex("01000000")  # nop
    filler: ClassVar[bytes] = bytes(4)
    register_prefix: ClassVar[str] = "%"
    registers: ClassVar[Mapping[str, Register]] = {
        **{f"g{n}": Register(f"g{n}", 0, 64) for n in range(8)},
        **{name: Register(name, 0, 64) for name in (*WINDOW_REGISTERS, "y")},
        "sp": Register("o6", 0, 64), "fp": Register("i6", 0, 64),
    }  # fmt: skip
    words: ClassVar[Set[str]] = frozenset()
    prefixed: ClassVar[Set[str]] = {
        *registers, "hi", "lo", "icc", "xcc", *(f"fcc{n}" for n in range(4)), *(f"f{n}" for n in range(64)),
    }  # fmt: skip
    aliases: ClassVar[Mapping[str, str]] = {
        **{f"b{condition}{annul},pt": f"b{condition}{annul}" for condition in _CONDITIONS for annul in ("", ",a")},
        "b": "ba", "b,a": "ba,a", "bnz": "bne", "bz": "be", "lduw": "ld", "stw": "st",
    }  # fmt: skip

    data_model: ClassVar[str] = "stores wait in a buffer of their CPU (TSO; SPARC V9, 8.4.4)"

    def readings(self, code: bytes, address: int) -> Iterator[Decoded]:
        if len(code) < self.longest:
            return
        for reading in super().readings(code[:4], address):
            yield reading
            if reading.operands.startswith(_TRAP_NUMBER):  # in `ta 3`
                yield reading._replace(operands=reading.operands.removeprefix(_TRAP_NUMBER))
        if found := _decode(int.from_bytes(code[:4], "big")):
            yield found

    def encodings(self, source: str, address: int) -> Iterator[bytes]:
        yield self.assembled(source, address)
        # keystone encodes the displacements of `call` and of branches with prediction wrongly.
        if found := _RELATIVE.fullmatch(source):
            word = int.from_bytes(self.assembled(source, address), "big")
            distance = (int(found[2], 16) - address) >> 2
            for field in _DISTANCES:
                yield (word & ~field | _spread(distance, field)).to_bytes(4, "big")

    def serialises(self, instruction: Decoded) -> bool:
        return instruction.mnemonic == "flush"

    def order(self, instruction: Decoded) -> Order:
        return Order.STORES if instruction.mnemonic in _ORDERING else Order.NOTHING

    def prepare(self, board: Board) -> None:
        pass  # its translations are in the TLBs; it ends at a trap

    def start(self, cpu: Cpu, entry: int, registers: Mapping[str, int]) -> None:
        cpu.start(entry, 0, 0)
        env = Env.from_address(cpu.env)
        for tlb in (env.itlb, env.dtlb):
            for n in range(LOCKED_ENTRIES):
                tlb[n].tag, tlb[n].tte = 0, 0
            tlb[0].tag, tlb[0].tte = CODE, _TTE | _WRITABLE | CODE
        env.itlb[1].tag, env.itlb[1].tte = _TRAP_TABLE, _TTE | _PAGE_64K | _TRAP_TABLE
        env.tbr = _TRAP_TABLE
        window = env.regwptr
        values = {"o0": 0, "o1": 0, "o6": STACKS + STACK_SIZE * (cpu.index + 1) - _FRAME - _STACK_BIAS, **registers}
        for name, value in values.items():
            if name == "y":
                env.y = value
            elif name[0] == "g":
                env.gregs[int(name[1])] = value
            else:
                ctypes.c_uint64.from_address(window + window_register(name)).value = value

    def settle(self, cpu: Cpu) -> None:
        env = Env.from_address(cpu.env)
        _put_ccr(cpu.env, condition_codes(cpu.env))
        env.cc_src = env.cc_src2 = env.cc_dst = env.cond = _NO_CONDITION_CODES
        env.tick_cmpr = 0

    def fault(self, cpu: Cpu) -> str:
        trap = (cpu.pc - _TRAP_TABLE) // _TRAP_SIZE
        if not 0 <= trap < 2 * _TRAP_LEVEL_1:
            return ""
        return _trap_name(trap % _TRAP_LEVEL_1)

    def ended(self, cpu: Cpu, end: int) -> bool:
        return cpu.pc == end and Env.from_address(cpu.env).npc == end + 4


def _decode(word: int) -> Decoded | None:
    """An instruction that capstone 5 does not know, or knows only under other names."""
    rd, rs1, immediate = word >> 25 & 31, word >> 14 & 31, word >> 13 & 1
    mnemonic = _OPCODES.get((word >> 30, word >> 19 & 0x3F))
    if mnemonic is None or (not immediate and word >> 5 & 0xFF):
        return None
    offset = ((word & 0x1FFF) ^ 0x1000) - 0x1000
    second = f"{offset:+#x}" if immediate else f"+{_register(word & 31)}"
    address = _register(rs1) + ("" if second in ("+0x0", "+%g0") else second)
    operands = {"flush": address, "jmpl": f"{address}, {_register(rd)}", "ldstub": f"[{address}], {_register(rd)}"}
    return None if mnemonic == "flush" and rd else Decoded(4, mnemonic, operands[mnemonic])


def _spread(value: int, field: int) -> int:
    """Scatters the low bits of a value to the bits of a field."""
    found = 0
    for bit in range(field.bit_length()):
        if field >> bit & 1:
            found |= (value & 1) << bit
            value >>= 1
    return found


def _register(number: int) -> str:
    return f"%{_INTEGER[number // 8]}{number % 8}"


def _trap_name(trap: int) -> str:
    if trap in _SPILLS:
        return "spill"
    if trap in _FILLS:
        return "fill"
    return f"trap {trap - _SOFTWARE.start:#x}" if trap in _SOFTWARE else _TRAPS.get(trap, f"trap type {trap:#x}")


ARCH = Sparc64()
