# SPDX-License-Identifier: GPL-2.0-only
"""What hangs on an event or on a function, and does something when it happens: triggers and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import Consumer
from emu.native.record import Record, offsets

globals().update(offsets(Consumer))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


ALWAYS = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

# Values of POST
BEFORE, AFTER = np.uint64(0), np.uint64(1)
NEVER = np.uint64(2)  # it has been removed, but may still be found


def link(consumers: Sequence[Record]) -> int:
    """Has each lead to the next. Returns the address of the first; 0: there is none."""
    following = 0
    for one in reversed(consumers):
        one.set(NEXT, following)
        following = one.address
    return following
