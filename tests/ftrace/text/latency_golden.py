# SPDX-License-Identifier: GPL-2.0-only
"""A golden text of a latency tracer, parsed: the data of its header, and lines with the time since the section began."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from emu.ftrace.text.view import LatencyData
from tests.ftrace.text.golden import GoldenSymbols, Recording, record_own, state_of

__all__ = ["LATENCY_LINE", "START", "about_latency", "record_latencies", "record_latency", "with_callers"]

START = 7_000_000_000  # of the recording, in ns

LATENCY_LINE = re.compile(
    r" *(?P<comm>\S+)-(?P<pid>\d+) +(?P<cpu>\d+)(?P<flags>\S{5}) +(?P<us>\d+)us(?P<mark>.): (?P<body>.*)"
)
_HEADER = re.compile(
    r"# latency: (?P<latency>\d+) us, #\d+/\d+, CPU#(?P<cpu>\d+) .*\n"
    r"#    -+\n"
    r"#    \| task: (?P<comm>.*)-(?P<pid>\d+) "
    r"\(uid:0 nice:(?P<nice>-?\d+) policy:(?P<policy>\d+) rt_prio:(?P<rt_priority>\d+)\)\n"
    r"#    -+\n"
    r"(?:#  => started at: (?P<critical_start>\S+)\n#  => ended at:   (?P<critical_end>\S+)\n)?"
)


def about_latency(golden: str, symbols: GoldenSymbols) -> dict[str, Any]:
    """The data of the header, in the form of the view."""
    found = re.search(_HEADER, golden)
    assert found
    numbers = {name: int(found[name]) for name in ("cpu", "pid", "nice", "policy", "rt_priority")}
    places = {name: symbols.address_of(found[name]) for name in ("critical_start", "critical_end") if found[name]}
    data = LatencyData(latency=int(found["latency"]) * 1000, comm=found["comm"], **numbers, **places)
    return {"latency": data, "start": START, "release": "6.1.192-fulltrace"}


def with_callers(lines: Iterable[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Each line, and the following lines of a stack trace."""
    event, callers = None, list[str]()
    for line in lines:
        if line.startswith(" => "):
            callers.append(line)
            continue
        if event is not None:
            yield event, callers
        event, callers = line, []
    if event is not None:
        yield event, callers


def record_latencies(lines: Iterable[str]) -> Recording:
    """Records the events in lines without display-graph."""
    recording = Recording()
    found = [(re.fullmatch(LATENCY_LINE, line), callers) for line, callers in with_callers(lines)]
    shift = 0
    for (parts, callers), (following, _) in zip(found, [*found[1:], found[-1]], strict=True):
        assert parts and following
        before, shift = shift, _rounding(parts, following)
        record_latency(recording, parts, callers, shift - before)
    return recording


def _rounding(parts: re.Match[str], following: re.Match[str]) -> int:
    """By how many nanoseconds both times were rounded, towards each other: 11 us have a mark, 10 have none."""
    shown = int(following["us"]) - int(parts["us"]), parts["mark"]
    return {(11, " "): 400, (10, "+"): -400}.get(shown, 0)


def record_latency(recording: Recording, parts: re.Match[str], callers: Sequence[str], nanoseconds: int = 0) -> None:
    """Records the event of one LATENCY_LINE. `nanoseconds`: the lost part of its time."""
    pid = int(parts["pid"])
    if parts["comm"] not in ("<...>", "<idle>"):
        recording.comms[pid] = parts["comm"]
    time = START + int(parts["us"]) * 1000 + nanoseconds
    common = {"pid": pid, **state_of(parts["flags"])}
    record_own(recording, int(parts["cpu"]), time, common, "\n".join([parts["body"], *callers]))
