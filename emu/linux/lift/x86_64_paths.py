# SPDX-License-Identifier: GPL-2.0-only
"""Reads x86-64 instructions, and finds those of a tracepoint among the code around it."""

from __future__ import annotations

import functools
from collections.abc import Callable

import capstone
import numpy as np
from capstone import x86

from emu.linux.lift.code import Code
from emu.linux.lift.reasons import CannotLift, NoCall, Target

__all__ = ["JUMP_SIZE", "decode", "instruction_at", "is_jump", "leading"]

JUMP_SIZE = 2  # bytes that `is_jump` looks at
_LONGEST = 15  # bytes of an instruction
_FARTHEST = 800  # instructions behind a tracepoint's nop among which the call of its functions is sought
_ADDRESS = (1 << 64) - 1
_CALLS = np.array([0xE8, 0xE9], np.uint8)  # a call and a jump, with 32 bits of an offset
_SIGN = np.uint64(1 << 31)  # ... of which the highest is the sign


@functools.cache
def _decoder() -> capstone.Cs:
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    return decoder


def decode(address: int, code: bytes) -> capstone.CsInsn:
    """The first instruction of some code. Raises CannotLift."""
    for instruction in _decoder().disasm(code, address, 1):
        return instruction
    raise CannotLift("has an instruction that is not known")


def instruction_at(code: Code, address: int) -> capstone.CsInsn:
    """The instruction at an address. Raises CannotLift."""
    try:
        return decode(address, code.read(address, _LONGEST))
    except LookupError:
        raise CannotLift("leads to where no code is") from None


def is_jump(code: bytes) -> bool:
    """Whether a patched jump label is taken."""
    return code[:1] in (b"\xe9", b"\xeb")


def leading(code: Code, start: int, resumes: int, target: Target) -> frozenset[int]:
    """The addresses of the instructions, from `start` on, from which the code may come to the call of `target`.

    What is called on the way is not looked into, unless no call of `target` is found otherwise. At `resumes`, code begins
    that is not the tracepoint's.

    Raises:
        NoCall: there is no such call.
    """

    def calls_target(to: int) -> bool:
        return to in target.functions

    def calls_what_calls(to: int) -> bool:
        return to in target.functions or _contains(code, to, target)

    for is_wanted in (calls_target, calls_what_calls):
        for follows_labels in (False, True):
            if found := _leading(code, start, resumes, follows_labels, is_wanted):
                return found
    raise NoCall


def _leading(
    code: Code, start: int, resumes: int, follows_labels: bool, is_wanted: Callable[[int], bool]
) -> frozenset[int]:
    before: dict[int, list[int]] = {}
    ends: list[int] = []
    todo, seen = [start], {start}
    while todo and len(seen) < _FARTHEST:
        address = todo.pop(0)
        if address == resumes:
            continue
        following, called = _successors(code, address, follows_labels)
        if called is not None and is_wanted(called):
            ends.append(address)
            continue
        for after in following:
            before.setdefault(after, []).append(address)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    found = set(ends)
    while ends:
        for address in before.get(ends.pop(), ()):
            if address not in found:
                found.add(address)
                ends.append(address)
    return frozenset(found)


def _successors(code: Code, address: int, follows_labels: bool) -> tuple[list[int], int | None]:
    """Where the code goes on after an instruction, and what it calls or jumps to outside."""
    label = code.label(address)
    if label is not None and label[1]:
        is_own = code.is_always_on(address)
        return ([label[0]] if follows_labels or not is_own else []), None
    try:
        one = instruction_at(code, address)
    except CannotLift:
        return [], None
    after = address + one.size
    if label is not None:
        return [after], None
    to = one.operands[0].imm & _ADDRESS if one.operands and one.operands[0].type == x86.X86_OP_IMM else None
    if one.id == x86.X86_INS_CALL:
        return [after], to
    if one.id == x86.X86_INS_JMP:
        known = None if to is None else code.name_of(to)
        return ([to] if to is not None and known is not None and known[1] else []), to
    if one.id in (x86.X86_INS_RET, x86.X86_INS_UD2):
        return [], None
    if capstone.CS_GRP_JUMP in one.groups and to is not None:
        return [after, to], None
    return [after], None


def _contains(code: Code, start: int, target: Target) -> bool:
    """Whether a function calls `target`, or jumps there. Bytes that only look like such a call are no harm."""
    try:
        found = np.frombuffer(code.read(start, code.size_of(start)), np.uint8)
    except LookupError:
        return False
    places = np.flatnonzero(np.isin(found[:-4], _CALLS)) if len(found) > 4 else np.zeros(0, np.int64)
    offsets = sum((found[places + 1 + byte].astype(np.uint64) << np.uint64(8 * byte) for byte in range(4)), np.uint64(0))
    offsets = (offsets ^ _SIGN) - _SIGN
    return not target.functions.isdisjoint((places.astype(np.uint64) + np.uint64(start + 5) + offsets).tolist())
