# SPDX-License-Identifier: GPL-2.0-only
"""String instructions with a repeat prefix, described for the block hook (manual volume 1, 7.3.9 and volume 2, 2.1.1)."""

from __future__ import annotations

import re
from typing import Final

from emu.cpu.arch.x86_64.state import FS, GS

__all__ = [
    "COMPARE", "COMPARED", "ELEMENT_SIZE", "KIND", "LOAD", "MOVE", "SCAN", "SEGMENT", "SHORT_ADDRESSES", "STORE", "WHILE_EQUAL",
    "describe",
]  # fmt: skip

# The fields of a description: shifts, and masks to be applied after shifting.
KIND: Final = 7
MOVE, STORE, LOAD, SCAN, COMPARE = 1, 2, 3, 4, 5
COMPARED = 4  # kinds from here on end with a comparison
ELEMENT_SIZE: Final = 3  # shift: the binary logarithm of bytes, in two bits
WHILE_EQUAL: Final = 1 << 5
SHORT_ADDRESSES: Final = 1 << 6  # addresses and the count have 32 bits
SEGMENT: Final = 7  # shift: the source's segment register plus one, if its base matters; three bits

_KINDS = {0xA4: MOVE, 0xAA: STORE, 0xAC: LOAD, 0xAE: SCAN, 0xA6: COMPARE}
_INSTRUCTION = re.compile(rb"([\xf2\xf3\x66\x67\x26\x2e\x36\x3e\x64\x65]+)([\x40-\x4f]?)([\xa4-\xa7\xaa-\xaf])", re.DOTALL)
_REPEAT_NOT_EQUAL, _REPEAT = 0xF2, 0xF3
_OPERAND_SIZE, _ADDRESS_SIZE = 0x66, 0x67
_SEGMENTS = {0x64: FS, 0x65: GS}  # in 64-bit mode the bases of the others are 0
_REX_W = 8


def describe(code: bytes) -> int:
    """The description of an instruction; 0 if it is not a string instruction with a repeat prefix."""
    match = _INSTRUCTION.fullmatch(code)
    if match is None:
        return 0
    prefixes, rex, opcode = match[1], match[2], match[3][0]
    repeats = [prefix for prefix in prefixes if prefix in (_REPEAT_NOT_EQUAL, _REPEAT)]
    if not repeats:
        return 0
    size = 0
    if opcode & 1:
        size = 3 if rex and rex[0] & _REX_W else 1 if _OPERAND_SIZE in prefixes else 2
    segments = [_SEGMENTS.get(prefix, -1) + 1 for prefix in prefixes if prefix in (0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65)]
    return (
        _KINDS[opcode & ~1]
        | size << ELEMENT_SIZE
        | (WHILE_EQUAL if repeats[-1] == _REPEAT else 0)
        | (SHORT_ADDRESSES if _ADDRESS_SIZE in prefixes else 0)
        | (segments[-1] if segments else 0) << SEGMENT
    )
