# SPDX-License-Identifier: GPL-2.0-only
"""The text of hwlat's entries: `#1     inner/outer(us):   12/15    ts:1735689600.469344957 count:2`."""

from __future__ import annotations

import numpy as np

from emu.ftrace.buffers.entries import HWLAT
from emu.ftrace.text.columns import Column
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["hwlat_raw", "hwlat_text"]


def hwlat_text(view: TraceView, rows: Rows) -> Column:
    """The longest latencies within and between pairs of readings, the time of the first, and the number found."""
    lines = []
    for inner, outer, nmi_total, seconds, nanoseconds, nmis, number, count in _numbers(rows):
        times = f"#{number:<5} inner/outer(us): {inner:4}/{outer:<5} ts:{seconds}.{nanoseconds:09} count:{count}"
        lines.append(f"{times} nmi-total:{nmi_total} nmi-count:{nmis}\n" if nmis else f"{times}\n")
    return np.array(lines, np.object_)


def hwlat_raw(view: TraceView, rows: Rows) -> Column:
    numbers = _numbers(rows)
    lines = [f"{inner} {outer} {seconds} {ns:09} {number}\n" for inner, outer, _, seconds, ns, _, number, _ in numbers]
    return np.array(lines, np.object_)


def _numbers(rows: Rows) -> list[tuple[int, ...]]:
    """The entries' own fields, as tuples."""
    entries = rows.entries(HWLAT)
    fields = ("duration", "outer_duration", "nmi_total_ts", "tv_sec", "tv_nsec", "nmi_count", "seqnum", "count")
    return list(zip(*(entries[name].tolist() for name in fields), strict=True))
