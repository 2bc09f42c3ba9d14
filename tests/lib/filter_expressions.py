# SPDX-License-Identifier: GPL-2.0-only
"""Hypothesis strategies for filters, each with a Python function that evaluates it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field

__all__ = ["NUMBERS", "STRINGS", "Expression", "as_number", "expressions", "find_function", "is_string"]

FUNCTIONS = {"vfs_read": range(0x1000, 0x1080), "vfs_write": range(0x1080, 0x1100)}
NUMBERS = [0, 1, 2, 3, 7, 120, 127, 128, 255, 256, 0x1000, 0x1084, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1]
STRINGS = st.text("abc", max_size=18).map(str.encode)
_COMPARISONS: Mapping[str, Callable[[int, int], object]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "&": operator.and_,
}  # fmt: skip


def find_function(which: str | int) -> range | None:
    return next((found for name, found in FUNCTIONS.items() if which == name or which in found), None)


def as_number(value: int, size: int, signed: bool) -> int:
    """A number truncated to a type."""
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> (8 * size - 1) else value


@dataclass(frozen=True)
class Expression:
    """A filter: its text, and a function that evaluates it for the values of fields by name."""

    text: str
    holds: Callable[[Mapping[str, Any]], bool]

    def __repr__(self) -> str:
        return self.text


@st.composite
def _of_number(draw: st.DrawFn, field: Field) -> Expression:
    name, sign = draw(st.sampled_from(sorted(_COMPARISONS))), field.signed and draw(st.booleans())
    limit = (2**63 - (not sign)) if field.signed else 2**64 - 1
    value = min(draw(st.sampled_from(NUMBERS)), limit) * (-1 if sign else 1)
    written = draw(st.sampled_from([str(value), f"{'-' * sign}{abs(value):#x}"]))
    compared = as_number(value, field.size, field.signed)
    space = draw(st.sampled_from(["", " "]))
    text = f"{field.name}{space}{name}{space}{written}"
    return Expression(text, lambda values: bool(_COMPARISONS[name](values[field.name], compared)))


@st.composite
def _of_function(draw: st.DrawFn, field: Field) -> Expression:
    function, comparison = draw(st.sampled_from(sorted(FUNCTIONS))), draw(st.sampled_from(["==", "!="]))
    text = f"{field.name}.function {comparison} {function}"
    return Expression(text, lambda values: (values[field.name] in FUNCTIONS[function]) is (comparison == "=="))


_OPEN = ("[", r"\[")
_GLOB_PARTS = st.sampled_from(
    [("a", "a"), ("b", "b"), ("*", ".*"), ("?", "."), ("[ab]", "[ab]"), ("[!a]", "[^a]"), ("[a-b]", "[ab]"), ("\\c", "c"), _OPEN]
)


@st.composite
def _of_string(draw: st.DrawFn, name: str) -> Expression:
    comparison = draw(st.sampled_from(["==", "!=", "~"]))
    quote = draw(st.sampled_from("'\""))
    if comparison == "~":
        parts = draw(st.lists(_GLOB_PARTS, max_size=5).filter(lambda parts: _OPEN not in parts[:-1]))
        inverted = draw(st.booleans())
        text = f"{name} ~ {quote}{'!' * inverted}{''.join(part[0] for part in parts)}{quote}"
        pattern = re.compile("".join(part[1] for part in parts).encode(), re.DOTALL)
        return Expression(text, lambda values: (pattern.fullmatch(values[name]) is not None) is not inverted)
    value = draw(STRINGS)
    text = f"{name} {comparison} {quote}{value.decode()}{quote}"
    return Expression(text, lambda values: (values[name] == value) is (comparison == "=="))


def is_string(field: Field) -> bool:
    return "char" in field.type and "[" in field.type


def _predicates(call: EventCall) -> st.SearchStrategy[Expression]:
    found = [_of_string("comm") if "comm" not in {field.name for field in call.fields} else st.nothing()]
    for field in (*call.fields, *COMMON_FIELDS, Field("int", "cpu", 0, 4, True)):
        if is_string(field):
            found.append(_of_string(field.name))
        elif field.size in (1, 2, 4, 8):
            found.append(_of_number(field))
            if field.size == 8:
                found.append(_of_function(field))
    return st.one_of(found)


def _joined(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def both(left: Expression, right: Expression) -> Expression:
        return Expression(f"({left}) && ({right})", lambda values: left.holds(values) and right.holds(values))

    def either(left: Expression, right: Expression) -> Expression:
        return Expression(f"({left})||{right}", lambda values: left.holds(values) or right.holds(values))

    def neither(only: Expression) -> Expression:
        return Expression(f"!({only})", lambda values: not only.holds(values))

    return st.builds(both, inner, inner) | st.builds(either, inner, inner) | st.builds(neither, inner)


def expressions(call: EventCall) -> st.SearchStrategy[Expression]:
    """Filters for an event. `cpu` and, unless the event has a field of that name, `comm` are among the names of fields."""
    return st.recursive(_predicates(call), _joined, max_leaves=8)
