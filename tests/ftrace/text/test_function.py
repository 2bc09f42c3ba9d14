# SPDX-License-Identifier: GPL-2.0-only
"""The text of single events: what a real kernel printed, parsed and printed again."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from emu.ftrace.buffers.entries import Events
from emu.ftrace.text import render_events, render_trace
from tests.ftrace.text.golden import body_of, record_events
from tests.lib.golden import read_golden


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("function", ()),
        ("lost-trace", ()),
        ("function-pidfilter", ()),
        ("per_cpu-cpu0-trace", ()),
        ("function-opt-sym-offset", ("sym-offset",)),
        ("function-opt-sym-addr", ("sym-addr",)),
        ("function-opt-sym-offset+sym-addr", ("sym-offset", "sym-addr")),
        ("function-opt-print-parent-off", ("noprint-parent",)),
        ("function-opt-irq-info-off", ("noirq-info",)),
        ("function-opt-context-info-off", ("nocontext-info",)),
        ("function-record-tgid", ("record-tgid",)),
        ("function-func-no-repeats", ()),
    ],
)
def test_function(name: str, options: tuple[str, ...]) -> None:
    golden = read_golden(f"{name}.txt")
    recording = record_events(body_of(golden))
    assert "".join(render_trace(recording.view("function", options, golden))) == golden


def test_thread_groups_of_events() -> None:
    golden = re.sub(r"(\d\.\d{6}): .*", r"\1: vfs_open <-path_openat", read_golden("nop-record-tgid.txt"))
    recording = record_events(body_of(golden))
    assert "".join(render_trace(recording.view("nop", ["record-tgid"], golden))) == golden


def test_many_events() -> None:
    golden = read_golden("function.full20k.gz")
    recording = record_events(body_of(golden))
    assert "".join(render_trace(recording.view("function", (), golden))) == golden


@pytest.mark.parametrize("name", ["clock-counter", "clock-x86-tsc"])
def test_a_clock_that_counts_no_nanoseconds_is_a_plain_number(name: str) -> None:
    golden = read_golden(f"{name}.txt").partition("local ")[0]
    recording = record_events(body_of(golden))
    assert "".join(render_trace(recording.view("function", (), golden, clock_is_ns=False))) == golden


def test_markers() -> None:
    golden = read_golden("trace_marker.txt")
    recording = record_events(body_of(golden))
    assert "".join(render_trace(recording.view("nop", (), golden))) == golden


def test_an_empty_trace_is_a_header() -> None:
    golden = read_golden("file-trace.initial.txt")
    assert "".join(render_trace(record_events([]).view("nop", (), golden))) == golden


def test_without_a_header() -> None:
    golden = read_golden("function-trace_pipe.txt")
    assert "".join(render_events(record_events(golden.splitlines()).view("function"))) == golden


def test_events_that_were_overwritten_are_counted_where_they_are_missing() -> None:
    golden = read_golden("lost-trace_pipe-1.txt")
    first, *lines = golden.splitlines()
    recording = record_events(lines)
    events = [replace(buffer.unread(), lost=32770 if buffer.cpu == 1 else 0) for buffer in recording.buffers]
    assert first == "CPU:1 [LOST 32770 EVENTS]"
    assert "".join(render_events(recording.view("function", events=events))) == golden


def test_each_part_of_a_cpu_can_have_lost_events_before_it() -> None:
    recording = record_events(body_of(read_golden("function.txt")))
    events = recording.buffers[1].unread()
    parts = [_part(events, 0, 3, lost=7), _part(events, 3, 5, lost=0), _part(events, 5, 9, lost=8)]
    lines = "".join(render_events(recording.view("function", events=parts))).splitlines()
    assert [(i, line) for i, line in enumerate(lines) if "LOST" in line] == [
        (0, "CPU:1 [LOST 7 EVENTS]"),
        (6, "CPU:1 [LOST 8 EVENTS]"),
    ]


def _part(events: Events, start: int, stop: int, lost: int) -> Events:
    time, offset, size = events.time[start:stop], events.offset[start:stop], events.size[start:stop]
    return Events(events.cpu, events.words, time, offset, size, lost)


def test_a_buffer_that_starts_later_is_announced_if_events_were_overwritten() -> None:
    recording = record_events(
        [
            "              sh-57      [001] .....     1.000001: vfs_read <-ksys_read",
            "              sh-58      [000] .....     1.000002: vfs_read <-ksys_read",
            "              sh-57      [001] .....     1.000003: vfs_read <-ksys_read",
        ]
    )
    overwritten = "entries-written: 3/4"
    announced = "##### CPU 0 buffer started ####"
    lines = "".join(render_events(recording.view("function", (), overwritten))).splitlines()
    assert [line.startswith("#") for line in lines] == [False, True, False, False]
    assert lines[1] == announced
    assert announced not in "".join(render_events(recording.view("function", ("noannotate",), overwritten)))
    assert announced not in "".join(render_events(recording.view("function", (), "entries-written: 3/3")))


def test_an_address_without_a_symbol_is_a_number() -> None:
    recording = record_events(["vfs_read <-ksys_read"])
    address = recording.symbols.address_of("vfs_read")
    recording.symbols.forget("vfs_read")
    assert "".join(render_events(recording.view("function", ("nocontext-info",)))) == f"{address:#x} <-ksys_read\n"
