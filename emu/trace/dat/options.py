# SPDX-License-Identifier: GPL-2.0-only
"""The options of a trace.dat, by number: trace-cmd.dat.v7(5), "OPTIONS SECTION"."""

from __future__ import annotations

import enum
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Required, TypedDict

from emu.trace.dat.compression import LARGEST_PIECE
from emu.trace.recording import CallCost, Option, PageLayout

__all__ = ["Found", "OptionNumber", "describe"]


class OptionNumber(enum.IntEnum):
    """The numbers that have a meaning here."""

    DONE = 0
    CPUSTAT = 2
    BUFFER = 3
    TRACECLOCK = 4
    UNAME = 5
    CPUCOUNT = 8
    VERSION = 9
    TRACEID = 11
    HEADER_INFO = 16
    FTRACE_EVENTS = 17
    EVENT_FORMATS = 18
    KALLSYMS = 19
    PRINTK = 20
    CMDLINES = 21
    BUFFER_TEXT = 22  # also the number of sections, except 0 and those from BUFFER on
    # emu's own options. Other programs skip unknown options.
    SAVED_TGIDS = 0x7E01  # saved_tgids, as in tracefs
    ORIGIN = 0x7E02  # what is needed to reproduce the file (emu.trace.origin)
    KERNEL_VALUES = 0x7E03  # JSON: numbers used by print fmts, such as HRTIMER_MODE_ABS and sizeof(struct page)
    CALL_COST = 0x7E04  # two 64-bit numbers, those of `CallCost`
    TRACE_OPTIONS = 0x7E05  # trace_options, as in tracefs
    BTF = 0x7E06  # a module's name (none: the kernel's), NUL, its BTF packed by zlib


class Found(TypedDict, total=False):
    """Fields of `Recording` that a file has."""

    cpu_count: Required[int]
    layout: PageLayout
    kallsyms: bytes
    printk_formats: bytes
    saved_cmdlines: bytes
    saved_tgids: bytes
    trace_options: bytes
    btf: dict[str, bytes]
    kernel_values: Mapping[str, int]
    call_cost: CallCost
    cpu_stats: Sequence[str]
    uname: str
    version: str
    trace_id: int
    options: Sequence[Option]


def describe(found: Found, options: Sequence[Option], byte_order: str) -> None:
    """Adds the information in options to a recording's fields."""

    def text(data: bytes) -> str:
        return data.partition(b"\0")[0].decode(errors="surrogateescape")

    found["options"] = tuple(options)
    found["cpu_stats"] = [text(option.data) for option in options if option.number == OptionNumber.CPUSTAT]
    for number, data in options:
        match number:
            case OptionNumber.UNAME:
                found["uname"] = text(data)
            case OptionNumber.VERSION:
                found["version"] = text(data)
            case OptionNumber.TRACEID if len(data) == 8:
                found["trace_id"] = int.from_bytes(data, byte_order)  # type: ignore[arg-type]  # one of two strings
            case OptionNumber.SAVED_TGIDS:
                found["saved_tgids"] = data
            case OptionNumber.TRACE_OPTIONS:
                found["trace_options"] = data
            case OptionNumber.BTF:
                name, _, packed = data.partition(b"\0")
                found.setdefault("btf", {})[name.decode(errors="replace")] = _unpacked(packed)
            case OptionNumber.KERNEL_VALUES:
                found["kernel_values"] = _numbers(data)
            case OptionNumber.CALL_COST if len(data) == 16:
                halves = (data[:8], data[8:])
                found["call_cost"] = CallCost(*(int.from_bytes(half, byte_order) for half in halves))  # type: ignore[arg-type]


def _unpacked(packed: bytes) -> bytes:
    """The bytes; none if they are damaged."""
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(packed, LARGEST_PIECE)
    except zlib.error:
        return b""
    return found if stream.eof else b""


def _numbers(data: bytes) -> dict[str, int]:
    """The numbers in JSON; damaged ones are left out."""
    try:
        values = json.loads(data)
    except ValueError:
        return {}
    return {name: value for name, value in values.items() if type(value) is int} if isinstance(values, dict) else {}
