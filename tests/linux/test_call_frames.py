# SPDX-License-Identifier: GPL-2.0-only
"""Call frames that are made of ORC tables say the same as these, as pyelftools reads them."""

from __future__ import annotations

import bisect
import io
import random
import struct
from pathlib import Path

import numpy as np
from elftools.dwarf.callframe import CIE, FDE, CallFrameInfo
from elftools.dwarf.structs import DWARFStructs

from emu.linux.call_frames import USER_SPACE, call_frames
from emu.linux.image import read_kernel
from emu.linux.orc import ENTRY, Orc, Type
from emu.linux.symbols import Symbols

DX, BP, SP = 2, 4, 5
PREV_SP, BP_INDIRECT, SP_INDIRECT = 1, 8, 9
START = 0xFFFF_FFFF_8100_0000
RBP, RSP, RIP = 6, 7, 16
BASES = {DX: 1, BP: RBP, SP: RSP}


class Frames:
    """A section .debug_frame."""

    def __init__(self, data: bytes) -> None:
        structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8)
        entries = CallFrameInfo(io.BytesIO(data), len(data), 0, structs).get_entries()
        self.descriptions = sorted((one for one in entries if isinstance(one, FDE)), key=lambda one: one["initial_location"])
        self.common = [one for one in entries if isinstance(one, CIE)]
        self._starts = [one["initial_location"] for one in self.descriptions]

    def at(self, address: int) -> FDE | None:
        """The description of an address."""
        one = self.descriptions[max(bisect.bisect_right(self._starts, address) - 1, 0)]
        return one if 0 <= address - one["initial_location"] < one["address_range"] else None

    def row(self, address: int) -> dict[object, object]:
        """The rules at an address."""
        one = self.at(address)
        assert one is not None, hex(address)
        rows = [row for row in one.get_decoded().table if row["pc"] <= address]
        return dict(rows[-1]) if rows else dict(one.cie.get_decoded().table[-1])


def orc_of(*rules: tuple[int, ...]) -> Orc:
    """Rules, each for 16 bytes of code: (offset, offset of %rbp, type, register, register of %rbp, signal)."""
    return Orc(np.arange(START, START + 16 * len(rules), 16, np.uint64), np.array(list(rules), ENTRY))


def test_each_kind_of_rule() -> None:
    frames = Frames(call_frames(
        orc_of(
            (8, 0, Type.CALL, SP, 0, 0), (16, -16, Type.CALL, SP, PREV_SP, 0), (16, -16, Type.CALL, BP, PREV_SP, 0),
            (0, 0, Type.CALL, SP_INDIRECT, 0, 0), (-8, 0, Type.CALL, BP_INDIRECT, 0, 0), (24, 0, Type.REGS, SP, 0, 1),
            (8, 0, Type.REGS_PARTIAL, SP, 0, 1), (0, 0, Type.UNDEFINED, 0, 0, 0), (0, 0, Type.REGS, SP, 0, 1),
        ),
        [range(START + 128, START + 144)], START + 144,
    ))  # fmt: skip
    augmentations = [frames.at(START + 16 * n).cie["augmentation"] for n in range(9)]  # type: ignore[union-attr]
    assert augmentations == [b"", b"", b"", b"zS", b"", b"zS", b"zS", b"", b""]
    row = frames.row(START + 8)
    assert (row["cfa"].reg, row["cfa"].offset, row[RIP].arg) == (RSP, 8, -8)  # type: ignore[attr-defined]
    row = frames.row(START + 31)
    assert (row["cfa"].reg, row["cfa"].offset, row[RBP].arg) == (RSP, 16, -16)  # type: ignore[attr-defined]
    assert frames.row(START + 40)["cfa"].reg == RBP  # type: ignore[attr-defined]
    assert bytes(frames.row(START + 56)["cfa"].expr)[:3] == bytes([0x77, 0, 6])  # type: ignore[attr-defined]
    assert bytes(frames.row(START + 72)["cfa"].expr) == bytes([0x76, 0x78, 6])  # type: ignore[attr-defined]
    row = frames.row(START + 88)
    assert (row["cfa"].offset, row[15].arg, row[5].arg, row[RSP].arg) == (24, 0, 14 * 8, 19 * 8)  # type: ignore[attr-defined]
    row = frames.row(START + 104)
    assert (row["cfa"].offset, row[RSP].arg) == (8, 24)  # type: ignore[attr-defined]
    for place in (START + 120, START + 130, USER_SPACE.start):
        assert frames.row(place)[RIP].type == "UNDEFINED"  # type: ignore[attr-defined]
    assert frames.at(START + 144) is None


def test_where_an_interrupted_program_goes_on() -> None:
    """The expression for the address, as a debugger evaluates it."""
    frames = Frames(call_frames(orc_of((0, 0, Type.REGS, SP, 0, 1)), [], START + 16))
    code = bytes(frames.row(START)[RIP].arg)  # type: ignore[attr-defined]
    base = 0x1000
    for segment, expected in ((0x10, 0x1234), (0x33, USER_SPACE.start)):
        words = {base + 128: 0x1234, base + 136: segment}
        assert evaluated(code, base, words) == expected


def evaluated(code: bytes, cfa: int, words: dict[int, int]) -> int:
    stack, at = [cfa], 0
    while at < len(code):
        operation, at = code[at], at + 1
        if operation == 0x12:
            stack.append(stack[-1])
        elif operation == 0x13:
            stack.pop()
        elif operation == 0x0E:
            stack.append(struct.unpack_from("<Q", code, at)[0])
            at += 8
        elif operation == 0x22:
            stack.append(stack.pop() + stack.pop() & (1 << 64) - 1)
        elif operation == 0x06:
            stack.append(words[stack.pop()])
        elif operation == 0x33:
            stack.append(3)
        elif operation == 0x1A:
            stack.append(stack.pop() & stack.pop())
        else:
            assert operation in (0x28, 0x2F)
            (distance,) = struct.unpack_from("<h", code, at)
            at += 2 + (distance if operation == 0x2F or stack.pop() else 0)
    return stack[-1]


def test_a_kernels_rules_at_random_addresses(real_kernel: Path, real_symbols: Symbols) -> None:
    orc = Orc.of_kernel(read_kernel(real_kernel), real_symbols)
    part = Orc(orc.addresses[100_000:104_000], orc.entries[100_000:104_000])
    frames = Frames(call_frames(part, [], int(part.addresses[-1]) + 16))
    seen = 0
    for n in random.Random(5).sample(range(4000), 400):
        rule, address = part.entries[n], int(part.addresses[n])
        if rule["type"] != Type.CALL or int(rule["sp_reg"]) not in BASES:
            continue
        row = frames.row(address)
        assert (row["cfa"].reg, row["cfa"].offset) == (BASES[int(rule["sp_reg"])], rule["sp_offset"])  # type: ignore[attr-defined]
        saved = row.get(RBP)
        assert (saved is not None and getattr(saved, "arg", None)) == (rule["bp_offset"] if rule["bp_reg"] == PREV_SP else None)
        seen += 1
    assert seen > 300
