# SPDX-License-Identifier: GPL-2.0-only
"""tracing_on has one state, whether a file or native code changes it; other reasons not to record on a CPU are not affected."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.native.switches import record_off, record_on
from emu.ftrace.tracefs import TraceFS
from emu.kernel.kernel import Kernel

Turn = Callable[[bool], None]


@pytest.fixture
def turn(kernel: Kernel, trace_array: TraceArray) -> Turn:
    """Turns the array on or off as a trigger does."""
    array = trace_array.recorder.globals.records.top

    def turned(on: bool) -> None:
        if on:
            record_on(array)
        else:
            record_off(kernel.acting_cpu.record, array)

    return turned


def recording(rings: list[RingBuffer]) -> list[bool]:
    return [ring.recording for ring in rings]


def test_native_code_and_the_file_agree(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer], turn: Turn) -> None:
    for on in (False, False, True, True):
        turn(on)
        assert tracefs.read("tracing_on") == f"{int(on)}\n"
        assert recording(rings) == [on, on]
        tracefs.write("tracing_on", str(int(not on)))
        assert recording(rings) == [not on, not on]


def test_a_cpu_that_is_masked_stays_so(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer], turn: Turn) -> None:
    tracefs.write("tracing_cpumask", "2")
    turn(False)
    turn(True)
    assert recording(rings) == [False, True]
    turn(False)
    tracefs.write("tracing_cpumask", "3")
    assert recording(rings) == [False, False]
    turn(True)
    assert recording(rings) == [True, True]


def test_what_has_failed_cannot_be_turned_on(
    tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer], turn: Turn
) -> None:
    trace_array.recorder.stop()
    for on in (True, False, True):
        turn(on)
        tracefs.write("tracing_on", str(int(on)))
        tracefs.write("tracing_cpumask", "3")
        assert recording(rings) == [False, False]


def test_arrays_are_turned_off_alone(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer], turn: Turn) -> None:
    tracefs.mkdir("instances/foo")
    turn(False)
    assert tracefs.read("instances/foo/tracing_on") == "1\n"
    assert recording(trace_array.instances["foo"].recorder.rings) == [True, True]
    assert recording(rings) == [False, False]


def test_a_reader_that_waits_is_woken(trace_array: TraceArray, turn: Turn) -> None:
    recorder = trace_array.recorder
    array = recorder.globals.records.top
    recorder.reader.await_event(again=False)
    turn(False)
    assert array.reader_waits == 0
