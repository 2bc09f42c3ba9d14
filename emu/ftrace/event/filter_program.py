# SPDX-License-Identifier: GPL-2.0-only
"""Filters of events as programs for native code (`native.filter_program`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.filter_parse import Comparison, FindFunction, Operator, Postfix, Predicate, Source, parse_filter
from emu.ftrace.native import filter_program as native

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
        find_function: finds the addresses of a function by its name, or by an address in it.

    Attributes:
        text: the filter as it was written.
        address: of the program, which is there as long as the filter.

    Raises:
        TraceError: EINVAL, with what error_log tells.
    """

    def __init__(self, call: EventCall, text: str, find_function: FindFunction) -> None:
        self.text = text
        self._words = _Program(parse_filter(call, text, find_function)).words
        self.address: int = self._words.ctypes.data


class _Part(NamedTuple):
    """A part of a filter: its first entry, and the words that say where to go on after it."""

    first: int  # offset in the program, in bytes
    if_true: list[int]
    if_false: list[int]


class _Program:
    """The words of a filter. An operator joins parts by letting one go on at the other."""

    def __init__(self, postfix: Postfix) -> None:
        self._entries: list[int] = []
        self._patterns: list[int] = []
        self._patterns_at = native.ENTRY_WORDS * sum(isinstance(item, Predicate) for item in postfix)
        parts: list[_Part] = []
        for item in postfix:
            if isinstance(item, Predicate):
                parts.append(self._entry(item))
            elif item is Operator.NOT:
                first, if_true, if_false = parts.pop()
                parts.append(_Part(first, if_false, if_true))
            else:
                right, left = parts.pop(), parts.pop()
                if item is Operator.AND:
                    self._go_on(left.if_true, right.first)
                    parts.append(_Part(left.first, right.if_true, left.if_false + right.if_false))
                else:
                    self._go_on(left.if_false, right.first)
                    parts.append(_Part(left.first, left.if_true + right.if_true, right.if_false))
        (whole,) = parts
        self._go_on(whole.if_true, int(native.KEEP))
        self._go_on(whole.if_false, int(native.DISCARD))
        self.words = np.array(self._entries + self._patterns, np.uint64)

    def _go_on(self, words: list[int], at: int) -> None:
        for word in words:
            self._entries[word] = at

    def _entry(self, predicate: Predicate) -> _Part:
        """Adds the entry of a predicate."""
        field, comparison, operand = predicate.field, predicate.comparison, predicate.operand
        opposite = comparison in _OPPOSITES
        comparison = _OPPOSITES.get(comparison, comparison)
        length = 0
        if isinstance(operand, bytes):
            value, length, inverted = self._pattern(operand, comparison is Comparison.GLOB)
            test = native.UNLIKE if opposite is not inverted else native.STRING
            opposite = False
        elif isinstance(operand, range):
            test, value, length = native.WITHIN, operand.start, len(operand)
        else:
            test, value = _TESTS[comparison][field.signed], _extended(operand, field)
        first = len(self._entries)
        what = field.offset << int(native.OFFSET) | field.size << int(native.SIZE)
        what |= int(_source(predicate)) << int(native.SOURCE) | int(test)
        self._entries += [what, value, length, 0, 0]
        if_true, if_false = (first + int(word) // _WORD for word in (native.IF_TRUE, native.IF_FALSE))
        return _Part(first * _WORD, *([if_false], [if_true]) if opposite else ([if_true], [if_false]))

    def _pattern(self, text: bytes, is_glob: bool) -> tuple[int, int, bool]:
        """Adds a pattern. Returns where it is, its length, and whether a string must not match it."""
        inverted = is_glob and text.startswith(b"!")
        at = self._patterns_at + len(self._patterns)
        elements = list(glob_elements(text[inverted:]) if is_glob else text)
        classes = [element for element in elements if isinstance(element, frozenset)]
        class_at = at + len(elements)
        for element in elements:
            if isinstance(element, frozenset):
                self._patterns.append(int(native.CLASS) + class_at * _WORD)
                class_at += native.CLASS_WORDS
            else:
                self._patterns.append(element)
        for members in classes:
            self._patterns += np.packbits([n in members for n in range(256)], bitorder="little").view(np.uint64).tolist()
        return at * _WORD, len(elements), inverted


def _source(predicate: Predicate) -> np.uint64:
    field = predicate.field
    match predicate.source:
        case Source.NUMBER:
            return native.SIGNED if field.signed else native.UNSIGNED
        case Source.DYNAMIC:
            return native.REL_LOC if field.data_base else native.DATA_LOC
    return _SOURCES[predicate.source]


def _extended(value: int, field: Field) -> int:
    """A number cut to a field's size, as native code has what it compares with."""
    value &= (1 << 8 * field.size) - 1
    negative = field.signed and value >> (8 * field.size - 1)
    return value | (_MASK << 8 * field.size & _MASK if negative else 0)


def glob_elements(pattern: bytes) -> Iterator[int | frozenset[int]]:
    r"""The elements of a glob: `*`, `?`, `[a-z]`, `[!a-z]`, `\\` before a character that means itself. `[` without `]` does, too.

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
    """The characters of a class. Its first one may be `]`."""
    found: set[int] = set()
    for first, last in _RANGE.findall(members):
        found.update(range(first[0], (last or first)[0] + 1))
    return frozenset(set(range(256)) - found if negated else found)
