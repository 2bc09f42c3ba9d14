# SPDX-License-Identifier: GPL-2.0-only
"""What lifted code calls: access to memory that is neither its own nor in the direct map, and the kernel's string functions."""

from __future__ import annotations

from typing import NamedTuple

from emu.ftrace.native.context import host_address
from emu.ftrace.native.trace_records import TraceArray
from emu.linux.lift.area import ABOVE, STACK, Area, offset_of
from emu.native.functions import Compiled, callback, njit
from emu.native.records import HOST, Bytes, u64

__all__ = ["Helpers", "build"]

PAGE = u64(4096)
SIZE = u64(HOST.size(Area))
ON_STACK, ABOVE_IT, STACK_OFFSET = u64(STACK), u64(ABOVE), u64(offset_of("stack"))


class Helpers(NamedTuple):
    """Compiled functions. An address is the guest's, or one in the area. If memory is not there, `failed` is set."""

    load: Compiled[[TraceArray, Area, u64, u64], u64]
    """load(array, area, address, size) -> the unsigned number of up to 8 bytes there."""

    copy: Compiled[[TraceArray, Area, u64, u64, u64], None]
    """copy(array, area, to, address, size): copies bytes to the area."""

    fill: Compiled[[TraceArray, Area, u64, u64, u64], None]
    """fill(array, area, to, byte, size): fills bytes of the area."""

    length: Compiled[[TraceArray, Area, u64, u64], u64]
    """length(array, area, address, limit) -> the length of a string, at most `limit`."""

    divide: Compiled[[TraceArray, Area, u64, u64, u64], u64]
    """divide(array, area, high, low, divisor) -> the quotient of a number of two words, if it has one word."""


@njit
def place_of(area: Area, address: u64) -> u64:
    """Where what is on the stack really is. What lifted code has stored above its first stack pointer is not found here."""
    offset = address - area.stack_start
    if offset < ON_STACK:
        return area.address + STACK_OFFSET + offset
    if offset < ON_STACK + ABOVE_IT:
        area.failed = 1
    return address


@njit
def host_place(array: TraceArray, area: Area, address: u64) -> u64:
    """The host address of memory; 0 if it is not there: then the lifted code has failed."""
    if address - area.address < SIZE:
        return address
    found = host_address(array, address)
    if found == array.nowhere:
        area.failed = 1
        return 0
    return found


@njit
def in_page(address: u64) -> u64:
    """How many bytes follow in the host as they do in the guest, at least."""
    return PAGE - address % PAGE


@njit
def is_writable(area: Area, to: u64, size: u64) -> bool:
    """Whether bytes are in the area; otherwise the lifted code has failed."""
    start = to - area.address
    if start < SIZE and size <= SIZE - start:
        return True
    area.failed = 1
    return False


def build() -> Helpers:
    """Compiles them."""

    @callback
    def load(array: TraceArray, area: Area, address: u64, size: u64) -> u64:
        value = u64(0)
        for n in range(size):
            if n == 0 or (address + n) % PAGE == 0:
                source = host_place(array, area, address + n) - n
                if area.failed != 0:
                    return 0
            value |= Bytes(source)[n] << 8 * n
        return value

    @callback
    def copy(array: TraceArray, area: Area, to: u64, address: u64, size: u64) -> None:
        to, address = place_of(area, to), place_of(area, address)
        if not is_writable(area, to, size):
            return
        done = u64(0)
        while done < size:
            source, most = host_place(array, area, address + done), min(in_page(address + done), size - done)
            if source == 0:
                return
            for n in range(most):
                Bytes(to + done)[n] = Bytes(source)[n]
            done += most

    @callback
    def fill(array: TraceArray, area: Area, to: u64, byte: u64, size: u64) -> None:
        if is_writable(area, to, size):
            for n in range(size):
                Bytes(to)[n] = byte

    @callback
    def length(array: TraceArray, area: Area, address: u64, limit: u64) -> u64:
        address = place_of(area, address)
        n = u64(0)
        while n < limit:
            source, most = host_place(array, area, address + n), min(in_page(address + n), limit - n)
            if source == 0:
                return n
            for at in range(most):
                if Bytes(source)[at] == 0:
                    return n + at
            n += most
        return n

    @callback
    def divide(array: TraceArray, area: Area, high: u64, low: u64, divisor: u64) -> u64:
        rest, quotient = high, u64(0)
        for n in range(64):
            is_large = rest >> 63 != 0
            rest = rest << 1 | low >> 63 - n & 1
            quotient <<= 1
            if is_large or rest >= divisor:
                rest -= divisor
                quotient |= 1
        return quotient

    return Helpers(load, copy, fill, length, divide)
