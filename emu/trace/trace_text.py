# SPDX-License-Identifier: GPL-2.0-only
"""The text of tracefs's file `trace`, from a recorded trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.options import CORE_OPTIONS, parse_option
from emu.ftrace.buffers.clock_names import counts_nanoseconds
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.symbols import Symbol
from emu.ftrace.text import TraceView, render_trace
from emu.ftrace.text.view import Prototypes
from emu.ftrace.words import Words
from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable
from emu.trace.host_entries import fixed_size, host_events, host_numbers
from emu.trace.report import ReportContext, ReportOptions
from emu.trace.symbols import KernelSymbols
from emu.trace.trace import Trace

__all__ = ["trace_text"]

_DEEPEST = 1 << 10  # larger depths are damaged


def trace_text(trace: Trace, options: ReportOptions) -> Iterator[bytes]:
    """The text of one buffer: that of the trace, or the first one with events. Events that pass the filter are shown as recorded.

    Raises:
        TraceFileError: the trace is damaged. After the first piece, no further errors are possible.
    """
    events = trace.first
    view = _view(trace, events, options)
    for piece in render_trace(view):
        yield piece.encode(errors="surrogateescape")


def _view(trace: Trace, events: BufferEvents, options: ReportOptions) -> TraceView:
    from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH

    rows = options.rows(trace, events)
    rows = rows[_whole(trace, events)[rows]]
    formats, words = trace.formats.by_number, trace.recording.words
    numbers = host_numbers(formats)
    context = ReportContext(trace)
    lost = sum(max(count, 0) for count in events.lost.values())
    return TraceView(
        tracer=_tracer(trace, events),
        events=host_events(events, rows, formats, numbers),
        entries=len(rows),
        written=len(rows) + lost,
        cpus=trace.recording.cpu_count,
        options={option.name: option.default for option in (*CORE_OPTIONS, *FUNCTION_GRAPH.options)} | _recorded_options(trace),
        symbols=_Symbols(trace.symbols),
        prototypes=_prototypes(trace),
        comm_of=trace.tasks.saved_comm_of,
        tgid_of=trace.tasks.tgid_of,
        irq_entry_text=_irq_entry_text(trace.symbols),
        clock_is_ns=counts_nanoseconds(events.clock),
        calls={numbers[number]: _as_printed(call, words) for number, call in formats.items() if call.system != "ftrace"},
        string_at=context.printk_formats.get,
        words=words,
        kernel_constants=trace.recording.kernel_values or context.values,
    )


def _recorded_options(trace: Trace) -> dict[str, bool]:
    """The options of the top array, as far as the trace tells them."""
    return dict(map(parse_option, trace.recording.trace_options.decode(errors="replace").splitlines()))


def _prototypes(trace: Trace) -> Prototypes | None:
    """What the kernel's functions take, if the trace tells it."""
    btf = trace.recording.btf
    if not btf.get(""):
        return None
    from emu.ftrace.btf import BadBtf, Btf  # few traces have it
    from emu.ftrace.text.prototypes import BtfPrototypes

    try:
        found = BtfPrototypes(Btf(btf[""]))
    except BadBtf:
        return None
    for module, data in btf.items():
        if module:
            found.add(module, data)
    return found


def _irq_entry_text(symbols: KernelSymbols) -> range:
    """The addresses of interrupt entry functions, whose calls are marked with arrows."""
    start, end = (symbols.address_of(f"__irqentry_text_{edge}") for edge in ("start", "end"))
    return range(start or 0, end or 0)


def _whole(trace: Trace, events: BufferEvents) -> NDArray[np.bool_]:
    """The events that have all printed fields, and a possible depth.

    Raises:
        TraceFileError: an ftrace event lacks these fields altogether.
    """
    least = np.zeros(1 << 16, np.int32)
    for number in np.flatnonzero(np.bincount(events.columns.kind)).tolist():
        try:
            least[number] = fixed_size(number, trace.formats.by_number)
        except ValueError as error:
            raise trace.formats.error(trace.formats.by_number[number].path, str(error)) from None
    whole: NDArray[np.bool_] = events.columns.size >= least[events.columns.kind]
    for path in ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit"):
        if path in trace.formats:
            rows = np.flatnonzero(events.columns.kind == trace.formats[path].number)
            table = EventTable(trace.formats[path], events, rows)
            depth = table["depth"] if table.has_number("depth") else np.full(len(rows), -1)
            whole[rows] &= (depth >= 0) & (depth < _DEEPEST)
    return whole


class _Symbols:
    """The symbols of a trace, for a `TraceView`."""

    def __init__(self, symbols: KernelSymbols) -> None:
        self._symbols = symbols

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address."""
        found = map(self._symbols.find, addresses.tolist())
        return [Symbol(*symbol) if symbol else None for symbol in found]


def _tracer(trace: Trace, events: BufferEvents) -> str:
    """The tracer that recorded, as far as its entries show."""
    kinds = np.bincount(events.columns.kind, minlength=1)
    entries: Mapping[str, str] = {"function_graph": "ftrace:funcgraph_entry", "function": "ftrace:function"}
    for tracer, path in entries.items():
        call = trace.formats.get(path)
        if call is not None and call.number < len(kinds) and kinds[call.number]:
            return tracer
    return "nop"


def _as_printed(call: EventCall, words: Words) -> EventCall:
    """The event with additional facts that `format` lacks: it is a system call, whose arguments or result are adjacent words."""
    values = [(field.offset, field.size) for field in call.fields[1:] if not field.is_dynamic]
    first, size = values[0][0] if values else 0, words.long_size
    if call.system == "syscalls" and call.fields and values == [(first + n * size, size) for n in range(len(values))]:
        if call.name.startswith("sys_enter_"):
            return replace(call, kind=EventKind.SYSCALL_ENTER)
        if call.name.startswith("sys_exit_") and values:
            return replace(call, kind=EventKind.SYSCALL_EXIT)
    return call
