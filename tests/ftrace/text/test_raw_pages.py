# SPDX-License-Identifier: GPL-2.0-only
"""Pages written by a real kernel, printed as that kernel printed them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from emu.ftrace.buffers.entries import ENTRY, FUNCGRAPH_ENTRY, FUNCTION, PRINT, EventType
from emu.ftrace.buffers.ring_buffer import RingBuffer, events_in
from emu.ftrace.text import render_trace
from tests.ftrace.event.golden_events import calls_by_number
from tests.ftrace.text.golden import Recording
from tests.lib.golden import golden_pages, read_golden
from tests.lib.payload import payload

CAPTURES = ("function", "function_graph", "markers-timeextend", "sched", "syscalls", "stacktrace")


def _printed(name: str, tracer: str, symbols: dict[int, str], comms: dict[int, str]) -> str:
    recording = Recording()
    recording.comms = comms
    recording.symbols.put(symbols)
    recording.calls = dict(calls_by_number())
    text = read_golden(f"raw-{name}.cpu0.trace.txt")
    events = [events_in(golden_pages(name), cpu=0)]
    return "".join(render_trace(recording.view(tracer, (), text, events=events)))


def test_function() -> None:
    text = read_golden("raw-function.cpu0.trace.txt")
    events = events_in(golden_pages("function"), cpu=0).entries(FUNCTION)
    symbols: dict[int, str] = {}
    for event, (name, parent) in zip(events, re.findall(r": (\S+) <-(\S+)$", text, re.MULTILINE), strict=True):
        # One name for each address, throughout.
        assert symbols.setdefault(int(event["ip"]), name) == name
        assert symbols.setdefault(int(event["parent_ip"]), parent) == parent
    assert _printed("function", "function", symbols, {458: "ls"}) == text


def test_function_graph() -> None:
    text = read_golden("raw-function_graph.cpu0.trace.txt")
    events = events_in(golden_pages("function_graph"), cpu=0).entries(FUNCGRAPH_ENTRY)
    calls = events[events["type"] == EventType.FUNCGRAPH_ENTRY]
    symbols: dict[int, str] = {}
    for event, name in zip(calls, re.findall(r"(\S+)\(\)", text), strict=True):
        assert symbols.setdefault(int(event["func"]), name) == name
    assert _printed("function_graph", "function_graph", symbols, {549: "ls"}) == text


def test_markers_and_a_time_extend() -> None:
    pages = golden_pages("markers-timeextend")
    entries = events_in(pages, cpu=0).entries(PRINT)
    symbols = {int(entry["ip"]): "tracing_mark_write" for entry in entries if entry["type"] == EventType.PRINT}
    printed = _printed("markers-timeextend", "nop", symbols, {})
    assert printed == read_golden("raw-markers-timeextend.cpu0.trace.txt")


@pytest.mark.parametrize("name", ["sched", "syscalls"])
def test_events_of_the_kernel(name: str) -> None:
    text = read_golden(f"raw-{name}.cpu0.trace.txt")
    expected = [line for line in text.splitlines() if "[001]" not in line]
    comms = {int(pid): comm for comm, pid in re.findall(r"^ *(\S+)-(\d+) +\[000\]", text, re.MULTILINE) if comm[0] != "<"}
    entries = events_in(golden_pages(name), cpu=0).entries(PRINT)
    symbols = {0: "none"} | {int(entry["ip"]): "tracing_mark_write" for entry in entries if entry["type"] == EventType.PRINT}
    assert _printed(name, "nop", symbols, comms).splitlines() == expected


def test_stack_traces() -> None:
    """The addresses are those of the pages; the text has their names."""
    text = read_golden("raw-stacktrace.cpu0.trace.txt")
    shown = re.findall(r"^ => (\S+)$", text, re.MULTILINE)
    events = events_in(golden_pages("stacktrace"), cpu=0)
    stacks = [payload(events, index)[16:] for index in np.flatnonzero(events.entries(ENTRY)["type"] == EventType.KERNEL_STACK)]
    names = dict(zip(np.frombuffer(b"".join(stacks), np.uint64).tolist(), shown, strict=True))
    expected = [line for line in text.splitlines() if "[001]" not in line]
    comms = {int(pid): comm for comm, pid in re.findall(r"^ *(\S+)-(\d+) +\[000\]", text, re.MULTILINE) if comm[0] != "<"}
    assert _printed("stacktrace", "nop", names, comms).splitlines() == expected


@pytest.mark.parametrize("name", CAPTURES)
def test_we_would_have_written_the_same_pages(name: str) -> None:
    """Recording the pages' events again gives the same pages, and Linux's numbers in stats."""
    pages = golden_pages(name)
    events = events_in(pages, cpu=0)
    buffer = RingBuffer(0, 10)
    for index in range(len(events)):
        assert buffer.write(int(events.time[index]), payload(events, index))
    _check_stats(buffer, read_golden(f"raw-{name}.cpu0.stats.txt"))
    ours = []
    while (page := buffer.read_page()) is not None:
        ours.append(page)
    assert np.array_equal(np.stack(ours), pages)
    _check_stats(buffer, read_golden(f"raw-{name}.cpu0.stats-after.txt"))


def _check_stats(buffer: RingBuffer, text: str) -> None:
    stats = dict(re.findall(r"^(.*?):\s+(\S+)$", text, re.MULTILINE))
    assert buffer.entries == int(stats["entries"])
    assert buffer.overrun == int(stats["overrun"])
    assert buffer.used_bytes == int(stats["bytes"])
    assert (buffer.oldest_event + 500) // 1000 == int(stats["oldest event ts"].replace(".", ""))
    assert buffer.dropped_events == int(stats["dropped events"])
    assert buffer.read_events == int(stats["read events"])
