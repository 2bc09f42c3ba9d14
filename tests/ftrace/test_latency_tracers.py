# SPDX-License-Identifier: GPL-2.0-only
"""irqsoff, preemptoff, preemptirqsoff: they find sections of known length in which a module disables interrupts or preemption."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from random import Random

import pytest

from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import run, shell

MODULE = "/lib/modules/preemptirq_delay_test.ko"
TEST = "preemptirqtest_0 [preemptirq_delay_test]"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as machine:
        yield machine


def section(machine: Machine, microseconds: int, mode: str, cpu: int = 1) -> str:
    """The `trace` after a section of that length. Recording has then stopped."""
    run(machine, f"insmod {MODULE} delay={microseconds} test_mode={mode} cpu_affinity={cpu}")
    machine.tracefs.write("tracing_on", "0")
    run(machine, "rmmod preemptirq_delay_test")
    return machine.tracefs.read("trace")


def max_latency(machine: Machine) -> int:
    return int(machine.tracefs.read("tracing_max_latency"))


@pytest.mark.parametrize(
    ("tracer", "mode"),
    [("irqsoff", "irq"), ("preemptoff", "preempt"), ("preemptirqsoff", "irq"), ("preemptirqsoff", "preempt")],
)
def test_a_section_is_found(machine: Machine, tracer: str, mode: str) -> None:
    length = Random(f"{tracer} {mode}").randrange(600, 4000)
    machine.tracefs.write("current_tracer", tracer)
    machine.tracefs.write("tracing_max_latency", "500")  # a new maximum elsewhere would end the section, as on Linux
    text = section(machine, length, mode)
    assert length <= max_latency(machine) <= length + 2

    lines = text.splitlines()
    header = [line for line in lines if line.startswith("#")]
    assert header[0] == f"# tracer: {tracer}"
    assert f"# latency: {max_latency(machine)} us, " in text and "CPU#1 |" in text
    assert f"#  => started at: {TEST}" in header and f"#  => ended at:   {TEST}" in header

    events = [match for line in lines if (match := re.fullmatch(r" *(\S+)-\d+ +1(\S{5}) +(\d+)us.: (.*)", line))]
    assert f", #{len(events)}/{len(events)}, " in text
    assert {event[1] for event in events} == {f"{mode}_test"[:8]}
    times = [int(event[3]) for event in events]
    assert times == sorted(times) and times[0] == 0 and times[-1] <= length + 3
    off = (lambda flags: flags[0] == "d") if mode == "irq" else (lambda flags: flags[3] != ".")
    assert all(off(event[2]) for event in events)

    parent, hook = (f" <-{TEST}", "tracer_preempt_on") if mode == "preempt" else ("", "tracer_hardirqs_on")
    bodies = [event[4] for event in events]
    assert bodies[:2] == [TEST + parent, f"busy_wait [preemptirq_delay_test] <-{TEST}"]
    assert bodies[-3:] == [TEST + parent, f"{hook} <-{TEST}", "<stack trace>"]
    assert lines[lines.index(next(line for line in lines if "<stack trace>" in line)) + 1 :][:2] == [
        " => preemptirq_delay_run [preemptirq_delay_test]",
        " => kthread",
    ]


def test_as_a_graph(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("options/display-graph", "1")
    tracefs.write("current_tracer", "irqsoff")
    lines = section(machine, 1500, "irq").splitlines()
    assert "#   REL TIME      CPU  TASK/PID       ||||     DURATION                  FUNCTION CALLS" in lines
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    shown = [line.rpartition("|  ")[2].strip() for line in lines[first : first + 4]]
    assert shown == [f"{name}();" for name in (TEST, "busy_wait [preemptirq_delay_test]", TEST, "tracer_hardirqs_on")]
    assert re.match(r"        0 us \|   1\) +irq_tes-\d+ +\|  d\.\.\.\. \|   0\.000 us    \|  ", lines[first])
    assert re.search(r" 150[01]\.\d+ us +\|  busy_wait", lines[first + 1])
    tracefs.write("options/function-trace", "0")
    tracefs.write("options/display-graph", "0")  # and from now on as lines
    assert max_latency(machine) == 0
    tracefs.write("tracing_on", "1")
    lines = section(machine, 1500, "irq").splitlines()
    assert "busy_wait" not in str(lines) and re.search(r" 1d\.\.\.\.    0us#: preemptirqtest_0 \[", str(lines))


def test_events_inside(machine: Machine) -> None:
    machine.tracefs.write("events/irq/softirq_raise/enable", "1")
    machine.tracefs.write("current_tracer", "preemptoff")
    lines = section(machine, 9000, "preempt").splitlines()
    inside = [line for line in lines if "softirq_raise: vec=1 [action=TIMER]" in line]
    assert 8 <= len(inside) <= 10
    assert all(re.match(r"preempt_-\d+ +1d.h\S\. +\d+us.: ", line) for line in inside)


def test_only_what_is_longer_is_kept_or_what_is_too_long(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("current_tracer", "irqsoff")
    tracefs.write("tracing_max_latency", "3000")
    assert "latency" not in section(machine, 2000, "irq")
    tracefs.write("tracing_on", "1")
    section(machine, 3500, "irq")
    assert 3500 <= max_latency(machine) <= 3502
    tracefs.write("tracing_thresh", "1000")
    tracefs.write("tracing_on", "1")
    section(machine, 1200, "irq")  # shorter, but long enough
    assert 1200 <= max_latency(machine) <= 1202


def test_what_belongs_to_the_tracer_comes_and_goes_with_it(machine: Machine) -> None:
    tracefs = machine.tracefs
    options = ("latency-format", "overwrite", "pause-on-trace")
    tracefs.write("options/overwrite", "0")
    tracefs.write("snapshot", "1")
    tracefs.write("current_tracer", "irqsoff")
    tracefs.write("current_tracer", "preemptoff")
    assert [tracefs.read(f"options/{name}") for name in options] == ["1\n"] * 3
    for path, text in (("snapshot", "1"), ("snapshot", "0"), ("per_cpu/cpu0/snapshot", "2")):
        with pytest.raises(TraceError) as refused:
            tracefs.write(path, text)
        assert refused.value.errno == errno.EBUSY
    for path in ("snapshot", "per_cpu/cpu0/snapshot_raw"):
        assert "Device or resource busy" in shell(machine, f"cat {path} 2>&1")
    with pytest.raises(TraceError) as refused:
        tracefs.write("options/overwrite", "0")
    assert refused.value.errno == errno.EINVAL
    tracefs.write("tracing_on", "0")
    assert "# preemptoff latency trace v1.1.5 on " in tracefs.read("trace")
    shell(machine, "echo > trace")
    assert tracefs.read("trace") == "# tracer: preemptoff\n#\n"
    tracefs.write("current_tracer", "nop")
    assert [tracefs.read(f"options/{name}") for name in options] == ["0\n"] * 3
    assert "Snapshot is freed" in tracefs.read("snapshot")


def test_all_buffers_are_resized_or_none(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    tracefs, resize = machine.tracefs, RingBuffer.resize
    tracefs.write("current_tracer", "irqsoff")
    before = tracefs.read("buffer_size_kb")
    spares = {id(ring) for ring in machine.trace_array.recorder._buffers.of(None, spare=True)}

    def resize_others(ring: RingBuffer, pages: int) -> None:
        if id(ring) in spares:
            raise MemoryError
        resize(ring, pages)

    monkeypatch.setattr(RingBuffer, "resize", resize_others)
    with pytest.raises(TraceError) as refused:
        tracefs.write("buffer_size_kb", "100")
    assert (refused.value.code, tracefs.read("buffer_size_kb")) == (errno.ENOMEM, before)
    monkeypatch.undo()
    tracefs.write("buffer_size_kb", "100")
    assert {ring.pages for ring in machine.trace_array.recorder._buffers} == {26}


def test_a_tracer_that_is_taken_away_in_a_section(machine: Machine) -> None:
    script = f"""
        echo preemptirqsoff > current_tracer
        insmod {MODULE} delay=30000 cpu_affinity=1 &
        usleep 5000; echo 0 > tracing_max_latency; echo function > current_tracer; echo 0 > tracing_on
        wait; cat tracing_max_latency; head -n 20 trace; rmmod preemptirq_delay_test
        echo irqsoff > current_tracer; echo 1 > tracing_on
        insmod {MODULE} delay=700 cpu_affinity=1; echo 0 > tracing_on; cat tracing_max_latency"""
    first, *lines, last = shell(machine, script).splitlines()
    assert int(first) < 20000  # not in the section that was interrupted
    assert any(" <-" in line for line in lines)  # functions are recorded everywhere again
    assert 700 <= int(last) <= 702


def test_a_clock_that_changes_in_a_section(machine: Machine) -> None:
    script = f"""
        echo preemptoff > current_tracer
        insmod {MODULE} delay=30000 test_mode=preempt cpu_affinity=1 &
        usleep 5000; echo counter > trace_clock; wait; cat tracing_max_latency"""
    assert int(shell(machine, script)) < 20000


def test_twice_the_same(machine: Machine) -> None:
    def once() -> str:
        machine.tracefs.write("current_tracer", "preemptirqsoff")
        return machine.run("ls /; cat /sys/kernel/tracing/trace").output.decode()

    before = machine.checkpoint()
    first = once()
    machine.restore(before)
    assert once() == first and "preemptirqsoff latency trace" in first
