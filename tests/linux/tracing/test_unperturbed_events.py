# SPDX-License-Identifier: GPL-2.0-only
"""A run whose events are recorded, with probes and histograms, is the one that nobody looks at: RAM, registers, counts."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs import TraceFS
from emu.linux.machine import LinuxMachine
from tests.lib.events_on_both_sides import kernel_of
from tests.lib.linux_kernel import machines_kept_in
from tests.linux.tracing.test_unperturbed import Run, run, state

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

PROBES = 1000
HISTOGRAMS = {
    "kmem/kmalloc": "hist:keys=call_site.sym:vals=bytes_req,bytes_alloc:sort=bytes_alloc.descending",
    "sched/sched_switch": "hist:keys=next_comm,next_pid:vals=hitcount",
    "raw_syscalls/sys_enter": "hist:keys=common_pid,id:size=4096",
}
STACKS = {"sched/sched_waking": "stacktrace", "syscalls/sys_enter_openat": "snapshot"}


def short(fs: TraceFS) -> None:
    """Events of the scheduler and of system calls."""
    for event in ("sched:*", "syscalls"):
        fs.append("set_event", event)


def events(fs: TraceFS) -> None:
    """All that can be seen from outside."""
    for system in sorted({line.partition(":")[0] for line in fs.read("available_events").splitlines()} - {"ftrace"}):
        for name in fs.listdir(f"events/{system}"):
            if name not in ("enable", "filter"):
                enable(fs, f"{system}/{name}")


def enable(fs: TraceFS, event: str) -> None:
    """Unless it cannot be seen from outside."""
    try:
        fs.write(f"events/{event}/enable", "1")
    except TraceError as error:
        assert "cannot be seen from outside" in error.why or "has no tracepoint" in error.why, error.why


def probes(fs: TraceFS) -> None:
    """Probes of functions all over the kernel: where they begin, within them, and where they return."""
    functions = fs.read("available_filter_functions").split()
    step = len(functions) // PROBES
    made = 0
    for n, function in enumerate(functions[:: max(step, 1)]):
        kind = ("p", "r", "p")[n % 3]
        value = " first=%di:x64 comm=$comm" if kind == "p" else " ret=$retval"
        try:
            fs.append("kprobe_events", f"{kind}:n{n} {function}{value}")
        except TraceError:
            continue
        made += 1
    assert made > PROBES // 2
    fs.write("events/kprobes/enable", "1")


def histograms(fs: TraceFS) -> None:
    for event, trigger in {**HISTOGRAMS, **STACKS}.items():
        fs.append(f"events/{event}/trigger", trigger)
    fs.append("synthetic_events", "latency u64 us; pid_t pid")
    fs.append("events/sched/sched_waking/trigger", "hist:keys=pid:ts0=common_timestamp.usecs")
    matched = "onmatch(sched.sched_waking).latency($us,next_pid)"
    fs.append("events/sched/sched_switch/trigger", f"hist:keys=next_pid:us=common_timestamp.usecs-$ts0:{matched}")
    fs.append("events/synthetic/latency/trigger", "hist:keys=us.log2")
    events(fs)


def everything(fs: TraceFS) -> None:
    probes(fs)
    histograms(fs)
    fs.write("current_tracer", "function_graph")


WAYS = {"short": short, "events": events, "probes": probes, "histograms": histograms, "everything": everything}


@functools.cache
def untraced(kernel: Path, folder: Path, cpus: int) -> Run:
    """On a machine at which nothing has ever looked."""
    console = bytearray()
    with machines_kept_in(folder), LinuxMachine(kernel=kernel, cpus=cpus, console=console.extend) as machine:
        return run(machine, console)


def traced(kernel: Path, folder: Path, cpus: int, how: str) -> Run:
    console = bytearray()
    with (
        machines_kept_in(folder),
        LinuxMachine(kernel=kernel, cpus=cpus, console=console.extend, warn=lambda text: None) as machine,
    ):
        fs = machine.tracefs
        fs.write("tracing_on", "1")
        found = run(machine, console, lambda piece: WAYS[how](fs) if piece == 0 else None)
        assert fs.read("trace").count("\n") > 100
        return found


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.getbasetemp()


LONG = pytest.mark.long("thousands of events")
CASES = [
    pytest.param(version, cpus, how, marks=LONG)
    for version in ("6.1.", "6.12.") for cpus in (2, 4) for how in WAYS if how != "short" or version != "6.1."
]  # fmt: skip


@pytest.mark.parametrize(("version", "cpus", "how"), CASES)
def test_the_run_is_the_same(folder: Path, version: str, cpus: int, how: str) -> None:
    kernel = kernel_of(version).path
    assert traced(kernel, folder, cpus, how) == untraced(kernel, folder, cpus)


def test_a_short_run_is_the_same(machine: LinuxMachine) -> None:
    """Of the machine that has just been restored, and of the same one while events are recorded."""
    before = machine.checkpoint()
    plain = machine.run("ls / | cat").output, *state(machine, bytearray())
    machine.restore(before)
    fs = machine.tracefs
    short(fs)
    fs.write("tracing_on", "1")
    try:
        found = machine.run("ls / | cat").output, *state(machine, bytearray())
        trace = fs.read("trace")
        assert "sched_switch" in trace and "sys_openat" in trace
    finally:
        fs.write("tracing_on", "0")
        fs.write("set_event", "")
    assert found == plain
