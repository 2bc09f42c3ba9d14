# SPDX-License-Identifier: GPL-2.0-only
"""A golden text of function_graph parsed into calls and returns, which are written to ring buffers again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, PRINT, EventType
from tests.ftrace.event.golden_events import Unrecoverable, record_event
from tests.ftrace.text.golden import DEFAULTS, Recording, record_switch, state_of
from tests.ftrace.text.latency_golden import LATENCY_LINE, START, record_latency, with_callers

__all__ = ["record_calls"]

_RULE = " " + "-" * 42
_BANNER = re.compile(r" (?P<cpu>\d+)\)  *(?P<before>\S+)-(?P<before_pid>\d+) *=>  *(?P<comm>\S+)-(?P<pid>\d+) *")
_CALL = re.compile(
    r"(?P<indent>(?:  )*)"
    r"(?:(?P<leaf>\S+)\(\);|(?P<open>\S+)\(\) \{|\}(?: /\* (?P<name>\S+) \*/)?|/\* (?P<comment>.*) \*/)"
)


@dataclass
class _Cpu:
    """What is known of a CPU from its lines so far. `open` holds the last call at each depth."""

    pid: int
    open: dict[int, str]
    flags: str = "....."


def _columns(options: Sequence[str]) -> re.Pattern[str]:
    shown = dict(DEFAULTS) | {option.removeprefix("no"): not option.startswith("no") for option in options}
    pattern = ""
    if shown["context-info"]:
        if shown["funcgraph-abstime"]:
            pattern += r" *(?P<seconds>\d+)\.(?P<microseconds>\d{6}) \|  "
        if "display-graph" in options:
            pattern += r" *(?P<since>\d+) us \|  "
        if shown["funcgraph-cpu"]:
            pattern += r" (?P<cpu>\d+)\) "
        if shown["funcgraph-proc"]:
            pattern += r" *(?P<comm>\S+)-(?P<pid>\d+) * \| "
        if shown["latency-format"]:
            pattern += r" (?P<flags>\S{5}) \| "
        if shown["funcgraph-duration"]:
            pattern += r"(?: {14}|. (?P<us>\d+)(?:\.(?P<ns>\d+))? us +)\|  "
    return re.compile(pattern + r"(?P<call>.*)")


def record_calls(lines: Sequence[str], options: Sequence[str] = ()) -> Recording:
    """`options`: those that differ from the defaults, in the syntax of trace_options; they determine the columns."""
    recording = Recording()
    columns = _columns(options)
    cpus = {cpu: _Cpu(1000 + cpu, {}) for cpu in range(2)}
    for banner in filter(None, (re.fullmatch(_BANNER, line) for line in reversed(lines))):
        cpus[int(banner["cpu"])].pid = _task(recording, banner["before"], banner["before_pid"])
    time = START if "display-graph" in options else 0
    for line, callers in with_callers(lines):
        if latency := re.fullmatch(LATENCY_LINE, line):
            record_latency(recording, latency, callers)
            continue
        if line in ("", _RULE) or line.startswith(" (Overruns: 0)"):
            continue
        if switch := re.fullmatch(_BANNER, line):
            cpus[int(switch["cpu"])].pid = _task(recording, switch["comm"], switch["pid"])
            continue
        parts = re.fullmatch(columns, line)
        assert parts, line
        shown = parts.groupdict()
        cpu = int(shown.get("cpu") or 0)
        if shown.get("pid"):
            cpus[cpu].pid = _task(recording, shown["comm"], shown["pid"])
        time += 1
        if shown.get("seconds"):
            time = max(time, int(shown["seconds"] + shown["microseconds"]) * 1000)
        if shown.get("since"):
            time = max(time, START + int(shown["since"]) * 1000 + 500)  # truncated, not rounded
        duration = int(shown["us"]) * 1000 + int((shown["ns"] or "0").ljust(3, "0")) if shown.get("us") else 1
        call = re.fullmatch(_CALL, shown["call"])
        assert call, line
        cpus[cpu].flags = shown.get("flags") or "....."
        _record(recording, cpu, cpus[cpu], time, duration, call)
    return recording


def _task(recording: Recording, comm: str, pid: str) -> int:
    if comm not in ("<...>", "<idle>"):
        recording.comms[int(pid)] = comm
    return int(pid)


def _record(recording: Recording, cpu: int, state: _Cpu, time: int, duration: int, call: re.Match[str]) -> None:
    depth = len(call["indent"]) // 2

    def write(event: EventType, function: str) -> None:
        function_fields = {"func": recording.symbols.address_of(function), "depth": depth}
        values = {"type": event, "pid": state.pid, **state_of(state.flags), **function_fields}
        if event is EventType.FUNCGRAPH_ENTRY:
            recording.write(cpu, time, FUNCGRAPH_ENTRY, values)
        else:
            recording.write(cpu, time, FUNCGRAPH_EXIT, {**values, "calltime": 1, "rettime": 1 + duration})

    common = {"pid": state.pid, **state_of(state.flags)}
    if call["comment"] and record_switch(recording, cpu, time, common, call["comment"]):
        return
    if call["comment"]:
        try:
            common = {"pid": state.pid, "flags": 0, "preempt_count": 0}
            assert recording.buffers[cpu].write(time, record_event(recording, common, call["comment"]))
        except Unrecoverable:
            values = {"type": EventType.PRINT, "pid": state.pid, "ip": recording.symbols.address_of("tracing_mark_write")}
            recording.write(cpu, time, PRINT, values, call["comment"].encode() + b"\n\0")
    elif call["leaf"]:
        write(EventType.FUNCGRAPH_ENTRY, call["leaf"])
        write(EventType.FUNCGRAPH_EXIT, call["leaf"])
        state.open.pop(depth, None)
    elif call["open"]:
        write(EventType.FUNCGRAPH_ENTRY, call["open"])
        state.open[depth] = call["open"]
    else:
        write(EventType.FUNCGRAPH_EXIT, call["name"] or state.open[depth])
        state.open.pop(depth, None)
