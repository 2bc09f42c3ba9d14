# SPDX-License-Identifier: GPL-2.0-only
"""Where a RISC-V function's return address is, at each of its instructions.

gcc gives a function its frame only where it needs one, and puts other instructions between those that do so:

    addi sp, sp, -32            IN_RA
    sd   ra, 24(sp)             IN_RA
    sd   s0, 16(sp)             IN_RA
    addi s0, sp, 32             IN_RA
    ...                         FRAME: the return address is at -8(s0), the caller's s0 at -16(s0)
    ld   s0, 16(sp)             FRAME
    ld   ra, 24(sp)             ON_STACK + 3: the caller's frame pointer is in s0 again, and ra is not yet
    addi sp, sp, 32             IN_RA
    ret                         IN_RA

A function that calls none keeps its return address in ra, and saves s0 alone:

    sd   s0, 8(sp)              IN_RA
    addi s0, sp, 16             IN_RA
    ...                         LEAF: the return address is in ra, the caller's s0 at -8(s0)
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAME", "IN_RA", "IN_T0", "LEAF", "ON_STACK", "places"]

FRAME, IN_RA, LEAF = 0, 1, 2
IN_T0 = 3  # a function that sites call: it returns to the function with the site, whose own return address is in ra
ON_STACK = 4  # and more: as many words above the stack pointer

_MOST_FUNCTIONS = 8192  # number of cached answers: two kernels with their modules
_RA, _SP, _T0, _S0 = 1, 2, 5, 8
_JR_T0 = bytes.fromhex("8282")
_SEEN = {2: b"\1\1", 4: b"\1\1\1\1"}


class _State(NamedTuple):
    """What is known when the CPU reaches an instruction."""

    own: bool = False  # s0 is this function's frame pointer, not its caller's
    slot: int | None = None  # bytes from the stack pointer to where ra has been stored; None: nowhere
    in_ra: bool = True  # ra has the return address

    @property
    def place(self) -> int:
        if self.own:
            return LEAF if self.slot is None else FRAME
        return IN_RA if self.in_ra or self.slot is None else min(ON_STACK + max(self.slot, 0) // 8, 255)


@functools.lru_cache(maxsize=_MOST_FUNCTIONS)  # all machines with one image ask the same
def places(code: bytes, branches: tuple[tuple[int, int], ...]) -> NDArray[np.uint8]:
    """See `KernelArch.without_frame`."""
    if code[:2] == _JR_T0:
        return np.full(len(code), IN_T0, np.uint8)
    place, seen = bytearray(len(code)), bytearray(len(code))
    targets = dict(branches)
    switched: list[_State] = []  # before jumps to an address in a register
    paths = [(0, _State())]
    while True:
        while paths:
            at, state = paths.pop()
            value = state.place
            while 0 <= at <= len(code) - 2 and not seen[at]:
                size = 2 if code[at] & 3 != 3 else 4
                seen[at : at + size] = _SEEN[size]
                place[at : at + size] = bytes([value]) * size
                if at in targets:
                    paths.append((targets[at], state))
                    at += 4
                    continue
                word = int.from_bytes(code[at : at + size], "little")
                step = _step(word) if size == 4 else _short_step(word)
                if step is _PLAIN:
                    at += size
                    continue
                if step.target is not None:
                    paths.append((at + step.target, state))
                if step.switches:
                    switched.append(state)
                if step.ends:
                    break
                state = _after(state, step)
                value = state.place
                at += size
        rest = seen.find(0)
        if rest < 0 or not switched or rest > len(code) - 2:
            break
        paths.append((rest, switched[0]))  # where a switch statement goes
    return np.frombuffer(bytes(place), np.uint8)


class _Step(NamedTuple):
    """What an instruction does, as far as it matters here. Offsets are in bytes."""

    stack: int = 0  # added to sp
    sp_of_s0: int | None = None  # sp becomes s0 plus this
    frame: bool = False  # s0 becomes a frame pointer
    stores_ra: int | None = None  # at this offset from sp
    loads: int = 0  # the register loaded from the stack
    offset: int = 0
    calls: bool = False
    target: int | None = None  # relative to the instruction
    ends: bool = False  # the next instruction is not reached from here
    switches: bool = False


_PLAIN = _Step()


def _after(state: _State, step: _Step) -> _State:
    own, slot, in_ra = state
    if step.frame:
        own = True
    if step.stores_ra is not None and in_ra:
        slot = step.stores_ra
    if step.loads == _S0:
        own = False
    if step.loads == _RA and step.offset == slot:
        in_ra = True
    if step.calls and slot is not None:
        in_ra = False
    if step.sp_of_s0 is not None and slot is not None:
        slot = -8 - step.sp_of_s0
    if step.stack and slot is not None:
        slot -= step.stack
    return _State(own, slot, in_ra)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def _bits(word: int, *pieces: tuple[int, int, int]) -> int:
    """A number put together from pieces of a word: their lowest bits, their sizes, and where they belong."""
    return sum((word >> low & (1 << size) - 1) << to for low, size, to in pieces)


@functools.cache
def _short_step(word: int) -> _Step:
    """An instruction of two bytes."""
    kind, rd = word >> 11 & 0x1C | word & 3, word >> 7 & 31
    if kind == 0b000_01 and rd == _SP:  # c.addi
        return _Step(stack=_signed(_bits(word, (12, 1, 5), (2, 5, 0)), 6))
    if kind == 0b011_01 and rd == _SP:  # c.addi16sp
        return _Step(stack=_signed(_bits(word, (12, 1, 9), (3, 2, 7), (5, 1, 6), (2, 1, 5), (6, 1, 4)), 10))
    if kind == 0b000_00 and word >> 2 & 7 == 0 and word:  # c.addi4spn s0
        return _Step(frame=True)
    if kind == 0b111_10 and word >> 2 & 31 == _RA:  # c.sdsp
        return _Step(stores_ra=_bits(word, (10, 3, 3), (7, 3, 6)))
    if kind == 0b011_10 and rd in (_RA, _S0):  # c.ldsp
        return _Step(loads=rd, offset=_bits(word, (12, 1, 5), (5, 2, 3), (2, 3, 6)))
    if kind == 0b101_01:  # c.j
        pieces = (12, 1, 11), (11, 1, 4), (9, 2, 8), (8, 1, 10), (7, 1, 6), (6, 1, 7), (3, 3, 1), (2, 1, 5)
        return _Step(target=_signed(_bits(word, *pieces), 12), ends=True)
    if kind in (0b110_01, 0b111_01):  # c.beqz, c.bnez
        return _Step(target=_signed(_bits(word, (12, 1, 8), (10, 2, 3), (5, 2, 6), (3, 2, 1), (2, 1, 5)), 9))
    if kind == 0b100_10 and word >> 2 & 31 == 0 and rd:  # c.jr, c.jalr
        calls = bool(word >> 12 & 1)
        return _Step(calls=calls, ends=not calls, switches=not calls and rd not in (_RA, _T0))
    return _PLAIN


@functools.lru_cache(maxsize=1 << 16)
def _step(word: int) -> _Step:
    """An instruction of four bytes."""
    opcode, rd, function, rs1 = word & 0x7F, word >> 7 & 31, word >> 12 & 7, word >> 15 & 31
    immediate = _signed(word >> 20, 12)
    if opcode == 0x13 and function == 0:  # addi
        if rd == _SP:
            return _Step(stack=immediate) if rs1 == _SP else _Step(sp_of_s0=immediate if rs1 == _S0 else None)
        if rd == _S0 and rs1 == _SP:
            return _Step(frame=True)
    elif opcode == 0x23 and function == 3 and rs1 == _SP and word >> 20 & 31 == _RA:  # sd
        return _Step(stores_ra=_signed(_bits(word, (25, 7, 5), (7, 5, 0)), 12))
    elif opcode == 0x03 and function == 3 and rs1 == _SP and rd in (_RA, _S0):  # ld
        return _Step(loads=rd, offset=immediate)
    elif opcode == 0x63:  # a branch
        return _Step(target=_signed(_bits(word, (31, 1, 12), (7, 1, 11), (25, 6, 5), (8, 4, 1)), 13))
    elif opcode == 0x6F:  # jal
        if rd:
            return _Step(calls=rd == _RA)
        return _Step(target=_signed(_bits(word, (31, 1, 20), (12, 8, 12), (20, 1, 11), (21, 10, 1)), 21), ends=True)
    elif opcode == 0x67:  # jalr
        return _Step(calls=rd == _RA, ends=rd == 0, switches=rd == 0 and rs1 not in (_RA, _T0))
    return _PLAIN
