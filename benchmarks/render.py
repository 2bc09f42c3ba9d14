# SPDX-License-Identifier: GPL-2.0-only
"""How long the text of a trace takes: a million events from arrays, and by a renderer that formats one event after another.

./venv python benchmarks/render.py [EVENTS]
"""

from __future__ import annotations

import functools
import struct
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.options import CORE_OPTIONS
from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, FUNCTION, EventType
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.symbols import Symbol
from emu.ftrace.text import TraceView, render_events
from emu.ftrace.text.columns import latency_flags
from emu.ftrace.text.duration import NO_DURATION, duration_text
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH

CPUS = 2
TASKS = {57: "sh", 58: "ls", 59: "sed", 15: "rcu_preempt"}
TEXT = 0xFFFFFFFF81000000
FUNCTIONS = {TEXT + 64 * number: f"guest_function_{number}" for number in range(2000)}
STATES = {0: "R", 1: "S", 2: "D", 0x80: "I", 0x100: "R+"}
SCHED_SWITCH = EventCall(
    system="sched",
    name="sched_switch",
    number=279,
    fields=[
        Field("char[16]", "prev_comm", 8, 16, True, 1),
        Field("pid_t", "prev_pid", 24, 4, True),
        Field("int", "prev_prio", 28, 4, True),
        Field("long", "prev_state", 32, 8, True),
        Field("char[16]", "next_comm", 40, 16, True, 1),
        Field("pid_t", "next_pid", 56, 4, True),
        Field("int", "next_prio", 60, 4, True),
    ],
    print_fmt='"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", '
    "REC->prev_comm, REC->prev_pid, REC->prev_prio, "
    '(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "|", { 0x1, "S" }, { 0x2, "D" }, { 0x4, "T" }, '
    '{ 0x8, "t" }, { 0x10, "X" }, { 0x20, "Z" }, { 0x40, "P" }, { 0x80, "I" }) : "R", '
    'REC->prev_state & 0x100 ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio',
    size=64,
)
OPTIONS = {option.name: option.default for option in (*CORE_OPTIONS, *FUNCTION_GRAPH.options)}


class Functions:
    """The symbols for names in the traces."""

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        found = [(FUNCTIONS.get(address & ~63), address & 63) for address in addresses.tolist()]
        return [Symbol(name, offset, 64) if name else None for name, offset in found]


def view_of(tracer: str, buffers: list[RingBuffer]) -> TraceView:
    entries = sum(buffer.entries for buffer in buffers)
    return TraceView(
        tracer=tracer,
        events=[buffer.unread() for buffer in buffers],
        entries=entries,
        written=entries,
        cpus=CPUS,
        options=OPTIONS,
        symbols=Functions(),
        comm_of=TASKS.get,
        calls={SCHED_SWITCH.number: SCHED_SWITCH},
    )


def function_trace(events: int) -> TraceView:
    """Calls of random functions, about a microsecond apart, on two CPUs."""
    random = np.random.default_rng(0)
    entries = np.zeros(events, FUNCTION)
    entries["type"] = EventType.FUNCTION
    entries["pid"] = random.choice(list(TASKS), events)
    entries["flags"] = random.choice([0, 1, 9, 0x11], events)
    entries["preempt_count"] = random.integers(0, 4, events)
    addresses = np.array(list(FUNCTIONS), np.uint64)
    function = random.integers(0, len(FUNCTIONS), events)
    caller = (function * 7 + random.integers(0, 3, events)) % len(FUNCTIONS)  # one of three
    entries["ip"] = addresses[function]
    entries["parent_ip"] = addresses[caller] + np.uint64(20)
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
    steps, functions = random.integers(100, 2000, events), random.choice(np.array(list(FUNCTIONS), np.uint64), events)
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


_SWITCH = struct.Struct("=HBBi16siiq16sii")


def switch_trace(events: int) -> TraceView:
    """Switches between any two of 100 tasks, so that most of 65,536 differ."""
    random = np.random.default_rng(0)
    tasks = [(pid, f"task_{pid}".encode()) for pid in range(1000, 1100)]
    buffers = [RingBuffer(cpu, events * 36 // 4000 + 3) for cpu in range(CPUS)]
    columns = (
        random.integers(0, len(tasks), events),
        random.integers(0, len(tasks), events),
        random.choice(list(STATES), events),
    )
    for number, (one, other, state) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        (pid, comm), (next_pid, next_comm) = tasks[one], tasks[other]
        entry = _SWITCH.pack(SCHED_SWITCH.number, 1, 2, 57, comm, pid, 120, state, next_comm, next_pid, 120)
        buffers[number % CPUS].write(1_000_000_000 + number * 1000, entry)
    return view_of("nop", buffers)


def in_order(view: TraceView) -> Iterator[tuple[int, int, bytes]]:
    """Time, CPU and entry of each event."""
    events = []
    for part in view.events:
        memory = part.words.tobytes()
        for when, offset, size in zip(part.time.tolist(), part.offset.tolist(), part.size.tolist(), strict=True):
            events.append((when, part.cpu, memory[offset : offset + size]))
    return iter(sorted(events, key=lambda event: event[0]))


_FUNCTION = struct.Struct("=HBBiQQ")
_ENTRY = struct.Struct("=HBBiQi")
_EXIT = struct.Struct("=HBBiQiIQQ")


def peer_function(view: TraceView) -> str:
    flags_text = functools.cache(latency_flags)
    lines: list[str] = []
    for when, cpu, entry in in_order(view):
        _, flags, preempt_count, pid, ip, parent = _FUNCTION.unpack(entry)
        letters = flags_text(flags, preempt_count)
        seconds, rest = divmod((when + 500) // 1000, 1_000_000)
        task = f"{view.task_name(pid):>16}-{pid:<7} [{cpu:03}]"
        lines.append(f"{task} {letters} {seconds:5}.{rest:06}: {FUNCTIONS[ip]} <-{FUNCTIONS[parent & ~63]}\n")
    return "".join(lines)


def peer_graph(view: TraceView) -> str:
    lines: list[str] = []
    waiting: dict[int, tuple[int, int]] = {}  # per CPU: the line number and function of an entry that may turn out to be a leaf
    for _, cpu, entry in in_order(view):
        before = waiting.pop(cpu, None)
        if len(entry) == _ENTRY.size:
            *_, function, depth = _ENTRY.unpack(entry)
            waiting[cpu] = len(lines), function
            lines.append(f" {cpu}) {NO_DURATION}{'  ' * depth}{FUNCTIONS[function]}() {{\n")
            continue
        *_, function, depth, _, calltime, rettime = _EXIT.unpack(entry)
        start = f" {cpu}) {duration_text(rettime - calltime, overhead=True)}{'  ' * depth}"
        if before and before[1] == function:
            lines[before[0]] = f"{start}{FUNCTIONS[function]}();\n"
        else:
            lines.append(f"{start}}}\n")
    return "".join(lines)


def peer_switch(view: TraceView) -> str:
    flags_text = functools.cache(latency_flags)
    lines: list[str] = []
    for when, cpu, entry in in_order(view):
        _, flags, preempt_count, pid, comm, prev_pid, prev_prio, state, next_comm, next_pid, next_prio = _SWITCH.unpack(entry)
        letters = flags_text(flags, preempt_count)
        seconds, rest = divmod((when + 500) // 1000, 1_000_000)
        before = f"prev_comm={comm.split(bytes(1))[0].decode()} prev_pid={prev_pid} prev_prio={prev_prio}"
        after = f"next_comm={next_comm.split(bytes(1))[0].decode()} next_pid={next_pid} next_prio={next_prio}"
        task = f"{view.task_name(pid):>16}-{pid:<7} [{cpu:03}]"
        body = f"sched_switch: {before} prev_state={STATES[state]} ==> {after}"
        lines.append(f"{task} {letters} {seconds:5}.{rest:06}: {body}\n")
    return "".join(lines)


def measure(events: int) -> None:
    print(f"text of {events:,} events, seconds of processor time")
    print(f"{'':16}{'arrays':>8}{'one by one':>12}{'ratio':>8}{'of function':>13}")
    traces = (
        ("function", function_trace, peer_function),
        ("function_graph", graph_trace, peer_graph),
        ("sched_switch", switch_trace, peer_switch),
    )
    of_function = 0.0
    for name, make, peer in traces:
        warm = make(1000)
        assert "".join(render_events(warm)) == peer(warm)
        view = make(events)
        start = time.process_time()
        ours = "".join(render_events(view))
        middle = time.process_time()
        theirs = peer(view)
        end = time.process_time()
        assert ours == theirs
        taken, peer_taken = middle - start, end - middle
        of_function = of_function or taken
        print(f"{name:16}{taken:8.2f}{peer_taken:12.2f}{peer_taken / taken:8.1f}{taken / of_function:13.1f}")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
