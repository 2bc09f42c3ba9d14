# SPDX-License-Identifier: GPL-2.0-only
"""Parses event filters such as `prev_prio < 100 && !(next_comm ~ "sl*" || cpu == 1)`.

A wrong filter is refused with Linux's message and Linux's error position.
"""

from __future__ import annotations

import enum
import errno
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, EventKind, Field
from emu.ftrace.numbers import parse_c

__all__ = [
    "BAD_SYSTEM_FILTER", "QUALIFIERS",
    "Comparison", "FindFunction", "Operator", "Postfix", "Predicate", "Source",
    "filter_error", "parse_filter", "source_of",
]  # fmt: skip

BAD_SYSTEM_FILTER = "Couldn't find or set field in one of a subsystem's events"
_INVALID_OPERATOR = "Invalid operator"
_TOO_MANY_OPEN = "Too many '('"
_TOO_FEW_OPEN = "Too few '('"
_MISSING_QUOTE = "Missing matching quote"
_TOO_LONG = "Operand too long"
_EXPECT_STRING = "Expecting string field"
_EXPECT_NUMBER = "Expecting numeric field"
_ILLEGAL_OPERATION = "Illegal operation for field type"
_NO_FIELD = "Field not found"
_ILLEGAL_NUMBER = "Illegal integer value"
_TOO_MANY_TERMS = "Too many terms in predicate expression"
_MEANINGLESS = "Meaningless filter expression"
_INVALID_VALUE = "Invalid value (did you forget quotes)?"
_NO_FUNCTION = "Failed to find function"
_NO_FILTER = "No filter found"

_STRING_LIMIT = 256  # bytes: a string has fewer
_NUMBER_LIMIT = 24  # characters: a number has fewer
_POINTER_SIZE = 8

_WORD = re.compile(r"[A-Za-z0-9_]+")
_QUALIFIED_WORD = re.compile(r"[A-Za-z0-9_]+\.[A-Za-z0-9_]+")
_SPACE = re.compile(r"\s*", re.ASCII)
_COMPARISON = re.compile(r"~|[!=<>]=|[<>&]")
_CONNECTIVE = re.compile(r"&&|\|\|")
_NUMBER = re.compile(r"-?[A-Za-z0-9]*")
_FUNCTION = re.compile(r"[\w.$]*", re.ASCII)


class Operator(enum.Enum):
    """An operator that connects predicates."""

    OR = "||"
    AND = "&&"
    NOT = "!"


class Comparison(enum.Enum):
    """A comparison of a field with an operand."""

    GLOB = "~"
    NOT_EQUAL = "!="
    EQUAL = "=="
    LESS_OR_EQUAL = "<="
    LESS = "<"
    GREATER_OR_EQUAL = ">="
    GREATER = ">"
    ANY_BIT = "&"


class Source(enum.Enum):
    """The value that a predicate examines."""

    NUMBER = enum.auto()  # a number in the entry
    CPU = enum.auto()  # the CPU that records the entry
    ARRAY = enum.auto()  # a string in the entry
    DYNAMIC = enum.auto()  # a string in the entry, at the place given by the field
    POINTER = enum.auto()  # a string in kernel memory
    USER_POINTER = enum.auto()  # a string in user memory
    COMM = enum.auto()  # the name of the current task


@dataclass(frozen=True)
class Predicate:
    """A comparison of a field with an operand: a number, a string, or (for `.function`) the addresses of a function."""

    field: Field
    source: Source
    comparison: Comparison
    operand: int | bytes | range


Postfix = Sequence[Predicate | Operator]
"""A filter's predicates and operators, in postfix notation."""

FindFunction = Callable[[str | int], range | None]
"""Finds the addresses of a function, by name or by an address in it."""

_GENERIC_FIELDS = {
    **{name: (Field("int", name, 0, 4, True), Source.CPU) for name in ("CPU", "cpu", "common_cpu")},
    **{name: (Field("char[16]", name, 0, 16, True, 1), Source.COMM) for name in ("COMM", "comm")},
}
QUALIFIERS = {"funcgraph_entry": "graph_ent", "funcgraph_exit": "ret"}  # these events' fields in older kernels


def parse_filter(call: EventCall, text: str, find_function: FindFunction) -> Postfix:
    """Parses a filter for an event.

    Raises:
        TraceError: EINVAL, with the report for error_log.
    """
    _check_balance(text)
    return _Parser(text, _fields(call), find_function).parse()


def filter_error(why: str, text: str, position: int, misspelt: tuple[str, Iterable[str]] | None = None) -> TraceError:
    """The error for a refused filter. `misspelt`: as in `TraceError`."""
    report = ErrorReport("event filter parse error", why, text, position)
    return TraceError(errno.EINVAL, f"filter '{text}', position {position}: {why}", misspelt, logged=report)


def _fields(call: EventCall) -> Mapping[str, tuple[Field, Source]]:
    """The fields that a filter may use. An event's own fields hide the common ones."""
    own = {field.name: (field, source_of(field)) for field in call.fields}
    common = {field.name: (field, Source.NUMBER) for field in COMMON_FIELDS}
    qualifier = QUALIFIERS.get(call.name) if call.kind is EventKind.FTRACE else None
    qualified = {f"{qualifier}.{name}": field for name, field in own.items()} if qualifier else {}
    return {**common, **_GENERIC_FIELDS, **own, **qualified}


def source_of(field: Field) -> Source:
    """The value that a predicate on a field examines."""
    if field.is_dynamic:
        return Source.DYNAMIC if "char" in field.type else Source.NUMBER
    if "[" in field.type and "char" in field.type:
        return Source.ARRAY
    return Source.POINTER if field.type in ("char *", "const char *") else Source.NUMBER


def _check_balance(text: str) -> None:
    """Checks quotes and parentheses, before everything else."""
    open_at: list[int] = []
    quote_at: int | None = None
    for position, character in enumerate(text):
        if quote_at is not None:
            quote_at = None if character == text[quote_at] else quote_at
        elif character in "'\"":
            quote_at = position
        elif character == "(":
            open_at.append(position)
        elif character == ")":
            if not open_at:
                raise filter_error(_TOO_FEW_OPEN, text, position)
            open_at.pop()
    if quote_at is not None:
        raise filter_error(_MISSING_QUOTE, text, quote_at)
    if open_at:
        raise filter_error(_TOO_MANY_OPEN, text, open_at[-1])


class _Parser:
    """A parser of a filter, with its position in the text."""

    def __init__(self, text: str, fields: Mapping[str, tuple[Field, Source]], find_function: FindFunction) -> None:
        self._text = text
        self._fields = fields
        self._find_function = find_function
        self._position = 0

    def parse(self) -> Postfix:
        """Converts to postfix: predicates are output at once; operators and parentheses wait for their operands."""
        found: list[Predicate | Operator] = []
        waiting: list[Operator | Literal["("]] = []

        def release(*operators: Operator) -> None:
            while waiting and waiting[-1] in operators:
                operator = waiting.pop()
                assert operator != "("
                found.append(operator)

        while True:
            while opening := self._opening():
                waiting.append(opening)
            found.append(self._predicate())
            release(Operator.NOT)
            while self._take(")"):
                release(*Operator)
                waiting.pop()  # its "("
                release(Operator.NOT)
            self._skip_space()
            if self._position == len(self._text):
                release(*Operator)
                return found
            connective = _CONNECTIVE.match(self._text, self._position)
            if connective is None:
                raise filter_error(_TOO_MANY_TERMS, self._text, self._position)
            self._position = connective.end()
            operator = Operator(connective[0])
            release(*([Operator.AND] if operator is Operator.AND else [Operator.AND, Operator.OR]))
            waiting.append(operator)

    def _opening(self) -> Operator | Literal["("] | None:
        """Takes a token that may precede a predicate."""
        if self._take("("):
            return "("
        if not self._text.startswith("!=", self._position) and self._take("!"):
            return Operator.NOT
        return None

    def _take(self, character: str) -> bool:
        self._skip_space()
        found = self._text.startswith(character, self._position)
        self._position += len(character) * found
        return found

    def _skip_space(self) -> None:
        self._position = self._match(_SPACE).end()

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Matches a pattern here. The pattern can match the empty string."""
        found = pattern.match(self._text, self._position)
        assert found is not None
        return found

    def _error(self, why: str, position: int, misspelt: tuple[str, Iterable[str]] | None = None) -> TraceError:
        """An error in a predicate. Linux counts its position from 1."""
        return filter_error(why, self._text, position + 1, misspelt)

    def _predicate(self) -> Predicate:
        field, source, function = self._field()
        self._skip_space()
        operator = _COMPARISON.match(self._text, self._position)
        if operator is None:
            raise self._error(_INVALID_OPERATOR, self._position)
        self._position = operator.end()
        self._skip_space()
        comparison = Comparison(operator[0])
        first = self._text[self._position : self._position + 1]
        operand: int | bytes | range
        if function:
            operand = self._function(field, source, comparison)
        elif first in ("'", '"'):
            operand = self._string(source, comparison)
        elif first == "-" or "0" <= first <= "9":
            operand = self._number(field, source, comparison)
        else:
            raise self._error(_INVALID_VALUE, self._position)
        return Predicate(field, source, comparison, operand)

    def _field(self) -> tuple[Field, Source, bool]:
        """The field, the value to examine, and whether `.function` follows."""
        name = _WORD.match(self._text, self._position)
        if name is None:
            why = _MEANINGLESS if _WORD.search(self._text) else _NO_FILTER
            raise filter_error(why, self._text, self._position)
        qualified = _QUALIFIED_WORD.match(self._text, self._position)
        name = qualified if qualified is not None and qualified[0] in self._fields else name
        if name[0] not in self._fields:
            raise self._error(_NO_FIELD, name.end(), (name[0], self._fields))
        field, source = self._fields[name[0]]
        self._position = name.end()
        for suffix in (".ustring", ".function"):
            if self._text.startswith(suffix, self._position):
                self._position += len(suffix)
                if suffix == ".function":
                    return field, source, True
                return field, Source.USER_POINTER if source is Source.POINTER else source, False
        return field, source, False

    def _string(self, source: Source, comparison: Comparison) -> bytes:
        """A quoted string. Its closing quote has been checked before."""
        start = self._position
        if comparison not in (Comparison.EQUAL, Comparison.NOT_EQUAL, Comparison.GLOB):
            raise self._error(_ILLEGAL_OPERATION, start)
        if source in (Source.NUMBER, Source.CPU):
            raise self._error(_EXPECT_NUMBER, start)
        end = self._text.index(self._text[start], start + 1)
        value = self._text[start + 1 : end].encode(errors="surrogateescape")
        if len(value) >= _STRING_LIMIT:
            raise self._error(_TOO_LONG, end)
        self._position = end + 1
        return value

    def _number(self, field: Field, source: Source, comparison: Comparison) -> int:
        start = self._position
        if source not in (Source.NUMBER, Source.CPU):
            raise self._error(_EXPECT_STRING, start)
        if comparison is Comparison.GLOB or field.is_dynamic or field.size not in (1, 2, 4, 8):
            raise self._error(_ILLEGAL_OPERATION, start)
        word = self._match(_NUMBER)
        if len(word[0]) >= _NUMBER_LIMIT:
            raise self._error(_TOO_LONG, word.end())
        digits = word[0].removeprefix("-")
        negative = digits != word[0]
        value = parse_c(digits, (1 << 63) - (not negative) if field.signed else (1 << 64) - 1)
        if value is None or (negative and not field.signed):
            raise self._error(_ILLEGAL_NUMBER, start)
        self._position = word.end()
        return -value if negative else value

    def _function(self, field: Field, source: Source, comparison: Comparison) -> range:
        start = self._position
        if source is not Source.NUMBER or field.is_dynamic or field.size != _POINTER_SIZE:
            raise self._error(_ILLEGAL_OPERATION, start)
        if comparison not in (Comparison.EQUAL, Comparison.NOT_EQUAL):
            raise self._error(_INVALID_OPERATOR, start)
        word = self._match(_FUNCTION)
        address = parse_c(word[0])
        function = self._find_function(word[0] if address is None else address) if word[0] else None
        if function is None:
            raise self._error(_NO_FUNCTION, word.end())
        self._position = word.end()
        return function
