# SPDX-License-Identifier: GPL-2.0-only
"""Tables that fit a width. Names are shortened, or rows are split into several lines; numbers are never cut."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Literal, NamedTuple, TextIO

__all__ = ["Column", "Table", "fitted", "shortened", "width_of"]

Kind = Literal["number", "name", "path"]

_NARROWEST = 16  # columns of a shortened name
_INDENT = 2  # of the lines of a row after the first
_ELSEWHERE, _LEAST = 80, 24  # columns if there is no terminal, and minimum


class Column(NamedTuple):
    """Attributes:
    title: may be broken after blanks and hyphens.
    kind: numbers are right-aligned; names may be shortened; a path is the last column, and gets lines of its own if it
        would have to be shortened.
    """

    title: str
    kind: Kind = "number"


class Table(NamedTuple):
    """The lines of titles, and those of rows."""

    head: list[str]
    body: list[str]


def width_of(stream: TextIO | None) -> int:
    """The width of a standard stream: the variable COLUMNS, or its terminal's width; 80 otherwise, also for files."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal():
        return max(int(said), _LEAST)
    if stream is None:
        return _ELSEWHERE
    try:
        return max(os.get_terminal_size(stream.fileno()).columns or _ELSEWHERE, _LEAST)
    except OSError:
        return _ELSEWHERE


def shortened(text: str, room: int) -> str:
    """The text, or its beginning followed by an ellipsis."""
    return text if len(text) <= room else f"{text[: max(room - 1, 0)]}…"


def fitted(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Table:
    """A table of at most `width` characters per line, provided that each number fits."""
    whole = [_Line(columns, rows, gap, titles) for gap, titles in ((2, _one_line), (1, _one_line), (2, _broken), (1, _broken))]
    for line in whole:
        if line.natural <= width:
            return line.table(width)
    if columns[-1].kind == "path":
        return _with_paths(columns, rows, width)
    if whole[-1].least <= width:
        return whole[-1].table(width)
    return _stacked(_divided(columns, rows, width), width)


def _one_line(title: str) -> list[str]:
    return [title]


def _broken(title: str) -> list[str]:
    """The pieces into which a title may be broken."""
    return re.findall(r"[^ -]*(?:-| +|$)", title)[:-1]


class _Line:
    """Columns placed side by side.

    Attributes:
        natural: the width with complete names.
        least: the width with the shortest possible names.
    """

    def __init__(
        self, columns: Sequence[Column], rows: Sequence[Sequence[str]], gap: int, pieces: Callable[[str], list[str]]
    ) -> None:
        self._columns, self._rows, self._gap = columns, rows, gap
        cells = [max((len(row[n]) for row in rows), default=0) for n in range(len(columns))]
        titles = [max(len(piece.rstrip()) for piece in pieces(column.title)) for column in columns]
        self._widths = [max(widths) for widths in zip(cells, titles, strict=True)]
        self._gaps = gap * (len(columns) - 1)
        both = zip(columns, self._widths, strict=True)
        self.natural = sum(self._widths) + self._gaps
        self.least = self._gaps + sum(width if column.kind == "number" else min(width, _NARROWEST) for column, width in both)

    def table(self, width: int) -> Table:
        """The lines, with names as long as the width allows."""
        widths = self._fitting(width)
        titles = [self._title(column.title, room) for column, room in zip(self._columns, widths, strict=True)]
        height = max(map(len, titles))
        head = zip(*([""] * (height - len(title)) + title for title in titles), strict=True)
        return Table([self._text(line, widths) for line in head], [self._text(row, widths) for row in self._rows])

    def _fitting(self, width: int) -> list[int]:
        """The column widths: narrow names are complete, the others share the rest."""
        widths = list(self._widths)
        names = sorted((n for n, column in enumerate(self._columns) if column.kind != "number"), key=lambda n: widths[n])
        room = width - self._gaps - sum(widths) + sum(widths[n] for n in names)
        for left, n in zip(range(len(names), 0, -1), names, strict=True):
            widths[n] = min(widths[n], room // left)
            room -= widths[n]
        return widths

    @staticmethod
    def _title(title: str, room: int) -> list[str]:
        if len(title) <= room:
            return [title]
        lines = [""]
        for piece in _broken(title):
            if lines[-1] and len((lines[-1] + piece).rstrip()) > room:
                lines.append("")
            lines[-1] += piece
        return [line.rstrip() for line in lines]

    def _text(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        parts = [
            f"{cell:>{room}}" if column.kind == "number" else f"{shortened(cell, room):<{room}}"
            for column, cell, room in zip(self._columns, cells, widths, strict=True)
        ]
        return (" " * self._gap).join(parts).rstrip()


def _with_paths(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Table:
    """Puts the path of each row below the row."""
    table = fitted(columns[:-1], [row[:-1] for row in rows], width)
    each = len(table.body) // max(len(rows), 1)
    body: list[str] = []
    for n, row in enumerate(rows):
        body += table.body[n * each : (n + 1) * each]
        body += [f"{'':{_INDENT}}{line}" for line in wrap(row[-1], width - _INDENT, break_on_hyphens=False)]
    return Table([*table.head, f"{'':{_INDENT}}{columns[-1].title}"], body)


def _divided(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> Iterator[_Line]:
    """As many columns side by side as fit, then the next ones."""
    start = 0
    for end in range(1, len(columns) + 1):
        if end == len(columns) or _part(columns, rows, start, end + 1).least > width - _INDENT:
            yield _part(columns, rows, start, end)
            start = end


def _part(columns: Sequence[Column], rows: Sequence[Sequence[str]], start: int, end: int) -> _Line:
    return _Line(columns[start:end], [row[start:end] for row in rows], 2, _one_line)


def _stacked(lines: Iterable[_Line], width: int) -> Table:
    """A table in which each row, and the titles, take several lines."""
    tables = [line.table(width - _INDENT) for line in lines]
    indents = [0] + [_INDENT] * (len(tables) - 1)

    def indented(line: str, by: int) -> str:
        return f"{'':{by}}{line}"

    head = [indented(line, by) for table, by in zip(tables, indents, strict=True) for line in table.head]
    of_rows = zip(*(table.body for table in tables), strict=True)
    return Table(head, [indented(line, by) for of_row in of_rows for line, by in zip(of_row, indents, strict=True)])
