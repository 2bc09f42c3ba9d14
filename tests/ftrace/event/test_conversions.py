# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's printf: compared with C's where they agree, and with the kernel's document for the kernel's own conversions."""

from __future__ import annotations

import ctypes
import ipaddress
import struct

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from emu.ftrace.event import conversions
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.print_fmt import Guest, compile_print_fmt

_libc = ctypes.CDLL(None)
_SIZES = {"hh": 1, "h": 2, "": 4, "l": 8, "ll": 8, "z": 8}


class _NoGuest(Guest):
    """A guest that is never accessed."""


def _formatted(conversion: str, *fields: tuple[str, bytes]) -> str:
    """A conversion of fields with these types and bytes. The last one is converted, the ones before are for stars."""
    known, at, data = [], 8, b""
    for number, (type_, value) in enumerate(fields):
        known.append(Field(type_, f"f{number}", at, len(value), type_[0] in "scpil"))
        at, data = at + len(value), data + value
    arguments = "".join(f", REC->{field.name}" for field in known)
    call = EventCall("test", "event", 300, known, f'"[{conversion}]"{arguments}', at)
    return compile_print_fmt(call, [])(bytes(8) + data, _NoGuest())[1:-1]


@st.composite
def _numbers(draw: st.DrawFn) -> tuple[str, int]:
    """A conversion on which C and the kernel agree, and a number for it."""
    value = draw(st.integers(0, (1 << 64) - 1) | st.integers(0, 20) | st.integers((1 << 64) - 20, (1 << 64) - 1))
    flags = "".join(sorted(draw(st.sets(st.sampled_from("-+ #0")))))
    width = draw(st.sampled_from(["", "1", "5", "12", "30"]))
    size, kind = draw(st.sampled_from(list(_SIZES))), draw(st.sampled_from("diuxXo"))
    precision = draw(st.sampled_from(["", ".1", ".3", ".15"]))
    assume(not (precision and "0" in flags))  # the kernel still pads with zeros
    if "#" in flags:
        assume(value % (1 << 8 * _SIZES[size]) and not (kind == "o" and precision))  # 0x0; the digit 0 of octal numbers
    return f"%{flags}{width}{precision}{size}{kind}", value


@settings(deadline=None)
@given(_numbers())
@example(("%+d", (1 << 64) - 1))
@example(("%#lx", 1 << 63))
def test_numbers_as_c_prints_them(case: tuple[str, int]) -> None:
    conversion, value = case
    buffer = ctypes.create_string_buffer(100)
    _libc.snprintf(buffer, 100, conversion.encode(), ctypes.c_uint64(value))
    assert _formatted(conversion, ("u64", struct.pack("=Q", value))) == buffer.value.decode()


@settings(deadline=None)
@given(st.sampled_from(["%s", "%8s", "%-8s", "%.3s", "%8.3s", "%-8.3s", "%.0s", "%1s"]), st.text("abcdef", max_size=12))
def test_texts_as_c_prints_them(conversion: str, text: str) -> None:
    buffer = ctypes.create_string_buffer(100)
    _libc.snprintf(buffer, 100, conversion.encode(), text.encode())
    assert _formatted(conversion, ("char[16]", text.encode().ljust(16, b"\0"))) == buffer.value.decode()


@settings(deadline=None)
@given(st.integers(-30, 30), st.integers(0, 20), st.integers(-(1 << 31), (1 << 31) - 1))
def test_width_and_precision_as_arguments(width: int, precision: int, value: int) -> None:
    buffer = ctypes.create_string_buffer(100)
    assume(precision)  # the kernel prints the digit of 0 in any case
    _libc.snprintf(buffer, 100, b"%*.*d", width, precision, value)
    fields = [("int", struct.pack("=i", number)) for number in (width, precision, value)]
    assert _formatted("%*.*d", *fields) == buffer.value.decode()


@pytest.mark.parametrize(
    ("conversion", "value", "shown"),
    [
        ("%#x", 0, "0x0"),
        ("%#o", 0, "0"),
        ("%.0d", 0, "0"),
        ("%08.3d", 7, "00000007"),
        ("%08.3d", -7 % (1 << 64), "-0000007"),
        ("%#08.3x", 7, "0x000007"),
        ("%c", 65, "A"),
        ("%3c", 65, "  A"),
        ("%-3c", 65, "A  "),
        ("%c", 0xE9, "\udce9"),
        ("%px", 0x1234, "0000000000001234"),
        ("%6px", 0x1234, "  1234"),
    ],
)
def test_what_the_kernel_has_of_its_own(conversion: str, value: int, shown: str) -> None:
    assert _formatted(conversion, ("u64", struct.pack("=Q", value))) == shown


_ADDRESS = bytes.fromhex("00010002000300040005000600070008")
_UUID = bytes(range(16))


@pytest.mark.parametrize(
    ("conversion", "data", "shown"),
    [
        ("%pI4", bytes([1, 2, 3, 4]), "1.2.3.4"),
        ("%pi4", bytes([1, 2, 3, 4]), "001.002.003.004"),
        ("%pI6", _ADDRESS, "0001:0002:0003:0004:0005:0006:0007:0008"),
        ("%pi6", _ADDRESS, "00010002000300040005000600070008"),
        ("%pI6c", _ADDRESS, "1:2:3:4:5:6:7:8"),
        ("%pI6c", bytes(16), "::"),
        ("%pI6c", bytes(10) + b"\xff\xff\x01\x02\x03\x04", "::ffff:1.2.3.4"),
        ("%pIS", struct.pack("=H", 2) + bytes([0x30, 0x39, 1, 2, 3, 4]) + bytes(8), "1.2.3.4"),
        ("%pISpc", struct.pack("=H", 10) + bytes([0x30, 0x39, 0, 0, 0, 0]) + _ADDRESS + bytes(4), "[1:2:3:4:5:6:7:8]:12345"),
        ("%pISc", struct.pack("=H", 10) + bytes(6) + bytes(15) + b"\1" + bytes(4), "::1"),
        ("%pISpc", bytes(28), "(einval)"),
        ("%pM", bytes(range(6)), "00:01:02:03:04:05"),
        ("%pMR", bytes(range(6)), "05:04:03:02:01:00"),
        ("%pMF", bytes(range(6)), "00-01-02-03-04-05"),
        ("%pm", bytes(range(6)), "000102030405"),
        ("%pUb", _UUID, "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        ("%pUB", _UUID, "00010203-0405-0607-0809-0A0B0C0D0E0F"),
        ("%pUl", _UUID, "03020100-0504-0706-0809-0a0b0c0d0e0f"),
        ("%pUL", _UUID, "03020100-0504-0706-0809-0A0B0C0D0E0F"),
        ("%3ph", bytes(range(6)), "00 01 02"),
        ("%64phN", bytes(range(6)), "000102030405"),
        ("%4phD", bytes(range(6)), "00-01-02-03"),
        ("%24pb", b"\x01\x02\x03\x04\0\0\0\0", "030201"),
        ("%40pb", b"\x01\x02\x03\x04\x05\0\0\0", "05,04030201"),
        ("%40pbl", b"\x0f\x00\x01\x00\x80\0\0\0", "0-3,16,39"),
        ("%64pbl", bytes(8), ""),
    ],
)
def test_what_a_pointer_points_to(conversion: str, data: bytes, shown: str) -> None:
    assert _formatted(conversion, (f"u8[{len(data)}]", data)) == shown


def test_fewer_bytes_than_the_conversion_wants() -> None:
    assert _formatted("%pI6c", ("u8[3]", b"\0\1\2")) == "1:200::"


@settings(deadline=None)
@given(st.lists(st.sampled_from([0, 0, 1, 0xFFFF]), min_size=8, max_size=8))
def test_short_addresses(groups: list[int]) -> None:
    data = struct.pack(">8H", *groups)
    address = ipaddress.IPv6Address(data)
    assume(address.ipv4_mapped is None)
    assert _formatted("%pI6c", ("u8[16]", data)) == address.compressed


@pytest.mark.parametrize("text", ["%", "%k", "%-", "5%", "%123456d", "%.99999d"])
def test_no_conversion(text: str) -> None:
    with pytest.raises(ValueError):
        list(conversions.conversions(text))
