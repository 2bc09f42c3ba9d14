# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the print fmt of an event to a Python function that prints an entry.

A print fmt is the argument list of a C printf call. Each argument becomes a Python expression, with its C type and its value
range (`c_numbers`).
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from emu.ftrace.event import conversions
from emu.ftrace.event.c_expressions import Expressions, Memory, Node, PrintFmtError, Text, Value
from emu.ftrace.event.c_numbers import INT, NAMED_TYPES, CType, CTypes
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.constants import Constants
from emu.ftrace.event.conversions import Conversion
from emu.ftrace.event.known_function import KnownFunction
from emu.ftrace.event.print_fmt_functions import PrintFmtExpressions
from emu.ftrace.event.statement_expressions import without_statements

__all__ = ["Guest", "PrintFmtError", "compile_arguments", "compile_print_fmt", "parse_print_fmt"]


class Guest(Protocol):
    """The guest's data that the text of an entry needs besides the entry."""

    values: Mapping[str, int]  # of the kernel variables that a print fmt may use

    def symbol(self, address: int, *, offset: bool) -> str:
        """The text of %pS, or of %ps without the offset."""

    def string(self, address: int) -> str:
        """The string at an address."""

    def pointer(self, address: int) -> str:
        """The text of %p."""


def compile_print_fmt(
    call: EventCall, symbols: Container[str], constants: Constants = MappingProxyType({}), long_size: int = 8
) -> Callable[[bytes, Guest], str]:
    """A function that prints an entry of the event.

    An entry shorter than the event's fixed part is an error. Memory outside the entry is never read.

    Args:
        symbols: the kernel variables whose values will be available.
        constants: the kernel's constants by name, including `sizeof(struct page)`.
        long_size: bytes of a `long` and of a pointer in the kernel.

    Raises:
        PrintFmtError: the print fmt cannot be compiled.
    """
    format_node, *arguments = parse_print_fmt(call.print_fmt)
    return compile_arguments(call, format_node, arguments, symbols, constants, long_size=long_size)


def compile_arguments(
    call: EventCall,
    format_node: Node,
    arguments: Sequence[Node],
    symbols: Container[str],
    constants: Constants = MappingProxyType({}),
    functions: Mapping[str, KnownFunction] = MappingProxyType({}),
    long_size: int = 8,
) -> Callable[[bytes, Guest], str]:
    """The same for a parsed print fmt, or a part of one: some of its conversions with their arguments.

    `functions`: the kernel functions that it may call besides Linux's helpers.

    Raises:
        PrintFmtError: it cannot be compiled.
    """
    try:
        types = CTypes(long_size)
        return _Compiler(PrintFmtExpressions(call, symbols, constants, functions, types), types).function(format_node, arguments)
    except PrintFmtError:
        raise
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:  # the last two: it is nested too deeply
        raise PrintFmtError(f"it cannot be read: {error}") from error


def parse_print_fmt(print_fmt: str) -> Sequence[Node]:
    """The format and the arguments, as pycparser's nodes. A list in braces is not an expression: it becomes a compound literal.

    Raises:
        PrintFmtError: it is not a printf argument list.
    """
    try:
        return _parse(print_fmt)
    except PrintFmtError:
        raise
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:  # the last two: it is nested too deeply
        raise PrintFmtError(f"it cannot be read: {error}") from error


@functools.lru_cache(maxsize=512)  # recordings often share them
def _parse(print_fmt: str) -> Sequence[Node]:
    from pycparser.c_parser import CParser, ParseError  # imported when the first event is printed

    def as_expression(found: re.Match[str]) -> str:
        return "(struct pair){" if found[0] == "{" else found[0].replace("\n", r"\n")

    literals = r'"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*'"
    arguments = re.sub(rf"{literals}|\{{", as_expression, without_statements(print_fmt))
    types = "".join(f"typedef int {name};" for name in NAMED_TYPES if name in arguments)
    try:
        unit = CParser().parse(f"{types} struct pair; void f(void) {{ print({arguments}); }}")
        call = unit.ext[-1].body.block_items[0]
        nodes: Sequence[Node] = call.args.exprs
    except (ParseError, AttributeError, AssertionError) as error:
        raise PrintFmtError("it is not the argument list of a printf") from error
    return nodes


class _Compiler:
    """Compiles a format and its arguments to a function."""

    def __init__(self, expressions: Expressions, types: CTypes) -> None:
        self._expressions = expressions
        self._types = types

    def function(self, format_node: Node, arguments: Sequence[Node]) -> Callable[[bytes, Guest], str]:
        text = self._expressions.of(format_node)
        if not isinstance(text, Text) or text.literal is None:
            raise PrintFmtError("its format is no string")
        remaining = iter(arguments)
        pieces, values = [], []
        for part in conversions.conversions(text.literal, self._types.long.size):
            if isinstance(part, str):
                pieces.append(part.replace("%", "%%"))
                continue
            try:
                piece, codes = self._conversion(part, remaining)
            except StopIteration:
                raise PrintFmtError("it has more conversions than arguments") from None
            pieces.append(piece)
            values += codes
        loads = ""
        for number, (variables, layout) in enumerate(self._layouts()):
            self._expressions.scope[f"fixed_part_{number}"] = layout.unpack_from
            loads += f"    {variables}fixed_part_{number}(entry)\n"
        source = (
            f"def text(entry, guest):\n"
            f"{loads}"
            f"    return {''.join(pieces)!r} % ({''.join(f'{value}, ' for value in values)})\n"
        )
        exec(compile(source, "<print fmt>", "exec"), self._expressions.scope)
        found: Callable[[bytes, Guest], str] = self._expressions.scope["text"]
        return found

    def _layouts(self) -> Iterator[tuple[str, struct.Struct]]:
        """For the numbers used: their variables, as the left side of an assignment, and the struct that unpacks them.

        Usually there is one struct for all; in a damaged format, fields may overlap.
        """
        left = sorted(self._expressions.loads.items())
        while left:
            variables, layout, end, others = "", "=", 0, []
            for load in left:
                (offset, size, signed), name = load
                if offset < end:
                    others.append(load)
                    continue
                variables += f"{name}, "
                layout += f"{offset - end}x{_LETTERS[size][signed]}"
                end = offset + size
            yield f"{variables}= ", struct.Struct(layout)
            left = others

    def _conversion(self, conversion: Conversion, arguments: Node) -> tuple[str, list[str]]:
        """A conversion as Python's, and the code of its arguments."""
        starred = [part for part in (conversion.width, conversion.precision) if part == "*"]
        stars = [f"star({self._expressions.converted(self._expressions.of(next(arguments)), INT)})" for _ in starred]
        value = self._expressions.of(next(arguments))
        padded = f"%{'-' if '-' in conversion.flags else ''}{conversion.width}"  # for anything but a number
        if conversion.kind == "p":
            return self._pointer(conversion, value, stars, padded)
        if conversion.kind == "c":
            return f"{padded}s", [*stars, f"character({self._expressions.converted(value, INT)})"]
        if conversion.kind == "s":
            precision = "" if conversion.precision is None else f".{conversion.precision}"
            return f"{padded}{precision}s", [*stars, self._expressions.text(value)]
        code = self._expressions.converted(value, CType(conversion.size, conversion.kind == "d"))
        flags = conversion.flags if conversion.kind == "d" else re.sub("[+ ]", "", conversion.flags)
        if conversion.precision is not None or ("#" in flags and conversion.kind == "o"):
            parts = (conversion.width, conversion.precision or "")
            width, precision = (stars.pop(0) if part == "*" else str(int(part or 0)) for part in parts)
            return "%s", [f"number({code}, {self._expressions.kept(conversion)}, {width}, {precision})"]
        kind = "d" if conversion.kind == "u" else conversion.kind
        if kind == "d" and not flags and not conversion.width:
            return "%s", [code]  # the same text, faster
        return f"%{flags}{conversion.width}{kind}", [*stars, code]

    def _pointer(self, conversion: Conversion, value: Value, stars: list[str], padded: str) -> tuple[str, list[str]]:
        extension = _OLD.get(conversion.extension, conversion.extension)
        if extension in ("", "K", "x", "S", "s"):
            address = self._expressions.converted(value, self._types.pointer)
            if extension == "x":
                shown = f"{conversion.flags}{conversion.width}" if conversion.width else f"0{2 * self._types.pointer.size}"
                return f"%{shown}x", [*stars, address]
            by = {"S": "symbol({}, offset=True)", "s": "symbol({}, offset=False)"}.get(extension, "pointer({})")
            return f"{padded}s", [*stars, "guest." + by.format(address)]
        if not isinstance(value, Memory):
            raise PrintFmtError(f"%p{extension} prints what the entry does not hold")
        if extension in _MEASURED:
            length = stars[0] if stars else conversion.width or "1"
            return "%s", [_MEASURED[extension].format(memory=value.code, length=length)]
        if extension not in conversions.POINTED:
            raise PrintFmtError(f"%p{extension} is not known")
        size, text = conversions.POINTED[extension]
        return f"{padded}s", [*stars, f"{self._expressions.kept(text)}({value.code}.ljust({size}, b'\\0'))"]


_OLD = {"F": "S", "f": "s"}  # %pF and %pf, the spelling before Linux 5.3

# For the letters after %p: how to format as many bytes, or bits, as the width says.
_MEASURED = {
    "h": "hex_dump({memory}[:min(max({length}, 0), 64)], ' ')",
    "hC": "hex_dump({memory}[:min(max({length}, 0), 64)], ':')",
    "hD": "hex_dump({memory}[:min(max({length}, 0), 64)], '-')",
    "hN": "hex_dump({memory}[:min(max({length}, 0), 64)], '')",
    "b": "bitmap({memory}, {length})",
    "bl": "bitmap_list({memory}, {length})",
}

_LETTERS = {1: "Bb", 2: "Hh", 4: "Ii", 8: "Qq"}  # letters of struct: unsigned, signed
