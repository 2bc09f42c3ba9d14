# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a printed trace that are events, with the values they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["EventLine", "event_lines"]

# Task and pid, CPU, flags, time, name and what it prints.
_LINE = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] (\S+) +([\d.]+): (\w+): (.*)$")
_VALUE = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True)
class EventLine:
    """An event as a line shows it. `event["vec"]` is what it prints behind `vec=`."""

    task: str
    pid: int
    cpu: int
    flags: str
    time: float
    name: str
    text: str

    def __getitem__(self, value: str) -> str:
        return dict(_VALUE.findall(self.text))[value]


def event_lines(trace: str) -> Iterator[EventLine]:
    """The events of a trace in the order in which they are printed."""
    for line in trace.splitlines():
        if match := _LINE.match(line):
            task, pid, cpu, flags, time, name, text = match.groups()
            yield EventLine(task, int(pid), int(cpu), flags, float(time), name, text)
