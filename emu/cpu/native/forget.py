# SPDX-License-Identifier: GPL-2.0-only
"""Drops a CPU's translations of many places at once."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Uc
from emu.native.functions import external, shared
from emu.native.records import Words, u64

__all__ = ["build"]


def build(arch: str) -> Callable[[Uc, Words, u64], None]:
    """forget(uc, ranges, count): drops the translations of `count` ranges of RAM addresses, [start, end)."""
    invalidate = external(f"tb_invalidate_phys_range_{arch}", None, Uc, u64, u64)

    @shared
    def forget(uc: Uc, ranges: Words, count: u64) -> None:
        for n in range(count):
            invalidate(uc, ranges[2 * n], ranges[2 * n + 1])

    return forget
