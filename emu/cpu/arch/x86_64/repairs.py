# SPDX-License-Identifier: GPL-2.0-only
"""Patches Unicorn 2.1.4's code.

Stores to pages that may be executed, but have no translated code, become fast again after the first (native.code_pages).

AVX, which the CPU lacks according to CPUID, becomes an invalid opcode.

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


_TRANSLATOR, _TLB = "gen_intermediate_code_x86_64", "tlb_reset_dirty_by_vaddr_x86_64"


class _Change(NamedTuple):
    near: str  # an exported function of the same source file
    offset: int  # from there
    before: bytes
    after: bytes


# `invalid` is the place in the same function that translates an invalid opcode.
_CHANGES = (
    # disas_insn: a two-byte VEX prefix always means map 1.
    #   before  cmp $0xc5, %r10d; je two_bytes
    #   after   cmp $0xc5, %r10d; je invalid
    _Change(_TRANSLATOR, -0xFA5B, bytes.fromhex("4181fac5000000 0f843c0f0000"), bytes.fromhex("4181fac5000000 0f84aefaffff")),
    # disas_insn: a three-byte VEX prefix contains its map. Maps 2 and 3 have been handled before.
    #   before  cmp $1, %al; jne invalid
    #   after   cmp $1, %al; nop; jmp invalid
    _Change(_TRANSLATOR, -0xF9E2, bytes.fromhex("3c01 0f853afaffff"), bytes.fromhex("3c01 90 e93afaffff")),
    # gen_sse has read the opcode that follows a map into %edi. BMI's instructions check VEX.L themselves.
    #   before  mov vex_l(%rbp), %r10d        ...   test %r10d, %r10d; jne invalid
    #   after   mov prefix(%rbp), %r10d       ...   test $PREFIX_VEX, %r10b; jne gap; nop
    _Change(_TRANSLATOR, -0x14F21, bytes.fromhex("448b5568"), bytes.fromhex("448b552c")),
    _Change(_TRANSLATOR, -0x14EF4, bytes.fromhex("4585d2 0f85e3000000"), bytes.fromhex("41f6c220 7576 0f1f00")),
    # gen_sse: padding before the next instruction, used for additional code.
    #   before  nopl 0(%rax,%rax,1)
    #   after   cmp $0xf0, %dil; jae back; jmp invalid
    _Change(_TRANSLATOR, -0x14E78, bytes.fromhex("0f1f840000000000"), bytes.fromhex("4080fff0 7387 eb68")),
    # notdirty_write: the TLB entry allows execution, or not.
    #   before  cmpq $-1, addr_code(%rbp); je set_dirty
    #   after   cmpq $-1, addr_code(%rbp); jmp set_dirty
    _Change(_TLB, 0x43D, bytes.fromhex("48837d10ff 747c"), bytes.fromhex("48837d10ff eb7c")),
)


@functools.cache
def apply() -> None:
    """Applies the repairs, once per process.

    Raises:
        UnknownUnicorn: the library's code is not as expected.
        OSError: the host does not allow a process to change its code.
    """
    places = [address_of(change.near) + change.offset for change in _CHANGES]
    if any(ctypes.string_at(place, len(change.before)) != change.before for place, change in zip(places, _CHANGES, strict=True)):
        raise UnknownUnicorn("the code that is to be repaired is not as expected")
    for place, change in zip(places, _CHANGES, strict=True):
        store(place, change.after, CODE)
