# SPDX-License-Identifier: GPL-2.0-only
"""The guest tracers' view of the top array: the guest's struct trace_array (firmware/kernel/trace/trace.h)."""

from __future__ import annotations

from emu.kernel.memory import GuestMemory

__all__ = ["GuestArray"]


class GuestArray:
    """The guest's `global_trace`.

    Args:
        memory: the guest's memory, with its image loaded.
    """

    def __init__(self, memory: GuestMemory) -> None:
        self._memory = memory
        self._address = memory.image.symbol("global_trace")

    def set_threshold(self, microseconds: int) -> None:
        """Sets tracing_thresh."""
        self._memory.set_member(self._address, "trace_array.tracing_thresh", microseconds * 1000)
