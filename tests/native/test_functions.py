# SPDX-License-Identifier: GPL-2.0-only
"""Compiled functions over records: there is a test for each part of numba's internals that emu depends on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numba import njit as plain_njit
from numba.core.errors import TypingError

from emu.native.cache import Cache
from emu.native.functions import Native, _Function, callback, njit, outlined, shared, specialized
from emu.native.records import (
    Bytes,
    GuestRecord,
    Layouts,
    Record,
    Records,
    Shape,
    Values,
    Words,
    i32,
    i64,
    inline,
    u8,
    u16,
    u32,
    u64,
)

FLAG, BIG, FOUR = u64(8), 0xFFFF_FFFF_FFFF_FFFF, 4


class Inner(Record):
    word: u16


class Node(Record):
    a: u64
    b: i32
    few: Values[u16] = inline(4)
    next: Node | None
    function: Callable[[Node, u64], u64] | None
    bytes: Values[u8] | None
    flag: bool
    inner: Inner = inline()
    rows: Records[Inner] = inline(3)


class Longer(Node):
    behind: u64


class Task(GuestRecord):
    pid: u32
    low: i32
    up: Values[u16] = inline(3)
    far: Values[u16]


@callback
def product(node: Node, by: u64) -> u64:
    return node.a * by


# Loads and stores


@shared
def a_of(node: Node) -> u64:
    return node.a


@shared
def b_of(node: Node) -> i64:
    return node.b


def test_python_passes_a_record_or_its_address() -> None:
    node = Node.allocate()
    node.a, node.b = BIG, -2
    assert a_of(node) == BIG == a_of(Node(node.address)) and b_of(node) == -2


def test_a_record_stands_for_the_one_that_it_extends() -> None:
    node = Longer.allocate()
    node.a = 7
    assert a_of(node) == 7


@shared
def change(node: Node) -> None:
    node.a += 1
    node.b -= 5
    node.few[1] += 0x1_0003
    node.flag = not node.flag
    node.inner.word = BIG
    node.rows[2].word = node.rows[1].word + 1
    node.next = None if node.next is not None else node


def test_stores_are_cut_off_and_change_nothing_else() -> None:
    node = Node.allocate()
    node.a, node.few[0], node.few[2], node.rows[1].word = BIG, 1, 2, 6
    change(node)
    assert (node.a, node.b, [node.few[n] for n in range(4)], node.flag) == (0, -5, [1, 3, 2, 0], True)
    assert node.inner.word == 0xFFFF and [node.rows[n].word for n in range(3)] == [0, 6, 7]
    assert node.next is not None and node.next.address == node.address
    change(node)
    assert node.next is None


@shared
def by_address(address: u64, at: u64) -> u64:
    return Words(address)[at] + Bytes(address + 8)[0] + Node(address).a + Words(address).address - Node(address).address


def test_an_address_becomes_a_record_or_elements() -> None:
    data = np.array([5, 300], np.uint64)
    assert by_address(data.ctypes.data, 1) == 300 + 44 + 5


@shared
def chain(node: Node) -> u64:
    count, last, each = u64(0), None, node
    while each is not None:
        last = each
        each = each.next  # type: ignore[assignment]
        count += 1
    same = last is node
    return count if last is not None and not same else BIG


def test_records_and_none_are_compared_by_address() -> None:
    one, two = Node.allocate(), Node.allocate()
    assert chain(one) == BIG
    one.next = two
    assert chain(one) == 2


@shared
def same_bytes(node: Node, address: u64) -> bool:
    return node.bytes is not None and Bytes(address) is node.bytes


def test_elements_are_compared_by_address() -> None:
    node, data = Node.allocate(), np.zeros(2, np.uint8)
    assert not same_bytes(node, 0)
    node.bytes = Bytes(data.ctypes.data)
    assert same_bytes(node, data.ctypes.data) and not same_bytes(node, data.ctypes.data + 1)


@shared
def call(node: Node, other: Node) -> u64:
    other.function = node.function
    return node.function(node, 3) if node.function is not None else 1


def test_native_code_calls_what_a_field_holds() -> None:
    node, other = Node.allocate(), Node.allocate()
    assert call(node, other) == 1 and other.function is None
    node.a, node.function = 5, product
    assert call(node, other) == 15 and other.function == product.address


def test_a_callback_is_a_c_function() -> None:
    node = Node.allocate()
    node.a = 6
    c_function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(product.address)
    assert c_function(node.address, 7) == 42


def read_guest(shape: Shape) -> Callable[[int], int]:
    native = Native(Layouts({Task: shape}))

    @native.njit
    def inner(task: Task) -> u64:
        task.up[2] = 0x1234
        return task.pid + (u64(100) if task.low == -2 else u64(0))

    @native.shared
    def outer(address: u64) -> u64:
        return inner(Task(address))

    return outer


@pytest.mark.parametrize(("order", "pid"), [("little", 5), ("big", 0x0500_0000)])
def test_a_guests_structure_is_read_where_and_how_its_shape_says(order: str, pid: int) -> None:
    data = np.zeros(8, np.uint64)
    data.view(np.uint32)[2], data.view(np.uint32)[4] = 5, 7
    data.view("<i4" if order == "little" else ">i4")[6] = -2
    shape = Shape({"pid": 8, "low": 24, "up": 40}, byte_order=order)
    assert read_guest(shape)(data.ctypes.data) == pid + 100
    assert read_guest(shape._replace(offsets={"pid": 16, "low": 24, "up": 40}))(data.ctypes.data) == pid // 5 * 7 + 100
    assert data.view(np.uint16)[22] == (0x1234 if order == "little" else 0x3412)


# Numbers


@shared
def mixture(a: u64, b: u64) -> u64:
    total = a - 1 if a > b else 0
    total ^= b & ~FLAG
    for n in range(FOUR):
        total += u64(n) << FOUR
    while total % 7 != 3:
        total += 1
    return total // 2 + (BIG if a == BIG else b >> 60)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (BIG, 5), (1 << 63, (1 << 63) - 1), (3, BIG)])
def test_an_int_beside_an_unsigned_number_is_one(a: int, b: int) -> None:
    mask = BIG
    total = (a - 1 if a > b else 0) ^ (b & ~8 & mask)
    for n in range(4):
        total = (total + (n << 4)) & mask
    while total % 7 != 3:
        total += 1
    assert mixture(a, b) == (total // 2 + (BIG if a == BIG else b >> 60)) & mask


def unsigned_and_signed(node: Node) -> u64:
    return node.a + node.b


def compared(node: Node) -> u64:
    return u64(1) if node.a < node.b else u64(0)


def of_two_kinds(node: Node) -> u64:
    x = node.a
    if x > 3:
        x = node.b
    return x


def quotient(node: Node) -> u64:
    return node.a / 2  # type: ignore[return-value]


def number_is_none(node: Node) -> u64:
    return u64(1) if node.a is None else u64(0)


def misspelt(node: Node) -> u64:
    return node.aa  # type: ignore[attr-defined, no-any-return]


def too_few(node: Node) -> u64:
    return inlined()  # type: ignore[call-arg]


@njit
def inlined(node: Node) -> u64:
    return node.a + 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (unsigned_and_signed, "unsigned_and_signed: [uint64, int64] meet"),
        (compared, "compared: [uint64, int64] meet"),
        (of_two_kinds, "of_two_kinds: this would be float64"),
        (quotient, "quotient: this would be float64"),
        (number_is_none, "number_is_none: only addresses are compared by `is`"),
        (misspelt, "Unknown attribute 'aa' of type Node"),
        (too_few, "missing a required argument: 'node'"),
    ],
)
def test_what_nobody_has_meant_is_not_compiled(function: Callable[[Node], int], message: str) -> None:
    with pytest.raises(TypingError) as raised:
        callback(function)
    assert message in str(raised.value) and "test_functions.py" in str(raised.value)


def test_another_record_is_not_passed() -> None:
    def function(node: Node) -> u64:
        return inlined(node.inner)  # type: ignore[arg-type]

    with pytest.raises(TypingError, match=r"parameters \(Inner\)"):
        callback(function)


def test_other_code_of_this_process_keeps_numbas_rules() -> None:
    @plain_njit  # type: ignore[untyped-decorator]
    def add(a: Any, b: Any) -> Any:
        return a + b

    assert add(np.uint64(1), -2) == -1 and isinstance(add(np.uint64(1), 0.5), float)


# Functions


def test_python_calls_only_what_is_shared() -> None:
    with pytest.raises(TypeError, match=r"only native code calls inlined"):
        inlined(Node.allocate())


@outlined
def apart(node: Node) -> u64:
    return node.a * 3 + 1


def test_what_is_inlined_leaves_no_call_and_what_is_outlined_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.native.cache.cache_directory", lambda: None)  # functions from the cache have no text

    def calls(function: Callable[[Node], int]) -> str:
        @callback
        def caller(node: Node) -> u64:
            return function(node)

        library: Any = caller
        text: str = library._library.get_asm_str()
        return text[text.index("caller") :]

    assert "callq" not in calls(inlined).partition("retq")[0]
    assert "apart" in calls(apart)


def test_a_signature_is_not_looked_at_before_it_is_needed() -> None:
    def unfinished(node: NotThere) -> u64:  # type: ignore[name-defined]  # noqa: F821
        return 0

    dispatcher: Any = njit(unfinished)
    assert isinstance(dispatcher, _Function)
    with pytest.raises(NameError):
        _ = dispatcher.declared


def test_layouts_have_code_of_their_own_in_the_cache() -> None:
    shape = Shape({"pid": 32, "low": 8, "up": 0})
    data = np.zeros(8, np.uint64)
    data.view(np.uint32)[8], data.view(np.uint32)[9] = 11, 12
    before = Cache.compiled
    shapes = [shape._replace(offsets={**shape.offsets, "pid": at}) for at in (32, 36, 32)]
    assert [read_guest(one)(data.ctypes.data) for one in shapes] == [11, 12, 11]
    assert Cache.compiled - before <= 4


@specialized
def total(values: npt.NDArray[Any], address: int) -> float:
    result = values[0] - values[0]
    for value in values:
        result += value
    return float(result + Bytes(u64(address))[u64(0)])


def test_code_over_arrays_is_compiled_for_the_types_of_each_call() -> None:
    data = np.array([3, 4], np.uint8)
    assert total(np.array([0.5, 1.0]), data.ctypes.data) == 4.5
    assert total(data, data.ctypes.data) == 10
