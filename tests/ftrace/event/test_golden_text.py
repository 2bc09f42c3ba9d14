# SPDX-License-Identifier: GPL-2.0-only
"""The text of events printed by a real kernel: parsed into entries, and printed again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from emu.ftrace.text import TraceView, render_events, render_trace
from tests.ftrace.event.golden_events import CONSTANTS, VALUES, record_event
from tests.ftrace.text.golden import Recording, body_of, record_events
from tests.lib.golden import read_golden


def _recorded(lines: list[str], times: Iterator[int] | None = None) -> TraceView:
    """A view of the events in the lines. `times`: exact ones, if they are known."""
    numbers = itertools.count()  # nanoseconds that keep the order of lines

    def record(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> None:
        entry = record_event(recording, common, body)
        assert recording.buffers[cpu].write(next(times) if times else time - 400 + next(numbers), entry)

    recording = record_events(lines, record)
    view = recording.view("nop", ("noannotate", "hash-ptr"))
    return replace(view, kernel_values=VALUES, kernel_constants=CONSTANTS)


@pytest.mark.parametrize(
    "name",
    [
        "nop-sched-ls",
        "nop-sched-chrt",
        "nop-irq-timer-workqueue",
        "nop-kmem-exceptions",
        "nop-block-ext",
        "nop-task-signal",
        "nop-raw_syscalls",
        "nop-syscalls-ls",
        "nop-all-events",
    ],
)
def test_golden(name: str) -> None:
    lines = body_of(read_golden(f"{name}.txt"))
    text = "".join(render_events(_recorded(lines)))
    # The golden's kernel could not hide addresses yet.
    assert re.sub(r"\b00000000[0-9a-f]{8}\b", "(____ptrval____)", text).splitlines() == lines


_START = 345_370_499_630  # the beginning of the trace of nop-sched-ls: a time consistent with all lines of latency-format


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("verbose", ["verbose"]),
        ("latency-format", ["latency-format"]),
        ("latency-format+verbose", ["latency-format", "verbose"]),
        ("irq-info-off", ["noirq-info"]),
        ("context-info-off", ["nocontext-info"]),
        ("markers-off", ["nomarkers"]),
        ("raw", ["raw"]),
        ("hex", ["hex"]),
    ],
)
def test_one_trace_in_all_forms(name: str, options: list[str]) -> None:
    golden = read_golden(f"nop-sched-opt-{name}.txt")
    times = list(map(int, re.findall(r"^\d+ \d+ (\d+) type", read_golden("nop-sched-opt-raw.txt"), re.MULTILINE)))
    events = [line for line in body_of(read_golden("nop-sched-ls.txt")) if ": " in line][: len(times)]
    view = _recorded(events, iter(times))
    header = re.search(r"entries-in-buffer.*\n", read_golden("nop-sched-ls.txt"))
    entries, written = map(int, re.findall(r"(\d+)/(\d+)", header[0])[0])
    shown = {option.removeprefix("no"): not option.startswith("no") for option in options}
    view = replace(view, options={**view.options, **shown}, entries=entries, written=written, start=_START)
    text = "".join(render_trace(replace(view, release="6.1.192-fulltrace"))).splitlines()[:-1]  # the last event's delay differs
    assert len(text) > 100
    assert text[: len(golden.splitlines())] == golden.splitlines()[: len(text)]


def test_thread_groups() -> None:
    lines = body_of(read_golden("nop-record-tgid.txt"))
    view = _recorded(lines)
    assert "".join(render_events(replace(view, options={**view.options, "record-tgid": True}))).splitlines() == lines


def test_types_of_a_system_calls_arguments() -> None:
    lines = body_of(read_golden("nop-syscalls-opt-verbose.txt"))
    view = _recorded(lines)
    assert "".join(render_events(replace(view, options={**view.options, "verbose": True}))).splitlines() == lines
