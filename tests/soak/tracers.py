# SPDX-License-Identifier: GPL-2.0-only
"""Tracers, options, events, triggers and probes change at random while four CPUs work, and SMIs take time from them: there are
no warnings, no task switch is missed, no latency exceeds its bound, counters never decrease, everything recorded can be printed,
and a second run gives the same results."""

from __future__ import annotations

import errno
import hashlib
import random
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.event_entries import Entry, entries
from tests.lib.switches import SwitchLog, told

__all__ = ["Switched", "TracerFailure", "switch"]

_CPUS = 4
_MODULES = "/lib/modules"
_BLK = "/sys/block/ram0/trace"
_LOAD = (
    "rm -f /done; (ls /bin | sed s/[aeiou]/z/g > /names; busy 2 1; chrt -f 20 busy 1 1; threads -n 3 count; memhog 1; "
    "chrt -d -T 200000 -D 1000000 -P 1000000 0 usleep 500; "
    "dd if=/dev/zero of=/dev/ram0 bs=4k count=3 2> /dev/null; sync; "
    f"insmod {_MODULES}/preemptirq_delay_test.ko delay=60 test_mode=alternate burst_size=2; rmmod preemptirq_delay_test; "
    f"[ -e {_MODULES}/sample_io.ko ] && insmod {_MODULES}/sample_io.ko && "
    "echo words > /sys/module/sample_io/parameters/do && rmmod sample_io; "
    "cat /names; echo > /done) > /busy.log 2>&1 &"
)
_MEMORY = 64 << 20
_SMI = "1700us:40us"
_BUFFER_KB = 64  # of the top array, so that a trace is read quickly
_SWITCHES_KB = 2000  # of the instances that must miss nothing
_CHECKED = 25  # tracers between checks of everything
_LONGEST = 100_000  # cycles between two changes
_CHANGES = 3  # between two tracers
_FEW = "schedule vfs_* _raw_spin_*"  # functions: otherwise switching every site each time would be most of the work
_AT_FIRST = (
    ("buffer_size_kb", str(_BUFFER_KB)), ("hwlat_detector/width", "300"), ("hwlat_detector/window", "1000"),
    ("osnoise/runtime_us", "300"), ("osnoise/period_us", "1000"), ("osnoise/timerlat_period_us", "1000"),
    ("set_ftrace_filter", _FEW), ("stack_trace_filter", _FEW),
)  # fmt: skip
# The data, and its file. What is turned on stays on until something turns it off.
_EVENTS = (
    ("events/sched/enable", "1"), ("events/irq/enable", "1"), ("events/raw_syscalls/enable", "1"),
    ("events/osnoise/enable", "1"), ("events/preemptirq/enable", "1"), ("events/block/enable", "1"),
    ("events/enable", "0"), ("events/enable", "0"), ("events/enable", "0"),
    ("events/sched/sched_wakeup/trigger", "stacktrace:2"), ("events/sched/sched_wakeup/trigger", "!stacktrace"),
    ("events/sched/sched_switch/trigger", "hist:keys=next_pid:vals=hitcount"),
    ("events/sched/sched_switch/trigger", "!hist:keys=next_pid:vals=hitcount"),
    ("events/irq/softirq_entry/trigger", "traceon"), ("events/irq/softirq_entry/trigger", "!traceon"),
    ("events/sched/sched_switch/trigger", "snapshot:1"), ("events/sched/sched_switch/trigger", "!snapshot"),
    ("events/kprobes/enable", "1"), ("events/kprobes/enable", "0"),
)  # fmt: skip
_ARRAY = (
    ("tracing_on", "0"), ("tracing_on", "1"), ("tracing_on", "1"), ("tracing_on", "1"), ("tracing_on", "1"),
    ("tracing_thresh", "0"), ("tracing_thresh", "0"), ("tracing_thresh", "20"),
    ("tracing_max_latency", "0"), ("trace", ""), ("snapshot", "1"), ("snapshot", "0"),
    ("tracing_cpumask", "f"), ("tracing_cpumask", "f"), ("tracing_cpumask", "5"),
    ("set_ftrace_filter", _FEW), ("set_ftrace_filter", _FEW), ("set_ftrace_filter", "*irq*"), ("set_ftrace_filter", ""),
    ("set_ftrace_notrace", "*lock*"),
    ("set_ftrace_notrace", ""), ("set_ftrace_filter", "vfs_read:traceon"), ("max_graph_depth", "3"), ("max_graph_depth", "0"),
    ("trace_clock", "global"), ("trace_clock", "local"),
)  # fmt: skip
_THREADS = (
    ("hwlat_detector/mode", "none"), ("hwlat_detector/mode", "round-robin"), ("hwlat_detector/mode", "per-cpu"),
    ("hwlat_detector/width", "100"), ("hwlat_detector/width", "300"), ("hwlat_detector/window", "500"),
    ("hwlat_detector/window", "1000"),
    ("osnoise/cpus", "0-3"), ("osnoise/cpus", "1,3"), ("osnoise/cpus", ""),
    ("osnoise/options", "NO_OSNOISE_WORKLOAD"), ("osnoise/options", "OSNOISE_PREEMPT_DISABLE"),
    ("osnoise/options", "OSNOISE_IRQ_DISABLE"), ("osnoise/options", "DEFAULTS"), ("osnoise/options", "DEFAULTS"),
    ("osnoise/runtime_us", "200"), ("osnoise/runtime_us", "300"), ("osnoise/period_us", "500"), ("osnoise/period_us", "1000"),
    ("osnoise/print_stack", "10"), ("osnoise/print_stack", "0"), ("osnoise/timerlat_period_us", "300"),
    ("osnoise/timerlat_period_us", "1000"), ("osnoise/stop_tracing_us", "30"), ("osnoise/stop_tracing_us", "0"),
    ("osnoise/stop_tracing_us", "0"), ("osnoise/stop_tracing_total_us", "60"), ("osnoise/stop_tracing_total_us", "0"),
    ("osnoise/stop_tracing_total_us", "0"),
)  # fmt: skip
_MACHINE_WIDE = (
    ("stack_trace_filter", _FEW), ("stack_trace_filter", "schedule"), ("stack_trace_filter", ""), ("stack_max_size", "0"),
    ("function_profile_enabled", "1"), ("function_profile_enabled", "0"),
)  # fmt: skip
_STACK_TRACER = "/proc/sys/kernel/stack_tracer_enabled"
_OF_GUEST = (
    (_STACK_TRACER, "1"), (_STACK_TRACER, "0"), (f"{_BLK}/enable", "1"), (f"{_BLK}/enable", "0"),
    (f"{_BLK}/act_mask", "issue,complete"), (f"{_BLK}/act_mask", "queue"),
)  # fmt: skip
# With these options, reads would print nothing new, or wait.
_KEPT = ("block", "bin", "pause-on-trace", "printk-msg-only")
_PROBES = ("p:probe vfs_read count=$arg3", "r:returned vfs_read ret=$retval", "p:inside schedule+8")
_REFUSALS = (errno.EBUSY, errno.EEXIST, errno.ENOENT, errno.EINVAL)

# By tracer: what is off in its sections, named as in preemptirq's events
_SECTIONS = {"irqsoff": {"irq"}, "preemptoff": {"preempt"}, "preemptirqsoff": {"irq", "preempt"}}
_LATENCY = re.compile(r"^# latency: (\d+) us, ", re.MULTILINE)
_RELATIVE = re.compile(r"^ *\S.*-\d+ +\d\S{4,6} +(\d+)us.: ", re.MULTILINE)
_AHEAD = 15  # microseconds that a CPU's clock may be ahead of another's, and more


class TracerFailure(AssertionError):
    """The guest or a trace is wrong."""


@dataclass
class Switched:
    """The results of a run. `digest`: of everything printed, and of RAM at the end."""

    switches: int
    tracers: int  # the number of different ones that were set
    lines: int  # of the traces that were read
    refused: int  # writes that failed because something else was in use
    latencies: int  # that were compared with their bound
    digest: str


@dataclass
class _Counted:
    """Counters that never decrease unless they are written."""

    depth: int = 0  # the deepest stack
    hits: Counter[tuple[str, str]] = field(default_factory=Counter)  # of functions, by the CPU's file
    profiled: bool = False

    def written(self, path: str, text: str) -> None:
        """Notes a write."""
        if path == "stack_max_size":
            self.depth = 0
        if path == "function_profile_enabled":
            if text == "1" and not self.profiled:
                self.hits.clear()
            self.profiled = text == "1"

    def look(self, machine: Machine) -> None:
        """Compares the counters with those before."""
        tracefs = machine.tracefs
        if (depth := int(tracefs.read("stack_max_size"))) < self.depth:
            raise TracerFailure(f"the deepest stack was {self.depth}, and now is {depth}")
        self.depth = depth
        if tracefs.read("tracing_thresh") != "0\n":  # functions below the threshold are then not shown
            return
        hits = Counter[tuple[str, str]]()
        for name in tracefs.listdir("trace_stat"):
            if name.startswith("function"):
                for line in tracefs.read(f"trace_stat/{name}").splitlines()[2:]:
                    hits[name, line.split()[0]] += int(line.split()[1])
        if fewer := {key: (before, hits[key]) for key, before in self.hits.items() if hits[key] < before}:
            raise TracerFailure(f"hits have gone: {list(fewer.items())[:9]}")
        self.hits = hits


def switch(arch: str, switches: int, seed: int) -> Switched:
    """Sets a random tracer `switches` times, half of them with each patching protocol, and changes something else in between.

    Raises:
        TracerFailure: the load was affected, there was a warning, or a tracer's result is impossible.
        AssertionError: a task switch is not recorded.
    """
    choose = random.Random(seed)
    digest = hashlib.sha256()
    counts = Counter[str]()
    counted = _Counted()
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY, smi=_SMI) as machine:
        machine.run(_LOAD)
        right = _worked(machine)
        said = _log(machine)
        switch_log = SwitchLog(machine)
        switch_log.on = True
        under_way: list[list[tuple[int, int]]] = [[] for _ in range(_CPUS)]
        tracefs = machine.tracefs
        for instance, events in (("switches", "sched/sched_switch"), ("sections", None)):
            tracefs.mkdir(f"instances/{instance}")
            tracefs.write(f"instances/{instance}/buffer_size_kb", str(_SWITCHES_KB))
            if events:
                tracefs.write(f"instances/{instance}/events/{events}/enable", "1")
        for path, text in _AT_FIRST:
            tracefs.write(path, text)
        for probe in _PROBES:
            with suppress(TraceError):  # the last one is not at an instruction on every architecture
                tracefs.append("kprobe_events", probe)
        tracers = tracefs.read("available_tracers").split()
        for protocol in machine.ftrace.arch.protocols:
            machine.patching.protocol = protocol
            for n in range(-(-switches // len(machine.ftrace.arch.protocols))):
                if n % _CHECKED == 0:
                    machine.run(_LOAD)
                tracer = choose.choice(tracers)
                checked = tracer in _SECTIONS and tracer != tracefs.read("current_tracer").strip()  # otherwise it continues
                if checked:
                    tracefs.write("instances/sections/events/preemptirq/enable", "1")
                if _write(machine, "current_tracer", tracer):
                    counts[tracer] += 1
                for _ in range(_CHANGES):
                    counts["refused"] += not _change(machine, choose, counted)
                    machine.advance(choose.randrange(_LONGEST))
                if checked:
                    counts["latencies"] += _check_sections(machine, tracer)
                if (n + 1) % _CHECKED == 0:
                    for text in _traces(machine):
                        digest.update(text.encode())
                        counts["lines"] += text.count("\n")
                    counted.look(machine)
                    if (result := _worked(machine)) != right:
                        raise TracerFailure(f"{right}\nhas become\n{result}")
                    for cpu, found in enumerate(entries(machine.trace_array.instances["switches"])):
                        recorded = under_way[cpu] + told(found)
                        logged = [(before, after) for _, before, after in switch_log.switches(cpu)]
                        assert recorded[: len(logged)] == logged
                        under_way[cpu] = recorded[len(logged) :]  # recorded, but the CPU has not switched yet
                        assert len(under_way[cpu]) <= 1
                    tracefs.write("instances/switches/trace", "")
                    switch_log.clear()
        tracefs.write("current_tracer", "nop")
        if machine.warnings:
            raise TracerFailure("\n".join(machine.warnings))
        if new := set(_log(machine)) - set(said):
            raise TracerFailure("\n".join(sorted(new)))
        digest.update(machine.board.ram)
    kinds = len(counts.keys() & set(tracers))
    return Switched(switches, kinds, counts["lines"], counts["refused"], counts["latencies"], digest.hexdigest())


def _log(machine: Machine) -> list[str]:
    """The kernel's messages without time stamps, and without those of mmiotrace."""
    lines = [line.partition("] ")[2] for line in machine.run("dmesg").output.decode(errors="replace").splitlines()]
    return [line for line in lines if not line.startswith("mmiotrace")]


def _worked(machine: Machine) -> str:
    """The load's output after it has ended. mmiotrace warns on the console when its reader misses events."""
    output = machine.run("until [ -e /done ]; do usleep 2000; done; cat /busy.log").output.decode(errors="replace")
    return "".join(line for line in output.splitlines(keepends=True) if not line.endswith("] mmiotrace has lost events\n"))


def _write(machine: Machine, path: str, text: str) -> bool:
    """Writes to a file. Returns whether that succeeded; False: something else is in use."""
    try:
        machine.tracefs.write(path, text)
    except TraceError as error:
        if error.errno not in _REFUSALS:
            raise TracerFailure(f"{path}: {text}: {error}") from error
        return False
    return True


def _change(machine: Machine, choose: random.Random, counted: _Counted) -> bool:
    """Changes something. Returns whether that succeeded."""
    tracefs = machine.tracefs
    kind = choose.random()
    if kind < 0.1:
        path, text = choose.choice(_OF_GUEST)
        return machine.run(f"echo {text} > {path}").status == 0
    if kind < 0.3:
        options = [line.removeprefix("no") for line in tracefs.read("trace_options").split()]
        names = [name for name in tracefs.listdir("options") if name in options and name not in _KEPT]
        return _write(machine, f"options/{choose.choice(sorted(names))}", choose.choice("01"))
    path, text = choose.choice(choose.choice((_EVENTS, _ARRAY, _ARRAY, _THREADS, _MACHINE_WIDE)))
    if done := _write(machine, path, text):
        counted.written(path, text)
    return done


def _check_sections(machine: Machine, tracer: str) -> int:
    """Checks that the tracer's longest section is no longer than the longest one in an instance's events. Returns the number of
    sections found.

    A section that was already active does not count: neither the events nor the tracer have seen its beginning.
    """
    tracefs = machine.tracefs
    worst = int(tracefs.read("tracing_max_latency")) if tracefs.read("current_tracer").strip() == tracer else 0
    of_cpus = entries(machine.trace_array.instances["sections"])
    tracefs.write("instances/sections/events/preemptirq/enable", "0")
    tracefs.write("instances/sections/trace", "")
    begin = min((of_cpu[0].time for of_cpu in of_cpus if of_cpu), default=0)
    longest = max(_longest(of_cpu, _SECTIONS[tracer], begin) for of_cpu in of_cpus)
    if worst > longest // 1000 + 1:
        raise TracerFailure(f"{tracer} has found {worst} us, and the longest section takes {longest} ns")
    return int(worst > 0)


def _longest(recorded: list[Entry], which: set[str], begin: int) -> int:
    """The longest time, in nanoseconds, for which at least one of these is off without a break."""
    off, since, longest = set(which), begin, 0
    for entry in recorded:
        what, _, way = entry.name.partition("_")
        if what not in which:
            continue
        if way == "disable":
            since = since if off else entry.time
            off.add(what)
        else:
            longest = max(longest, entry.time - since)
            off.discard(what)
    return longest


def _traces(machine: Machine) -> list[str]:
    """All readable texts of what was traced. A maximum latency must match its lines."""
    tracefs = machine.tracefs
    names = ["trace", "snapshot", "per_cpu/cpu1/trace", "trace_pipe", "stack_trace", "events/sched/sched_switch/hist"]
    names += [f"trace_stat/{name}" for name in sorted(tracefs.listdir("trace_stat"))]
    names += ["tracing_max_latency", "hwlat_detector/mode", "hwlat_detector/width", "hwlat_detector/window"]
    names += [f"osnoise/{name}" for name in sorted(tracefs.listdir("osnoise"))]
    if machine.trace_array.ops.tracer.print_max:  # it uses the snapshot
        names.remove("snapshot")
    texts = [tracefs.read(name) for name in names]
    tracer = tracefs.read("current_tracer").strip()
    if tracer in _SECTIONS and (latency := _LATENCY.search(texts[0])):
        times = [int(time) for time in _RELATIVE.findall(texts[0])]
        if times and not int(latency[1]) - _AHEAD <= max(times) <= int(latency[1]) + _AHEAD:
            raise TracerFailure(texts[0])
    return texts
