# SPDX-License-Identifier: GPL-2.0-only
"""Chrome's trace event format, in JSON: a slice for each call and each stretch on a CPU, an instant for each other event.

The CPUs are threads of an extra process, and so are the idle tasks. Their numbers are above those of all tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emu.trace.convert.about import about
from emu.trace.convert.chunks import chunks, tables
from emu.trace.convert.field_columns import FieldColumn, field_columns
from emu.trace.convert.intervals import intervals
from emu.trace.convert.on_cpus import on_cpus
from emu.trace.convert.options import ConvertOptions
from emu.trace.event_table import EventTable
from emu.trace.lines import Lines, Numbers, Piece, Texts, constant, texts_of
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.trace import Trace

__all__ = ["chrome"]

_CPUS = 1 << 22  # a process whose threads are the CPUs: Linux's pids are smaller (PID_MAX_LIMIT)
_IDLE = 2 * _CPUS  # the thread of the first idle task
_CHUNK = 1 << 16  # slices
_CALLS = ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit")


def chrome(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The text of a JSON object."""
    head = {"displayTimeUnit": "ns", "otherData": about(trace)}
    yield (json.dumps(head, ensure_ascii=False, sort_keys=True)[:-1] + ', "traceEvents": [\n').encode(errors="replace")
    yield ",\n".join(json.dumps(event, ensure_ascii=False) for event in _names(trace)).encode(errors="replace")
    yield from _running(trace, options)
    yield from _calls(trace, options)
    yield from _instants(trace, options)
    yield b"\n]}\n"


def _names(trace: Trace) -> Iterator[dict[str, object]]:
    """The names of processes and threads."""

    def name(of: str, process: int, thread: int, text: str) -> dict[str, object]:
        return {"ph": "M", "name": f"{of}_name", "pid": process, "tid": thread, "args": {"name": text}}

    yield name("process", _CPUS, _CPUS, "CPUs")
    yield name("process", 0, _IDLE, "idle")
    for cpu in trace.first.cpus:
        yield name("thread", _CPUS, _CPUS + cpu, f"CPU {cpu}")
        yield name("thread", 0, _IDLE + cpu, f"swapper/{cpu}")
    for pid, comm in sorted(trace.tasks.comms.items()):
        group = trace.tasks.tgid_of(pid) or pid
        if group == pid:
            yield name("process", pid, pid, comm)
        yield name("thread", group, pid, comm)


def _running(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    found = on_cpus(trace, options.selection)
    count = len(found.pid)
    lines = Lines(count)
    names, which = np.unique(found.comm.astype(np.str_), return_inverse=True)
    slices = _Slices(names.tolist(), which, found.start, found.end)
    threads: list[Piece] = [constant(f', "pid": {_CPUS}, "tid": ', count), Numbers(_CPUS + found.cpu.astype(np.int64))]
    args: list[Piece] = [constant(', "args": {"pid": ', count), Numbers(found.pid), constant("}}", count)]
    lines.add_all([*slices.pieces("sched"), *threads, *args], np.arange(count))
    yield lines.text()


def _calls(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    nested = intervals(trace, options.selection.calls(trace))
    begins = np.flatnonzero(~nested.ends)
    ended = np.empty(len(nested.rows), np.uint64)
    ended[nested.which[nested.ends]] = nested.times[nested.ends]
    finished = trace.calls["finished"][nested.rows]
    names, which = _functions(trace, nested.rows)
    for start in range(0, len(begins), _CHUNK):
        some = begins[start : start + _CHUNK]
        calls = nested.which[some]
        count = len(calls)
        lines = Lines(count)
        slices = _Slices(names, which[calls], nested.times[some], ended[calls])
        rows = nested.rows[calls]
        threads = _threads(trace, trace.calls["pid"][rows], trace.calls["cpu"][rows])
        end = Texts([', "args": {"finished": false}}', "}"], finished[calls])
        lines.add_all([*slices.pieces("function"), *threads, end], np.arange(count))
        yield lines.text()


def _functions(trace: Trace, rows: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int32]]:
    """The names of the calls' functions, and the index of each call's."""
    distinct, which = distinct_values(trace.calls["address"][rows])
    return [trace.symbols.name_of(address) for address in distinct], which


def _instants(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    context = ReportContext(trace)
    for rows in chunks(trace, options):
        lines = Lines(len(rows))
        for places, table in tables(trace, rows):
            if table.call.path in _CALLS:
                continue
            count = table.count
            head = f',\n{{"ph": "i", "s": "t", "cat": {_text(table.call.system)}, "name": {_text(table.call.name)}, "ts": '
            lines.add_all([constant(head, count), *_microseconds(table["common_time"])], places)
            lines.add_all(_threads(trace, table["common_pid"], table["common_cpu"]), places)
            lines.add_all([constant(', "args": {"CPU": ', count), Numbers(table["common_cpu"])], places)
            lines.add_all([piece for column in field_columns(context, table) for piece in _argument(column, table)], places)
            lines.add(constant("}}", count), places)
        yield lines.text()


def _argument(column: FieldColumn, table: EventTable) -> Iterator[Piece]:
    yield constant(f", {_text(column.name)}: ", table.count)
    if column.numbers is None:
        yield Texts([_text(text) for text in column.texts], column.which)
    elif column.numbers.dtype == np.uint64:  # JavaScript's numbers cannot represent these
        yield from (constant('"', table.count), Numbers(column.numbers, 16, prefix=True), constant('"', table.count))
    else:
        yield Numbers(column.numbers)


class _Slices:
    """Events with durations."""

    def __init__(
        self, names: list[str], which: NDArray[np.integer], start: NDArray[np.uint64], end: NDArray[np.uint64]
    ) -> None:
        self._names, self._which, self._start, self._end = names, which, start, end

    def pieces(self, category: str) -> Iterator[Piece]:
        count = len(self._start)
        yield constant(f',\n{{"ph": "X", "cat": "{category}", "name": ', count)
        yield Texts([_text(name) for name in self._names], self._which)
        yield constant(', "ts": ', count)
        yield from _microseconds(self._start)
        yield constant(', "dur": ', count)
        yield from _microseconds(self._end - self._start)


def _microseconds(nanoseconds: NDArray[np.uint64]) -> list[Piece]:
    whole, rest = np.divmod(nanoseconds, np.uint64(1000))
    return [Numbers(whole), constant(".", len(whole)), Numbers(rest, width=3, zeros=True)]


def _threads(trace: Trace, pid: NDArray[np.int32], cpu: NDArray[np.uint16]) -> list[Piece]:
    thread = np.where(pid == 0, _IDLE + cpu.astype(np.int64), pid)
    process = texts_of(pid, lambda value: f', "pid": {trace.tasks.tgid_of(value) or value}, "tid": ')
    return [process, Numbers(thread)]


def _text(text: str) -> str:
    return json.dumps(text)
