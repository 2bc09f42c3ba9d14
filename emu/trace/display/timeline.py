# SPDX-License-Identifier: GPL-2.0-only
"""A small timeline: for each CPU, whose events it recorded, and when."""

from __future__ import annotations

import zlib
from html import escape

import numpy as np

from emu.trace.trace import Trace

__all__ = ["timeline"]

_WIDTH, _LABEL, _ROW, _GAP = 700, 60, 16, 4  # pixels
_IDLE = "#ddd"


def timeline(trace: Trace) -> str:
    """An SVG picture of the events of `trace.first`; "" if it has none.

    A stretch has the colour of the task with the most events in it, and a tooltip with the task's name.
    """
    events = trace.first
    if not len(events):
        return ""
    time, pids = events.columns.time, events.pid
    first, last = int(time.min()), int(time.max())
    places = ((time - np.uint64(first)).astype(np.float64) * (_WIDTH / max(last - first + 1, 1))).astype(np.int64)
    cpus = np.unique(events.columns.cpu).tolist()
    height = (_ROW + _GAP) * len(cpus) + _ROW
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LABEL + _WIDTH}" height="{height}" font-size="11">']
    for row, cpu in enumerate(cpus):
        top = row * (_ROW + _GAP)
        parts.append(f'<text x="0" y="{top + 12}">CPU {cpu}</text>')
        of_cpu = events.columns.cpu == cpu
        parts += [
            f'<rect x="{_LABEL + start}" y="{top}" width="{end - start}" height="{_ROW}" fill="{_colour(pid)}">'
            f"<title>{escape(trace.tasks.name_of(pid))}-{pid}</title></rect>"
            for start, end, pid in _stretches(places[of_cpu], pids[of_cpu])
        ]
    seconds = f"{first / 1e9:.6f} s to {last / 1e9:.6f} s" if events.clock != "counter" else f"{first} to {last}"
    parts.append(f'<text x="{_LABEL}" y="{height - 3}" fill="#777">{seconds}</text></svg>\n')
    return "".join(parts)


def _stretches(places: np.ndarray, pids: np.ndarray) -> list[tuple[int, int, int]]:
    """The start, end and task of each stretch of pixels with recorded events."""
    tasks, which = np.unique(pids, return_inverse=True)
    counts = np.zeros((_WIDTH, len(tasks)), np.int64)
    np.add.at(counts, (places, which), 1)
    most = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
    edges = np.flatnonzero(np.diff(most)) + 1
    starts, ends = [0, *edges.tolist()], [*edges.tolist(), _WIDTH]
    return [
        (start, end, int(tasks[most[start]])) for start, end in zip(starts, ends, strict=True) if most[start] >= 0
    ]


def _colour(pid: int) -> str:
    """A colour that depends only on the task."""
    return f"hsl({zlib.crc32(b'%d' % pid) % 360},60%,60%)" if pid else _IDLE
