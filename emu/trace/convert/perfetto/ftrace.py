# SPDX-License-Identifier: GPL-2.0-only
"""The events of a trace as Perfetto's FtraceEventBundles, each with some thousand events of a CPU."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import Field
from emu.trace.convert.chunks import chunks, tables
from emu.trace.convert.field_columns import field_columns
from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.perfetto.messages import MESSAGES, SYSCALL_ENTER, SYSCALL_EXIT, Message
from emu.trace.convert.perfetto.wire import Integers, Lengthy, field
from emu.trace.event_table import EventTable, is_number, is_text
from emu.trace.lines import Lines, Piece, Texts, constant
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.trace import Trace

__all__ = ["Bundle", "Bundles"]

_GENERIC = 327  # field number in FtraceEvent
_RAW_SYSCALLS = "raw_syscalls:sys_enter"
_NUMBER = "__syscall_nr"
Bundle = tuple[dict[str, int], bytes]  # new symbols, and an FtraceEventBundle


class Bundles:
    """Encodes events.

    Attributes:
        symbols: the numbers assigned so far to function names.
    """

    def __init__(self, trace: Trace, options: ConvertOptions) -> None:
        self.symbols: dict[str, int] = {}
        self._trace = trace
        self._options = options
        self._context = ReportContext(trace)
        self._left_out: set[str] = set()
        self._raw_syscalls = _RAW_SYSCALLS in list(trace.events)

    def __iter__(self) -> Iterator[Bundle]:
        for rows in chunks(self._trace, self._options):
            yield from self._of_chunk(rows)
        if self._left_out:
            names = ", ".join(sorted(self._left_out))
            self._options.notes.append(f"fields left out, which Perfetto's messages do not have: {names}")

    def _of_chunk(self, rows: NDArray[np.int64]) -> Iterator[Bundle]:
        events, known = self._trace.first, len(self.symbols)
        rows = rows[np.argsort(events.columns.cpu[rows], kind="stable")]
        lines = Lines(len(rows))
        for places, table in tables(self._trace, rows):
            lines.add(self._event(table), places)
        ends = np.concatenate([[0], np.cumsum(lines.lengths())])
        data = lines.text()
        cpus, firsts = np.unique(events.columns.cpu[rows], return_index=True)
        new = dict(list(self.symbols.items())[known:])
        lost = {int(events.columns.cpu[row]) for row in events.lost if rows.min() <= row <= rows.max()}
        for cpu, start, end in zip(cpus.tolist(), firsts, [*firsts[1:], len(rows)], strict=True):
            bundle = field(1, cpu) + data[ends[start] : ends[end]] + (field(3, 1) if cpu in lost else b"")
            yield new, bundle
            new = {}

    def _event(self, table: EventTable) -> Piece:
        """The field `event` of a bundle."""
        count = table.count
        pid = table["common_pid"].view(np.uint32)
        content = self._message(table)
        return Lengthy(2, [Integers(1, table["common_time"]), Integers(2, pid), content], count)

    def _message(self, table: EventTable) -> Piece:
        path, count = table.call.path, table.count
        if path.startswith("syscalls:sys_") and _NUMBER in table and not self._raw_syscalls:
            return self._syscall(table)
        if message := MESSAGES.get(path):
            return Lengthy(message.number, list(self._typed(message, table)), count)
        return Lengthy(_GENERIC, list(self._generic(table)), count)

    def _typed(self, message: Message, table: EventTable) -> Iterator[Piece]:
        for each in table.call.fields:
            number = message.fields.get(each.name)
            if number is None or (table.varies(each) and not is_text(each)):
                if not table.varies(each) or table.ranges(each).lengths.any():
                    self._left_out.add(f"{table.call.path} {each.name}")
            else:
                yield from self._field(number, each, table)

    def _field(self, number: int, each: Field, table: EventTable) -> Iterator[Piece]:
        if is_text(each):
            yield Lengthy(number, [_texts(table, each)], table.count)
        elif not is_number(each):
            values = table.field(each)
            yield from (Integers(number, values[:, place]) for place in range(values.shape[1]))
        elif each.name == "func":
            yield Integers(number, self._interned(table.field(each)))
        else:
            yield Integers(number, table.field(each))

    def _interned(self, addresses: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The numbers of the functions' names."""
        distinct, which = distinct_values(addresses)
        names = [self._context.function(address) or f"{address:#x}" for address in distinct]
        return np.array([self.symbols.setdefault(name, len(self.symbols) + 1) for name in names], np.uint64)[which]

    def _syscall(self, table: EventTable) -> Piece:
        """A system call's event, for which Perfetto has two messages for all calls."""
        enters = table.call.name.startswith("sys_enter")
        message, rest = (SYSCALL_ENTER, "args") if enters else (SYSCALL_EXIT, "ret")
        arguments = [each for each in table.call.fields if is_number(each) and each.name != _NUMBER]
        pieces: list[Piece] = [Integers(message.fields["id"], table[_NUMBER])]
        pieces += [Integers(message.fields[rest], table.field(each)) for each in arguments]
        return Lengthy(message.number, pieces, table.count)

    def _generic(self, table: EventTable) -> Iterator[Piece]:
        """The name of the event, and each field with its name."""
        yield constant(field(1, table.call.name), table.count)
        for column in field_columns(self._context, table):
            name = constant(field(1, column.name), table.count)
            value: Piece
            if column.numbers is None:
                value = Texts([field(3, text) for text in column.texts], column.which)
            else:
                value = Integers(4 if column.numbers.dtype.kind == "i" else 5, column.numbers)
            yield Lengthy(2, [name, value], table.count)


def _texts(table: EventTable, each: Field) -> Texts:
    """Texts as valid UTF-8, whatever the kernel wrote."""
    which, contents = table.text_ranges(each).distinct()
    return Texts([content.decode(errors="replace") for content in contents], which)
