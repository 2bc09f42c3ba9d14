# SPDX-License-Identifier: GPL-2.0-only
"""The same events as a guest's own tracefs records them and as they are recorded from outside, in one run: as texts, by CPU.

Tracing inside is on during a part of what is recorded outside. So a CPU's events inside are a part of those outside, without
gaps, but for what a test knows to differ.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from emu.linux.find import Found, kernels
from emu.linux.machine import LinuxMachine

__all__ = ["Comparison", "TextEvent", "compare", "events_of", "kernel_of", "on_both_sides"]

_TRACING = "/sys/kernel/tracing"
_LINE = re.compile(r"^ *(.+-\d+) +\[(\d+)\] (\S+) +(\d+): (.*)$")
_SAME = 3  # events in a row that are the same on both sides: there they are in step again
_FARTHEST = 400  # events that may be missing in a row


class TextEvent(NamedTuple):
    """An event as `trace` shows it.

    Attributes:
        time: of the CPUs' counter, in cycles.
    """

    task: str
    cpu: int
    flags: str
    time: int
    text: str

    @property
    def pid(self) -> int:
        return int(self.task.rpartition("-")[2])

    @property
    def same(self) -> tuple[int, str, str]:
        """What has to be the same on both sides, besides the task's name."""
        return self.pid, self.flags, self.text


def kernel_of(version: str) -> Found:
    """A kernel on this machine whose version begins so. Without any, the test is skipped."""
    for kernel in kernels():
        if kernel.version.startswith(version):
            return kernel
    pytest.skip(f"needs a Linux kernel {version}*")


def events_of(trace: str) -> list[TextEvent]:
    """The events of a trace, in its order. Lines that belong to the event before them are added to its text."""
    found: list[TextEvent] = []
    for line in trace.splitlines():
        if match := _LINE.match(line):
            task, cpu, flags, time, text = match.groups()
            found.append(TextEvent(task.strip(), int(cpu), flags, int(time), text))
        elif not line.startswith(("#", "CPU:")) and line and found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
    return found


def on_both_sides(
    machine: LinuxMachine, events: Sequence[str], command: str, *, kilobytes: int = 20_000, before: str = ":"
) -> tuple[list[TextEvent], list[TextEvent]]:
    """Runs a command while events are recorded inside and outside.

    Args:
        events: as set_event takes them. A guest that does not have some of them has none of them outside, either.
        before: a command that runs before.

    Returns:
        the events inside, and outside.
    """
    fs = machine.tracefs
    fs.write("tracing_on", "0")
    fs.write("trace_clock", "x86-tsc")
    fs.write("buffer_size_kb", str(kilobytes))
    fs.write("trace", "")
    setup = f"mount -t tracefs t {_TRACING} 2>/dev/null; cd {_TRACING} && echo 0 > tracing_on && echo x86-tsc > trace_clock && "
    setup += f"echo {kilobytes} > buffer_size_kb && echo > set_event && echo > trace && {{ {before}; }} && "
    setup += " && ".join(f"echo '{event}' >> set_event" for event in events)
    done = machine.run(setup)
    assert (done.status, done.errors) == (0, b""), done
    for event in events:
        fs.append("set_event", event)
    fs.write("tracing_on", "1")
    done = machine.run(f"cd {_TRACING}; echo 1 > tracing_on; {{ {command}; }} > /dev/null 2>&1; echo 0 > tracing_on")
    fs.write("tracing_on", "0")
    assert done.status == 0, done
    done = machine.run(f"cd {_TRACING}; cat trace; echo > set_event")
    return events_of(_complete(done.output.decode())), events_of(_complete(fs.read("trace")))


def _complete(trace: str) -> str:
    counts = re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", trace)
    assert counts and counts[1] == counts[2], "events are lost"
    return trace


@dataclass
class Comparison:
    """The events of both sides.

    Attributes:
        same: how many are on both.
        inside_only, outside_only: the others that are recorded between the first and the last one that is on both.
        names: how many are on both, by their names.
        other_tasks: pairs whose tasks have other names. Inside, the names of some tasks are not known: "<...>".
    """

    same: int = 0
    inside_only: list[TextEvent] = field(default_factory=list)
    outside_only: list[TextEvent] = field(default_factory=list)
    names: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    other_tasks: list[tuple[TextEvent, TextEvent]] = field(default_factory=list)


def compare(
    inside: Sequence[TextEvent], outside: Sequence[TextEvent], key: Callable[[TextEvent], object] = lambda event: event.same
) -> Comparison:
    """Compares the events of each CPU, in their order."""
    found = Comparison()
    of_cpu = _by_cpu(outside)
    for cpu, ours in _by_cpu(inside).items():
        _compare(ours, of_cpu[cpu], found, key)
    return found


def _by_cpu(events: Sequence[TextEvent]) -> Mapping[int, list[TextEvent]]:
    found: defaultdict[int, list[TextEvent]] = defaultdict(list)
    for event in events:
        found[event.cpu].append(event)
    return found


def _compare(inside: list[TextEvent], outside: list[TextEvent], found: Comparison, key: Callable[[TextEvent], object]) -> None:
    ours, theirs = [key(event) for event in inside], [key(event) for event in outside]
    i, j = 0, _start(ours, theirs)
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            found.same += 1
            found.names[inside[i].text.partition(":")[0].partition("(")[0]] += 1
            if inside[i].task != outside[j].task and not inside[i].task.startswith("<...>"):
                found.other_tasks.append((inside[i], outside[j]))
            i, j = i + 1, j + 1
            continue
        a, b = _resume(ours, theirs, i, j)
        found.inside_only += inside[i : i + a]
        found.outside_only += outside[j : j + b]
        i, j = i + a, j + b
    found.inside_only += inside[i:]


def _start(ours: list[object], theirs: list[object]) -> int:
    """Where the events outside begin that are inside, too."""
    count = min(12, len(ours))
    for skipped in range(0, 40):
        for j in range(len(theirs) - count + 1):
            if theirs[j : j + count] == ours[skipped : skipped + count]:
                return max(j - skipped, 0)
    return 0


def _resume(ours: list[object], theirs: list[object], i: int, j: int) -> tuple[int, int]:
    """How many events to skip inside and outside until both are the same again."""
    for total in range(1, _FARTHEST):
        for a in range(min(total, 60) + 1):
            b = total - a
            left = min(_SAME, len(ours) - i - a)
            if ours[i + a : i + a + left] == theirs[j + b : j + b + left]:
                return a, b
    return len(ours) - i, len(theirs) - j
