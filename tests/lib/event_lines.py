# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a printed trace of events."""

from __future__ import annotations

import re
from dataclasses import dataclass

from emu.machine import Machine

__all__ = ["EventLine", "event_lines", "events_of"]

_LINE = re.compile(
    r"^ *(?P<comm>\S.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?P<flags>\S+) +(?P<time>[\d.]+): (?P<name>\w+): (?P<text>.*)$",
    re.MULTILINE,
)
_VALUE = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True)
class EventLine:
    """A printed event. `flags`: the five characters, such as "d.s1.". event["vec"] is the text after `vec=`."""

    comm: str
    pid: int
    cpu: int
    flags: str
    time: float
    name: str
    text: str

    def __getitem__(self, value: str) -> str:
        return dict(_VALUE.findall(self.text))[value]


def event_lines(text: str) -> list[EventLine]:
    """The events in the text of a trace."""
    return [
        EventLine(m["comm"], int(m["pid"]), int(m["cpu"]), m["flags"], float(m["time"]), m["name"], m["text"])
        for m in _LINE.finditer(text)
    ]


def events_of(machine: Machine, events: str, command: str) -> list[EventLine]:
    """The events that a command, which must succeed, records. `events`: the words for set_event."""
    machine.tracefs.write("set_event", events)
    machine.tracefs.write("trace", "")
    machine.tracefs.write("tracing_on", "0")
    done = machine.run(command, trace=True)
    assert done.status == 0, done.output.decode()
    machine.tracefs.write("set_event", "")
    return event_lines(machine.tracefs.read("trace"))
