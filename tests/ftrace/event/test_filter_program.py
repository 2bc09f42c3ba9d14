# SPDX-License-Identifier: GPL-2.0-only
"""The programs of filters: which entries they keep, beside what the filters say in Python."""

from __future__ import annotations

import ctypes
import operator
import re
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.cpu.arch import ARCHITECTURES
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.event.filter_program import EventFilter
from tests.ftrace.event.golden_events import golden_calls
from tests.lib.matcher import Matcher

FUNCTIONS = {"vfs_read": range(0x1000, 0x1080), "vfs_write": range(0x1080, 0x1100)}
EVENTS = ("sched:sched_switch", "kmem:kmalloc", "raw_syscalls:sys_enter", "sched:sched_process_exec")
CPU, COMM = 1, b"ab"
NUMBERS = st.sampled_from([0, 1, 2, 3, 7, 120, 127, 128, 255, 256, 0x1000, 0x1084, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1])
STRINGS = st.text("abc", max_size=18).map(str.encode)
COMPARISONS: Mapping[str, Callable[[int, int], object]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "&": operator.and_,
}  # fmt: skip


def find_function(which: str | int) -> range | None:
    return next((found for name, found in FUNCTIONS.items() if which == name or which in found), None)


def made(call: EventCall, text: str) -> EventFilter:
    return EventFilter(call, text, find_function)


def as_number(value: int, size: int, signed: bool) -> int:
    """A number cut to a type."""
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if signed and value >> (8 * size - 1) else value


# What is compared with the programs: an expression is its text, and what it says of the fields' values.


@dataclass(frozen=True)
class Expression:
    text: str
    holds: Callable[[Mapping[str, Any]], bool]

    def __repr__(self) -> str:
        return self.text


@st.composite
def number_predicates(draw: st.DrawFn, field: Field) -> Expression:
    name, sign = draw(st.sampled_from(sorted(COMPARISONS))), field.signed and draw(st.booleans())
    limit = (2**63 - (not sign)) if field.signed else 2**64 - 1
    value = min(draw(NUMBERS), limit) * (-1 if sign else 1)
    written = draw(st.sampled_from([str(value), f"{'-' * sign}{abs(value):#x}"]))
    compared = as_number(value, field.size, field.signed)
    space = draw(st.sampled_from(["", " "]))
    text = f"{field.name}{space}{name}{space}{written}"
    return Expression(text, lambda values: bool(COMPARISONS[name](values[field.name], compared)))


@st.composite
def function_predicates(draw: st.DrawFn, field: Field) -> Expression:
    function, comparison = draw(st.sampled_from(sorted(FUNCTIONS))), draw(st.sampled_from(["==", "!="]))
    text = f"{field.name}.function {comparison} {function}"
    return Expression(text, lambda values: (values[field.name] in FUNCTIONS[function]) is (comparison == "=="))


OPEN = ("[", r"\[")
GLOB_PARTS = st.sampled_from(
    [("a", "a"), ("b", "b"), ("*", ".*"), ("?", "."), ("[ab]", "[ab]"), ("[!a]", "[^a]"), ("[a-b]", "[ab]"), ("\\c", "c"), OPEN]
)


@st.composite
def string_predicates(draw: st.DrawFn, name: str) -> Expression:
    comparison = draw(st.sampled_from(["==", "!=", "~"]))
    quote = draw(st.sampled_from("'\""))
    if comparison == "~":
        parts = draw(st.lists(GLOB_PARTS, max_size=5).filter(lambda parts: OPEN not in parts[:-1]))
        inverted = draw(st.booleans())
        text = f"{name} ~ {quote}{'!' * inverted}{''.join(part[0] for part in parts)}{quote}"
        pattern = re.compile("".join(part[1] for part in parts).encode(), re.DOTALL)
        return Expression(text, lambda values: (pattern.fullmatch(values[name]) is not None) is not inverted)
    value = draw(STRINGS)
    text = f"{name} {comparison} {quote}{value.decode()}{quote}"
    return Expression(text, lambda values: (values[name] == value) is (comparison == "=="))


def is_string(field: Field) -> bool:
    return "char" in field.type and "[" in field.type


def predicates(call: EventCall) -> st.SearchStrategy[Expression]:
    found = [string_predicates("comm") if "comm" not in {field.name for field in call.fields} else st.nothing()]
    for field in (*call.fields, *COMMON_FIELDS, Field("int", "cpu", 0, 4, True)):
        if is_string(field):
            found.append(string_predicates(field.name))
        elif field.size in (1, 2, 4, 8):
            found.append(number_predicates(field))
            if field.size == 8:
                found.append(function_predicates(field))
    return st.one_of(found)


def joined(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def both(left: Expression, right: Expression) -> Expression:
        return Expression(f"({left}) && ({right})", lambda values: left.holds(values) and right.holds(values))

    def either(left: Expression, right: Expression) -> Expression:
        return Expression(f"({left})||{right}", lambda values: left.holds(values) or right.holds(values))

    def neither(only: Expression) -> Expression:
        return Expression(f"!({only})", lambda values: not only.holds(values))

    return st.builds(both, inner, inner) | st.builds(either, inner, inner) | st.builds(neither, inner)


@st.composite
def entries(draw: st.DrawFn, call: EventCall) -> tuple[bytes, dict[str, Any]]:
    """An entry, and its fields' values."""
    entry, values = bytearray(call.size + -call.size % 4), dict[str, Any]()
    for field in (*COMMON_FIELDS, *call.fields):
        if is_string(field):
            text = draw(STRINGS)
            if field.is_dynamic:
                struct.pack_into("=I", entry, field.offset, len(entry) | len(text) + 1 << 16)
                entry += text + b"\0"
            else:
                text = text[: field.size]
                entry[field.offset : field.offset + field.size] = (text + b"\0").ljust(field.size, b"x")[: field.size]
        elif field.size in (1, 2, 4, 8):
            bits = draw(NUMBERS) & (1 << 8 * field.size) - 1
            entry[field.offset : field.offset + field.size] = bits.to_bytes(field.size, sys.byteorder)
            text = as_number(bits, field.size, field.signed)
        values[field.name] = text
    return bytes(entry), {"comm": COMM, "cpu": CPU} | values


@pytest.fixture(scope="module", params=ARCHITECTURES)
def matcher(request: pytest.FixtureRequest) -> Matcher:
    return Matcher(request.param, CPU, COMM)


@pytest.mark.parametrize("event", EVENTS)
def test_a_program_keeps_what_its_filter_says(matcher: Matcher, event: str) -> None:
    call = golden_calls()[event]

    @settings(max_examples=150, deadline=None)
    @given(st.recursive(predicates(call), joined, max_leaves=8), st.lists(entries(call), min_size=5, max_size=5))
    def check(expression: Expression, recorded: list[tuple[bytes, dict[str, Any]]]) -> None:
        wanted = made(call, expression.text)
        for entry, values in recorded:
            assert matcher.keeps(wanted, entry) == expression.holds(values), values

    check()


# Strings elsewhere

POINTERS = EventCall(
    "test", "pointers", 99,
    [
        Field("const char *", "path", 8, 8, False),
        Field("__rel_loc char[]", "near", 16, 4, True, 1),
        Field("__data_loc char[]", "far", 20, 4, True, 1),
        Field("char[]", "rest", 24, 0, True, 1),
    ],
    '""', 24,
)  # fmt: skip


def pointing(path: int = 0, near: int = 0, far: int = 0, rest: bytes = b"") -> bytes:
    return struct.pack("=QQII", 0, path, near, far) + rest


def test_a_string_of_the_kernel(matcher: Matcher) -> None:
    entry = pointing(path=matcher.put(0x100, b"/bin/ls\0"))
    assert matcher.keeps(made(POINTERS, "path ~ '/bin/*'"), entry)
    assert not matcher.keeps(made(POINTERS, "path != '/bin/ls'"), entry)


@pytest.mark.parametrize("text", ["path == 'x'", "path != 'x'", "path ~ '*'", "path.ustring == 'x'", "path.ustring != 'x'"])
def test_a_string_that_cannot_be_read_is_neither_like_nor_unlike(matcher: Matcher, text: str) -> None:
    assert not matcher.keeps(made(POINTERS, text), pointing(path=5))
    assert matcher.keeps(made(POINTERS, f"!({text})"), pointing(path=5))


def test_a_string_of_a_program_may_be_in_several_pages(matcher: Matcher) -> None:
    memory = ctypes.create_string_buffer(3 * 4096)
    boundary = -(-(ctypes.addressof(memory) + 4096) // 4096) * 4096
    ctypes.memmove(boundary - 3, b"/bin/ls\0", 8)
    assert matcher.keeps(made(POINTERS, "path.ustring == '/bin/ls'"), pointing(path=boundary - 3))
    assert not matcher.keeps(made(POINTERS, "path.ustring == '/bin/lsx'"), pointing(path=boundary - 3))


def test_of_a_string_elsewhere_1023_bytes_are_looked_at(matcher: Matcher) -> None:
    memory = ctypes.create_string_buffer(b"x" * 1023 + b"yz")
    for path, field in ((ctypes.addressof(memory), "path.ustring"), (matcher.put(0, memory.raw), "path")):
        assert matcher.keeps(made(POINTERS, f"{field} ~ '*x'"), pointing(path=path))
        assert not matcher.keeps(made(POINTERS, f"{field} ~ '*y*'"), pointing(path=path))


def test_a_rel_loc_counts_from_its_own_end(matcher: Matcher) -> None:
    entry = pointing(near=6 << 16 | 4, rest=b"hello\0\0\0")
    assert matcher.keeps(made(POINTERS, "near == 'hello'"), entry)


def test_a_string_that_ends_the_entry(matcher: Matcher) -> None:
    assert matcher.keeps(made(POINTERS, "rest == 'hello'"), pointing(rest=b"hello\0\0\0"))
    assert matcher.keeps(made(POINTERS, "rest == 'no end!!'"), pointing(rest=b"no end!!"))


@pytest.mark.parametrize("place", [0xFFFF_FFFF, 8 << 16 | 0xFFFF, 0xFFFF << 16 | 32, 8 << 16 | 33, 0])
@pytest.mark.parametrize("field", ["near", "far"])
def test_data_outside_the_entry_is_no_data(matcher: Matcher, field: str, place: int) -> None:
    entry = pointing(**{field: place}, rest=b"inside: ")
    beyond = b"outside" * 10_000
    assert not matcher.keeps(made(POINTERS, f"{field} ~ '*out*'"), entry + beyond, size=len(entry))


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("", "", True), ("", "a", False), ("*", "", True), ("**", "ab", True), ("a*b*c", "aXbYbZc", True),
        ("a*b*c", "aXbYbZ", False), ("*ab", "aab", True), ("?", "", False), ("[]a]", "]", True), ("[]", "[]", True),
        ("[!]", "[!]", True), ("[!]]", "a", True), ("[a-]", "-", True), ("[a-c-e]", "-", True), ("[a-c-e]", "d", False),
        ("[^a]", "^", True), (r"\*", "*", True), (r"\*", "a", False), ("a\\", "a\\", True), (r"[\]", "\\", True),
        ("1*", "12", True), ("!a*", "ab", False), ("!a*", "b", True), ("!", "", False), ("é?", "éa", True),
    ],
)  # fmt: skip
def test_globs(matcher: Matcher, pattern: str, text: str, matches: bool) -> None:
    wanted = made(POINTERS, f'rest ~ "{pattern}"')
    assert matcher.keeps(wanted, pointing(rest=text.encode() + b"\0")) is matches


def test_an_operand_is_cut_to_the_field(matcher: Matcher) -> None:
    assert matcher.keeps(made(POINTERS, "common_flags == 0x100"), pointing())


def test_long_filters(matcher: Matcher) -> None:
    """Of all terms only the last decides."""
    for connective, first in (("||", "common_pid==1"), ("&&", "common_pid==0")):
        for last, kept in (("common_pid==0", True), ("common_pid==2", False)):
            assert matcher.keeps(made(POINTERS, connective.join([first] * 200 + [last])), pointing()) is kept
    assert matcher.keeps(made(POINTERS, "!" * 2001 + "(" * 1000 + "common_pid==1" + ")" * 1000), pointing())
