# SPDX-License-Identifier: GPL-2.0-only
"""CSV and Parquet, read back and compared with the trace's columns; and `convert` itself."""

from __future__ import annotations

import csv
import io
import os
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.trace import Trace
from emu.trace.convert import FORMATS, CannotConvert, ConvertOptions, convert
from emu.trace.report import Report
from emu.trace.selection import Selection
from tests.lib.golden import GOLDEN
from tests.trace.convert.conftest import A, B, converted, trace_of


def rows(trace: Trace, options: ConvertOptions | None = None) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(converted(trace, "csv", options).decode(), newline="")))


def parquet(trace: Trace, options: ConvertOptions | None = None) -> Any:
    files = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    return files.read_table(pyarrow.BufferReader(converted(trace, "parquet", options)))


def test_a_row_for_each_event(trace: Trace) -> None:
    found = rows(trace)
    assert [int(row["time"]) for row in found] == trace.first.columns.time.tolist()
    assert [int(row["pid"]) for row in found] == trace.first.pid.tolist()
    assert [int(row["cpu"]) for row in found] == trace.first.columns.cpu.tolist()
    kinds = trace.first.columns.kind.tolist()
    assert [row["event"] for row in found] == [trace.formats.by_number[kind].path for kind in kinds]
    assert all(row["task"] == trace.tasks.name_of(int(row["pid"])) for row in found)
    [said] = [row["info"] for row in found if row["event"] == "ftrace:print"]
    assert said.endswith('said "so", and more')


def test_info_is_the_text_of_the_report() -> None:
    trace = Trace.open(GOLDEN / "tracecmd-sched.dat")
    lines = b"".join(Report(trace).pieces()).decode().splitlines()[1:]
    assert [row["info"] for row in rows(trace)] == [re.sub(r"^.*?: \w+: +", "", line) for line in lines]


@pytest.mark.parametrize("table", ["calls", "sched_switch", "raw_syscalls:sys_enter", "funcgraph_exit"])
def test_a_table_has_all_columns(trace: Trace, table: str) -> None:
    expected = trace.calls if table == "calls" else trace[table]
    found = rows(trace, ConvertOptions(table=table))
    arrow = parquet(trace, ConvertOptions(table=table))
    assert list(found[0]) == list(expected) == arrow.column_names
    for name in expected:
        values = expected[name].tolist()
        assert arrow[name].to_pylist() == values
        texts = [" ".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]
        assert [row[name] for row in found] == [{"True": "true", "False": "false"}.get(text, text) for text in texts]


def test_parquet_has_the_rows_of_csv(linux_trace: Trace) -> None:
    table, found = parquet(linux_trace), rows(linux_trace)
    for name in table.column_names:
        assert [str(value) for value in table[name].to_pylist()] == [row[name] for row in found]
    types = {field.name: str(field.type) for field in table.schema}
    assert types["time"] == "uint64" and types["task"] == "dictionary<values=string, indices=int32, ordered=0>"


def test_parents_of_calls_that_are_selected_count_among_these(trace: Trace) -> None:
    calls = trace.calls
    middle = int(calls["entry"][calls.count // 2])
    found = rows(trace, ConvertOptions(Selection(start=middle), table="calls"))
    chosen = np.flatnonzero(calls["entry"] >= middle)
    assert len(found) == len(chosen)
    for row, call in zip(found, chosen.tolist(), strict=True):
        parent = int(row["parent"])
        assert (int(chosen[parent]) if parent >= 0 else -1) == (calls["parent"][call] if calls["parent"][call] in chosen else -1)


def test_texts_that_are_no_utf_8(tmp_path: Path) -> None:
    entry = struct.pack("<HBBiQ", 5, 0, 0, 5, 0) + b"\xff, said\n\0"
    trace = trace_of(tmp_path, [(10, entry)], tasks="5 a,b\n")
    assert converted(trace, "csv").splitlines()[1] == b'10,0,5,"a,b",ftrace:print,"0x0: \xff, said"'
    assert parquet(trace)["info"].to_pylist() == ["0x0: \ufffd, said"]


def test_a_table_that_there_is_not(trace: Trace) -> None:
    for name in ("csv", "parquet"):
        with pytest.raises(CannotConvert, match=r"^the trace has no table 'sched_swich'; did you mean sched_switch"):
            converted(trace, name, ConvertOptions(table="sched_swich"))


def test_an_empty_trace(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, [])
    assert converted(trace, "csv") == b"time,cpu,pid,task,event,info\n"
    assert parquet(trace).num_rows == 0
    assert converted(trace, "csv", ConvertOptions(table="calls")).count(b"\n") == 1


@pytest.mark.parametrize("name", FORMATS)
def test_convert_writes_what_the_name_says(trace: Trace, tmp_path: Path, name: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    convert(trace, tmp_path / f"trace.{name}")
    convert(trace, tmp_path / "trace", to=name)
    assert (tmp_path / f"trace.{name}").read_bytes() == (tmp_path / "trace").read_bytes() == converted(trace, name)


def test_a_file_that_cannot_be_converted_stays_as_it_was(tmp_path: Path) -> None:
    trace = Trace.open(GOLDEN / "tracecmd-sched.dat")
    (tmp_path / "old.svg").write_text("old")
    with pytest.raises(CannotConvert):
        convert(trace, tmp_path / "old.svg")
    with pytest.raises(ValueError, match=r"ends like no format"):
        convert(trace, tmp_path / "old.txt")
    with pytest.raises(ValueError, match=r"^no format has the name 'text'$"):
        convert(trace, tmp_path / "old.svg", to="text")
    assert os.listdir(tmp_path) == ["old.svg"] and (tmp_path / "old.svg").read_text() == "old"


def test_events_of_other_instances_are_said(trace: Trace, tmp_path: Path) -> None:
    from tests.lib.trace_dat import Dat, Pages

    pages = []
    for when in (10, 20):
        made = Pages()
        made.add(when, struct.pack("<HBBiQQ", 1, 0, 0, 5, A, B))
        made.flush()
        pages.append(made.data)
    path = tmp_path / "two.dat"
    path.write_bytes(Dat([pages[0]], instances={"foo": [pages[1]]}).version7())
    options = ConvertOptions()
    assert len(rows(Trace.open(path), options)) == 1
    assert options.notes == ["1 event of the instance foo left out: -B foo converts these"]
    assert len(rows(Trace.open(path).buffer("foo"))) == 1
