# SPDX-License-Identifier: GPL-2.0-only
"""Tracers, options, events, triggers and probes change at random while four CPUs work: nothing warns, no task switch is missed,
what is recorded can be printed, and all of it comes out the same again."""

from __future__ import annotations

import errno
import hashlib
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.event_entries import entries
from tests.lib.switches import SwitchLog, told

__all__ = ["Switched", "TracerFailure", "switch"]

_CPUS = 4
_LOAD = (
    "rm -f /done; (ls /bin | sed s/[aeiou]/z/g > /names; busy 4 1; chrt -f 20 busy 1 1; threads -n 3 count; memhog 1; "
    "usleep 3000; cat /names; echo > /done) > /busy.log 2>&1 &"
)
_MEMORY = 64 << 20
_BUFFER_KB = 64  # of the top array, so that a trace is read quickly
_SWITCHES_KB = 2000  # of the instance that must miss none
_CHECKED = 25  # every so many switches everything is looked at
_LONGEST = 200_000  # cycles between two changes
_CHANGES = 3  # between two tracers
# What is written, and to which file. What is on stays on until something turns it off.
_WRITES = (
    ("events/sched/enable", "1"), ("events/irq/enable", "1"), ("events/raw_syscalls/enable", "1"),
    ("events/enable", "0"), ("events/enable", "0"),
    ("events/sched/sched_wakeup/trigger", "stacktrace:2"), ("events/sched/sched_wakeup/trigger", "!stacktrace"),
    ("events/sched/sched_switch/trigger", "hist:keys=next_pid:vals=hitcount"),
    ("events/sched/sched_switch/trigger", "!hist:keys=next_pid:vals=hitcount"),
    ("events/irq/softirq_entry/trigger", "traceon"), ("events/irq/softirq_entry/trigger", "!traceon"),
    ("events/kprobes/enable", "1"), ("events/kprobes/enable", "0"),
    ("tracing_on", "0"), ("tracing_on", "1"), ("tracing_on", "1"),
    ("tracing_thresh", "0"), ("tracing_thresh", "0"), ("tracing_thresh", "20"),
    ("tracing_max_latency", "0"), ("trace", ""), ("snapshot", "1"), ("snapshot", "0"),
    ("set_ftrace_filter", "schedule vfs_* _raw_spin_*"), ("set_ftrace_filter", ""), ("set_ftrace_notrace", "*lock*"),
    ("set_ftrace_notrace", ""), ("set_ftrace_filter", "vfs_read:traceon"), ("max_graph_depth", "3"), ("max_graph_depth", "0"),
    ("trace_clock", "global"), ("trace_clock", "local"),
)  # fmt: skip
_MACHINE_WIDE = (
    ("stack_trace_filter", "schedule"), ("stack_trace_filter", ""), ("function_profile_enabled", "1"),
    ("function_profile_enabled", "0"), ("stack_max_size", "0"),
)  # fmt: skip
_SYSCTL = "/proc/sys/kernel/stack_tracer_enabled"
# Reading these would print nothing new, or wait.
_KEPT = ("block", "bin", "pause-on-trace", "printk-msg-only")
_PROBES = ("p:probe vfs_read count=$arg3", "r:returned vfs_read ret=$retval", "p:inside schedule+8")


class TracerFailure(AssertionError):
    """The guest or a trace is wrong."""


@dataclass
class Switched:
    """What a run did. `digest` is that of all that was printed, and of RAM at the end."""

    switches: int
    tracers: int  # how many different ones have been set
    lines: int  # of traces that have been read
    refused: int  # writes that could not be, because something else was in use
    digest: str


def switch(arch: str, switches: int, seed: int) -> Switched:
    """Sets a random tracer so many times, half of them with each patching protocol, and changes something else in between.

    Raises:
        TracerFailure: the load noticed it, something warned, or a file cannot be read.
        AssertionError: a task switch is not recorded.
    """
    choose = random.Random(seed)
    digest = hashlib.sha256()
    counts = Counter[str]()
    with Machine(arch=arch, cpus=_CPUS, seed=seed, memory=_MEMORY) as machine:
        machine.run(_LOAD)
        right = _worked(machine)
        switch_log = SwitchLog(machine)
        switch_log.on = True
        tracefs = machine.tracefs
        tracefs.mkdir("instances/switches")
        tracefs.write("instances/switches/buffer_size_kb", str(_SWITCHES_KB))
        tracefs.write("instances/switches/events/sched/sched_switch/enable", "1")
        tracefs.write("buffer_size_kb", str(_BUFFER_KB))
        for probe in _PROBES:
            with suppress(TraceError):  # the last one is not at an instruction everywhere
                tracefs.append("kprobe_events", probe)
        said = machine.run("dmesg").output
        tracers = tracefs.read("available_tracers").split()
        for protocol in machine.ftrace.arch.protocols:
            machine.patching.protocol = protocol
            for n in range(-(-switches // len(machine.ftrace.arch.protocols))):
                if n % _CHECKED == 0:
                    machine.run(_LOAD)
                counts[tracer := choose.choice(tracers)] += 1
                tracefs.write("current_tracer", tracer)
                for _ in range(_CHANGES):
                    counts["refused"] += not _change(machine, choose)
                    machine.advance(choose.randrange(_LONGEST))
                if (n + 1) % _CHECKED == 0:
                    for text in _traces(machine):
                        digest.update(text.encode())
                        counts["lines"] += text.count("\n")
                    if (result := _worked(machine)) != right:
                        raise TracerFailure(result.decode(errors="replace"))
                    for cpu, found in enumerate(entries(machine.trace_array.instances["switches"])):
                        assert told(found) == [(before, after) for _, before, after in switch_log.switches(cpu)]
                    tracefs.write("instances/switches/trace", "")
                    switch_log.clear()
        tracefs.write("current_tracer", "nop")
        if machine.warnings:
            raise TracerFailure("\n".join(machine.warnings))
        if (now := machine.run("dmesg").output) != said:
            raise TracerFailure(now.removeprefix(said).decode(errors="replace"))
        digest.update(machine.board.ram)
    return Switched(switches, len(counts.keys() & set(tracers)), counts["lines"], counts["refused"], digest.hexdigest())


def _worked(machine: Machine) -> bytes:
    """What the load has printed, when it has ended."""
    return machine.run("until [ -e /done ]; do usleep 2000; done; cat /busy.log").output


def _change(machine: Machine, choose: random.Random) -> bool:
    """Changes something; False: it is refused, because something else is in use."""
    tracefs = machine.tracefs
    kind = choose.random()
    if kind < 0.1:
        machine.run(f"echo {choose.randrange(2)} > {_SYSCTL}")
        return True
    if kind < 0.3:
        path, text = choose.choice(_MACHINE_WIDE)
    elif kind < 0.6:
        options = [line.removeprefix("no") for line in tracefs.read("trace_options").split()]
        names = [name for name in tracefs.listdir("options") if name in options and name not in _KEPT]
        path, text = f"options/{choose.choice(sorted(names))}", choose.choice("01")
    else:
        path, text = choose.choice(_WRITES)
    try:
        tracefs.write(path, text)
    except TraceError as error:
        if error.errno not in (errno.EBUSY, errno.EEXIST, errno.ENOENT, errno.EINVAL):
            raise TracerFailure(f"{path}: {text}: {error}") from error
        return False
    return True


def _traces(machine: Machine) -> list[str]:
    """All that can be read of what was traced."""
    tracefs = machine.tracefs
    names = ["trace", "stack_trace", "events/sched/sched_switch/hist", "tracing_max_latency"]
    names += [f"trace_stat/{name}" for name in sorted(tracefs.listdir("trace_stat"))]
    return [tracefs.read(name) for name in names]
