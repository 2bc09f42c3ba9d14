# SPDX-License-Identifier: GPL-2.0-only
"""A notebook's overview of a trace: what is in it, when, and where the time went."""

from __future__ import annotations

import base64
from collections import Counter

import numpy as np

from emu.trace.convert import CannotConvert, ConvertOptions
from emu.trace.convert.about import title_of
from emu.trace.convert.flame_graph import flame_graph
from emu.trace.display.html import table
from emu.trace.display.timeline import timeline
from emu.trace.trace import Trace

__all__ = ["trace_html"]

_MOST = 8  # event types


def trace_html(trace: Trace) -> str:
    """A table, a timeline, and flame graphs if there are calls or stacks."""
    events = trace.first
    lost = sum(max(count, 0) for count in events.lost.values())
    counts = Counter({name: found.count for name, found in trace.events.items()})
    rows: list[tuple[str, object]] = [
        ("trace", title_of(trace)), ("events", len(events)), ("lost", lost),
        ("tasks", len(np.unique(events.pid))), ("CPUs", trace.recording.cpu_count),
    ]  # fmt: skip
    rows += [(name, count) for name, count in counts.most_common(_MOST)]
    if len(counts) > _MOST:
        rows.append((f"{len(counts) - _MOST} other types", sum(counts.values()) - sum(n for _, n in counts.most_common(_MOST))))
    return f"<div>{table((), rows)}{timeline(trace)}{_flames(trace)}</div>"


def _flames(trace: Trace) -> str:
    """The available ones of the two flame graphs."""
    found = []
    for name, off_cpu in (("on CPU", False), ("off CPU", True)):
        try:
            picture = b"".join(flame_graph(trace, ConvertOptions(off_cpu=off_cpu)))
        except CannotConvert:
            continue
        image = f'<img width="760" src="data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"/>'
        found.append(f"<details><summary>flame graph: {name}</summary>{image}</details>")
    return "".join(found)
