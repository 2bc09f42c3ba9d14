# SPDX-License-Identifier: GPL-2.0-only
"""The text of osnoise and timerlat, compared with a real kernel's."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from emu.ftrace.buffers.entries import OSNOISE, TIMERLAT, EventType
from emu.ftrace.text import render_trace
from tests.ftrace.text.golden import Recording, body_of, record_events
from tests.lib.golden import read_golden

_COUNTS = ("hw_count", "nmi_count", "irq_count", "softirq_count", "thread_count")


def _record(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> None:
    words = body.replace("#", " ").split()
    if words[1] == "context":
        context = ("irq", "thread").index(words[2])
        values = {"seqnum": int(words[0]), "context": context, "timer_latency": int(words[4])}
        recording.write(cpu, time, TIMERLAT, {**common, "type": EventType.TIMERLAT, **values})
    else:
        runtime, noise, _, longest, *counts = words
        values = {"runtime": int(runtime), "noise": int(noise), "max_sample": int(longest)}
        values.update(zip(_COUNTS, map(int, counts), strict=True))
        recording.write(cpu, time, OSNOISE, {**common, "type": EventType.OSNOISE, **values})


@pytest.mark.parametrize("tracer", ["osnoise", "timerlat"])
def test_text_is_that_of_a_real_kernel(tracer: str) -> None:
    golden = read_golden(f"{tracer}.txt")
    recording = record_events(body_of(golden), _record)
    assert "".join(render_trace(recording.view(tracer))) == golden


@pytest.mark.parametrize(
    ("tracer", "first"), [("osnoise", "1000000 515723 8635 289 0 133 44 15"), ("timerlat", "1 0 111995")]
)
def test_raw(tracer: str, first: str) -> None:
    recording = record_events(body_of(read_golden(f"{tracer}.txt")), _record)
    text = "".join(render_trace(recording.view(tracer, ["raw", "nocontext-info"])))
    assert body_of(text)[0] == first


def test_what_no_tracer_has_recorded() -> None:
    recording = Recording()
    recording.write(0, 1000, OSNOISE, {"type": EventType.OSNOISE, "noise": 7})
    recording.write(0, 2000, TIMERLAT, {"type": EventType.TIMERLAT, "context": -1})
    osnoise, timerlat = "".join(render_trace(recording.view("osnoise", ["nocontext-info"]))).splitlines()[-2:]
    assert osnoise.split()[:2] == ["0", "7"] and len(osnoise.split()) == 9
    assert timerlat == "#0     context     -1 timer_latency         0 ns"
