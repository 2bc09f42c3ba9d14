# SPDX-License-Identifier: GPL-2.0-only
"""The columns in a page compared with those of the trace. tests/browser tests the page itself."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.trace import Trace
from emu.trace.convert import CannotConvert, ConvertOptions
from emu.trace.convert.page.packing import packed
from emu.trace.selection import Selection
from tests.trace.convert.conftest import A, converted, trace_of

CALLS = ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit")


def unpacked(layout: dict[str, list[int]], text: str) -> dict[str, list[int]]:
    data, found = zlib.decompress(base64.b64decode(text)), {}
    for name, (count, width) in layout.items():
        planes, data = data[: count * width], data[count * width :]
        found[name] = [int.from_bytes(planes[n::count], "little") for n in range(count)]
    assert data == b""
    return found


def content(trace: Trace, options: ConvertOptions | None = None) -> tuple[Any, dict[str, list[int]]]:
    """The header of a page, and its columns."""
    text = converted(trace, "html", options).decode()
    said = json.loads(re.search(r'id="said">\n(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    columns = re.search(r'id="columns">(.*?)</script>', text)
    assert columns
    return said, unpacked(said["layout"], columns[1])


def calls(trace: Trace, options: ConvertOptions | None = None) -> Counter[tuple[Any, ...]]:
    """Task, function, CPU, beginning, duration and self time of the calls in a page."""
    said, columns = content(trace, options)
    other = dict(zip(columns["other_call"], columns["other_duration"], strict=True))
    found, n = Counter(), 0
    for task, _, count in said["rows"]:
        time = int(said["origin"])
        for call in range(n, n + count):
            time += columns["call_start"][call]
            duration = other.get(call, columns["call_length"][call])
            name, cpu = said["names"][columns["call_name"][call]], columns["call_cpu"][call]
            found[said["tasks"][task][0], name, cpu, time, duration, duration - columns["call_inner"][call]] += 1
        n += count
    assert n == len(columns["call_start"])
    return found


def expected(trace: Trace, rows: Any = slice(None)) -> Counter[tuple[Any, ...]]:
    table = trace.calls
    keys = np.where(table["pid"] == 0, -1 - table["cpu"].astype(int), table["pid"])
    columns = [keys, *(table[name] for name in ("function", "cpu", "entry", "duration", "self_time"))]
    return Counter(zip(*(column[rows].tolist() for column in columns), strict=True))


def test_calls_of_a_machine(trace: Trace) -> None:
    assert calls(trace) == expected(trace)


def test_calls_of_a_real_linux(linux_trace: Trace) -> None:
    mine, theirs = calls(linux_trace), expected(linux_trace)
    moved = mine - theirs  # drawn with a later beginning: another call was recorded as if it had not ended by then
    assert len(moved) <= len(theirs) // 100

    def without_times(found: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
        return Counter({(*key[:3], *key[4:]): 0 for key in found}) + Counter((*key[:3], *key[4:]) for key in found.elements())

    assert without_times(mine) == without_times(theirs)


def test_only_what_is_selected(trace: Trace) -> None:
    options = ConvertOptions(Selection(cpus=[1], events=set(trace.formats) - {"sched:sched_switch"}))
    assert calls(trace, options) == expected(trace, np.flatnonzero(trace.calls["cpu"] == 1))
    said, columns = content(trace, options)
    names = {said["names"][name] for name in columns["event_name"]}
    assert "sched:sched_waking" in names and "sched:sched_switch" not in names
    assert set(columns["event_cpu"]) == {1} and columns["run_start"] == []


def test_events_and_their_texts(trace: Trace) -> None:
    said, columns = content(trace)
    times = np.cumsum(columns["event_time"]) + int(said["origin"])
    kinds = [said["names"][name] for name in columns["event_name"]]
    for path, table in trace.events.items():
        found = [int(time) for time, kind in zip(times, kinds, strict=True) if kind == path]
        assert found == ([] if path in CALLS else table["common_time"].tolist()), path
    ends = np.cumsum(columns["event_length"])
    starts = ends - columns["event_length"]
    text = bytes(columns["event_text"])
    assert len(text) == ends[-1]
    [printed] = [n for n, kind in enumerate(kinds) if kind == "ftrace:print"]
    assert b'said "so", and more' in text[starts[printed] : ends[printed]]
    switch = kinds.index("sched:sched_switch")
    assert text[starts[switch] : ends[switch]].startswith(trace["sched_switch"]["prev_comm"][0].encode() + b":")


def test_it_is_the_same_each_time(trace: Trace) -> None:
    assert converted(trace, "html") == converted(trace, "html")


def test_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(CannotConvert, match=r"^there is nothing to show"):
        converted(trace_of(tmp_path, []), "html")


def test_a_call_that_has_not_returned(tmp_path: Path) -> None:
    entry = struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)
    trace = trace_of(tmp_path, [(10, entry)], [(10**15, entry[:8] + struct.pack("<Qi", A + 64, 0))])
    said, columns = content(trace)
    assert (columns["unfinished"], columns["call_start"], said["end"]) == ([0, 1], [0, 10**15 - 10], 10**15 - 10)


def test_columns_have_as_many_bytes_as_they_need() -> None:
    columns = {"none": [], "zeros": [0, 0], "small": [1, 255, 0], "large": [0, 2**53, 256]}
    layout, text = packed({name: np.array(column, np.uint64) for name, column in columns.items()})
    assert layout == {"none": [0, 1], "zeros": [2, 1], "small": [3, 1], "large": [3, 7]}
    assert unpacked(layout, text) == columns


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    options = ConvertOptions()
    unknown, entry = struct.pack("<HBBi", 60000, 0, 0, 5), struct.pack("<HBBiQi", 11, 0, 0, 5, A, 0)
    assert len(calls(trace_of(tmp_path, [(10, unknown), (20, entry)]), options)) == 1
    assert options.notes == ["1 event left out: the trace has no format of them"]
