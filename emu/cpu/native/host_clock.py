# SPDX-License-Identifier: GPL-2.0-only
"""A clock that stands still."""

from __future__ import annotations

from emu.native.functions import callback
from emu.native.records import Record, i32, i64, u64

__all__ = ["gettimeofday"]


class Timeval(Record):
    """struct timeval"""

    seconds: i64
    microseconds: i64


@callback
def gettimeofday(timeval: Timeval, _timezone: u64) -> i32:
    """int gettimeofday(struct timeval *, void *): always returns the same second, but not 0, which would look unset."""
    timeval.seconds = 1000
    timeval.microseconds = 0
    return 0
