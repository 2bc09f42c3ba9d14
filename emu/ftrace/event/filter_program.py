# SPDX-License-Identifier: GPL-2.0-only
"""Compiles event filters to programs for native code (`native.filter_record`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.filter_parse import Comparison, FindFunction, Operator, Postfix, Predicate, Source, parse_filter
from emu.ftrace.native import filter_record as native
from emu.ftrace.native.filter_record import FilterStep
from emu.native.records import HOST, Records, Words

__all__ = ["EventFilter", "glob_elements"]

_WORD = 8  # bytes
_MASK = (1 << 64) - 1
_TESTS = {
    Comparison.EQUAL: (native.EQUAL, native.EQUAL),
    Comparison.LESS: (native.LESS, native.SIGNED_LESS),
    Comparison.LESS_OR_EQUAL: (native.LESS_OR_EQUAL, native.SIGNED_LESS_OR_EQUAL),
    Comparison.ANY_BIT: (native.ANY_BIT, native.ANY_BIT),
}
_OPPOSITES = {
    Comparison.NOT_EQUAL: Comparison.EQUAL,
    Comparison.GREATER_OR_EQUAL: Comparison.LESS,
    Comparison.GREATER: Comparison.LESS_OR_EQUAL,
}
_SOURCES = {
    Source.CPU: native.CPU,
    Source.ARRAY: native.ARRAY,
    Source.POINTER: native.POINTER,
    Source.USER_POINTER: native.USER_POINTER,
    Source.COMM: native.COMM,
}
_CLASS = re.compile(rb"\[(?P<not>!?+)(?P<members>.[^]]*)\]", re.DOTALL)
_RANGE = re.compile(rb"(.)(?:-(.))?", re.DOTALL)


class EventFilter:
    """A filter of one event.

    Args:
        call: the event.
        text: the filter.
        find_function: finds the addresses of a function, by name or by an address in it.

    Attributes:
        text: the filter's text.
        first_step: the program for native code, valid while this object exists.

    Raises:
        TraceError: EINVAL, with the report for error_log.
    """

    def __init__(self, call: EventCall, text: str, find_function: FindFunction) -> None:
        self.text = text
        made = _Program(parse_filter(call, text, find_function))
        self._memory = made.words, made.patterns
        self.first_step = made.steps[0]


class _Exit(NamedTuple):
    """An open branch of a step: its `if_true` or its `if_false`."""

    step: FilterStep
    if_true: bool


class _Part(NamedTuple):
    """A part of a filter: its first step and its open branches."""

    first: FilterStep
    if_true: list[_Exit]
    if_false: list[_Exit]


class _Program:
    """The steps of a filter. An operator joins parts by connecting one's open branches to the other's first step."""

    def __init__(self, postfix: Postfix) -> None:
        count = sum(isinstance(item, Predicate) for item in postfix)
        self.words = np.zeros(count * HOST.size(FilterStep) // _WORD, np.uint64)
        self.steps = Records[FilterStep](self.words.ctypes.data)
        self._used = 0  # steps used so far
        self.patterns: list[NDArray[np.uint64]] = []
        parts: list[_Part] = []
        for item in postfix:
            if isinstance(item, Predicate):
                parts.append(self._step(item))
            elif item is Operator.NOT:
                first, if_true, if_false = parts.pop()
                parts.append(_Part(first, if_false, if_true))
            else:
                right, left = parts.pop(), parts.pop()
                if item is Operator.AND:
                    _go_on(left.if_true, right.first)
                    parts.append(_Part(left.first, right.if_true, left.if_false + right.if_false))
                else:
                    _go_on(left.if_false, right.first)
                    parts.append(_Part(left.first, left.if_true + right.if_true, right.if_false))
        (whole,) = parts
        _go_on(whole.if_true, FilterStep(native.KEEP))
        _go_on(whole.if_false, FilterStep(native.DISCARD))

    def _step(self, predicate: Predicate) -> _Part:
        """Adds a step for a predicate."""
        field, comparison, operand = predicate.field, predicate.comparison, predicate.operand
        opposite = comparison in _OPPOSITES
        comparison = _OPPOSITES.get(comparison, comparison)
        step = self.steps[self._used]
        self._used += 1
        step.source, step.offset, step.size = _source(predicate), field.offset, field.size
        if isinstance(operand, bytes):
            step.pattern, step.length, inverted = self._pattern(operand, comparison is Comparison.GLOB)
            step.test = native.UNLIKE if opposite is not inverted else native.STRING
            opposite = False
        elif isinstance(operand, range):
            step.test, step.value, step.length = native.WITHIN, operand.start, len(operand)
        else:
            step.test, step.value = _TESTS[comparison][field.signed], _extended(operand, field)
        return _Part(step, [_Exit(step, not opposite)], [_Exit(step, opposite)])

    def _pattern(self, text: bytes, is_glob: bool) -> tuple[Words, int, bool]:
        """Makes a pattern. Returns its words, its length, and whether the match is inverted."""
        inverted = is_glob and text.startswith(b"!")
        elements = list(glob_elements(text[inverted:]) if is_glob else text)
        pattern, classes = list[int](), list[int]()
        for element in elements:
            if isinstance(element, frozenset):
                pattern.append(int(native.CLASS) + len(elements) + len(classes))
                classes += np.packbits([n in element for n in range(256)], bitorder="little").view(np.uint64).tolist()
            else:
                pattern.append(element)
        self.patterns.append(np.array(pattern + classes, np.uint64))
        return Words(self.patterns[-1].ctypes.data), len(elements), inverted


def _go_on(exits: list[_Exit], at: FilterStep) -> None:
    for step, if_true in exits:
        if if_true:
            step.if_true = at
        else:
            step.if_false = at


def _source(predicate: Predicate) -> int:
    field = predicate.field
    match predicate.source:
        case Source.NUMBER:
            return native.SIGNED if field.signed else native.UNSIGNED
        case Source.DYNAMIC:
            return native.REL_LOC if field.data_base else native.DATA_LOC
    return _SOURCES[predicate.source]


def _extended(value: int, field: Field) -> int:
    """A number truncated to a field's size and extended as native code extends the field."""
    value &= (1 << 8 * field.size) - 1
    negative = field.signed and value >> (8 * field.size - 1)
    return value | (_MASK << 8 * field.size & _MASK if negative else 0)


def glob_elements(pattern: bytes) -> Iterator[int | frozenset[int]]:
    r"""The elements of a glob: `*`, `?`, `[a-z]`, `[!a-z]`, and characters; `\\` quotes the next one. An unclosed `[` is literal.

    >>> list(glob_elements(b"a*[b-d]")) == [ord("a"), int(native.ANY_RUN), frozenset(b"bcd")]
    True
    """
    position = 0
    while position < len(pattern):
        character, rest = pattern[position : position + 1], pattern[position:]
        position += 1
        if character == b"*":
            yield int(native.ANY_RUN)
        elif character == b"?":
            yield int(native.ANY_CHARACTER)
        elif character == b"[" and (found := _CLASS.match(rest)):
            position += found.end() - 1
            yield _members(found["members"], negated=bool(found["not"]))
        elif character == b"\\" and len(rest) > 1:
            position += 1
            yield rest[1]
        else:
            yield rest[0]


def _members(members: bytes, negated: bool) -> frozenset[int]:
    """The characters of a class. The first one may be `]`."""
    found: set[int] = set()
    for first, last in _RANGE.findall(members):
        found.update(range(first[0], (last or first)[0] + 1))
    return frozenset(set(range(256)) - found if negated else found)
