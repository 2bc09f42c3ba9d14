# SPDX-License-Identifier: GPL-2.0-only
"""How long the text of a trace takes: a million events by our writers, and by a renderer that formats one event after another.

    python benchmarks/render.py [EVENTS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from emu.ftrace.events import ENTRY, FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, FUNCTION, EventType
from emu.ftrace.options import CORE_OPTIONS
from emu.ftrace.ring_buffer import RingBuffer
from emu.ftrace.text import SymbolTable, TraceView, render_events
from emu.ftrace.text.columns import latency_flags
from emu.ftrace.text.duration import NO_DURATION, duration_text
from emu.ftrace.tracers import FUNCTION_GRAPH

CPUS = 2
TASKS = {57: "sh", 58: "ls", 59: "sed", 15: "rcu_preempt"}
TEXT = 0xFFFFFFFF81000000
FUNCTIONS = {TEXT + 64 * number: f"guest_function_{number}" for number in range(2000)}
OPTIONS = {option.name: option.default for option in (*CORE_OPTIONS, *FUNCTION_GRAPH.options)}


def view_of(tracer: str, buffers: list[RingBuffer]) -> TraceView:
    entries = sum(buffer.entries for buffer in buffers)
    return TraceView(
        tracer=tracer,
        events=[buffer.unread() for buffer in buffers],
        entries=entries,
        written=entries,
        cpus=CPUS,
        options=OPTIONS,
        symbols=SymbolTable(FUNCTIONS, end=TEXT + 64 * len(FUNCTIONS)),
        comm_of=TASKS.get,
    )


def function_trace(events: int) -> TraceView:
    """Calls of random functions by random functions, about a microsecond apart."""
    random = np.random.default_rng(0)
    entries = np.zeros(events, FUNCTION)
    entries["type"] = EventType.FUNCTION
    entries["pid"] = random.choice(list(TASKS), events)
    entries["flags"] = random.choice([0, 1, 9, 0x11], events)
    entries["preempt_count"] = random.integers(0, 4, events)
    entries["ip"] = TEXT + 64 * random.integers(0, len(FUNCTIONS), events)
    entries["parent_ip"] = TEXT + 64 * random.integers(0, len(FUNCTIONS), events) + 20
    times = np.cumsum(random.integers(100, 2000, events)) + 1_000_000_000
    buffers = [RingBuffer(cpu, events * 28 // 4000 + 3) for cpu in range(CPUS)]
    for number, (when, entry) in enumerate(zip(times.tolist(), entries, strict=True)):
        buffers[number % CPUS].write(when, entry.tobytes())
    return view_of("function", buffers)


def graph_trace(events: int) -> TraceView:
    """Calls nested at random, of one task per CPU, with their returns."""
    random = np.random.default_rng(0)
    buffers = [RingBuffer(cpu, events * 40 // 4000 + 3) for cpu in range(CPUS)]
    stacks: list[list[tuple[int, int]]] = [[] for _ in range(CPUS)]
    entered, left = np.zeros((), FUNCGRAPH_ENTRY), np.zeros((), FUNCGRAPH_EXIT)
    entered["type"], left["type"] = EventType.FUNCGRAPH_ENTRY, EventType.FUNCGRAPH_EXIT
    steps, functions = random.integers(100, 2000, events), random.choice(list(FUNCTIONS), events)
    when = 1_000_000_000
    for number, (step, function) in enumerate(zip(steps.tolist(), functions.tolist(), strict=True)):
        when += step
        cpu = number % CPUS
        stack = stacks[cpu]
        if not stack or (len(stack) < 20 and step & 1):
            entered["pid"], entered["func"], entered["depth"] = 57 + cpu, function, len(stack)
            buffers[cpu].write(when, entered.tobytes())
            stack.append((function, when))
        else:
            function, calltime = stack.pop()
            left["pid"], left["func"], left["depth"] = 57 + cpu, function, len(stack)
            left["calltime"], left["rettime"] = calltime, when
            buffers[cpu].write(when, left.tobytes())
    return view_of("function_graph", buffers)


def in_order(view: TraceView) -> Iterator[tuple[int, int, bytes]]:
    """Time, CPU and entry of each event."""
    events = [(int(when), part.cpu, part.payload(row)) for part in view.events for row, when in enumerate(part.time)]
    return iter(sorted(events, key=lambda event: event[0]))


def peer_function(view: TraceView) -> str:
    lines = []
    names = dict(FUNCTIONS)
    for when, cpu, entry in in_order(view):
        event = np.frombuffer(entry, FUNCTION)[0]
        pid, ip, parent = int(event["pid"]), int(event["ip"]), int(event["parent_ip"])
        flags = latency_flags(int(event["flags"]), int(event["preempt_count"]))
        microseconds = (when + 500) // 1000
        clock = f"{microseconds // 1_000_000:5}.{microseconds % 1_000_000:06}"
        task = f"{view.task_name(pid):>16}-{pid:<7}"
        lines.append(f"{task} [{cpu:03}] {flags} {clock}: {names[ip]} <-{names[parent & ~63]}\n")
    return "".join(lines)


def peer_graph(view: TraceView) -> str:
    lines = []
    events = list(in_order(view))
    skipped: set[int] = set()
    last: dict[int, int] = {}
    following = [0] * len(events)
    for row, (_, cpu, _) in enumerate(events):
        following[last.get(cpu, row)] = row
        last[cpu] = row
    for row, (_, cpu, entry) in enumerate(events):
        if row in skipped:
            continue
        kind = np.frombuffer(entry[: ENTRY.itemsize], ENTRY)[0]["type"]
        if kind == EventType.FUNCGRAPH_EXIT:
            left = np.frombuffer(entry, FUNCGRAPH_EXIT)[0]
            duration = duration_text(int(left["rettime"] - left["calltime"]), overhead=True)
            lines.append(f" {cpu}) {duration}{'  ' * int(left['depth'])}}}\n")
            continue
        call = np.frombuffer(entry, FUNCGRAPH_ENTRY)[0]
        name, indent = FUNCTIONS[int(call["func"])], "  " * int(call["depth"])
        after = events[following[row]][2]
        if len(after) == FUNCGRAPH_EXIT.itemsize and np.frombuffer(after, FUNCGRAPH_EXIT)[0]["func"] == call["func"]:
            left = np.frombuffer(after, FUNCGRAPH_EXIT)[0]
            skipped.add(following[row])
            duration = duration_text(int(left["rettime"] - left["calltime"]), overhead=True)
            lines.append(f" {cpu}) {duration}{indent}{name}();\n")
        else:
            lines.append(f" {cpu}) {NO_DURATION}{indent}{name}() {{\n")
    return "".join(lines)


def measure(events: int) -> None:
    print(f"text of {events:,} events, seconds")
    print(f"{'':16}{'arrays':>8}{'one by one':>12}{'ratio':>8}")
    for name, make, peer in (("function", function_trace, peer_function), ("function_graph", graph_trace, peer_graph)):
        warm = make(1000)
        assert "".join(render_events(warm)) == peer(warm)
        view = make(events)
        start = time.perf_counter()
        ours = "".join(render_events(view))
        middle = time.perf_counter()
        theirs = peer(view)
        end = time.perf_counter()
        assert ours == theirs
        print(f"{name:16}{middle - start:8.2f}{end - middle:12.2f}{(end - middle) / (middle - start):8.1f}")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
