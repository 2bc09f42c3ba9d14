# SPDX-License-Identifier: GPL-2.0-only
"""The TLB of an UltraSPARC, which is filled by software (UltraSPARC User's Manual, 6.2)."""

from __future__ import annotations

from emu.cpu.arch.sparc64.state import Env

__all__ = ["walk"]

_VALID, _GLOBAL = 1 << 63, 1
_FRAME = 0x1FF_FFFF_E000
_CONTEXT = 0x1FFF
_PRIMARY = 1  # index of the primary context in QEMU's dmmu registers


def walk(state: Env, address: int) -> int | None:
    """The physical address of `address` in the present TLB entries; None if the TLB does not have it."""
    context = state.dmmu[_PRIMARY] & _CONTEXT
    for tlb in (state.dtlb, state.itlb):
        for entry in tlb:
            if not entry.tte & _VALID:
                continue
            low: int = (0x2000 << 3 * (entry.tte >> 61 & 3)) - 1
            if (entry.tag ^ address) & ~low:
                continue
            if entry.tte & _GLOBAL or entry.tag & _CONTEXT == context:
                frame: int = entry.tte & _FRAME & ~low
                return frame | (address & low)
    return None
