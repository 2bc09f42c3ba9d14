# SPDX-License-Identifier: GPL-2.0-only
"""Texts written to `inject`."""

from __future__ import annotations

import errno
import struct

import pytest

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.inject import Injected
from emu.ftrace.event.internal import INTERNAL_EVENTS

CALL = EventCall(
    "test", "sample", 99,
    [
        Field("char[8]", "comm", 8, 8, True, 1),
        Field("int", "pid", 16, 4, True),
        Field("unsigned char", "small", 20, 1, False),
        Field("u64", "big", 24, 8, False),
        Field("__data_loc char[]", "name", 32, 4, True, 1),
        Field("const char *", "where", 40, 8, False),
        Field("long[2]", "pair", 48, 16, True, 8),
    ],
    '"%d", REC->pid', 64,
)  # fmt: skip


def injected(text: str) -> tuple[bytes, int, int, int, int, bytes]:
    """The fields of an entry up to `name`, and the data behind the entry's fixed part."""
    data = Injected(CALL, text.encode()).data
    return *struct.unpack_from("8siBxxxQI", data), data[64 - 8 :]


def test_without_fields_an_entry_is_empty() -> None:
    assert injected("") == (bytes(8), 0, 0, 0, 64, b"\0")


def test_numbers_are_those_of_c() -> None:
    assert injected("pid=-5 small=0x1ff big = 0777")[1:4] == (-5, 0xFF, 0o777)


def test_a_string_is_cut_to_its_array() -> None:
    assert injected("comm=\"much too long\" pid=1")[:2] == (b"much to\0", 1)
    assert injected("comm='short'")[0] == b"short\0\0\0"


def test_a_dynamic_string_follows_the_entry() -> None:
    *_, place, rest = injected('name="hello" pid=3')
    assert (place, rest) == (6 << 16 | 65, b"\0hello\0")


def test_quotes_within_a_string_stay_as_they_were_written() -> None:
    assert injected(r'name="a\"b"')[-1] == b"\0a\\\"b\0"


def test_common_fields_can_be_set() -> None:
    assert Injected(CALL, b"common_pid=7 common_flags=1").common == {4: b"\7\0\0\0", 2: b"\1"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("bogus=1", errno.ENOENT),
        ("common_type=1", errno.ENOENT),
        ("pid", errno.EINVAL),
        ("pid=", errno.EINVAL),
        ("=1", errno.EINVAL),
        ("pid=x", errno.EINVAL),
        ("pid=1x", errno.EINVAL),
        ("pid=08", errno.EINVAL),
        ("pid=1,small=2", errno.EINVAL),
        ("pid='1'", errno.EINVAL),
        ("small=-1", errno.EINVAL),
        ("comm=5", errno.EINVAL),
        ("comm=abc", errno.EINVAL),
        ('comm="abc', errno.EINVAL),
        ('where="x"', errno.EINVAL),
        ("pair=1", errno.EINVAL),
        (f'name="{"x" * 256}"', errno.EINVAL),
        ("big=18446744073709551616", errno.ERANGE),
        ("pid=9223372036854775808", errno.ERANGE),
        ("pid=1 bogus=1", errno.ENOENT),
    ],
)
def test_what_is_refused(text: str, code: int) -> None:
    with pytest.raises(TraceError) as error:
        Injected(CALL, text.encode())
    assert error.value.errno == code


def test_a_field_that_holds_a_function_cannot_be_set() -> None:
    function = next(call for call in INTERNAL_EVENTS if call.name == "function")
    with pytest.raises(TraceError) as error:
        Injected(function, b"ip=1")
    assert error.value.errno == errno.EINVAL
