# SPDX-License-Identifier: GPL-2.0-only
"""The text that the file `trace` in tracefs would have, from a recorded trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.internal import INTERNAL_EVENTS
from emu.ftrace.events import USER_STACK
from emu.ftrace.options import CORE_OPTIONS
from emu.ftrace.text import Symbol, TraceView, render_trace
from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable
from emu.trace.host_pages import host_events
from emu.trace.report import ReportContext, ReportOptions
from emu.trace.symbols import KernelSymbols
from emu.trace.trace import Trace

__all__ = ["trace_text"]

_DEEPEST = 1 << 10  # what is deeper is damaged
_USER_STACK_SIZE = USER_STACK.itemsize


def trace_text(trace: Trace, options: ReportOptions) -> Iterator[bytes]:
    """The text of one buffer: that of the trace, or the first that has events. What is not filtered shows as recorded.

    Raises:
        TraceFileError: the trace is damaged. Once the first piece is there, no more will be found.
    """
    events = trace.first
    view = _view(trace, events, options)
    for piece in render_trace(view):
        yield piece.encode(errors="surrogateescape")


def _view(trace: Trace, events: BufferEvents, options: ReportOptions) -> TraceView:
    from emu.ftrace.tracers import FUNCTION_GRAPH

    rows = options.rows(trace, events)
    rows = rows[_whole(trace, events)[rows]]
    calls = {number: _as_printed(call) for number, call in trace.formats.by_number.items()}
    context = ReportContext(trace)
    lost = sum(max(count, 0) for count in events.lost.values())
    return TraceView(
        tracer=_tracer(trace, events),
        events=host_events(events, rows, calls),
        entries=len(rows),
        written=len(rows) + lost,
        cpus=trace.recording.cpu_count,
        options={option.name: option.default for option in (*CORE_OPTIONS, *FUNCTION_GRAPH.options)},
        symbols=_Symbols(trace.symbols),
        comm_of=trace.tasks.comm_of,
        tgid_of=trace.tasks.tgid_of,
        irq_entry_text=_irq_entry_text(trace.symbols),
        clock_is_ns=events.clock not in ("counter", "x86-tsc", "uptime"),
        calls={number: call for number, call in calls.items() if call.system != "ftrace"},
        string_at=context.printk_formats.get,
        kernel_constants=trace.recording.kernel_values or context.values,
    )


def _irq_entry_text(symbols: KernelSymbols) -> range:
    """The addresses of the functions by which interrupts enter: between them and what they call there are arrows."""
    start, end = (symbols.address_of(f"__irqentry_text_{edge}") for edge in ("start", "end"))
    return range(start or 0, end or 0)


def _whole(trace: Trace, events: BufferEvents) -> NDArray[np.bool_]:
    """Which events have all fields that are printed, and no depth that cannot be.

    Raises:
        TraceFileError: those of a tracer are not where Linux 6.1 has them.
    """
    least = np.zeros(1 << 16, np.int32)
    kinds = set(np.flatnonzero(np.bincount(events.columns.kind)).tolist())
    for number in kinds & set(trace.formats.by_number):
        call = trace.formats.by_number[number]
        least[number] = call.size
        if call.system == "ftrace":
            least[number] = _ftrace_size(trace, call)
    whole: NDArray[np.bool_] = events.columns.size >= least[events.columns.kind]
    for path in ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit"):
        if path in trace.formats:
            rows = np.flatnonzero(events.columns.kind == trace.formats[path].number)
            table = EventTable(trace.formats[path], events, rows)
            depth = table["depth"] if table.has_number("depth") else np.full(len(rows), -1)
            whole[rows] &= (depth >= 0) & (depth < _DEEPEST)
    return whole


def _ftrace_size(trace: Trace, call: EventCall) -> int:
    known = next((other for other in INTERNAL_EVENTS if other.name == call.name), None)
    there = {field.name: (field.offset, field.size) for field in call.fields}
    expected = {field.name: (field.offset, field.size) for field in known.fields if field.size} if known else {}
    if known is None or known.number != call.number or any(there.get(name) != where for name, where in expected.items()):
        raise trace.formats.error(call.path, f"the fields of {call.path} are not those of Linux 6.1, which --format trace shows")
    fixed = [field for field in known.fields if field.name != "caller"]
    end = max(field.offset + field.size for field in fixed)
    return _USER_STACK_SIZE if call.name == "user_stack" else -(-end // 4) * 4


class _Symbols:
    """The symbols of a trace as a `TraceView` asks for them."""

    def __init__(self, symbols: KernelSymbols) -> None:
        self._symbols = symbols

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address."""
        found = map(self._symbols.find, addresses.tolist())
        return [Symbol(*symbol) if symbol else None for symbol in found]


def _tracer(trace: Trace, events: BufferEvents) -> str:
    """The tracer that has recorded, as far as its entries tell."""
    kinds = np.bincount(events.columns.kind, minlength=1)
    entries: Mapping[str, str] = {"function_graph": "ftrace:funcgraph_entry", "function": "ftrace:function"}
    for tracer, path in entries.items():
        call = trace.formats.get(path)
        if call is not None and call.number < len(kinds) and kinds[call.number]:
            return tracer
    return "nop"


def _as_printed(call: EventCall) -> EventCall:
    """The event with what `format` does not say: that it is a system call."""
    if call.system == "syscalls":
        for prefix, kind in (("sys_enter_", EventKind.SYSCALL_ENTER), ("sys_exit_", EventKind.SYSCALL_EXIT)):
            if call.name.startswith(prefix):
                return replace(call, kind=kind)
    return call
