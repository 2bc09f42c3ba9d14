# SPDX-License-Identifier: GPL-2.0-only
"""What native code knows of one event of the guest: how its entries are made from what the guest hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import Event
from emu.native.record import offsets

EVENT_LIMIT = 1 << 16  # numbers of events are below
LARGEST_ENTRY = 4016  # bytes: what a page of the ring buffer has room for, with its data
STRING_STAGE = np.uint64(4096)  # offset in the stage of room for a string that a filter looks at

globals().update(offsets(Event))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# Of DEPTH: Linux takes 1 away from flags and depth, which it has in one number, for a preemption that was never disabled.
UNDERFLOWS = 0xFFFF_FFFF_FFFF_FFFF

# A word about a field: offset << 32 | number of elements << 8 | bytes of an element. Data of variable length that no field says
# the place of has NO_OFFSET. RELATIVE: the offset of the data in the field is from the field's end.
NO_OFFSET = 0
OFFSET, COUNT = np.uint64(32), np.uint64(8)
ELEMENT_MASK, COUNT_MASK = np.uint64(0x7F), np.uint64(0xFF_FFFF)
RELATIVE = np.uint64(0x80)
