# SPDX-License-Identifier: GPL-2.0-only
"""The text of function_graph's entries and exits. An exit right after its entry is merged with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall
from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, Texts, TextTable, constant
from emu.trace.native.graph import NO_ROW, Columns, GraphFormats, find_leaves
from emu.trace.report.context import ReportContext
from emu.trace.report.needed_fields import has_needed
from emu.trace.trace import Trace

__all__ = ["GraphText", "Leaves"]

_NO_DURATION = " " * 13
_DEEPEST = 1 << 12  # larger depths are damaged


class Leaves:
    """Calls whose exit is the next event of the buffer on the same CPU, as in trace-cmd from 3.3 on.

    Older versions accept the exit of any CPU (docs/traces-as-data.md).

    Attributes:
        exits: for each row of a buffer the row of its exit, or NO_ROW.
        hidden: the rows that are such exits.
    """

    def __init__(self, trace: Trace, events: BufferEvents, sources: NDArray[np.int64] | None) -> None:
        """`sources`: the buffer of each event, if there are several."""
        self.entry, self.exit = (trace.formats.get(f"ftrace:funcgraph_{name}") for name in ("entry", "exit"))
        self.exits = np.full(len(events), NO_ROW, np.int64)
        self.hidden = np.zeros(len(events), np.bool_)
        if self.entry and self.exit and has_needed(self.entry, events.words) and has_needed(self.exit, events.words):
            columns = events.columns
            if sources is None:
                sources = np.zeros(len(events), np.int64)
            last = np.full(int(sources.max(initial=0)) + 1, NO_ROW, np.int64)
            formats = GraphFormats(
                self.entry.number, self.exit.number, _function_offset(self.entry), _function_offset(self.exit),
                events.words.long_size, events.words.swapped,
            )  # fmt: skip
            every = Columns(columns.kind, sources, columns.cpu, columns.address, columns.size)
            find_leaves(every, formats, self.exits, last)
            self.hidden[self.exits[self.exits != NO_ROW]] = True


def _function_offset(call: EventCall) -> int:
    return next(field.offset for field in call.fields if field.name == "func")


class GraphText:
    """The text of entries or exits of one buffer."""

    def __init__(self, context: ReportContext, events: BufferEvents, leaves: Leaves) -> None:
        self._context = context
        self._events = events
        self._leaves = leaves

    def entries(self, table: EventTable) -> list[tuple[Piece, NDArray[np.int64]]]:
        """The pieces for entries, with the table's rows that each belongs to."""
        exits = self._leaves.exits[table.rows]
        leaf, open_ = np.flatnonzero(exits != NO_ROW), np.flatnonzero(exits == NO_ROW)
        every = np.arange(table.count)
        found: list[tuple[Piece, NDArray[np.int64]]] = [(constant(_NO_DURATION, len(open_)), open_)]
        if len(leaf) and self._leaves.exit:
            returned = EventTable(self._leaves.exit, self._events, exits[leaf])
            found += [(piece, leaf) for piece in _duration(returned)]
        found.append((_indent(table), every))
        found.append((self._context.function_column(table["func"], unknown="{:x}"), every))
        found.append((Texts(["() {\n", "();\n"], exits != NO_ROW), every))
        return found

    def exits(self, table: EventTable) -> list[tuple[Piece, NDArray[np.int64]]]:
        """The same for exits that stand alone."""
        every = np.arange(table.count)
        pieces = [*_duration(table), _indent(table), constant("}\n", table.count)]
        return [(piece, every) for piece in pieces]


def _indent(table: EventTable) -> Piece:
    depths = np.clip(table["depth"], 0, _DEEPEST)
    distinct, which = np.unique(np.asarray(depths), return_inverse=True)
    return Texts(["|  " + "  " * depth for depth in distinct.tolist()], which)


_FRACTIONS = TextTable([*(f".{number:03}" for number in range(1000)), ""])
_MARKS = ((1_000_000_000, "$ "), (1_000_000, "# "), (100_000, "! "), (10_000, "+ "), (-(1 << 63), "  "))


def _duration(table: EventTable) -> list[Piece]:
    """`+ 40.921 us  ` of exits."""
    lasted = (table["rettime"] - table["calltime"]).astype(np.uint64)
    limits = np.array([limit for limit, _ in reversed(_MARKS[:-1])], np.int64)
    mark = np.asarray(np.searchsorted(limits, lasted.view(np.int64), side="left"))
    whole, rest = np.divmod(lasted, np.uint64(1000))
    digits = np.asarray(np.searchsorted(np.array([10, 100, 1_000_000], np.uint64), whole, side="right"))  # 1, 2, up to 6, more
    return [
        Texts([text for _, text in reversed(_MARKS)], mark),
        Numbers(whole),
        Texts(_FRACTIONS, np.where(digits == 3, 1000, rest.astype(np.int64))),
        Texts([" us   ", " us  ", " us ", " us "], digits),
    ]
