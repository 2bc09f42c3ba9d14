# SPDX-License-Identifier: GPL-2.0-only
"""Patches Unicorn 2.1.4's code: AVX, which the CPU lacks according to CPUID, becomes an invalid opcode.

Unicorn decodes an instruction with a VEX prefix as SSE's instruction with the same opcode, if it uses 128 bits or
scalars. It then ignores the second source, and the result is wrong. The patch allows the VEX prefix only for BMI's
instructions, which the CPU has: opcodes from 0xf0 in the opcode maps 2 and 3.

The code is compared byte by byte before it is patched; other builds of Unicorn are refused.
"""

from __future__ import annotations

import ctypes
import functools
from typing import NamedTuple

from emu.cpu.internals import UnknownUnicorn, address_of
from emu.cpu.library_code import CODE, store

__all__ = ["apply"]


class _Change(NamedTuple):
    offset: int  # from gen_intermediate_code, which is in the same source file
    before: bytes
    after: bytes


# `invalid` is the place in the same function that translates an invalid opcode.
_CHANGES = (
    # disas_insn: a two-byte VEX prefix always means map 1.
    #   before  cmp $0xc5, %r10d; je two_bytes
    #   after   cmp $0xc5, %r10d; je invalid
    _Change(-0xFA5B, bytes.fromhex("4181fac5000000 0f843c0f0000"), bytes.fromhex("4181fac5000000 0f84aefaffff")),
    # disas_insn: a three-byte VEX prefix contains its map. Maps 2 and 3 have been handled before.
    #   before  cmp $1, %al; jne invalid
    #   after   cmp $1, %al; nop; jmp invalid
    _Change(-0xF9E2, bytes.fromhex("3c01 0f853afaffff"), bytes.fromhex("3c01 90 e93afaffff")),
    # gen_sse has read the opcode that follows a map into %edi. BMI's instructions check VEX.L themselves.
    #   before  mov vex_l(%rbp), %r10d        ...   test %r10d, %r10d; jne invalid
    #   after   mov prefix(%rbp), %r10d       ...   test $PREFIX_VEX, %r10b; jne gap; nop
    _Change(-0x14F21, bytes.fromhex("448b5568"), bytes.fromhex("448b552c")),
    _Change(-0x14EF4, bytes.fromhex("4585d2 0f85e3000000"), bytes.fromhex("41f6c220 7576 0f1f00")),
    # gen_sse: padding before the next instruction, used for additional code.
    #   before  nopl 0(%rax,%rax,1)
    #   after   cmp $0xf0, %dil; jae back; jmp invalid
    _Change(-0x14E78, bytes.fromhex("0f1f840000000000"), bytes.fromhex("4080fff0 7387 eb68")),
)


@functools.cache
def apply() -> None:
    """Applies the repairs, once per process.

    Raises:
        UnknownUnicorn: the library's code is not as expected.
        OSError: the host does not allow a process to change its code.
    """
    start = address_of("gen_intermediate_code_x86_64")
    if any(ctypes.string_at(start + change.offset, len(change.before)) != change.before for change in _CHANGES):
        raise UnknownUnicorn("the translation of VEX prefixes is not as expected")
    for change in _CHANGES:
        store(start + change.offset, change.after, CODE)
