# SPDX-License-Identifier: GPL-2.0-only
"""The text of events from their print fmt, column by column.

Fields that are numbers or texts are copied from the pages into the lines. All other arguments are evaluated once per
distinct content of the fields that they read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.conversions import Conversion, conversions
from emu.ftrace.event.print_fmt import PrintFmtError, compile_arguments, parse_print_fmt
from emu.trace.event_table import EventTable, is_text
from emu.trace.lines import Numbers, Piece, RangesPiece, Texts, constant
from emu.trace.native import fields as native
from emu.trace.ranges import Ranges
from emu.trace.report.context import ReportContext
from emu.trace.report.entries import host_order
from emu.trace.report.plugins.functions import FUNCTIONS

if TYPE_CHECKING:
    from pycparser.c_ast import Node

__all__ = ["Argument", "EventText"]

Maker = Callable[[EventTable], Piece]


@dataclass(frozen=True)
class Argument:
    """A conversion and its argument."""

    conversion: Conversion
    nodes: Sequence[Node]  # including arguments for widths

    @property
    def field_name(self) -> str | None:
        """The printed field; None if the argument is an expression."""
        node = self.nodes[-1]
        while type(node).__name__ == "Cast":
            node = node.expr
        if type(node).__name__ == "StructRef" and getattr(node.name, "name", None) == "REC":
            return str(node.field.name)
        if type(node).__name__ == "FuncCall" and getattr(node.name, "name", "") in ("__get_str", "__get_rel_str") and node.args:
            return getattr(node.args.exprs[0], "name", None)
        return None


class EventText:
    """Makes the text of events of one type.

    Attributes:
        broken: why the print fmt cannot be used; None if it can.
    """

    def __init__(self, context: ReportContext, call: EventCall) -> None:
        self._context = context
        self._call = _unsigned(call)
        self._fields = {field.name: field for field in call.fields}
        self.broken: str | None = None

    @cached_property
    def makers(self) -> list[Maker]:
        """The makers of the pieces. If the print fmt cannot be used, there are none, and `broken` is set."""
        try:
            return [self.maker(part) for part in self.parts()]
        except PrintFmtError as error:
            self.broken = str(error)
            return []

    def __call__(self, table: EventTable) -> list[Piece]:
        """The pieces for the events of a table."""
        return [make(table) for make in self.makers]

    def parts(self) -> Iterator[str | Argument]:
        """Plain text and conversions, in order.

        Raises:
            PrintFmtError: the print fmt cannot be used.
        """
        format_node, *arguments = parse_print_fmt(self._call.print_fmt)
        if type(format_node).__name__ != "Constant" or format_node.type != "string":
            raise PrintFmtError("its format is no string")
        import ast

        remaining = iter(arguments)
        try:
            for part in conversions(ast.literal_eval(format_node.value)):
                if isinstance(part, str):
                    if part:
                        yield part
                    continue
                stars = [width for width in (part.width, part.precision) if width == "*"]
                yield Argument(part, [next(remaining) for _ in (*stars, part)])
        except StopIteration:
            raise PrintFmtError("it has more conversions than arguments") from None
        except ValueError as error:
            raise PrintFmtError(f"it cannot be read: {error}") from None

    def maker(self, part: str | Argument) -> Maker:
        """The maker of a part's text.

        Raises:
            PrintFmtError: it needs something unknown.
        """
        if isinstance(part, str):
            text = part
            return lambda table: constant(text, table.count)
        return self._simple(part) or _Calculated(self._context, self._call, part)

    # Unconverted fields

    def _simple(self, argument: Argument) -> Maker | None:
        conversion = argument.conversion
        if len(argument.nodes) != 1:
            return None
        node = argument.nodes[0]
        if conversion.kind == "s":
            field = self._text_field(node)
            if field is None or conversion.width or conversion.precision is not None:
                return None
            return lambda table: RangesPiece(table.text_ranges(field))
        return self._number(conversion, node) if _is_plain(conversion) else None

    def _text_field(self, node: Node) -> Field | None:
        """A field that is a text: `REC->comm`, `__get_str(name)`."""
        if type(node).__name__ == "FuncCall" and getattr(node.name, "name", "") in ("__get_str", "__get_rel_str"):
            name = getattr(node.args.exprs[0], "name", None) if node.args else None
            field = self._fields.get(name) if isinstance(name, str) else None
            return field if field and field.is_dynamic else None
        field = self._field(node)
        return field if field and is_text(field) and not field.is_dynamic else None

    def _field(self, node: Node) -> Field | None:
        if type(node).__name__ == "StructRef" and getattr(node.name, "name", None) == "REC":
            return self._fields.get(node.field.name)
        return None

    def _number(self, conversion: Conversion, node: Node) -> Maker | None:
        """A number field, perhaps cast to a type that is not smaller."""
        while type(node).__name__ == "Cast" and _casts_to_long(node):
            node = node.expr
        field = self._field(node)
        if field is None or field.type.endswith("]") or field.is_dynamic or field.size not in (1, 2, 4, 8):
            return None
        unsigned = np.dtype(f"u{field.size}")
        return lambda table: _numbers(conversion, table.field(field).view(unsigned))


def _casts_to_long(node: Node) -> bool:
    """Whether a cast preserves all numbers of a field: to a long with the same or another signedness."""
    names = getattr(getattr(getattr(node.to_type, "type", None), "type", None), "names", ())
    return "long" in names or names in (["u64"], ["__u64"])


def _unsigned(call: EventCall) -> EventCall:
    """The event as trace-cmd evaluates it: numbers are unsigned until they are printed."""
    return replace(call, fields=[replace(field, signed=False) for field in call.fields])


def _is_plain(conversion: Conversion) -> bool:
    """Whether native code can print the number."""
    plain = conversion.precision is None and conversion.width != "*" and set(conversion.flags) <= set("0-#")
    return plain and conversion.kind in "dux"


def _numbers(conversion: Conversion, values: NDArray[np.integer]) -> Numbers:
    """Numbers, truncated to the conversion's size, as printed by C."""
    type_ = np.dtype(f"{'i' if conversion.kind == 'd' else 'u'}{conversion.size}")
    flags, base = conversion.flags, 16 if conversion.kind == "x" else 10
    width = int(conversion.width or 0)
    return Numbers(values.astype(type_), base, width, "#" in flags and base == 16, "0" in flags, "-" in flags)


class _Calculated:
    """An argument evaluated by Python."""

    def __init__(self, context: ReportContext, call: EventCall, argument: Argument) -> None:
        from pycparser import c_ast

        self._context = context
        self._call = call
        conversion = argument.conversion
        self._number = conversion if _is_plain(conversion) else None
        spelled = "%lld" if self._number else _spelled(conversion)
        format_node = c_ast.Constant("string", f'"{spelled}"')
        self._text = compile_arguments(call, format_node, argument.nodes, (), context.values, FUNCTIONS)
        fields = {field.name: field for field in call.fields}
        names = {name for node in argument.nodes for name in _names(node)}
        self._read = [fields[name] for name in names if name in fields]

    def __call__(self, table: EventTable) -> Piece:
        which, firsts = self._distinct(table)
        entries = table.entries
        texts = []
        for row in firsts:
            entry = ctypes.string_at(int(entries.address[row]), int(entries.size[row])).ljust(self._call.size, b"\0")
            texts.append(self._text(host_order(self._call, entry) if self._context.words.swapped else entry, self._context))
        if self._number:
            return _numbers(self._number, np.array([int(text) for text in texts], np.int64)[which])
        return Texts(texts, which)

    def _distinct(self, table: EventTable) -> tuple[NDArray[np.int32], list[int]]:
        """The group of each row, where all rows of a group have equal fields, and the first row of each group."""
        entries, count = table.entries, table.count
        if any(field.is_dynamic for field in self._read):
            key = Ranges(entries.address + 8, np.maximum(entries.size.astype(np.int64) - 8, 0))
        else:
            width = sum(field.size for field in self._read)
            bytes_ = np.empty((count, width), np.uint8)
            start = 0
            for field in self._read:
                part = np.empty((count, field.size), np.uint8)
                native.gather(entries.address, entries.size, field.offset, field.size, part)
                bytes_[:, start : start + field.size] = part
                start += field.size
            key = Ranges(bytes_.ctypes.data + np.arange(count) * width, np.full(count, width))
        return key.numbered()


def _spelled(conversion: Conversion) -> str:
    """A conversion as written in a format."""
    sizes = {1: "hh", 2: "h", 4: "", 8: "l"}
    precision = "" if conversion.precision is None else f".{conversion.precision}"
    size = "" if conversion.kind in "psc" else sizes[conversion.size]
    return f"%{conversion.flags}{conversion.width}{precision}{size}{conversion.kind}{conversion.extension}"


def _names(node: Node) -> Iterator[str]:
    """All names in an expression."""
    name = getattr(node, "name", None)
    if isinstance(name, str):
        yield name
    for _, child in node.children():
        yield from _names(child)
