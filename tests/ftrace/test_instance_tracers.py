# SPDX-License-Identifier: GPL-2.0-only
"""Tracers of instances: each finds what is known to be there, in its own buffers, and does not affect other instances."""

from __future__ import annotations

import errno
import re

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import run
from tests.lib.event_entries import entries
from tests.lib.golden import read_golden

DELAY = "/lib/modules/preemptirq_delay_test.ko"
PLACE = "preemptirqtest_0 [preemptirq_delay_test]"


def is_busy(machine: Machine, path: str, text: str) -> bool:
    try:
        machine.tracefs.write(path, text)
    except TraceError as error:
        return error.errno == errno.EBUSY
    return False


def section(machine: Machine, microseconds: int, directory: str = "") -> str:
    """The `trace` of an array after a section of that length, while the module that caused it is loaded."""
    run(machine, f"insmod {DELAY} delay={microseconds} test_mode=irq cpu_affinity=1")
    text = machine.tracefs.read(f"{directory}trace")
    run(machine, "rmmod preemptirq_delay_test")
    return text


def worst(machine: Machine, directory: str = "") -> int:
    return int(machine.tracefs.read(f"{directory}tracing_max_latency"))


@pytest.mark.static_timing("how long is waited is counted")
def test_latency_tracers_of_two_instances(arch: str) -> None:
    a, b = "instances/a/", "instances/b/"
    with booted_machine(arch, cpus=2) as machine:
        tracefs = machine.tracefs
        tracefs.mkdir("instances/a")
        tracefs.mkdir("instances/b")
        assert tracefs.read(f"{a}available_tracers") in read_golden("instance.txt").splitlines(keepends=True)
        tracefs.write(f"{a}current_tracer", "irqsoff")
        tracefs.write(f"{b}options/function-trace", "0")
        tracefs.write(f"{b}current_tracer", "wakeup_rt")
        for tracer in ("irqsoff", "preemptoff", "preemptirqsoff", "wakeup", "wakeup_rt", "wakeup_dl"):
            assert is_busy(machine, "current_tracer", tracer), tracer
        assert is_busy(machine, f"{b}current_tracer", "preemptoff") and is_busy(machine, f"{a}snapshot", "1")

        machine.restore(machine.checkpoint())
        text = section(machine, 2345, a)
        run(machine, "insmod /lib/modules/sample_wakeup.ko delay=300; rmmod sample_wakeup")
        assert 2345 <= worst(machine, a) <= 2347 and 300 <= worst(machine, b) <= 320
        assert f"#  => started at: {PLACE}" in text and "CPU#1 |" in text
        bodies = [line.split(": ", 1)[1] for line in text.splitlines() if re.match(r" *irq_test-\d+ +1d", line)]
        assert bodies[:2] == [PLACE, f"busy_wait [preemptirq_delay_test] <-{PLACE}"]
        assert re.search(r"task: sample_sleeper-\d+ \(uid:0 nice:0 policy:1 rt_prio:1\)", tracefs.read(f"{b}trace"))
        assert "irq_test" not in tracefs.read(f"{b}trace")
        assert worst(machine) == 0 and "#P:2" in tracefs.read("trace") and entries(machine.trace_array) == [[], []]

        tracefs.write("tracing_thresh", "500")  # is common to all arrays
        section(machine, 600)
        assert 600 <= worst(machine, a) <= 602
        tracefs.rmdir("instances/a")
        tracefs.write("current_tracer", "preemptirqsoff")
        section(machine, 700)
        assert 700 <= worst(machine) <= 702
        tracefs.rmdir("instances/b")
        tracefs.write("current_tracer", "wakeup")
        tracefs.write("current_tracer", "nop")
        assert tracefs.read("enabled_functions") == "" and machine.warnings == []


def test_graphs_of_an_instance(arch: str) -> None:
    a = "instances/a/"
    with booted_machine(arch, cpus=2) as machine:
        tracefs = machine.tracefs
        tracefs.mkdir("instances/a")
        tracefs.write("set_ftrace_filter", "vfs_open")
        tracefs.write("current_tracer", "function")
        tracefs.write(f"{a}options/display-graph", "1")
        tracefs.write(f"{a}current_tracer", "irqsoff")
        assert is_busy(machine, "current_tracer", "function_graph") and is_busy(machine, "function_profile_enabled", "1")
        lines = [line for line in section(machine, 1500, a).splitlines() if not line.startswith("#")]
        shown = [line.rpartition("|  ")[2].strip() for line in lines[:4]]
        assert shown == [f"{name}();" for name in (PLACE, "busy_wait [preemptirq_delay_test]", PLACE, "tracer_hardirqs_on")]
        assert re.search(r" 150[01]\.\d+ us +\|  busy_wait", lines[1])
        found = {line.split()[-2] for line in tracefs.read("trace").splitlines() if " <-" in line}
        assert "vfs_open" in found
        tracefs.write(f"{a}options/display-graph", "0")
        tracefs.write("current_tracer", "function_graph")
        assert is_busy(machine, f"{a}current_tracer", "nop") is False
        tracefs.rmdir("instances/a")
        run(machine, "true")
        assert "vfs_open();" in tracefs.read("trace") and machine.warnings == []


def test_threads_that_measure_for_several_arrays(arch: str) -> None:
    a, b, c = (f"instances/{name}/" for name in "abc")
    with booted_machine(arch, cpus=2, smi="3.1ms:300us") as machine:
        tracefs = machine.tracefs
        for directory in (a, b, c):
            tracefs.mkdir(directory[:-1])
        for path, text in {"osnoise/runtime_us": "1000", "osnoise/period_us": "2500", "hwlat_detector/width": "1000",
                           "hwlat_detector/window": "2000", f"{a}tracing_cpumask": "2"}.items():  # fmt: skip
            tracefs.write(path, text)
        tracefs.write(f"{a}current_tracer", "hwlat")
        tracefs.write(f"{b}current_tracer", "osnoise")
        tracefs.write("current_tracer", "osnoise")
        assert is_busy(machine, f"{c}current_tracer", "hwlat") and is_busy(machine, f"{c}current_tracer", "timerlat")
        run(machine, "sleep 0.03")
        machine.restore(machine.checkpoint())
        arrays = machine.trace_array.instances
        of_a, of_b, of_top = (entries(array) for array in (arrays["a"], arrays["b"], machine.trace_array))
        assert not of_a[0] and {entry.name for entry in of_a[1]} == {"hwlat"}
        assert [{entry.name for entry in ring} for ring in of_b] == [{"osnoise"}] * 2
        noise = [[entry.fields["noise"] for entry in ring] for ring in of_b]
        assert [[entry.fields["noise"] for entry in ring][-len(there) :] for ring, there in zip(of_top, noise, strict=True)] == [
            there[-len(ring) :] for ring, there in zip(of_top, noise, strict=True)
        ]
        assert worst(machine, b) == worst(machine) >= 300 > worst(machine, a)

        tracefs.write("osnoise/stop_tracing_us", "200")
        run(machine, "sleep 0.02")
        for directory in ("", b):
            assert tracefs.read(f"{directory}tracing_on") == "0\n"
            assert "osnoise_stop_tracing: stop tracing hit on cpu " in tracefs.read(f"{directory}trace").splitlines()[-1]
        assert tracefs.read(f"{a}tracing_on") == "1\n" and "stop" not in tracefs.read(f"{a}trace")
        tracefs.write("osnoise/stop_tracing_us", "0")
        tracefs.write("tracing_on", "1")
        before = tracefs.read("trace").count("osnoise/")
        tracefs.rmdir("instances/b")
        run(machine, "sleep 0.01")
        assert tracefs.read("trace").count("osnoise/") > before
        tracefs.rmdir("instances/a")
        tracefs.write("current_tracer", "nop")
        tracefs.write(f"{c}current_tracer", "timerlat")
        tracefs.rmdir("instances/c")
        assert run(machine, "ps | grep -c 'hwlatd\\|osnoise/\\|timerlat/'", status=1) == "0\n"
        assert machine.warnings == []
