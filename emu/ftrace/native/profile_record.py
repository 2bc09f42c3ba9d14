# SPDX-License-Identifier: GPL-2.0-only
"""The records of the function profiler, shared by native code and Python."""

from __future__ import annotations

from emu.native.records import Record, u64

__all__ = ["FunctionProfile"]


class FunctionProfile(Record):
    """The counts of one function on one CPU."""

    hits: u64  # calls
    time: u64  # nanoseconds of the calls that have returned
    time_squared: u64  # sum of squares
