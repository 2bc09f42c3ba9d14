# SPDX-License-Identifier: GPL-2.0-only
"""function_graph's events, read as calls: each return must match its task's latest call."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from numpy.typing import NDArray

from emu.ftrace.buffers import entries
from emu.machine import Machine

__all__ = ["check_calls", "outside_entries", "start_graph"]


def start_graph(machine: Machine) -> None:
    """Turns function_graph on, with a buffer large enough for everything."""
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("buffer_size_kb", str(100_000 // len(machine.board.cpus)))
    machine.tracefs.write("current_tracer", "function_graph")
    machine.tracefs.write("tracing_on", "1")


def outside_entries(events: entries.Events) -> tuple[NDArray[Any], NDArray[Any]]:
    """The entries and returns of calls that were traced from outside: entries.FUNCGRAPH_ENTRY[n] of both, and VALUED_EXIT[m]."""
    both = events.entries(entries.FUNCGRAPH_ENTRY)
    is_exit = both["type"] == entries.EventType.FUNCGRAPH_EXIT
    exits = entries.entries_at(events.words, events.offset[is_exit], entries.VALUED_EXIT)
    both["depth"][is_exit] = exits["depth"]
    return both, exits


def check_calls(machine: Machine) -> tuple[int, set[str]]:
    """Matches the entries and returns in the buffers. Returns their number, and the functions that have not returned.

    Recording must have begun when no call was in progress.
    """
    rows = []
    for ring in machine.trace_array.recorder.rings:
        assert ring.overrun == ring.dropped_events == 0
        found = ring.unread()
        both = found.entries(entries.FUNCGRAPH_ENTRY)
        fields = (both[name].tolist() for name in ("pid", "type", "func", "depth"))
        rows += [
            (time, ring.cpu, pid, kind, (function, depth))
            for time, pid, kind, function, depth in zip(found.time.tolist(), *fields, strict=True)
        ]
    rows.sort(key=lambda row: row[0])
    stacks: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for _, cpu, pid, kind, call in rows:
        stack = stacks[pid, cpu if pid == 0 else -1]  # each CPU has an idle task, and all have pid 0
        if kind == entries.EventType.FUNCGRAPH_ENTRY:
            assert call[1] == (stack[-1][1] + 1 if stack else 0)
            stack.append(call)
        else:
            assert stack.pop() == call
    name = machine.kernel.image.function_at
    return len(rows), {name(function).name for stack in stacks.values() for function, _ in stack}
