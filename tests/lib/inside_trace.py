# SPDX-License-Identifier: GPL-2.0-only
"""What Linux's own ftrace records in a guest, beside what is recorded of the same run from outside.

The clock is the CPUs' time stamp counter on both sides. Inside, it never shows less than any CPU has read before, so the clock
inside may show the same value for a while; the order of events is exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.ftrace.buffers import entries
from emu.ftrace.buffers.entries import Events, EventType, Flag
from emu.ftrace.buffers.ring_buffer import events_in
from emu.linux.machine import LinuxMachine

__all__ = ["Call", "Frame", "Pairs", "calls_of", "frames_of", "inside", "on_both_sides", "outside", "pair"]

_TRACING = "/sys/kernel/tracing"
_CONTEXT = int(Flag.IRQS_OFF | Flag.HARDIRQ | Flag.SOFTIRQ | Flag.NMI)


def on_both_sides(machine: LinuxMachine, tracer: str, command: str, *, functions: str = "", option: str = "") -> None:
    """Traces a command inside and outside.

    Args:
        functions: for set_ftrace_filter inside; "" for all.
        option: of trace_options, for both.
    """
    fs = machine.tracefs
    fs.write("tracing_on", "0")
    fs.write("trace_clock", "x86-tsc")
    setup = ["echo 40000 > buffer_size_kb", "echo x86-tsc > trace_clock", "echo 0 > tracing_on", "echo > trace"]
    setup += [f"echo '{functions}' > set_ftrace_filter", f"echo {tracer} > current_tracer"]
    setup += [f"echo {option} > trace_options"] if option else []
    _guest(machine, " && ".join(setup))
    fs.write("current_tracer", tracer)
    if option:
        fs.write("trace_options", option)
    fs.write("tracing_on", "1")
    _guest(machine, f"echo 1 > tracing_on; {command}; echo 0 > tracing_on")
    fs.write("tracing_on", "0")
    lost = _guest(machine, "grep -h 'overrun\\|dropped' per_cpu/cpu*/stats").split(b"\n")
    assert {line.split(b": ")[1] for line in lost if line} == {b"0"}
    _guest(machine, "echo 0 > /proc/sys/kernel/ftrace_enabled")  # it is read faster


def _guest(machine: LinuxMachine, command: str) -> bytes:
    done = machine.run(f"cd {_TRACING} && {command}")
    assert done.status == 0, done
    return done.output


def inside(machine: LinuxMachine) -> list[Events]:
    """What the guest has recorded, by CPU."""
    found = []
    for cpu in machine.board.cpus:
        done = machine.run(f"timeout 1 dd bs=4096 if={_TRACING}/per_cpu/cpu{cpu.index}/trace_pipe_raw 2>/dev/null")
        found.append(events_in(np.frombuffer(done.output, np.uint8), cpu.index))
    return found


def outside(machine: LinuxMachine) -> list[Events]:
    """What the host has recorded, by CPU."""
    return [ring.unread() for ring in machine.trace_array.recorder.rings]


@dataclass(eq=False)
class Call:
    """The begin of a call.

    Attributes:
        number: its place in its CPU's events.
        caller: the address to which it returns; 0 in graphs.
        stack: its stack trace; () if there is none.
    """

    cpu: int
    number: int
    time: int
    pid: int
    function: int
    caller: int
    flags: int
    preempt_count: int
    stack: tuple[int, ...] = ()

    @property
    def context(self) -> tuple[int, ...]:
        """Calls with the same are recorded in the order in which they begin. An interrupt may come between a function's begin
        and its recording inside, but only in another context."""
        return self.pid, -1 if self.pid else self.cpu, self.flags & _CONTEXT

    @property
    def what(self) -> tuple[int, int]:
        return self.function, self.caller


@dataclass(eq=False)
class Frame(Call):
    """A call and its return.

    Attributes:
        parent: the call around it.
        returned: the number of its return in its CPU's events; None: it did not return while that was recorded.
    """

    parent: Frame | None = None
    returned: tuple[int, int] | None = field(default=None)  # CPU, number


def columns(events: Events, layout: np.dtype[np.void], *names: str) -> Iterator[tuple[int, ...]]:
    found = events.entries(layout)
    return zip(events.time.tolist(), *(found[name].tolist() for name in names), strict=True)


def calls_of(logs: Sequence[Events]) -> list[Call]:
    """The events of the function tracer, and the stack trace behind each."""
    calls: list[Call] = []
    for log in logs:
        latest: Call | None = None
        offsets = log.offset.tolist()
        names = ("type", "pid", "ip", "parent_ip", "flags", "preempt_count")
        for number, (time, kind, pid, ip, parent, flags, count) in enumerate(columns(log, entries.FUNCTION, *names)):
            if kind == EventType.FUNCTION:
                latest = Call(log.cpu, number, time, pid, ip, parent, flags, count)
                calls.append(latest)
            elif kind == EventType.KERNEL_STACK and latest is not None:
                begin = offsets[number] // 4
                size = int(log.words[begin + 2])
                latest.stack = tuple(np.array(log.words[begin + 4 : begin + 4 + 2 * size]).view(np.uint64).tolist())
    return calls


def frames_of(logs: Sequence[Events]) -> list[Frame]:
    """The calls of function_graph, nested as each task's entries and returns follow each other.

    Raises:
        AssertionError: a task returns from a call that is not its latest one, or has not begun.
    """
    tasks: defaultdict[int, list[tuple[int, int, int, tuple[int, ...]]]] = defaultdict(list)
    names = ("type", "pid", "func", "depth", "flags", "preempt_count")
    for log in logs:
        for number, event in enumerate(columns(log, entries.FUNCGRAPH_ENTRY, *names)):
            tasks[event[2] or -1 - log.cpu].append((event[0], log.cpu, number, event))
    frames: list[Frame] = []
    for task in tasks.values():
        under_way: list[Frame] = []
        for time, cpu, number, (_, kind, pid, function, _, flags, count) in sorted(task, key=lambda event: event[:3]):
            if kind == EventType.FUNCGRAPH_ENTRY:
                parent = under_way[-1] if under_way else None
                under_way.append(Frame(cpu, number, time, pid, function, 0, flags, count, parent=parent))
                frames.append(under_way[-1])
            elif kind == EventType.FUNCGRAPH_EXIT:
                assert under_way and under_way[-1].function == function, (pid, time, hex(function))
                under_way.pop().returned = cpu, number
    return frames


class Pairs:
    """The calls of both sides.

    Attributes:
        both: (inside, outside)
        inside_only, outside_only: the others.
    """

    def __init__(self) -> None:
        self.both: list[tuple[Call, Call]] = []
        self.inside_only: list[Call] = []
        self.outside_only: list[Call] = []

    def unexplained(self, is_explained: Callable[[Call], bool]) -> list[Call]:
        """The calls that are only outside, without those before the first and after the last one of their CPU that is also inside
        (tracing was not on inside)."""
        first, last = {}, {}
        for _, call in self.both:
            first[call.cpu] = min(first.get(call.cpu, call.number), call.number)
            last[call.cpu] = max(last.get(call.cpu, call.number), call.number)
        during = (call for call in self.outside_only if call.cpu in first and first[call.cpu] < call.number < last[call.cpu])
        return [call for call in during if not is_explained(call)]


def pair(inside: Iterable[Call], outside: Iterable[Call]) -> Pairs:
    """For each context, the calls inside as a subsequence of those outside: of all that are possible, the latest."""
    pairs, theirs = Pairs(), defaultdict(list)
    for call in sorted(outside, key=lambda call: call.time):
        theirs[call.context].append(call)
    for call in sorted(inside, key=lambda call: call.time)[::-1]:  # of one time, in the reverse order, too
        left = theirs[call.context]
        n = len(left) - 1
        while n >= 0 and not (left[n].what == call.what and left[n].time <= call.time):
            n -= 1
        if n < 0:
            pairs.inside_only.append(call)
        else:
            pairs.both.append((call, left[n]))
            pairs.outside_only += left[n + 1 :]
            del left[n:]
    pairs.outside_only += [call for left in theirs.values() for call in left]
    return pairs
