# SPDX-License-Identifier: GPL-2.0-only
"""Strings in a program's memory, as the events of system calls show them since Linux 6.19."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.user_memory import IN_PAGE, UserAddress
from emu.native.functions import Native
from emu.native.records import HOST, Bytes, u64

__all__ = ["MORE", "UserString", "build"]

UserString = Callable[[Cpu, TraceArray, u64, Bytes, u64], u64]

MORE = u64(4)  # bytes: "..." and a NUL
DOT, FIRST, LAST = u64(ord(".")), u64(ord(" ")), u64(ord("~"))  # the printable characters


def build(user_address: UserAddress) -> UserString:
    """user_string(cpu, array, address, to, most) -> the bytes that were stored, with a NUL; 0 if not all can be read.

    At most `most` characters are stored; "..." follows them if there are more. Others than printable ones become dots.
    """

    @Native(HOST).njit
    def user_string(cpu: Cpu, array: TraceArray, address: u64, to: Bytes, most: u64) -> u64:
        n, place = u64(0), u64(0)
        while True:
            if place & IN_PAGE == 0:  # pages have the same offsets in both memories
                place = user_address(cpu, array, address + n)
                if place == 0:
                    return u64(0)
            character = Bytes(place)[0]
            if character == 0:
                to[n] = 0
                return n + 1
            if n == most:
                to[n] = to[n + 1] = to[n + 2] = DOT
                to[n + 3] = 0
                return n + MORE
            to[n] = character if FIRST <= character <= LAST else DOT
            n += 1
            place += 1

    return user_string
