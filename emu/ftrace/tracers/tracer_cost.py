# SPDX-License-Identifier: GPL-2.0-only
"""What recording costs the CPU that records, if a machine is to count it (`--tracer-cost linux`).

Otherwise tracing costs what the guest executes for it: calls of trampolines, breakpoints, the code that fills an entry. What
Linux executes besides, the host does here, in no time. `linux` adds cycles for that, after the entry has got its time.

Sources give nanoseconds, and cycles are much the same on CPUs of a kind: where a source names no frequency, 3 GHz are taken.

    [C] arm64 series "ftrace: Add DYNAMIC_FTRACE_WITH_CALL_OPS", M. Rutland, 2023-01, Apple M1 at 3.2 GHz: a function with one
        tracer whose callback is empty takes 13.37 ns more than one without.
    [B] Linux, kernel/trace/Kconfig, TRACEPOINT_BENCHMARK, S. Rostedt, 2014: the benchmark's event, with a text of 128 bytes,
        takes 273 to 281 ns in hot caches.
    [E] estimated.

Not modelled: cold caches, full buffers and their readers, following stacks, histograms and other triggers, kprobes' traps beyond
what the guest executes, and recursion.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from emu.ftrace.arrays.array_records import RecordLists

__all__ = ["LINUX", "NONE", "TRACER_COSTS", "TracerCost", "use_tracer_cost"]

NONE, LINUX = "none", "linux"

_ENTRY: Final = 412  # [E]: half of [B]'s 275 ns, for reserving and committing in the ring buffer
_EVENT: Final = 413  # the other half: the tracepoint, its probe, the common fields; what the guest executes of it is a tenth
_CALL: Final = 43  # [C]: 13.37 ns


class TracerCost(NamedTuple):
    """Cycles, by what they are for: the fields of `TraceArray` whose names begin with `cost_`."""

    entry: int = 0
    event: int = 0
    rejected: int = 0
    call: int = 0
    graph_call: int = 0
    graph_return: int = 0
    graph_rejected: int = 0


TRACER_COSTS: Final[Mapping[str, TracerCost]] = MappingProxyType(
    {
        NONE: TracerCost(),
        LINUX: TracerCost(
            entry=_ENTRY,
            event=_EVENT,
            rejected=_EVENT + 40,  # [E]: since commit 0fc1b09ff1ff it does not come to the ring buffer
            call=_CALL,
            graph_call=_CALL + 20,  # [E]: as a traced call, and an entry on the task's return stack
            graph_return=_CALL + 20,  # [E]: registers are saved and restored, too, and it is taken off
            graph_rejected=_ENTRY,  # reserved and discarded: there is no other buffer for these entries
        ),
    }
)


def use_tracer_cost(records: RecordLists, name: str) -> None:
    """Has recording cost what a table says.

    Raises:
        ValueError: there is no table of that name.
    """
    if name not in TRACER_COSTS:
        raise ValueError(f"no tracer cost is called '{name}' (there are: {', '.join(TRACER_COSTS)})")
    cost = TRACER_COSTS[name]
    for array in records.arrays:
        array.cost_entry, array.cost_event, array.cost_rejected = cost.entry, cost.event, cost.rejected
        array.cost_call, array.cost_graph_call = cost.call, cost.graph_call
        array.cost_graph_return, array.cost_graph_rejected = cost.graph_return, cost.graph_rejected
