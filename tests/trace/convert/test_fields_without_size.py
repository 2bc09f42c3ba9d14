# SPDX-License-Identifier: GPL-2.0-only
"""A last field of size 0 extends to the end of its entry: all formats contain it, as old and new kernels declare it."""

from __future__ import annotations

import csv
import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

from emu.trace import Trace
from emu.trace.convert import ConvertOptions
from tests.lib.event_formats import OLDER_FTRACE, with_formats
from tests.lib.trace_dat import Dat, Pages, linux_formats
from tests.trace.convert.conftest import SYMBOLS, A, B, C, converted

TEXT = b"what was written\n"
FORMAT = 0xFFFFFFFF82000000
FORMATS = {"older": with_formats("ftrace", *OLDER_FTRACE), "6.1": {"ftrace": linux_formats()["ftrace"]}}
ENTRIES = (
    struct.pack("<HBBiQ20s", 5, 0, 0, 5, A, TEXT),
    struct.pack("<HBBiQQII", 6, 0, 0, 5, A, FORMAT, 3, 255),
    struct.pack("<HBBiI8s", 18, 0, 0, 5, 0x42, b"raw"),
    struct.pack("<HBBiiI11Q", 4, 0, 0, 5, 11, 0, *[A, B, C] * 3, A, B),
)


@pytest.fixture(params=FORMATS)
def trace(request: pytest.FixtureRequest, tmp_path: Path) -> Trace:
    pages = Pages()
    for n, entry in enumerate(ENTRIES):
        pages.add(1000 + n, entry)
    pages.flush()
    dat = Dat([pages.data], formats=FORMATS[request.param], kallsyms=SYMBOLS, printk=f'0x{FORMAT:x} : "%d and %x\\n"\n')
    path = tmp_path / "trace.dat"
    path.write_bytes(dat.version7())
    return Trace.open(path)


def table_of(trace: Trace, name: str, table: str) -> list[dict[str, Any]]:
    data = converted(trace, name, ConvertOptions(table=table))
    if name == "csv":
        return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(pyarrow.BufferReader(data)).to_pylist()
    return rows


def test_columns(trace: Trace) -> None:
    assert trace["print"]["buf"].tolist() == [TEXT.decode()]
    assert trace["bprint"]["buf"].tolist() == [[3, 255]]
    assert trace["raw_data"]["buf"].tolist() == ["raw"]
    assert trace["kernel_stack"]["caller"].tolist() == [[A, B, C] * 3 + [A, B]]


def test_csv_and_parquet(trace: Trace) -> None:
    pytest.importorskip("pyarrow")
    for name in ("csv", "parquet"):
        assert [row["buf"] for row in table_of(trace, name, "print")] == [TEXT.decode()]
    assert [row["buf"] for row in table_of(trace, "csv", "bprint")] == ["3 255"]
    assert [row["buf"] for row in table_of(trace, "parquet", "bprint")] == [[3, 255]]
    assert [row["caller"] for row in table_of(trace, "parquet", "kernel_stack")] == [[A, B, C] * 3 + [A, B]]


def test_json(trace: Trace) -> None:
    events = json.loads(converted(trace, "json"))["traceEvents"]
    found = {event["name"]: event["args"] for event in events if event["ph"] == "i"}
    assert found["print"]["buf"] == TEXT.decode().rstrip("\n")
    assert (found["bprint"]["fmt"], found["bprint"]["buf"]) == ("%d and %x\n", "3 and ff")
    assert found["kernel_stack"]["caller"] == " <- ".join(["a", "b", "c"] * 3 + ["a", "b"])


def test_pftrace(trace: Trace) -> None:
    packets = protos.Trace.FromString(converted(trace, "pftrace")).packet
    events = [event for packet in packets for event in packet.ftrace_events.event]
    assert [event.print.buf for event in events if event.HasField("print")] == [TEXT.decode()]
    generic = {event.generic.event_name: event.generic.field for event in events if event.HasField("generic")}
    fields = {name: {one.name: one.str_value for one in each} for name, each in generic.items()}
    assert fields["bprint"]["buf"] == "3 and ff"
    assert fields["kernel_stack"]["caller"].count(" <- ") == 10
