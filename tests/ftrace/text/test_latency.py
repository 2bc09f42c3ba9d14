# SPDX-License-Identifier: GPL-2.0-only
"""The text of the latency tracers: what a real kernel printed, parsed and printed again."""

from __future__ import annotations

import pytest

from emu.ftrace.text import render_trace
from tests.ftrace.text.golden import body_of
from tests.ftrace.text.graph_golden import record_calls
from tests.ftrace.text.latency_golden import about_latency, record_latencies
from tests.lib.golden import read_golden

# A golden is truncated, so the event after its last line is unknown.
CUT_LINES = 300

TRACERS = ["irqsoff", "preemptoff", "preemptirqsoff", "wakeup", "wakeup_rt"]


def _without_last(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(lines[:-1] if len(lines) == CUT_LINES else lines)


@pytest.mark.parametrize("functions", [0, 1])
@pytest.mark.parametrize("tracer", TRACERS)
def test_lines(tracer: str, functions: int) -> None:
    golden = read_golden(f"{tracer}-ftrace{functions}-graph0.txt")
    recording = record_latencies(body_of(golden))
    view = recording.view(tracer, ["latency-format"], golden, **about_latency(golden, recording.symbols))
    assert _without_last("".join(render_trace(view))) == _without_last(golden)


@pytest.mark.parametrize("functions", [0, 1])
@pytest.mark.parametrize("tracer", TRACERS)
def test_graphs(tracer: str, functions: int) -> None:
    golden = read_golden(f"{tracer}-ftrace{functions}-graph1.txt")
    recording = record_calls(body_of(golden), ["latency-format", "display-graph", "funcgraph-proc"])
    options = ["latency-format", "display-graph"]
    view = recording.view(tracer, options, golden, **about_latency(golden, recording.symbols))
    assert _without_last("".join(render_trace(view))) == _without_last(golden)
