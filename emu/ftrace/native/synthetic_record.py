# SPDX-License-Identifier: GPL-2.0-only
"""Native code's record of a synthetic event."""

from __future__ import annotations

from emu.ftrace.native.trace_records import Event
from emu.native.records import Record, Records, u32, u64

__all__ = ["Synthetic", "SyntheticField"]

STRING, DYNAMIC_STRING = u64(16), u64(17)  # values of `kind`; other values are a number's size in bytes


class SyntheticField(Record):
    """A field of a synthetic event."""

    offset: u32  # in the entry
    kind: u32  # its type


class Synthetic(Record):
    """A synthetic event."""

    event: Event
    fields: Records[SyntheticField]
    count: u64  # of fields
