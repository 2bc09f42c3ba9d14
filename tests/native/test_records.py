# SPDX-License-Identifier: GPL-2.0-only
"""Records as Python sees them, and the offsets of their fields."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cpu.snapshot.kinds import kind_of
from emu.native.records import (
    HOST,
    Bytes,
    GuestRecord,
    Ints,
    Layouts,
    Record,
    Records,
    Shape,
    Values,
    i8,
    i16,
    i32,
    i64,
    inline,
    u8,
    u16,
    u32,
    u64,
)


class Inner(Record):
    first: u8
    second: u32


class Numbers(Record):
    a: u8
    b: i8
    c: u16
    d: i16
    e: u32
    f: i32
    g: u64
    h: i64
    flag: bool


class Outer(Record):
    inner: Inner = inline()
    few: Values[u16] = inline(3)
    other: Outer | None
    function: Callable[[Outer, u64], u64] | None
    bytes: Values[u8]
    rows: Records[Inner] = inline(2)


class Longer(Outer):
    behind: u64


class Sized(Record):
    count: u64
    table: Values[u32] = inline()
    behind: u8


class Guest(GuestRecord):
    pid: u32
    comm: Values[u8] = inline(16)


def offsets(record: type[Record], layouts: Layouts = HOST) -> dict[str, int]:
    return {name: field.offset for name, field in layouts.fields(record).items()}


def test_fields_have_the_alignment_of_their_types() -> None:
    assert offsets(Numbers) == {"a": 0, "b": 1, "c": 2, "d": 4, "e": 8, "f": 12, "g": 16, "h": 24, "flag": 32}
    assert HOST.size(Numbers) == 40


def test_what_is_inline_takes_its_own_size_and_all_else_a_word() -> None:
    assert HOST.size(Inner) == 8
    assert offsets(Outer) == {"inner": 0, "few": 8, "other": 16, "function": 24, "bytes": 32, "rows": 40}
    assert HOST.size(Outer) == 56


def test_a_record_begins_with_the_one_that_it_extends() -> None:
    assert offsets(Longer) == offsets(Outer) | {"behind": 56}


def test_a_shape_says_counts() -> None:
    layouts = Layouts({Sized: Shape(counts={"table": 5})})
    assert offsets(Sized, layouts) == {"count": 0, "table": 8, "behind": 28} and layouts.size(Sized) == 29


def test_behind_an_unknown_number_of_elements_nothing_is_known() -> None:
    assert offsets(Sized) == {"count": 0, "table": 8} and HOST.size(Sized) == 0


def test_a_structure_of_the_guest_has_the_fields_that_its_shape_places() -> None:
    assert offsets(Guest) == {}
    assert offsets(Guest, Layouts({Guest: Shape({"comm": 100})})) == {"comm": 100}


def test_layouts_are_told_apart_by_what_they_say() -> None:
    one, same, other = (Layouts({Guest: Shape({"pid": 8}, byte_order=order)}) for order in ("big", "big", "little"))
    assert one.key == same.key != other.key and HOST.key == ""


RANGES = {"a": (0, 8), "b": (1, 8), "c": (0, 16), "d": (1, 16), "e": (0, 32), "f": (1, 32), "g": (0, 64), "h": (1, 64)}


@given(st.sampled_from(sorted(RANGES)), st.integers(-(1 << 70), 1 << 70))
def test_a_number_is_cut_off_as_c_does(name: str, value: int) -> None:
    record = Numbers.allocate()
    setattr(record, name, value)
    signed, bits = RANGES[name]
    kept = value % (1 << bits)
    assert getattr(record, name) == (kept - (1 << bits) if signed and kept >> (bits - 1) else kept)
    record.g, record.h = u64(5), i64(-5)
    assert (record.g, record.h) == (5, -5)


def test_neighbours_keep_what_they_have() -> None:
    record = Numbers.allocate()
    record.words[:] = 0xFFFF_FFFF_FFFF_FFFF
    record.c = 0
    assert (record.a, record.b, record.c, record.d) == (255, -1, 0, -1)


def test_records_lead_to_others() -> None:
    one, two = Outer.allocate(), Outer.allocate()
    assert one.other is None and one.function is None and not Numbers.allocate().flag
    one.other, two.inner.second = two, 7
    assert one.other is not None and one.other.address == two.address and one.other.inner.second == 7
    one.other = None
    assert one.other is None


def test_elements_are_read_and_written_in_place() -> None:
    record, data = Outer.allocate(), np.arange(8, dtype=np.uint8)
    record.few[2], record.rows[1].second, record.bytes = 0x1_0003, 9, Bytes(data.ctypes.data)
    record.bytes[1] = 200
    assert [record.few[n] for n in range(3)] == [0, 0, 3] and record.rows[1].second == 9 and data[1] == 200
    assert Ints(data.ctypes.data)[1] == 0x0706_0504


def test_no_field_hides_the_records_own_address() -> None:
    with pytest.raises(TypeError, match="a field of Hiding is called address"):

        class Hiding(Record):
            address: u64


def test_what_is_inline_is_not_replaced() -> None:
    with pytest.raises(AssertionError):
        Outer.allocate().inner = Inner.allocate()


def test_a_record_that_was_not_allocated_has_no_memory_of_its_own() -> None:
    with pytest.raises(AssertionError):
        _ = Outer(Outer.allocate().address).words


def test_a_snapshot_puts_a_records_words_back() -> None:
    record = Numbers.allocate()
    record.g = 3
    kept = kind_of(np.ndarray).copy
    assert kept is not None and any(part is record.words for part in kind_of(Numbers).parts(record))


def test_a_large_record_has_pages_of_its_own() -> None:
    class Large(Record):
        words_: Values[u64] = inline(1 << 18)

    assert Large.allocate().address % 4096 == 0
