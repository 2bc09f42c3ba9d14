# SPDX-License-Identifier: GPL-2.0-only
"""What one trace array wants of one event, for native code. Linux: struct trace_event_file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import EventFile
from emu.native.record import offsets

globals().update(offsets(EventFile))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


ENABLED = np.uint64(1)
SOFT_DISABLED = np.uint64(2)  # the event's key is on, but its entries are not recorded
