# SPDX-License-Identifier: GPL-2.0-only
"""Emulates RISC-V instructions that use their program counter (those named in `emu.ftrace.arch.riscv64_probing`), with a trap's
struct pt_regs, in which the registers from x1 on come after the program counter.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.ftrace.native.guest_records import GuestMemory, PtRegs
from emu.native.functions import Native, njit
from emu.native.records import Layouts, i64, u64

__all__ = ["build", "is_emulated"]

AUIPC, BRANCH, JALR, JAL = 0x17, 0x63, 0x67, 0x6F  # opcodes, in bits 6 to 0
# Of a compressed instruction, bits 15 to 13 and 1 to 0:
C_J, C_BEQZ, C_BNEZ, C_JR = 0b101_01, 0b110_01, 0b111_01, 0b100_10
RA = u64(1)
FIRST_SHORT = u64(8)  # the first of the registers with numbers of three bits


def is_emulated(word: int) -> bool:
    """Whether an instruction has no copy."""
    if word & 3 == 3:
        return word & 0x7F in (AUIPC, BRANCH, JALR, JAL)
    kind = word >> 11 & 0x1C | word & 3
    return kind in (C_J, C_BEQZ, C_BNEZ) or (kind == C_JR and word >> 2 & 31 == 0 and word >> 7 & 31 != 0)


@njit
def field(word: u64, low: u64, bits: u64, to: u64) -> u64:
    """Bits of a word from `low` on, as those of a number from `to` on."""
    return (word >> low & ((u64(1) << bits) - 1)) << to


@njit
def signed(value: u64, bits: u64) -> u64:
    """The low bits of a word as a signed number, modulo 2^64."""
    unused = 64 - bits
    return u64(i64(value << unused) >> i64(unused))


@njit
def jal_offset(word: u64) -> u64:
    return signed(field(word, 31, 1, 20) | field(word, 12, 8, 12) | field(word, 20, 1, 11) | field(word, 21, 10, 1), 21)


@njit
def branch_offset(word: u64) -> u64:
    return signed(field(word, 31, 1, 12) | field(word, 7, 1, 11) | field(word, 25, 6, 5) | field(word, 8, 4, 1), 13)


@njit
def short_jump_offset(word: u64) -> u64:
    high = field(word, 12, 1, 11) | field(word, 8, 1, 10) | field(word, 9, 2, 8) | field(word, 6, 1, 7)
    return signed(high | field(word, 7, 1, 6) | field(word, 2, 1, 5) | field(word, 11, 1, 4) | field(word, 3, 3, 1), 12)


@njit
def short_branch_offset(word: u64) -> u64:
    high = field(word, 12, 1, 8) | field(word, 5, 2, 6) | field(word, 2, 1, 5)
    return signed(high | field(word, 10, 2, 3) | field(word, 3, 2, 1), 9)


@njit
def holds(condition: u64, left: u64, right: u64) -> bool:
    """Of two registers: beq, bne; blt, bge; bltu, bgeu."""
    if condition < 2:
        found = left == right
    elif condition < 6:
        found = i64(left) < i64(right)
    else:
        found = left < right
    return found != (condition & 1 != 0)


def build(layouts: Layouts) -> Callable[[PtRegs, u64], None]:
    """Compiles emulate(regs, word) for a guest with these layouts: the instruction `word` is at the epc of a trap's struct
    pt_regs. If it is compressed, the upper half of the word is 0.
    """
    njit = Native(layouts).njit

    @njit
    def read(regs: PtRegs, register: u64) -> u64:
        return u64(0) if register == 0 else GuestMemory(regs.address).as_words[register]

    @njit
    def write(regs: PtRegs, register: u64, value: u64) -> None:
        if register != 0:
            GuestMemory(regs.address).as_words[register] = value

    @njit
    def emulate_short(regs: PtRegs, word: u64) -> u64:
        """Returns where the CPU continues."""
        kind, pc = word >> 11 & 0x1C | word & 3, regs.pc
        after = pc + 2
        if kind == C_J:
            return pc + short_jump_offset(word)
        if kind == C_JR:
            target = read(regs, field(word, 7, 5, 0)) & ~u64(1)
            if field(word, 12, 1, 0) != 0:
                write(regs, RA, after)
            return target
        is_zero = read(regs, FIRST_SHORT + field(word, 7, 3, 0)) == 0
        return pc + short_branch_offset(word) if is_zero == (kind == C_BEQZ) else after

    @njit
    def emulate_long(regs: PtRegs, word: u64) -> u64:
        opcode, rd, pc = word & 0x7F, field(word, 7, 5, 0), regs.pc
        source, after = read(regs, field(word, 15, 5, 0)), pc + 4
        if opcode == BRANCH:
            taken = holds(field(word, 12, 3, 0), source, read(regs, field(word, 20, 5, 0)))
            return pc + branch_offset(word) if taken else after
        if opcode == AUIPC:
            write(regs, rd, pc + signed(field(word, 12, 20, 12), 32))
            return after
        write(regs, rd, after)
        return pc + jal_offset(word) if opcode == JAL else (source + signed(field(word, 20, 12, 0), 12)) & ~u64(1)

    @njit
    def emulate(regs: PtRegs, word: u64) -> None:
        regs.pc = emulate_long(regs, word) if word & 3 == 3 else emulate_short(regs, word)

    return emulate
