# SPDX-License-Identifier: GPL-2.0-only
"""Native code's record of a probed instruction of a kernel that is looked at from outside."""

from __future__ import annotations

from emu.ftrace.native.trace_records import Consumer
from emu.native.records import Record, u64

__all__ = ["WatchedPlace"]


class WatchedPlace(Record):
    """An instruction, and what acts before it is executed."""

    ip: u64
    consumers: Consumer | None  # the first; None: nothing happens
