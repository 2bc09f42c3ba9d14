# SPDX-License-Identifier: GPL-2.0-only
"""What native code and Python share of the function profiler."""

from __future__ import annotations

from emu.native.records import Record, u64

__all__ = ["FunctionProfile"]


class FunctionProfile(Record):
    """What is known of one function on one CPU."""

    hits: u64  # calls
    time: u64  # nanoseconds, of those that have returned
    time_squared: u64  # the sum of the squares
