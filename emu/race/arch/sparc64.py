# SPDX-License-Identifier: GPL-2.0-only
"""Sites on SPARC V9: one word."""

from __future__ import annotations

from emu.race.arch import RaceArch
from emu.race.scenario.change import Change
from emu.race.scenario.fetch_model import COHERENT, STALE, TRANSLATION, FetchModel

__all__ = ["ARCH"]

ARCH = RaceArch(
    fetch_models=(
        COHERENT,
        STALE,
    FetchModel(
        "word", 4,
        source="SPARC V9, A.20 and 8.4.5: instructions are words; without FLUSH an old one may be fetched",
        meaning="each instruction word is seen as it was at any time since the CPU synchronised",
    ),
    FetchModel(
        "flushed", 4, monotone=True,
        source="SPARC V9, A.20: after FLUSH the doubleword becomes consistent on every processor, in some time",
        meaning="each instruction word becomes new at any time after its store, and never old again",
    ),
        TRANSLATION,
    ),
    changes=(Change.NOP_TO_CALL, Change.CALL_TO_CALL, Change.CALL_TO_NOP),
    nops=b"",
    places=(0,),
    machine_places=(0, 60),
    agreement_places=((0,), (60,), (0, 60)),
    first_line=0x401000,
    targets=(0x04CD259C, 0x0ADB33A4),
    codes=((bytes.fromhex("01 00 00 00"), bytes.fromhex("30 68 00 08"), ()),),  # a static key: nop > ba,a
    following=bytes.fromhex("01 00 00 00"),  # nop
)  # fmt: skip
