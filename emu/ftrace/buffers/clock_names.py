# SPDX-License-Identifier: GPL-2.0-only
"""Tells which of the clocks in trace_clock count nanoseconds. Linux: Documentation/trace/ftrace.rst, "trace_clock"."""

from __future__ import annotations

__all__ = ["counts_nanoseconds"]

# The others count events (counter), ticks (uptime), or cycles (the processor's clocks, named after it).
_NANOSECONDS = frozenset({"local", "global", "perf", "mono", "mono_raw", "boot", "tai"})


def counts_nanoseconds(clock: str) -> bool:
    """Whether times of the clock with that name are nanoseconds."""
    return clock in _NANOSECONDS
