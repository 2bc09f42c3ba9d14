# SPDX-License-Identifier: GPL-2.0-only
"""Sites on RISC-V: one word, at a multiple of four; and pairs of words, auipc and jalr, as Linux has them.

    nop             13 00 00 00                   addi zero, zero, 0
    call            e7 82 01 02                   jalr t0, 32(gp)
    nops            01 00 01 00                   c.nop; c.nop, as compiled
    half a pair     97 .2 .. .. 13 00 00 00       auipc t0, high; nop
    pair            97 .2 .. .. e7 82 .2 ..       auipc t0, high; jalr t0, low(t0)

An instruction is made of *parcels* of 16 bits. The manual promises nothing of code that others write until the CPU executes
FENCE.I, which acts on this CPU's fetches alone; so that it may see one parcel of a word old and the other one new. Ziccif
promises more, which the profiles from RVA20 on demand and Linux relies on: a fetch of an aligned word is whole.
"""

from __future__ import annotations

import struct

from emu.race.arch import RaceArch
from emu.race.scenario.change import Change
from emu.race.scenario.fetch_model import COHERENT, STALE, TRANSLATION, FetchModel

__all__ = ["ARCH"]

_AUIPC_T0 = 0x17 | 5 << 7
_JALR_T0_T0 = 0x67 | 5 << 7 | 5 << 15
_COMPRESSED = 2  # bytes
_PLACES = (0, 4, 60)  # a pair crosses nothing, 8 bytes, or 64 bytes


def _pair(at: int, target: int) -> tuple[bytes, bytes]:
    """auipc and jalr at an address, for a target less than 2 GiB away."""
    distance = target - at
    high = distance + 0x800 >> 12
    return struct.pack("<I", _AUIPC_T0 | (high & 0xFFFFF) << 12), struct.pack("<I", _JALR_T0_T0 | (distance & 0xFFF) << 20)


def _leaves(code: bytes) -> bool:
    """jal and jalr that keep no return address; c.j and c.jr."""
    word = int.from_bytes(code, "little")
    if len(code) == _COMPRESSED:
        return word & 0xE003 == 0xA001 or (word & 0xF07F == 0x8002 and bool(word & 0xF80))
    return word & 0xFFF in (0x6F, 0x67)


ARCH = RaceArch(
    fetch_models=(
        COHERENT,
        STALE,
    FetchModel(
        "parcel", 2,
        source="RISC-V Unprivileged ISA, 1.5 and Zifencei: until FENCE.I nothing is promised of parcels of 16 bits",
        meaning="each parcel of 16 bits is seen as it was at any time since the CPU synchronised",
    ),
    FetchModel(
        "ziccif", 4,
        source="RISC-V Profiles, Ziccif: a fetch of an aligned word from main memory is atomic",
        meaning="each aligned word is seen as it was at any time since the CPU synchronised",
    ),
        TRANSLATION,
    ),
    changes=tuple(Change),
    nops=bytes.fromhex("01 00 01 00"),  # what gcc compiles
    places=_PLACES,
    machine_places=(*_PLACES, 2),
    agreement_places=((0,), (4,), (60,), (60, 4)),
    first_line=0xFFFF_FFC0_0040_1000,
    targets=(0xFFFF_FFC0_1234_55A8, 0xFFFF_FFC0_2BCD_E3C4),
    following=bytes.fromhex("82 80 82 80"),  # ret
    pair=_pair,
    protocols=("pair",),
    leaves=_leaves,
    codes=(  # a static key: nop > j; the same from two nops, by way of one
        (bytes.fromhex("13 00 00 00"), bytes.fromhex("6f 00 80 00"), ()),
        (bytes.fromhex("01 00 01 00"), bytes.fromhex("6f 00 80 00"), (bytes.fromhex("13 00 00 00"),)),
    ),
    second_target="_mcount",
)  # fmt: skip
