# SPDX-License-Identifier: GPL-2.0-only
"""What recording costs the CPU that records, if the machine should count it (`--tracer-cost linux`).

Without this, tracing costs only what the guest executes for it: trampolines, breakpoints, the code that fills an entry. The rest
of Linux's work is done by the host in no time. `linux` adds cycles for that work after the entry has got its timestamp.

The sources give nanoseconds. Cycles are similar on CPUs of a kind, so 3 GHz is assumed where a source names no frequency.

    [C] arm64 series "ftrace: Add DYNAMIC_FTRACE_WITH_CALL_OPS", M. Rutland, 2023-01, Apple M1 at 3.2 GHz: a function with one
        tracer whose callback is empty takes 13.37 ns more than one without.
    [B] Linux, kernel/trace/Kconfig, TRACEPOINT_BENCHMARK, S. Rostedt, 2014: the benchmark's event, with a text of 128 bytes,
        takes 273 to 281 ns in hot caches.
    [E] estimated.

Not modelled: cold caches, full buffers and their readers, unwinding stacks, histograms and other triggers, kprobes' traps
beyond what the guest executes, and recursion.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from emu.ftrace.arrays.array_records import RecordLists

__all__ = ["LINUX", "NONE", "TRACER_COSTS", "TracerCost", "use_tracer_cost"]

NONE, LINUX = "none", "linux"

_ENTRY: Final = 412  # [E]: half of [B]'s 275 ns, for reserving and committing in the ring buffer
_EVENT: Final = 413  # the other half: the tracepoint, its probe, the common fields; the guest executes a tenth of that itself
_CALL: Final = 43  # [C]: 13.37 ns


class TracerCost(NamedTuple):
    """Costs in cycles: the fields of `TraceArray` whose names begin with `cost_`."""

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
            rejected=_EVENT + 40,  # [E]: since commit 0fc1b09ff1ff it does not reach the ring buffer
            call=_CALL,
            graph_call=_CALL + 20,  # [E]: as a traced call, and an entry on the task's return stack
            graph_return=_CALL + 20,  # [E]: also saves and restores registers, and pops the entry
            graph_rejected=_ENTRY,  # reserved and discarded: these entries have no other buffer
        ),
    }
)


def use_tracer_cost(records: RecordLists, name: str) -> None:
    """Makes recording cost what a table says.

    Raises:
        ValueError: no table has that name.
    """
    if name not in TRACER_COSTS:
        raise ValueError(f"no tracer cost is called '{name}' (there are: {', '.join(TRACER_COSTS)})")
    cost = TRACER_COSTS[name]
    for array in records.arrays:
        array.cost_entry, array.cost_event, array.cost_rejected = cost.entry, cost.event, cost.rejected
        array.cost_call, array.cost_graph_call = cost.call, cost.graph_call
        array.cost_graph_return, array.cost_graph_rejected = cost.graph_return, cost.graph_rejected
