# SPDX-License-Identifier: GPL-2.0-only
"""tracing_on has one state, whether a file or native code changes it; what else keeps a CPU from recording is not touched."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import array_record
from emu.ftrace.native.switches import record_off, record_on
from emu.ftrace.ring_buffer import RingBuffer
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs import TraceFS


def turn(trace_array: TraceArray, on: bool) -> None:
    """As a trigger does it."""
    array = trace_array.recorder.globals.records.top
    if on:
        record_on(np.uint64(array.address))
    else:
        record_off(np.uint64(trace_array.recorder.acting_cpu.record.address), np.uint64(array.address))


def recording(rings: list[RingBuffer]) -> list[bool]:
    return [ring.recording for ring in rings]


def test_native_code_and_the_file_agree(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer]) -> None:
    for on in (False, False, True, True):
        turn(trace_array, on)
        assert tracefs.read("tracing_on") == f"{int(on)}\n"
        assert recording(rings) == [on, on]
        tracefs.write("tracing_on", str(int(not on)))
        assert recording(rings) == [not on, not on]


def test_a_cpu_that_is_masked_stays_so(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer]) -> None:
    tracefs.write("tracing_cpumask", "2")
    turn(trace_array, False)
    turn(trace_array, True)
    assert recording(rings) == [False, True]
    turn(trace_array, False)
    tracefs.write("tracing_cpumask", "3")
    assert recording(rings) == [False, False]
    turn(trace_array, True)
    assert recording(rings) == [True, True]


def test_what_has_failed_cannot_be_turned_on(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer]) -> None:
    trace_array.recorder.stop()
    for on in (True, False, True):
        turn(trace_array, on)
        tracefs.write("tracing_on", str(int(on)))
        tracefs.write("tracing_cpumask", "3")
        assert recording(rings) == [False, False]


def test_arrays_are_turned_off_alone(tracefs: TraceFS, trace_array: TraceArray, rings: list[RingBuffer]) -> None:
    tracefs.mkdir("instances/foo")
    turn(trace_array, False)
    assert tracefs.read("instances/foo/tracing_on") == "1\n"
    assert recording(trace_array.instances["foo"].recorder.rings) == [True, True]
    assert recording(rings) == [False, False]


def test_a_reader_that_waits_is_woken(trace_array: TraceArray) -> None:
    recorder = trace_array.recorder
    array = recorder.globals.records.top
    recorder.await_event()
    turn(trace_array, False)
    assert array.get(array_record.READER_WAITS) == 0
