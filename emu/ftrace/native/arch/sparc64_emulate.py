# SPDX-License-Identifier: GPL-2.0-only
"""Does to a trap's struct pt_regs what a SPARC V9 instruction would do that uses its program counter: those that
`emu.ftrace.arch.sparc64_probing` names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emu.cpu.arch.sparc64.state import Env
from emu.ftrace.native.arch.sparc64_registers import RegisterAccess
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import njit
from emu.native.pointers import in_byte_order, load_u64

__all__ = ["BPR", "JMPL", "build"]

BPR = 3  # in bits 24 to 22: a branch that depends on a register
JMPL = 0x38  # in bits 24 to 19

ZERO, ONE, INSTRUCTION = np.uint64(0), np.uint64(1), np.uint64(4)
CALLED_FROM = np.uint64(15)  # %o7
CCR, XCC = np.uint64(32), np.uint64(36)  # where codes begin in TSTATE
FSR = np.uint64(Env.fsr.offset)

# A condition is a number of three bits that chooses a row, and a bit that negates it. Bit N of a row says whether the condition
# holds for a value N.
_Holds = Callable[[int], bool]


def _rows(values: int, *conditions: _Holds) -> Any:
    return np.array([sum(1 << value for value in range(values) if holds(value)) for holds in conditions], np.uint64)


def _less(codes: int) -> bool:
    return bool(codes >> 3 & 1) != bool(codes >> 1 & 1)


def _bits(mask: int) -> _Holds:
    return lambda codes: bool(codes & mask)


def _one_of(*values: int) -> _Holds:
    return lambda value: value in values


_N, _Z, _V, _C = 8, 4, 2, 1
_EQUAL, _LESS, _GREATER, _UNORDERED = 0, 1, 2, 3
_ZERO, _NEGATIVE, _POSITIVE = 0, 1, 2
INTEGER = _rows(
    16, _bits(0), _bits(_Z), lambda codes: bool(codes & _Z) or _less(codes), _less,
    _bits(_C | _Z), _bits(_C), _bits(_N), _bits(_V),
)  # fmt: skip
FLOATING = _rows(
    4, _one_of(), _one_of(_LESS, _GREATER, _UNORDERED), _one_of(_LESS, _GREATER), _one_of(_UNORDERED, _LESS),
    _one_of(_LESS), _one_of(_UNORDERED, _GREATER), _one_of(_GREATER), _one_of(_UNORDERED),
)  # fmt: skip
REGISTER = _rows(3, _one_of(), _one_of(_ZERO), _one_of(_ZERO, _NEGATIVE), _one_of(_NEGATIVE))


@njit
def field(word, shift, bits):
    return word >> np.uint64(shift) & np.uint64((1 << bits) - 1)


@njit
def signed(value, bits):
    """The low bits of a word as a number, modulo 2^64."""
    unused = np.int64(64 - bits)
    return np.uint64(np.int64(value << np.uint64(unused)) >> unused)


def build(guest: GuestLayout, registers: RegisterAccess) -> Any:
    """Compiles emulate(env, array, regs, word) for a guest: the instruction `word` is at the tpc of the struct pt_regs whose host
    address is `regs`, and the CPU is in the handler of that trap.
    """
    memory = in_byte_order("big")
    guest_u64, guest_store_u64 = memory.load_u64, memory.store_u64
    read, write = registers.read, registers.write

    @njit
    def sign_of(value):
        if value == ZERO:
            return np.uint64(_ZERO)
        return np.uint64(_NEGATIVE) if np.int64(value) < 0 else np.uint64(_POSITIVE)

    @njit
    def float_codes(env, n):
        """fcc0 to fcc3."""
        return field(load_u64(env + FSR), np.uint64(10) if n == ZERO else np.uint64(30) + n + n, 2)

    @njit
    def is_taken(env, array, regs, word):
        """Whether a branch is taken: 1 or 0."""
        kind, condition = field(word, 22, 3), field(word, 25, 3)
        if kind == np.uint64(BPR):
            value = sign_of(read(env, array, regs, field(word, 14, 5)))
            return field(REGISTER[condition & np.uint64(3)], value, 1) ^ condition >> np.uint64(2)
        predicts, codes_field = kind & ONE, field(word, 20, 2)
        if kind & np.uint64(4) != ZERO:
            holds = field(FLOATING[condition], float_codes(env, codes_field if predicts != ZERO else ZERO), 1)
        else:
            state = guest_u64(regs + guest.saved_state)
            holds = field(INTEGER[condition], field(state, XCC if predicts != ZERO and codes_field != ZERO else CCR, 4), 1)
        return holds ^ field(word, 28, 1)

    @njit
    def distance(word):
        """How far a branch goes, in bytes."""
        kind = field(word, 22, 3)
        if kind == np.uint64(BPR):
            words = signed(field(word, 20, 2) << np.uint64(14) | field(word, 0, 14), 16)
        else:
            words = signed(word, 19 if kind & ONE != ZERO else 22)
        return words << np.uint64(2)

    @njit
    def is_always(word):
        """Whether a branch does not depend on codes, and is taken."""
        return field(word, 22, 3) != np.uint64(BPR) and field(word, 25, 4) == np.uint64(8)

    @njit
    def emulate(env, array, regs, word):
        pc, following = guest_u64(regs + guest.saved_pc), guest_u64(regs + guest.saved_next_pc)
        after = following + INSTRUCTION
        op = field(word, 30, 2)
        if op == ONE:
            write(env, array, regs, CALLED_FROM, pc)
            after = pc + (signed(word, 30) << np.uint64(2))
        elif op == ZERO:
            taken = is_taken(env, array, regs, word) != ZERO
            target = pc + distance(word) if taken else after
            if field(word, 29, 1) != ZERO and (not taken or is_always(word)):  # the delay slot is annulled
                following, after = target, target + INSTRUCTION
            else:
                after = target
        elif field(word, 19, 6) == np.uint64(JMPL):
            source = read(env, array, regs, field(word, 14, 5))
            added = signed(word, 13) if field(word, 13, 1) != ZERO else read(env, array, regs, field(word, 0, 5))
            write(env, array, regs, field(word, 25, 5), pc)
            after = source + added
        else:
            write(env, array, regs, field(word, 25, 5), pc)
        guest_store_u64(regs + guest.saved_pc, following)
        guest_store_u64(regs + guest.saved_next_pc, after)

    return emulate
