# SPDX-License-Identifier: GPL-2.0-only
"""Drops a CPU's translations of many places at once, or all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import CpuState, Uc
from emu.native.functions import external, shared
from emu.native.records import Words, u64

__all__ = ["Forget", "build"]


class Forget(NamedTuple):
    """Compiled functions."""

    places: Callable[[Uc, Words, u64], None]
    """places(uc, ranges, count): drops the translations of `count` ranges of RAM addresses, [start, end)."""

    everything: Callable[[CpuState], None]
    """everything(state): drops all translations, while the CPU executes none."""


def build(arch: str) -> Forget:
    """Compiles for an architecture's suffix of Unicorn's symbols."""
    invalidate = external(f"tb_invalidate_phys_range_{arch}", None, Uc, u64, u64)
    flush = external(f"tb_flush_{arch}", None, CpuState)

    @shared
    def places(uc: Uc, ranges: Words, count: u64) -> None:
        for n in range(count):
            invalidate(uc, ranges[2 * n], ranges[2 * n + 1])

    @shared
    def everything(state: CpuState) -> None:
        flush(state)

    return Forget(places, everything)
