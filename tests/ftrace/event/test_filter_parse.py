# SPDX-License-Identifier: GPL-2.0-only
"""The grammar of filters: what is accepted, and the errors for the rest."""

from __future__ import annotations

import errno
from collections import Counter
from random import Random

import pytest

from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.filter_parse import Operator, Predicate, Source, parse_filter
from emu.ftrace.event.internal import INTERNAL_EVENTS
from tests.lib.filter_texts import random_text

CALL = EventCall(
    "test", "sample", 99,
    [
        Field("char[16]", "name", 8, 16, True, 1),
        Field("int", "pid", 24, 4, True),
        Field("unsigned char", "small", 28, 1, False),
        Field("u64", "big", 32, 8, False),
        Field("void *", "site", 40, 8, False),
        Field("__data_loc char[]", "text", 48, 4, True, 1),
        Field("__rel_loc char[]", "near", 52, 4, True, 1),
        Field("const char *", "path", 56, 8, False),
        Field("long[2]", "pair", 64, 16, True, 8),
        Field("__data_loc unsigned long[]", "numbers", 80, 4, False, 8),
    ],
    '"%d", REC->pid', 88,
)  # fmt: skip
VFS_READ = range(0x1000, 0x1080)


def find_function(which: str | int) -> range | None:
    return VFS_READ if which == "vfs_read" or which in VFS_READ else None


def shown(text: str) -> str:
    """The filter in postfix notation."""
    parts = parse_filter(CALL, text, find_function)
    return " ".join(
        part.value if isinstance(part, Operator) else f"{part.field.name}{part.comparison.value}{part.operand}" for part in parts
    )


def refused(text: str) -> ErrorReport:
    with pytest.raises(TraceError) as error:
        parse_filter(CALL, text, find_function)
    assert error.value.errno == errno.EINVAL
    assert error.value.logged is not None
    return error.value.logged


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pid == 1", "pid==1"),
        ("pid==1", "pid==1"),
        (" \tpid\n !=  -5 ", "pid!=-5"),
        ("pid>=0x1f", "pid>=31"),
        ("pid<=017", "pid<=15"),
        ("big == 0xffffffffffffffff", f"big=={2**64 - 1}"),
        ("pid == -0x8000000000000000", f"pid=={-(2**63)}"),
        ("pid & 3", "pid&3"),
        ("name ~ 'a b'", "name~b'a b'"),
        ('name != "it\'s"', "name!=b\"it's\""),
        ("pid == 1 || pid == 2 && pid == 3", "pid==1 pid==2 pid==3 && ||"),
        ("pid == 1 && pid == 2 || pid == 3", "pid==1 pid==2 && pid==3 ||"),
        ("(pid == 1 || pid == 2) && pid == 3", "pid==1 pid==2 || pid==3 &&"),
        ("!pid == 1 && pid == 2", "pid==1 ! pid==2 &&"),
        ("!(pid == 1 && pid == 2)", "pid==1 pid==2 && !"),
        ("!!((pid == 1))", "pid==1 ! !"),
        ("!(!(pid == 1) || !pid == 2)", "pid==1 ! pid==2 ! || !"),
        ("site.function == vfs_read", f"site=={VFS_READ}"),
        ("site.function != 0x1010 && pid == 1", f"site!={VFS_READ} pid==1 &&"),
        ("(site.function == vfs_read)", f"site=={VFS_READ}"),
    ],
)  # fmt: skip
def test_what_is_accepted(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("field", "source"),
    [
        ("common_pid", Source.NUMBER), ("cpu", Source.CPU), ("CPU", Source.CPU), ("common_cpu", Source.CPU),
        ("comm", Source.COMM), ("COMM", Source.COMM), ("name", Source.ARRAY), ("text", Source.DYNAMIC),
        ("near", Source.DYNAMIC), ("path", Source.POINTER), ("path.ustring", Source.USER_POINTER),
        ("name.ustring", Source.ARRAY),
    ],
)  # fmt: skip
def test_what_a_field_is(field: str, source: Source) -> None:
    operand = "1" if source in (Source.NUMBER, Source.CPU) else "'x'"
    (predicate,) = parse_filter(CALL, f"{field} == {operand}", find_function)
    assert isinstance(predicate, Predicate)
    assert predicate.source is source


def test_a_field_of_the_event_hides_a_general_one() -> None:
    call = EventCall("test", "own", 98, [Field("u64", "comm", 8, 8, False)], "", 16)
    (predicate,) = parse_filter(call, "comm == 1", find_function)
    assert isinstance(predicate, Predicate)
    assert predicate.source is Source.NUMBER


@pytest.mark.parametrize(("event", "name"), [("funcgraph_entry", "graph_ent.depth"), ("funcgraph_exit", "ret.depth")])
def test_events_of_function_graph_have_fields_by_their_older_names(event: str, name: str) -> None:
    (call,) = [call for call in INTERNAL_EVENTS if call.name == event]
    assert parse_filter(call, f"{name} == 1", find_function) == parse_filter(call, "depth == 1", find_function)
    with pytest.raises(TraceError, match="Field not found"):
        parse_filter(CALL, f"{name} == 1", find_function)


@pytest.mark.parametrize(
    ("text", "why", "position"),
    [
        ("", "No filter found", 0),
        ("!", "No filter found", 1),
        ("(())", "No filter found", 2),
        ("pid == 1 &&", "Meaningless filter expression", 11),
        ("(pid == 1 || )", "Meaningless filter expression", 13),
        ("&& pid == 1", "Meaningless filter expression", 0),
        ("!= 1 || pid == 1", "Meaningless filter expression", 0),
        ("nosuch == 1", "Field not found", 7),
        ("pid == 1 && nosuch == 1", "Field not found", 19),
        ("pid.nosuch == 1", "Invalid operator", 4),
        ("pid = 1", "Invalid operator", 5),
        ("pid", "Invalid operator", 4),
        ("pid == abc", "Invalid value (did you forget quotes)?", 8),
        ("pid == ", "Invalid value (did you forget quotes)?", 8),
        ("pid && big", "Invalid value (did you forget quotes)?", 6),
        ("pid == 'x'", "Expecting numeric field", 8),
        ("cpu == 'x'", "Expecting numeric field", 8),
        ("name == 1", "Expecting string field", 9),
        ("comm == -1", "Expecting string field", 9),
        ("name < 'x'", "Illegal operation for field type", 8),
        ("pid ~ 1", "Illegal operation for field type", 7),
        ("pair == 1", "Illegal operation for field type", 9),
        ("numbers == 1", "Illegal operation for field type", 12),
        ("pid == 0x", "Illegal integer value", 8),
        ("pid == -", "Illegal integer value", 8),
        ("pid == 08", "Illegal integer value", 8),
        ("pid == 9223372036854775808", "Illegal integer value", 8),
        ("pid == -9223372036854775809", "Illegal integer value", 8),
        ("big == -1", "Illegal integer value", 8),
        ("big == 18446744073709551616", "Illegal integer value", 8),
        ("big == 000000000000000000000001", "Operand too long", 32),
        (f"name == '{'x' * 256}'", "Operand too long", 266),
        ("name == 'x", "Missing matching quote", 8),
        ("(name == \")'\"", "Too many '('", 0),
        ("((pid == 1) && (pid == 2)", "Too many '('", 0),
        ("pid == 1 && (pid == 2 && (pid == 3", "Too many '('", 25),
        ("pid == 1)", "Too few '('", 8),
        ("pid == 1 pid == 2", "Too many terms in predicate expression", 9),
        ("pid == 1 & pid == 2", "Too many terms in predicate expression", 9),
        ("pid == 1 (pid == 2)", "Too many terms in predicate expression", 9),
        ("pid == 1.5", "Too many terms in predicate expression", 8),
        ("site.function == nosuch", "Failed to find function", 24),
        ("site.function == ", "Failed to find function", 18),
        ("site.function < vfs_read", "Invalid operator", 17),
        ("pid.function == vfs_read", "Illegal operation for field type", 17),
        ("path.function == vfs_read", "Illegal operation for field type", 18),
    ],
)  # fmt: skip
def test_what_is_refused_and_where(text: str, why: str, position: int) -> None:
    report = refused(text)
    assert (report.text, report.position) == (why, position)
    assert (report.place, report.command) == ("event filter parse error", text)


def test_the_longest_operands() -> None:
    assert shown(f"name == '{'x' * 255}'") == f"name=={b'x' * 255!r}"
    assert shown("big == 00000000000000000000001") == "big==1"


def test_a_filter_may_be_nested_as_deeply_as_a_page_allows() -> None:
    assert shown("(" * 2040 + "pid==1" + ")" * 2040) == "pid==1"
    assert shown("!" * 4000 + "pid==1") == "pid==1" + " !" * 4000


def test_whatever_is_written_is_understood_or_refused() -> None:
    random, refusals = Random(1), Counter[str]()
    for _ in range(10_000):
        text = random_text(random)
        try:
            parse_filter(CALL, text, find_function)
        except TraceError as error:
            assert error.errno == errno.EINVAL
            assert error.logged is not None
            assert error.logged.command == text
            assert 0 <= error.logged.position <= len(text) + 1
            refusals[error.logged.text] += 1
    assert 3000 < refusals.total() < 7000
    assert len(refusals) == 15, "every error of a filter has been seen"
