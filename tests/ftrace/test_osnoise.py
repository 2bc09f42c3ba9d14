# SPDX-License-Identifier: GPL-2.0-only
"""osnoise and timerlat: they find what was there, the SMIs of the board and the kernel's own activity."""

from __future__ import annotations

import errno
from collections import Counter

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_entries import Entry, entries
from tests.lib.golden import read_golden

SMI_PERIOD, SMI_LENGTH = 3_100_000, 300_000  # nanoseconds
SLACK = 10_000  # nanoseconds: an SMI is delayed until the CPU ends a translated block
COUNTS = {"nmi_count": "nmi_noise", "irq_count": "irq_noise", "softirq_count": "softirq_noise", "thread_count": "thread_noise"}


def number(entry: Entry, name: str) -> int:
    value = entry.fields[name]
    assert isinstance(value, int)
    return value


def smi_in(start: int, end: int) -> list[int]:
    """The beginnings of the SMIs in a range of time."""
    return list(range(-(-start // SMI_PERIOD) * SMI_PERIOD, end, SMI_PERIOD))


def tasks(machine: Machine) -> dict[str, int]:
    """The pids of all tasks by name."""
    lines = [line.split() for line in machine.run("ps").output.decode().splitlines()[1:]]
    return {words[-1]: int(words[0]) for words in lines}


def samples(recorded: list[Entry]) -> list[tuple[Entry, list[Entry]]]:
    """Each sample of a CPU, with the events in it. Events before the first complete sample are left out."""
    found: list[tuple[Entry, list[Entry]]] = []
    inside: list[Entry] = []
    for entry in recorded:
        if entry.name == "osnoise":
            found.append((entry, inside))
            inside = []
        else:
            inside.append(entry)
    return found[1:]


def test_osnoise_counts_what_happens_and_the_rest_is_the_firmware(arch: str) -> None:
    with booted_machine(arch, cpus=2, smi=f"{SMI_PERIOD}ns:{SMI_LENGTH}ns") as machine:
        tracefs = machine.tracefs
        tracefs.write("osnoise/runtime_us", "2500")
        tracefs.write("osnoise/period_us", "2500")
        tracefs.write("set_event", "osnoise:*")
        tracefs.write("current_tracer", "osnoise")
        machine.run("sleep 0.01")
        machine.inject_nmi(0)
        machine.run("sleep 0.01")
        tracefs.write("tracing_on", "0")
        kinds: Counter[str] = Counter()
        by_firmware = 0
        for recorded in entries(machine.trace_array):
            assert len(samples(recorded)) >= 5
            for sample, events in samples(recorded):
                happened = Counter(event.name for event in events)
                kinds += happened
                assert {name: sample.fields[name] for name in COUNTS} == {name: happened[COUNTS[name]] for name in COUNTS}
                late = [event for event in events if event.name == "sample_threshold"]
                spans = [(number(event, "start"), number(event, "start") + number(event, "duration")) for event in late]
                assert number(sample, "noise") == sum(end - start for start, end in spans) // 1000
                assert number(sample, "max_sample") == max(end - start for start, end in spans) // 1000
                alone = [span for span, event in zip(spans, late, strict=True) if not event.fields["interference"]]
                assert number(sample, "hw_count") == len(alone)
                for start, end in alone:
                    assert len(smi_in(start - SLACK, end - SLACK)) == 1 and end - start >= SMI_LENGTH - SLACK
                begun = sample.time - number(sample, "runtime") * 1000
                for smi in smi_in(begun + 50_000, sample.time - SMI_LENGTH - 50_000):
                    assert any(start - SLACK <= smi < end for start, end in spans)
                by_firmware += len(alone)
        assert set(kinds) == {"sample_threshold", *COUNTS.values()} and by_firmware >= 4
        longest = max(number(entry, "max_sample") for ring in entries(machine.trace_array) for entry in ring
                      if entry.name == "osnoise")  # fmt: skip
        assert int(tracefs.read("tracing_max_latency")) in (longest, longest + 1)
        assert "osnoise/0" not in tasks(machine)
        tracefs.write("current_tracer", "nop")
        assert entries(machine.trace_array) == [[], []]
        assert machine.warnings == []


@pytest.mark.parametrize("tracer", ["osnoise", "hwlat"])
def test_what_threads_record_when_they_are_stopped_is_not_the_next_tracers(arch: str, tracer: str) -> None:
    with booted_machine(arch, cpus=2, smi=f"{SMI_PERIOD}ns:{SMI_LENGTH}ns") as machine:
        tracefs = machine.tracefs
        for file, microseconds in {"runtime_us": 9000, "period_us": 10_000}.items():
            tracefs.write(f"osnoise/{file}", str(microseconds))
        for file, microseconds in {"width": 9000, "window": 10_000}.items():
            tracefs.write(f"hwlat_detector/{file}", str(microseconds))
        tracefs.write("current_tracer", tracer)
        machine.run("sleep 0.024")  # all CPUs sample
        tracefs.write("current_tracer", "timerlat")
        assert {entry.name for ring in entries(machine.trace_array) for entry in ring} <= {"timerlat"}


def test_timerlat_is_late_when_the_firmware_was_there_and_shows_where(arch: str) -> None:
    with booted_machine(arch, cpus=2, smi=f"{SMI_PERIOD}ns:{SMI_LENGTH}ns") as machine:
        tracefs = machine.tracefs
        tracefs.write("osnoise/timerlat_period_us", "700")
        tracefs.write("current_tracer", "timerlat")
        machine.run("sleep 0.06")
        late = 0
        pids = tasks(machine)
        for cpu, recorded in enumerate(entries(machine.trace_array)):
            found = [entry for entry in recorded if entry.name == "timerlat"]
            first, last = 1, number(found[-1], "seqnum")
            at_interrupt = {number(entry, "seqnum"): entry for entry in found if not entry.fields["context"]}
            in_thread = {number(entry, "seqnum"): entry for entry in found if entry.fields["context"]}
            assert list(at_interrupt) == list(range(first, last + 1)) and last > 70
            assert list(in_thread) == list(at_interrupt)[: len(in_thread)] and len(in_thread) >= last - 1
            for seqnum, entry in in_thread.items():
                interrupt = at_interrupt[seqnum]
                due = interrupt.time - number(interrupt, "timer_latency")  # or a little later
                assert interrupt.time < entry.time and 0 < number(interrupt, "timer_latency") < number(entry, "timer_latency")
                assert entry.pid == pids[f"timerlat/{cpu}"]
                for smi in smi_in(due - SMI_LENGTH + 20_000, due):
                    assert number(interrupt, "timer_latency") >= smi + SMI_LENGTH - due
                    late += 1
        assert late >= 4

        tracefs.write("osnoise/print_stack", "250")
        machine.run("sleep 0.002")  # a thread that is woken before has no stack of its interrupt, and shows an empty one
        tracefs.write("trace", "")
        machine.run("sleep 0.02")
        text = tracefs.read("trace")
        stacks = [part.splitlines()[1:3] for part in text.split("<stack trace>")[1:]]
        assert stacks and all(stack == [" => timerlat_irq", " => __hrtimer_run_queues"] for stack in stacks)

        tracefs.write("osnoise/stop_tracing_us", "200")
        machine.run("sleep 0.06")
        assert tracefs.read("tracing_on") == "0\n" and {"timerlat/0", "timerlat/1"} <= tasks(machine).keys()
        assert "osnoise_stop_tracing: stop tracing hit on cpu " in tracefs.read("trace").splitlines()[-1]
        tracefs.write("osnoise/stop_tracing_us", "0")
        tracefs.write("osnoise/cpus", "1")
        assert tasks(machine).keys() & {"timerlat/0", "timerlat/1"} == {"timerlat/1"}
        assert tracefs.read("osnoise/cpus") == "1\n"
        tracefs.write("tracing_on", "1")
        tracefs.write("tracing_on", "0")
        assert not tasks(machine).keys() & {"timerlat/0", "timerlat/1"}
        tracefs.write("osnoise/options", "NO_OSNOISE_WORKLOAD")
        tracefs.write("set_event", "osnoise:thread_noise")
        tracefs.write("current_tracer", "osnoise")
        tracefs.write("tracing_on", "1")
        machine.run("true")
        noise = [{entry.fields["comm"] for entry in ring} for ring in entries(machine.trace_array)]
        assert not noise[0] and b"swapper/1" in noise[1] and not tasks(machine).keys() & {"osnoise/0", "osnoise/1"}


def test_threads_that_take_no_interrupts_are_waited_for(arch: str) -> None:
    with booted_machine(arch) as machine:
        machine.tracefs.write("osnoise/runtime_us", "70000")
        machine.tracefs.write("osnoise/options", "OSNOISE_IRQ_DISABLE")
        machine.tracefs.write("current_tracer", "osnoise")
        machine.advance(200_000)
        machine.tracefs.write("current_tracer", "nop")
        assert machine.run("true").status == 0


def test_files(tracefs: TraceFS) -> None:
    files = "".join(f"== {name}\n{tracefs.read(f'osnoise/{name}')}" for name in tracefs.listdir("osnoise"))
    assert files == read_golden("osnoise-files.txt")
    for name, text, code in (
        ("runtime_us", "1000001", errno.EINVAL),
        ("period_us", "999999", errno.EINVAL),
        ("timerlat_period_us", "99", errno.EINVAL),
        ("timerlat_period_us", "1000001", errno.EINVAL),
        ("stop_tracing_us", "-1", errno.EINVAL),
        ("print_stack", str(1 << 64), errno.ERANGE),
        ("options", "NO_DEFAULTS", errno.EINVAL),
        ("options", "no_panic_on_stop", errno.EINVAL),
        ("options", "PANIC_ON_STOP" + " " * 243, errno.EINVAL),
        ("cpus", "1,2", errno.ERANGE),
        ("cpus", "x", errno.EINVAL),
        ("cpus", "0-0:2/1", errno.EINVAL),
        ("cpus", str(1 << 32), errno.EOVERFLOW),
        ("cpus", "1" * 5000, errno.EOVERFLOW),
    ):
        before = tracefs.read(f"osnoise/{name}")
        with pytest.raises(TraceError) as error:
            tracefs.write(f"osnoise/{name}", text)
        assert (error.value.code, tracefs.read(f"osnoise/{name}")) == (code, before)
    for name, text, shown in (
        ("stop_tracing_total_us", "7", "7"),
        ("cpus", "", ""),
        ("cpus", "0-N:1/2", "0"),
        ("cpus", "all", "0-1"),
        ("cpus", "0" * 5000, "0"),
    ):
        tracefs.write(f"osnoise/{name}", text)
        assert tracefs.read(f"osnoise/{name}") == f"{shown}\n"
    for text, shown in (
        (" OSNOISE_IRQ_DISABLE ", "NO_DEFAULTS OSNOISE_WORKLOAD NO_OSNOISE_PREEMPT_DISABLE OSNOISE_IRQ_DISABLE"),
        ("NO_OSNOISE_WORKLOAD", "NO_DEFAULTS NO_OSNOISE_WORKLOAD NO_OSNOISE_PREEMPT_DISABLE OSNOISE_IRQ_DISABLE"),
        ("DEFAULTS", "DEFAULTS OSNOISE_WORKLOAD NO_OSNOISE_PREEMPT_DISABLE NO_OSNOISE_IRQ_DISABLE"),
    ):
        tracefs.write("osnoise/options", text)
        assert tracefs.read("osnoise/options").replace("NO_PANIC_ON_STOP ", "") == f"{shown} \n"
