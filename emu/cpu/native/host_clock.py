# SPDX-License-Identifier: GPL-2.0-only
"""A clock that stands still."""

from __future__ import annotations

from numba import types

from emu.native import cfunc
from emu.native.pointers import store_u64

__all__ = ["gettimeofday"]


@cfunc(types.int32(types.uint64, types.uint64))
def gettimeofday(timeval, _timezone):
    """int gettimeofday(struct timeval *, void *): always the same second, and not the first, which would look unset."""
    store_u64(timeval, 1000)
    store_u64(timeval + 8, 0)
    return 0
