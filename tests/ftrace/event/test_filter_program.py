# SPDX-License-Identifier: GPL-2.0-only
"""The programs of filters: which entries they keep, compared with an evaluation in Python."""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.architectures import ARCHITECTURES
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.event.filter_program import EventFilter
from tests.ftrace.event.golden_events import golden_calls
from tests.lib.filter_expressions import NUMBERS, STRINGS, Expression, as_number, expressions, find_function, is_string
from tests.lib.matcher import Matcher

EVENTS = ("sched:sched_switch", "kmem:kmalloc", "raw_syscalls:sys_enter", "sched:sched_process_exec")
CPU, COMM = 1, b"ab"


def made(call: EventCall, text: str) -> EventFilter:
    return EventFilter(call, text, find_function)


@st.composite
def entries(draw: st.DrawFn, call: EventCall) -> tuple[bytes, dict[str, Any]]:
    """An entry, and the values of its fields."""
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
            bits = draw(st.sampled_from(NUMBERS)) & (1 << 8 * field.size) - 1
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
    @given(expressions(call), st.lists(entries(call), min_size=5, max_size=5))
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
    """Only the last term decides."""
    for connective, first in (("||", "common_pid==1"), ("&&", "common_pid==0")):
        for last, kept in (("common_pid==0", True), ("common_pid==2", False)):
            assert matcher.keeps(made(POINTERS, connective.join([first] * 200 + [last])), pointing()) is kept
    assert matcher.keeps(made(POINTERS, "!" * 2001 + "(" * 1000 + "common_pid==1" + ")" * 1000), pointing())
