# SPDX-License-Identifier: GPL-2.0-only
"""Call frame information for debuggers, made of ORC tables: the section .debug_frame of DWARF 4 (its chapter 6.4).

A rule of ORC says where the stack was before a call or an interrupt, and where %rbp was saved. This becomes the frame's canonical
frame address (CFA), and the places of registers relative to it. What ORC does not know is undefined: gdb shows such registers as
not saved. There is a kind of frame for each of these:

    CALL            the return address is below the CFA
    SWITCH          the same, and the frame is on another stack than its caller, which gdb believes of signal handlers only
    REGS            the CFA is that of a struct pt_regs, with all registers of the code that was interrupted
    PARTIAL         the CFA is that of what the processor stores: %rip, %cs, %rflags, %rsp, %ss
    END             there is no caller: a system call, the beginning of a thread, or what nothing is known of

A program that was interrupted is no caller: backtraces end at the symbol USER_SPACE, which stands for all programs.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.linux.orc import Orc, Type

__all__ = ["USER_SPACE", "call_frames"]

USER_SPACE = range(0xFFFF_FFFF_FFFF_FF00, 0xFFFF_FFFF_FFFF_FF10)
"""Addresses that are never mapped: where a backtrace says that a program was interrupted."""

Bytes: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int64]


class _Kind(IntEnum):
    CALL = 0
    SWITCH = 1
    REGS = 2
    PARTIAL = 3
    END = 4


_OF_SIGNALS = (_Kind.SWITCH, _Kind.REGS, _Kind.PARTIAL)  # by which a debugger knows that an address is not one behind a call
_NO_DATA = b"\0"  # of the augmentation "z": its length

# Numbers of registers in DWARF (System V ABI, AMD64 supplement, figure 3.36)
_RAX, _RDX, _RCX, _RBX, _RSI, _RDI, _RBP, _RSP = range(8)
_R8, _R9, _R10, _R11, _R12, _R13, _R14, _R15, _RIP = range(8, 17)
_RFLAGS = 49
_PT_REGS = (_R15, _R14, _R13, _R12, _RBP, _RBX, _R11, _R10, _R9, _R8, _RAX, _RCX, _RDX, _RSI, _RDI)
_STORED = 16  # the word of struct pt_regs at which what the processor stores begins
_IN_STORED = ((_RFLAGS, 2), (_RSP, 3))

# ORC_REG_ of Linux's asm/orc_types.h: the registers from which the CFA is counted
_PREV_SP, _BP, _BP_INDIRECT, _SP_INDIRECT = 1, 4, 8, 9
_BASES = {2: _RDX, 3: _RDI, _BP: _RBP, 5: _RSP, 6: _R10, 7: _R13, _BP_INDIRECT: _RBP, _SP_INDIRECT: _RSP}

_UNDEFINED, _SAME_VALUE, _OFFSET_SF, _DEF_CFA, _DEF_CFA_EXPRESSION, _EXPRESSION, _VAL_EXPRESSION = (
    0x07, 0x08, 0x11, 0x0C, 0x0F, 0x10, 0x16,
)  # fmt: skip
_ADVANCE_2 = 0x03
_OP_DEREF, _OP_CONST_8, _OP_DUP, _OP_DROP, _OP_AND, _OP_PLUS, _OP_BRA, _OP_LIT_3, _OP_BREG_0, _OP_SKIP = (
    0x06, 0x0E, 0x12, 0x13, 0x1A, 0x22, 0x28, 0x33, 0x70, 0x2F,
)  # fmt: skip
_WORD = -8  # the factor of offsets
_MOST_ROWS = 16  # of a description: a debugger goes through all rows before an address
_MOST_STEP = 0xFFFF  # bytes between two rows


def call_frames(orc: Orc, ends: Sequence[range], stop: int, *, of_calls: bool = True) -> bytes:
    """The section for a kernel, or for code of a module.

    Args:
        orc: its rules, one at least.
        ends: code that has no caller in the kernel.
        stop: where the code ends to which the last rule applies.
        of_calls: False: without what a compiler's own call frame information says better.
    """
    kinds = _kinds(orc, ends)
    if not of_calls:
        kinds[orc.entries["type"] == Type.UNDEFINED] = _Kind.CALL  # perhaps the compiler knows
    sections, places = bytearray(), []
    for kind in _Kind:
        places.append(len(sections))
        sections += _common(kind)
    starts = _starts(orc.addresses, kinds)
    sizes = np.append(starts[1:], len(kinds)) - starts
    keys, codes = _rule_codes(orc, kinds)
    stops = np.append(orc.addresses[1:], np.uint64(max(stop, int(orc.addresses[-1]) + 1)))
    steps = np.zeros(len(kinds), np.int64)
    steps[1:] = (orc.addresses[1:] - orc.addresses[:-1]).astype(np.int64)
    steps[starts] = 0
    rows = _rows(keys, codes, steps)
    described = bytearray()
    lengths = np.array([len(row) for row in codes], np.int64)[keys] + 3 * (steps > 0)
    ends_of_rows = np.cumsum(lengths)
    if not of_calls:
        starts, sizes = starts[kinds[starts] != _Kind.CALL], sizes[kinds[starts] != _Kind.CALL]
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        last = start + size - 1
        text = rows[int(ends_of_rows[start] - lengths[start]) : int(ends_of_rows[last])]
        first, stop = int(orc.addresses[start]), int(stops[last])
        kind = _Kind(int(kinds[start]))
        described += _description(kind, places[kind], first, stop - first, text)
    described += _description(_Kind.END, places[_Kind.END], USER_SPACE.start, len(USER_SPACE), b"")
    return bytes(sections + described)


def _kinds(orc: Orc, ends: Sequence[range]) -> Numbers:
    """The kind of each rule."""
    kinds = np.full(len(orc.addresses), _Kind.END, np.int64)
    types, bases = orc.entries["type"], orc.entries["sp_reg"]
    known = np.isin(bases, list(_BASES))
    kinds[known & (types == Type.CALL)] = _Kind.CALL
    kinds[known & (types == Type.CALL) & (bases == _SP_INDIRECT)] = _Kind.SWITCH
    kinds[known & (types == Type.REGS)] = _Kind.REGS
    kinds[known & (types == Type.REGS_PARTIAL)] = _Kind.PARTIAL
    for code in ends:
        first, last = np.searchsorted(orc.addresses, np.array([code.start, code.stop], np.uint64))
        there = kinds[first:last]
        there[there == _Kind.REGS] = _Kind.END
    return kinds


def _starts(addresses: NDArray[np.uint64], kinds: Numbers) -> Numbers:
    """The indices of the rules with which a description begins."""
    begins = np.ones(len(kinds), bool)
    begins[1:] = (kinds[1:] != kinds[:-1]) | (addresses[1:] - addresses[:-1] > _MOST_STEP)
    found = np.flatnonzero(begins)
    sizes = np.append(found[1:], len(kinds)) - found
    pieces = -(-sizes // _MOST_ROWS)
    before = np.cumsum(pieces) - pieces
    starts: Numbers = np.repeat(found, pieces) + _MOST_ROWS * (np.arange(pieces.sum()) - np.repeat(before, pieces))
    return starts


def _rule_codes(orc: Orc, kinds: Numbers) -> tuple[Numbers, list[bytes]]:
    """For each rule the index of its code, and the codes."""
    rules = orc.entries
    packed = kinds << 40 | rules["sp_reg"].astype(np.int64) << 36 | rules["bp_reg"].astype(np.int64) << 32
    packed |= rules["sp_offset"].view(np.uint16).astype(np.int64) << 16 | rules["bp_offset"].view(np.uint16)
    _, first, keys = np.unique(packed, return_index=True, return_inverse=True)
    codes = []
    for at in first.tolist():
        sp_reg, bp_reg, sp_offset, bp_offset = (int(rules[name][at]) for name in ("sp_reg", "bp_reg", "sp_offset", "bp_offset"))
        codes.append(_rule(_Kind(int(kinds[at])), sp_reg, sp_offset, bp_reg, bp_offset))
    return keys, codes


def _rows(keys: Numbers, codes: Sequence[bytes], steps: Numbers) -> bytes:
    """The code of all rules: a step to its address, unless that is the description's first, and its code."""
    lengths = np.array([len(code) for code in codes], np.int64)
    texts = np.frombuffer(b"".join(codes), np.uint8)
    begins = np.cumsum(lengths) - lengths
    moves = steps > 0
    sizes = lengths[keys] + 3 * moves
    ends = np.cumsum(sizes)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = (ends - sizes)[moves]
    out[at], out[at + 1], out[at + 2] = _ADVANCE_2, steps[moves] & 0xFF, steps[moves] >> 8
    filled = np.arange(int(lengths[keys].sum())) - np.repeat(np.cumsum(lengths[keys]) - lengths[keys], lengths[keys])
    out[filled + np.repeat(ends - lengths[keys], lengths[keys])] = texts[filled + np.repeat(begins[keys], lengths[keys])]
    return out.tobytes()


def _rule(kind: _Kind, sp_reg: int, sp_offset: int, bp_reg: int, bp_offset: int) -> bytes:
    """Where the CFA is, and %rbp."""
    if kind == _Kind.END or sp_reg not in _BASES:
        return b""
    base = _BASES[sp_reg]
    if sp_reg == _BP_INDIRECT:
        where = _expression(_DEF_CFA_EXPRESSION, _register(base, sp_offset) + bytes([_OP_DEREF]))
    elif sp_reg == _SP_INDIRECT:
        where = _expression(_DEF_CFA_EXPRESSION, _register(base, 0) + bytes([_OP_DEREF]) + _plus(sp_offset))
    elif sp_offset < 0:
        where = _expression(_DEF_CFA_EXPRESSION, _register(base, sp_offset))
    else:
        where = bytes([_DEF_CFA, base]) + _unsigned(sp_offset)
    if bp_reg == _PREV_SP and bp_offset % 8 == 0:
        return where + bytes([_OFFSET_SF, _RBP]) + _signed(bp_offset // _WORD)
    if bp_reg == _BP:
        return where + _expression(_EXPRESSION, _register(_RBP, bp_offset), _RBP)
    return where + (bytes([_SAME_VALUE, _RBP]) if kind in (_Kind.CALL, _Kind.SWITCH) else b"")


def _common(kind: _Kind) -> bytes:
    """The common information entry of a kind."""
    code = bytes([_DEF_CFA, _RSP]) + _unsigned(8)
    if kind in (_Kind.REGS, _Kind.PARTIAL):
        start = _STORED if kind == _Kind.REGS else 0
        saved = [*((register, n) for n, register in enumerate(_PT_REGS if start else ()))]
        saved += [(register, start + n) for register, n in _IN_STORED]
        for register, word in saved:
            code += bytes([_OFFSET_SF, register]) + _signed(8 * word // _WORD)
        code += _expression(_VAL_EXPRESSION, _interrupted(8 * start), _RIP)
    else:
        code += b"".join(bytes([_UNDEFINED, register]) for register in range(_R15 + 1) if register not in (_RBP, _RSP))
        code += bytes([_UNDEFINED, _RIP]) if kind == _Kind.END else bytes([_OFFSET_SF, _RIP]) + _signed(1)
    augmentation, data = (b"zS\0", _NO_DATA) if kind in _OF_SIGNALS else (b"\0", b"")
    head = struct.pack("<IB", 0xFFFF_FFFF, 4) + augmentation + b"\x08\0\x01" + _signed(_WORD) + bytes([_RIP])
    return _entry(head + data + code)


def _description(kind: _Kind, common: int, start: int, size: int, code: bytes) -> bytes:
    """The description of a range of code of a kind, whose common entry is at a place of the section."""
    return _entry(struct.pack("<IQQ", common, start, size) + (_NO_DATA if kind in _OF_SIGNALS else b"") + code)


def _entry(body: bytes) -> bytes:
    padded = body + bytes(-(len(body) + 4) % 8)
    return struct.pack("<I", len(padded)) + padded


# Expressions


def _interrupted(stored: int) -> bytes:
    """Where the interrupted code goes on, or USER_SPACE: of what the processor stored, so far behind the CFA."""
    user = bytes([_OP_DROP, _OP_CONST_8]) + struct.pack("<Q", USER_SPACE.start)
    kernel = _plus(stored) + bytes([_OP_DEREF, _OP_SKIP]) + struct.pack("<h", len(user))
    segment = bytes([_OP_DUP]) + _plus(stored + 8) + bytes([_OP_DEREF, _OP_LIT_3, _OP_AND])
    return segment + bytes([_OP_BRA]) + struct.pack("<h", len(kernel)) + kernel + user


def _register(number: int, offset: int) -> bytes:
    return bytes([_OP_BREG_0 + number]) + _signed(offset)


def _plus(number: int) -> bytes:
    return bytes([_OP_CONST_8]) + struct.pack("<q", number) + bytes([_OP_PLUS])


def _expression(code: int, expression: bytes, register: int | None = None) -> bytes:
    of = b"" if register is None else bytes([register])
    return bytes([code]) + of + bytes([len(expression)]) + expression


def _unsigned(number: int) -> bytes:
    """A number as DWARF's unsigned LEB128."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _signed(number: int) -> bytes:
    """A number as DWARF's signed LEB128."""
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number & 0x7F)
    return bytes(out)
