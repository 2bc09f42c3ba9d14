# SPDX-License-Identifier: GPL-2.0-only
"""speedscope's file format: a profile for each task, with events that open and close calls. Times are in nanoseconds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version

import numpy as np

from emu.trace.convert.about import title_of
from emu.trace.convert.intervals import Intervals, intervals, task_name
from emu.trace.convert.options import CannotConvert, ConvertOptions
from emu.trace.lines import Lines, Numbers, Piece, Texts, constant
from emu.trace.ranges import distinct_values
from emu.trace.trace import Trace

__all__ = ["speedscope"]

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_CHUNK = 1 << 17  # events


def speedscope(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The text of a JSON object.

    Raises:
        CannotConvert: the trace has no calls.
    """
    nested = intervals(trace, options.selection.calls(trace))
    if not len(nested.rows):
        raise CannotConvert("no calls were recorded; `emu record -p function_graph` records them")
    addresses, functions = distinct_values(trace.calls["address"][nested.rows])
    frames = [{"name": trace.symbols.name_of(address)} for address in addresses]
    head = {
        "$schema": _SCHEMA, "exporter": f"emu {version('emu')}", "name": options.title or title_of(trace),
        "shared": {"frames": frames},
    }  # fmt: skip
    yield json.dumps(head)[:-1].encode() + b', "profiles": [\n'
    tasks = nested.keys[nested.which]
    bounds = np.flatnonzero(np.diff(tasks, prepend=tasks[0] - 1, append=tasks[-1] + 1))
    for number, (start, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        profile = {
            "type": "evented", "name": task_name(trace, int(tasks[start])), "unit": "nanoseconds",
            "startValue": int(nested.times[start]), "endValue": int(nested.times[end - 1]),
        }  # fmt: skip
        yield (",\n" if number else "").encode() + json.dumps(profile)[:-1].encode() + b', "events": ['
        for first in range(start, end, _CHUNK):
            yield from _events(nested, functions, first, min(first + _CHUNK, end), start)
        yield b"\n]}"
    yield b"\n]}\n"


def _events(nested: Intervals, functions: np.ndarray, first: int, end: int, start: int) -> Iterator[bytes]:
    count = end - first
    lines = Lines(count)
    heads = [f'{comma}\n{{"type": "{type_}", "frame": ' for comma in (",", "") for type_ in "OC"]
    which = nested.ends[first:end] + 2 * (np.arange(first, end) == start)
    pieces: list[Piece] = [Texts(heads, which), Numbers(functions[nested.which[first:end]]), constant(', "at": ', count)]
    lines.add_all([*pieces, Numbers(nested.times[first:end]), constant("}", count)], np.arange(count))
    yield lines.text()
