# SPDX-License-Identifier: GPL-2.0-only
"""A clock that stands still."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.native import cfunc
from emu.native.pointers import store_u64
from emu.native.record import offset_of

__all__ = ["gettimeofday"]

_TIMEVAL = np.dtype([("seconds", "i8"), ("microseconds", "i8")])
_SECONDS, _MICROSECONDS = offset_of(_TIMEVAL, "seconds"), offset_of(_TIMEVAL, "microseconds")


@cfunc(types.int32(types.uint64, types.uint64))
def gettimeofday(timeval, _timezone):
    """int gettimeofday(struct timeval *, void *): always the same second, but not 0, which would look unset."""
    store_u64(timeval + _SECONDS, 1000)
    store_u64(timeval + _MICROSECONDS, 0)
    return 0
