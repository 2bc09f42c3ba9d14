# SPDX-License-Identifier: GPL-2.0-only
"""The trace clocks: their units, and events of native code and of Python have times of the same clock."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.kernel.kernel import Kernel
from emu.machine import Machine
from tests.lib.commands import TRACING, shell

MARKED = re.compile(r"^ .* ([\d.]+): (sys_write|tracing_mark_write)", re.MULTILINE)


def test_each_clock_counts_in_its_own_unit(kernel: Kernel, trace_array: TraceArray) -> None:
    kernel.board.cpus[0].start(kernel.image.entry, 0, 12_345_678)  # cycles at 100 MHz
    boot = kernel.image.constant("WALL_CLOCK_AT_BOOT") * 10**9
    times = {}
    for name in trace_array.recorder.globals.clocks.names:
        trace_array.set_clock(name)
        times[name] = trace_array.reader.buffer_stats(0).now
    nanoseconds = dict.fromkeys(("local", "global", "perf", "mono", "mono_raw", "boot"), 123_456_780)
    assert times == nanoseconds | {"counter": 1, "uptime": 12, "tai": boot + 123_456_780, "x86-tsc": 12_345_678}


def test_the_counter_is_one_for_all_arrays(trace_array: TraceArray) -> None:
    trace_array.make_instance("foo")
    arrays = trace_array, trace_array.instances["foo"]
    for array in arrays:
        array.set_clock("counter")
    assert [array.reader.buffer_stats(0).now for array in (*arrays, *arrays)] == [1, 2, 3, 4]


@pytest.mark.parametrize("clock", ["local", "counter", "uptime", "tai", "cycles"])
def test_markers_and_functions_have_times_of_one_clock(machine: Machine, clock: str) -> None:
    """Native code records the calls, Python the markers."""
    name = machine.ftrace.arch.cycle_clock if clock == "cycles" else clock
    shell(machine, f"echo 0 > tracing_on; echo {name} > trace_clock; echo sys_write > set_ftrace_filter")
    shell(machine, "echo function > current_tracer; echo 1 > tracing_on; for i in 1 2 3 4 5; do echo $i > trace_marker; done")
    machine.run(f"echo 0 > {TRACING}/tracing_on")
    found = MARKED.findall(machine.tracefs.read("trace"))
    assert [what for _, what in found].count("tracing_mark_write") == 5
    times = [float(time) for time, _ in found]
    assert all(before <= after for before, after in pairwise(times))
    assert times[-1] - times[0] < {"counter": 50, "uptime": 2, "cycles": 1_000_000}.get(clock, 0.01)
