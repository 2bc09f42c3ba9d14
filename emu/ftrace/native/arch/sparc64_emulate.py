# SPDX-License-Identifier: GPL-2.0-only
"""Emulates SPARC V9 instructions that use their program counter (those named in `emu.ftrace.arch.sparc64_probing`), with a
trap's struct pt_regs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native.arch.sparc64_registers import INSTRUCTION, RegisterAccess
from emu.ftrace.native.arch.sparc64_windows import Env
from emu.ftrace.native.guest_records import PtRegs
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import Native, njit
from emu.native.records import Layouts, i64, u64

__all__ = ["BPR", "JMPL", "build"]

BRANCH, CALL = 0, 1  # in bits 31 and 30
BPR = 3  # in bits 24 to 22: a branch on a register
JMPL = 0x38  # in bits 24 to 19
ALWAYS = 8  # a condition on codes; another bit negates it

CALLED_FROM = u64(15)  # %o7
CCR, XCC = u64(32), u64(36)  # offsets of the codes in TSTATE

# A condition is a three-bit number that selects a row, and a bit that negates it. Bit N of a row says whether the condition
# holds for the value N.
_Holds = Callable[[int], bool]


def _rows(values: int, *conditions: _Holds) -> NDArray[np.uint64]:
    return np.array([sum(1 << value for value in range(values) if holds(value)) for holds in conditions], np.uint64)


def _less(codes: int) -> bool:
    return bool(codes >> 3 & 1) != bool(codes >> 1 & 1)


def _bits(mask: int) -> _Holds:
    return lambda codes: bool(codes & mask)


def _one_of(*values: int) -> _Holds:
    return lambda value: value in values


_N, _Z, _V, _C = 8, 4, 2, 1
_EQUAL, _LESS, _GREATER, _UNORDERED = 0, 1, 2, 3
_IS_ZERO, _IS_NEGATIVE, _IS_POSITIVE = 0, 1, 2
INTEGER = _rows(
    16, _bits(0), _bits(_Z), lambda codes: bool(codes & _Z) or _less(codes), _less,
    _bits(_C | _Z), _bits(_C), _bits(_N), _bits(_V),
)  # fmt: skip
FLOATING = _rows(
    4, _one_of(), _one_of(_LESS, _GREATER, _UNORDERED), _one_of(_LESS, _GREATER), _one_of(_UNORDERED, _LESS),
    _one_of(_LESS), _one_of(_UNORDERED, _GREATER), _one_of(_GREATER), _one_of(_UNORDERED),
)  # fmt: skip
REGISTER = _rows(3, _one_of(), _one_of(_IS_ZERO), _one_of(_IS_ZERO, _IS_NEGATIVE), _one_of(_IS_NEGATIVE))


@njit
def field(word: u64, shift: u64, bits: u64) -> u64:
    return word >> shift & ((u64(1) << bits) - 1)


@njit
def signed(value: u64, bits: u64) -> u64:
    """The low bits of a word as a signed number, modulo 2^64."""
    unused = 64 - bits
    return u64(i64(value << unused) >> i64(unused))


@njit
def sign_of(value: u64) -> u64:
    if value == 0:
        return _IS_ZERO
    return _IS_NEGATIVE if i64(value) < 0 else _IS_POSITIVE


@njit
def distance(word: u64) -> u64:
    """The displacement of a branch in bytes."""
    kind = field(word, 22, 3)
    if kind == BPR:
        return signed(field(word, 20, 2) << 14 | field(word, 0, 14), 16) << 2
    return signed(word, 19 if kind & 1 else 22) << 2


@njit
def is_always(word: u64) -> bool:
    """Whether a branch is unconditional and taken."""
    return field(word, 22, 3) != BPR and field(word, 25, 4) == ALWAYS


def build(layouts: Layouts, registers: RegisterAccess) -> Callable[[Env, TraceArray, PtRegs, u64], None]:
    """Compiles emulate(env, array, regs, word) for a guest with these layouts and those of `sparc64_windows`: the
    instruction `word` is at the tpc of a trap's struct pt_regs, and the CPU is in the trap's handler.
    """
    njit = Native(layouts).njit
    read, write = registers.read, registers.write

    @njit
    def float_codes(env: Env, n: u64) -> u64:
        """fcc0 to fcc3."""
        return field(env.fsr, 10 if n == 0 else 30 + n + n, 2)

    @njit
    def is_taken(env: Env, array: TraceArray, regs: PtRegs, word: u64) -> bool:
        """Whether a branch is taken."""
        kind, condition = field(word, 22, 3), field(word, 25, 3)
        if kind == BPR:
            value = sign_of(read(env, array, regs, field(word, 14, 5)))
            return field(REGISTER[condition & 3], value, 1) != condition >> 2
        predicts, codes_field = kind & 1 != 0, field(word, 20, 2)
        if kind & 4:
            holds = field(FLOATING[condition], float_codes(env, codes_field if predicts else 0), 1)
        else:
            holds = field(INTEGER[condition], field(regs.state, XCC if predicts and codes_field != 0 else CCR, 4), 1)
        return holds != field(word, 28, 1)

    @njit
    def branch(env: Env, array: TraceArray, regs: PtRegs, word: u64) -> None:
        pc, following = regs.pc, regs.next_pc
        after, taken = following + INSTRUCTION, is_taken(env, array, regs, word)
        target = pc + distance(word) if taken else after
        if field(word, 29, 1) != 0 and (not taken or is_always(word)):  # the delay slot is annulled
            regs.pc, regs.next_pc = target, target + INSTRUCTION
        else:
            regs.pc, regs.next_pc = following, target

    @njit
    def go_on(regs: PtRegs, after: u64) -> None:
        """Continues at the next instruction, and then at `after`."""
        regs.pc, regs.next_pc = regs.next_pc, after

    @njit
    def jump(env: Env, array: TraceArray, regs: PtRegs, word: u64) -> None:
        source = read(env, array, regs, field(word, 14, 5))
        added = signed(word, 13) if field(word, 13, 1) != 0 else read(env, array, regs, field(word, 0, 5))
        write(env, array, regs, field(word, 25, 5), regs.pc)
        go_on(regs, source + added)

    @njit
    def emulate(env: Env, array: TraceArray, regs: PtRegs, word: u64) -> None:
        op = field(word, 30, 2)
        if op == BRANCH:
            branch(env, array, regs, word)
        elif op == CALL:
            write(env, array, regs, CALLED_FROM, regs.pc)
            go_on(regs, regs.pc + (signed(word, 30) << 2))
        elif field(word, 19, 6) == JMPL:
            jump(env, array, regs, word)
        else:  # rd %pc
            write(env, array, regs, field(word, 25, 5), regs.pc)
            go_on(regs, regs.next_pc + INSTRUCTION)

    return emulate
