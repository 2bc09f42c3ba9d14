# SPDX-License-Identifier: GPL-2.0-only
"""Dropping a CPU's translations of many places at once."""

from __future__ import annotations

from typing import Any

from numba import types

from emu.native import external, njit

__all__ = ["build"]


def build(arch: str) -> Any:
    """forget(struct uc_struct *, ranges): drops what was translated from each [start, end) row of RAM addresses."""
    invalidate = external(f"tb_invalidate_phys_range_{arch}", types.void(types.uint64, types.uint64, types.uint64))

    @njit(types.void(types.uint64, types.uint64[:, :]))
    def forget(uc, ranges):
        for n in range(ranges.shape[0]):
            invalidate(uc, ranges[n, 0], ranges[n, 1])

    return forget
