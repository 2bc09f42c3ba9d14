# SPDX-License-Identifier: GPL-2.0-only
"""CSV according to RFC 4180, with a row of names. Times are in nanoseconds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.rows import EventRows, chosen_table, event_rows, path_of
from emu.trace.lines import Lines, Numbers, Piece, RangesPiece, Texts, constant, texts_of
from emu.trace.lists import Column, Lists
from emu.trace.ranges import Ranges
from emu.trace.trace import Trace

__all__ = ["comma_separated"]

_CHUNK = 1 << 16  # rows
_QUOTE = ord('"')


def comma_separated(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The text of the file: a row for each event, or for each row of a table.

    Raises:
        CannotConvert: the table does not exist.
    """
    if options.table is None:
        yield b"time,cpu,pid,task,event,info\n"
        for rows in event_rows(trace, options):
            yield _events(trace, rows)
        return
    table = chosen_table(trace, options)
    columns = [table[name] for name in table]
    yield (",".join(map(_quoted, table)) + "\n").encode()
    for start in range(0, len(columns[0]), _CHUNK):
        yield _rows([_column(column[start : start + _CHUNK]) for column in columns], len(columns[0][start : start + _CHUNK]))


def _rows(columns: list[Piece], count: int) -> bytes:
    lines, every = Lines(count), np.arange(count)
    for number, column in enumerate(columns):
        lines.add_all([*([constant(",", count)] if number else []), column], every)
    lines.add(constant("\n", count))
    return lines.text()


def _events(trace: Trace, rows: EventRows) -> bytes:
    quotes = rows.text == _QUOTE
    text = np.repeat(rows.text, 1 + quotes)
    earlier = np.concatenate([[0], np.cumsum(quotes)])
    starts, ends = rows.starts + earlier[rows.starts], rows.ends + earlier[rows.ends]
    quote = constant('"', len(starts))
    lines = Lines(len(starts))
    columns: list[Piece] = [
        Numbers(rows.time), Numbers(rows.cpu), Numbers(rows.pid),
        texts_of(rows.pid, lambda pid: _quoted(trace.tasks.name_of(pid))),
        texts_of(rows.kind, lambda kind: _quoted(path_of(trace, kind))),
    ]  # fmt: skip
    for column in columns:
        lines.add(column)
        lines.add(constant(",", len(starts)))
    for piece in (quote, RangesPiece(Ranges(text.ctypes.data + starts, ends - starts)), quote, constant("\n", len(starts))):
        lines.add(piece)
    return lines.text()


def _column(values: Column) -> Piece:
    if isinstance(values, Lists) or values.ndim > 1:
        return _several(values if isinstance(values, Lists) else Lists.of(values))
    if values.dtype == np.bool_:
        return Texts(["false", "true"], values)
    if values.dtype != np.object_:
        return Numbers(values)
    numbers: dict[str, int] = {}
    which = [numbers.setdefault(text, len(numbers)) for text in values]
    return Texts(map(_quoted, numbers), np.array(which, np.int32))


def _several(lists: Lists) -> Piece:
    """Numbers separated by spaces."""
    which, firsts = lists.numbered()
    return Texts([" ".join(map(str, lists[row].tolist())) for row in firsts], which)


def _quoted(text: str) -> str:
    """The text, in quotes if necessary."""
    if any(character in text for character in '",\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
