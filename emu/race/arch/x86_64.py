# SPDX-License-Identifier: GPL-2.0-only
"""Sites on x86-64: a call of five bytes at any address."""

from __future__ import annotations

from emu.race.arch import Branch, RaceArch
from emu.race.scenario.change import Change
from emu.race.scenario.fetch_model import COHERENT, STALE, TRANSLATION, FetchModel

__all__ = ["ARCH"]

_JUMPS = (0xE9, 0xEB, 0xC3, 0xC2)  # jmp, and ret
_CODES = (  # before, after, and in between
    ("0f 1f 44 00 00", "e9 11 22 33 44", "eb 03"),  # a static key: a nop becomes a jump, by a jump over its rest
    ("66 90", "eb 05", ""),
    ("66 90 0f 1f 00", "e8 11 22 33 44", "eb 03"),
    ("e8 01 02 03 04", "e9 05 06 07 08", "90"),
    ("e9 01 02 03 04", "c3 0f 1f 00 90", ""),
    ("0f 1f 44 00 00", "cc 90 90 90 90", ""),  # a probe's breakpoint
    ("cc 90 90 90 90", "e8 11 22 33 44", ""),
)
_PLACES = (0, 5, 13, 61)  # none, 8, 16 and 64 bytes are crossed


_SHORT = (0xEB, *range(0x70, 0x80), *range(0xE0, 0xE4))  # jmp, jcc, and loops, with a displacement of a byte
_NEAR = (0xE8, 0xE9)  # call and jmp, with four
_PREFIX, _NEAR_JCC = 0x0F, range(0x80, 0x90)


def _leaves(code: bytes) -> bool:
    return code[0] in _JUMPS


def _branch(code: bytes) -> Branch | None:
    if code[0] == _PREFIX and code[1] in _NEAR_JCC:
        at, size = 2, 4
    elif code[0] in (*_SHORT, *_NEAR):
        at, size = 1, 1 if code[0] in _SHORT else 4
    else:
        return None
    if len(code) != at + size:
        return None
    return Branch(at, size, int.from_bytes(code[at:], "little", signed=True))


ARCH = RaceArch(
    fetch_models=(
        COHERENT,
        STALE,
    FetchModel(
        "torn1", 1,
        source="Intel SDM 3A, 'Handling Self- and Cross-Modifying Code': what executes without it is model-specific",
        meaning="each byte of each fetch is seen as it was at any time since the CPU synchronised",
    ),
    FetchModel(
        "torn8", 8, ipi_in_order=True,
        source="AMD64 APM 2, 'Cross-Modifying Code': a store to an aligned quadword of instructions is seen whole",
        meaning="each aligned quadword of each fetch is seen as it was at any time since the CPU synchronised",
    ),
    FetchModel(
        "torn16", 16,
        source="Intel optimization manual, 'Instruction fetch unit': aligned blocks of 16 bytes, from P6 to Skylake",
        meaning="each aligned block of 16 bytes is seen as it was at any time since the CPU synchronised",
    ),
    FetchModel(
        "torn64", 64,
        source="Intel SDM 3A, 'Internal Caches, TLBs, and Buffers': lines of the instruction cache",
        meaning="each line of each fetch is seen as it was at any time since the CPU synchronised",
    ),
        TRANSLATION,
    ),
    changes=(Change.NOP_TO_CALL, Change.CALL_TO_CALL, Change.CALL_TO_NOP, Change.NOPS_TO_CALL),
    nops=bytes.fromhex("66 90 0f 1f 00"),  # what ftrace had in 2008, "a nop of several instructions"
    places=_PLACES,
    machine_places=(*_PLACES, 63, 4093),
    agreement_places=((0,), (5,), (13,), (61,), (5, 61), (13, 5)),
    first_line=0xFFFFFFFF81001000,
    targets=(0xFFFFFFFFA1B2C3E4, 0xFFFFFFFFC8D9E0F1),
    leaves=_leaves,
    codes=tuple((bytes.fromhex(old), bytes.fromhex(new), (bytes.fromhex(one),) if one else ()) for old, new, one in _CODES),
    branch=_branch,
    returns=bytes([0xC3]),
    landing="__fentry__",
    trampoline=True,
    breakpoint_iret=("asm_exc_int3", 7, bytes([0x90, 0xE9])),  # always the way of a breakpoint in user mode
    breakpoint_stack=("idt_table", 16 * 3 + 4, bytes([2])),  # its gate's IST index: the stack of double faults, which never come
    following=bytes.fromhex("55 48 89 e5 5d c3 cc cc cc cc cc cc cc cc"),  # push %rbp; mov %rsp,%rbp; pop %rbp; ret
)  # fmt: skip
