# SPDX-License-Identifier: GPL-2.0-only
"""The worst latency that a trace array has seen, and whose it was (Linux: max_latency, and data of max_buffer). The latency
tracer that looks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from emu.ftrace.native.trace_records import MaxLatency
from emu.native.record import offsets

globals().update(offsets(MaxLatency))
if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# Bits of SECTIONS
IRQS_OFF, PREEMPT_OFF = np.uint64(1), np.uint64(2)
