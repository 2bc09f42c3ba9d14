# SPDX-License-Identifier: GPL-2.0-only
"""The trace of a real kernel's tracer blk, printed again: as lines with a context, in blktrace's form, as numbers."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

import pytest

from emu.ftrace.buffers.entries import BLK, FUNCTION, EventType
from emu.ftrace.text import render_trace
from emu.ftrace.words import Words
from tests.ftrace.text.golden import Recording, body_of, record_events
from tests.lib.golden import read_golden

# Linux's numbers, from include/uapi/linux/blktrace_api.h
ACTIONS = {"Q": 1, "M": 2, "F": 3, "G": 4, "D": 7, "C": 8, "P": 9, "U": 10, "UT": 11, "I": 12}
WRITE, FLUSH, SYNC, META = 1 << 17, 1 << 18, 1 << 19, 1 << 28
NAMES = {"Q": "queue", "G": "getrq", "D": "issue", "C": "complete", "P": "plug", "UT": "unplug_timer", "I": "insert"}
CLASSIC = ("blk_classic", "nocontext-info")

_LINE = re.compile(
    r" *(\d+),(\d+) +(?P<action>\w+) +(?P<flush>F?)(?P<operation>[RWN])(?P<sync>S?)(?P<meta>M?) "
    r"(?:(?P<sector>\d+) (?:\+ (?P<sectors>\d+) )?)?\[(?P<last>.*)\](?: (?P<depth>\d+))?"
)


def record_blk(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> None:
    """Records the event of a line as the kernel would."""
    line = _LINE.fullmatch(body)
    assert line, body
    action = ACTIONS[line["action"]]
    action |= WRITE if line["operation"] == "W" else 0
    action |= sum(bit for bit, name in ((FLUSH, "flush"), (SYNC, "sync"), (META, "meta")) if line[name])
    depth = b"" if line["depth"] is None else int(line["depth"]).to_bytes(8, "big")
    fields = {
        "sector": int(line["sector"] or 0),
        "bytes": int(line["sectors"] or 0) * 512,
        "action": action,
        "task": common["pid"],
        "device": int(line[1]) << 20 | int(line[2]),
        "error": int(line["last"]) if line["action"] == "C" else 0,
        "pdu_len": len(depth),
    }
    recording.write(cpu, time, BLK, {**common, **fields, "type": EventType.BLK}, depth)


def recorded() -> Recording:
    """The golden events, with the nanoseconds that only the classic form has."""
    times = re.findall(r"^ +\d+,\d+ +\d+ +(\d+\.\d{9}) ", read_golden("blk-classic.txt"), re.MULTILINE)
    lines = body_of(read_golden("blk.txt"))
    exact = [re.sub(r"\d+\.\d{6}: ", time.replace(".", "") + ": ", line) for line, time in zip(lines, times, strict=True)]
    return record_events(exact, record_blk)


@pytest.mark.parametrize(("golden", "options"), [("blk.txt", ()), ("blk-classic.txt", CLASSIC)])
def test_golden(golden: str, options: tuple[str, ...]) -> None:
    assert "".join(render_trace(recorded().view("blk", options))) == read_golden(golden)


def test_nothing_recorded() -> None:
    assert "".join(render_trace(Recording().view("blk"))) == read_golden("blk-empty.txt")


def test_verbose_spells_actions_out() -> None:
    expected = re.sub(r"7,0 +(\w+)", lambda match: f"7,0   {NAMES[match[1]]}", read_golden("blk.txt"))
    assert body_of("".join(render_trace(recorded().view("blk", ["verbose"])))) == body_of(expected)


def test_what_else_was_recorded_keeps_its_line() -> None:
    recording = recorded()
    recording.write(0, 342_490_000_000, FUNCTION, {"type": EventType.FUNCTION, "pid": 14, "ip": 1, "parent_ip": 2})
    classic = recording.view("blk", CLASSIC, "entries-written: 1/2")  # so it shows where a CPU begins
    golden = body_of(read_golden("blk-classic.txt"))
    assert "".join(render_trace(classic)).splitlines()[4:] == [*golden, "##### CPU 0 buffer started ####", "0x1 <-0x2"]
    other = recording.view("nop", ["blk_classic"])  # the option belongs to the tracer that has recorded it
    assert body_of("".join(render_trace(other)))[:-1] == body_of(read_golden("blk.txt"))


@pytest.mark.parametrize("order", "<>")
def test_numbers(order: str) -> None:
    recording = Recording()
    record_blk(recording, 1, 5_000_000_123, {"pid": 57}, "  1,0   UT   N [dd] 3")
    record_blk(recording, 0, 5_000_000_456, {"pid": 14}, "  1,0    C  WS 8 + 24 [65531]")
    view = recording.view("blk", ["nocontext-info", "bin"], words=Words(order))
    printed = "".join(render_trace(view)).removeprefix("# tracer: blk\n#\n").encode(errors="surrogateescape")
    layout = struct.Struct(f"{order}IIQQIIIIIHH")
    magic = 0x65617407
    first = layout.pack(magic, 0, 5_000_000_123, 0, 0, 11, 57, 1 << 20, 0, 0, 8) + bytes([0, 0, 0, 0, 0, 0, 0, 3])
    assert printed == first + layout.pack(magic, 0, 5_000_000_456, 8, 12288, 8 | WRITE | SYNC, 14, 1 << 20, 0, 65531, 0)
    raw = recording.view("blk", ["nocontext-info", "raw"])
    assert body_of("".join(render_trace(raw))) == ["type: 13"] * 2
