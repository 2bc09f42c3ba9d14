# SPDX-License-Identifier: GPL-2.0-only
"""The names of tasks that saved_cmdlines lacks: columns, tables, pictures and sums take them from events."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.convert import FORMATS, ConvertOptions
from emu.trace.report import ReportOptions
from emu.trace.trace_text import trace_text
from tests.lib.trace_dat import Dat, Pages, event_id

SWITCH, WAKEUP, FORK = (event_id("sched", f"sched_{name}") for name in ("switch", "wakeup", "process_fork"))
RENAME = event_id("task", "task_rename")


def entry(kind: int, pid: int, layout: str, *values: object) -> bytes:
    return struct.pack(f"<HBBi{layout}", kind, 0, 0, pid, *values)


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    pages = Pages()
    for n, data in enumerate((
        entry(11, 21, "Qi", 1, 0), entry(10, 21, "QiIQQ", 1, 0, 0, 1000, 1001),
        entry(SWITCH, 5, "16siiq16sii", b"saved before", 5, 120, 1, b"next", 20, 120),
        entry(WAKEUP, 20, "16siii", b"woken", 21, 120, 0),
        entry(FORK, 20, "16si16si", b"next", 20, b"child", 22),
        entry(RENAME, 22, "i16s16sh", 22, b"child", b"program", 0),
        entry(SWITCH, 22, "16siiq16sii", b"program", 22, 120, 1, b"swapper/0", 0, 120),
    )):  # fmt: skip
        pages.add(1000 + n, data)
    pages.flush()
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat([pages.data], cmdlines="5 saved\n").version7())
    return Trace.open(path)


def test_what_was_saved_counts_and_then_the_last_name(trace: Trace) -> None:
    names = {5: "saved", 20: "next", 21: "woken", 22: "program"}
    assert trace.tasks.comms == names
    assert {pid: trace.tasks.name_of(pid) for pid in (*names, 0, 23)} == {**names, 0: "<idle>", 23: "<...>"}
    assert trace.tasks.saved_comm_of(20) is None
    assert trace.calls["task"].tolist() == ["woken"]


@pytest.mark.parametrize("name", ["csv", "json", "pftrace", "html", "speedscope.json"])
def test_other_formats_have_the_names(trace: Trace, name: str) -> None:
    data = b"".join(FORMATS[name].pieces(trace, ConvertOptions()))
    if name != "html":  # its texts are packed
        assert b"woken" in data
    assert b"<...>" not in data


def test_the_file_trace_has_what_was_saved(trace: Trace) -> None:
    text = b"".join(trace_text(trace, ReportOptions())).decode()
    assert "<...>-22" in text and "saved-5" in text
