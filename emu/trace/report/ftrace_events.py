# SPDX-License-Identifier: GPL-2.0-only
"""The text of ftrace events other than calls: stack traces, messages, raw data, repeated calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.bprintf import arguments, formatted
from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, Texts, constant
from emu.trace.lists import Lists
from emu.trace.report.context import ReportContext

__all__ = ["FTRACE_TEXTS", "binary_messages"]

_LONG_OF_TRACE_CMD = 8  # bytes: trace-cmd runs on a 64-bit host, and uses its own types


def _data(table: EventTable, name: str) -> tuple[NDArray[np.int32], list[bytes]]:
    """The distinct data of a field that may extend to the end of the entry: the index of each row's, and the data."""
    [field] = [field for field in table.call.fields if field.name == name]
    return table.ranges(field).distinct()


def _kernel_stack(context: ReportContext, table: EventTable) -> list[Piece]:
    """`<stack trace >`, then a line `=> fn (ffffffff81000008)` for each call."""

    def line(address: int) -> str:
        name = context.function(address)
        return f"=> {name} ({address:x})" if name else f"=> {address:x}"

    callers: Lists = table["caller"]
    which, rows = callers.numbered()
    return [Texts(["\n".join(["<stack trace >", *map(line, callers[row].tolist())]) for row in rows], which)]


def _constant_message(context: ReportContext, table: EventTable) -> list[Piece]:
    distinct, which = np.unique(table["str"], return_inverse=True)
    texts = [context.string(address) for address in distinct.tolist()]
    return [context.function_column(table["ip"], after=": "), Texts(texts, which)]


def _binary_message(context: ReportContext, table: EventTable) -> list[Piece]:
    return [context.function_column(table["ip"], after=": "), Texts(binary_messages(context, table), np.arange(table.count))]


def binary_messages(context: ReportContext, table: EventTable) -> list[bytes]:
    """The message of each ftrace:bprint event: a format of the kernel, with the arguments."""
    formats, (which, buffers) = table["fmt"].tolist(), _data(table, "buf")
    return [_formatted(context, address, buffers[number]) for address, number in zip(formats, which.tolist(), strict=True)]


def _formatted(context: ReportContext, address: int, data: bytes) -> bytes:
    found = context.printk_formats.get(address)
    if found is None:
        return f"(NO FORMAT FOUND at {address:x})".encode()
    template = found.encode(errors="surrogateescape")

    def pointer(kind: bytes, address: int) -> bytes:
        is_symbol = kind[:1] in (b"s", b"S")
        text = context.symbol(address, offset=kind[:1] == b"S") if is_symbol else context.pointer(address)
        return text.encode(errors="surrogateescape")

    return formatted(template, arguments(template, data, context.words), pointer, _LONG_OF_TRACE_CMD).removesuffix(b"\n")


def _raw_data(context: ReportContext, table: EventTable) -> list[Piece]:
    """`# 42 72 61`: the number, then the bytes.

    trace-cmd steps by the traced kernel's `long`, but prints as many bytes as its own `long` has: for a kernel
    with 4-byte words, each word together with the next one.
    """
    step = context.words.long_size

    def text(data: bytes) -> str:
        shown = b"".join(data[at : at + _LONG_OF_TRACE_CMD] for at in range(0, len(data), step))
        return "".join(f" {byte:02x}" for byte in shown)

    which, contents = _data(table, "buf")
    return [constant("# ", table.count), Numbers(table["id"], 16), Texts([text(content) for content in contents], which)]


def _repeats(context: ReportContext, table: EventTable) -> list[Piece]:
    """`fn_1 (count: 5  last_ts:    12.000123)`"""
    ago = table["top_delta_ts"].astype(np.uint64) << np.uint64(32) | table["bottom_delta_ts"]
    last = (table["common_time"] - ago).tolist()
    texts = []
    for count, nanoseconds in zip(table["count"].tolist(), last, strict=True):
        seconds, rest = divmod(nanoseconds + 500, 10**9)
        texts.append(f" (count: {count}  last_ts: {seconds:5}.{rest // 1000:06})")
    return [context.function_column(table["ip"]), Texts(texts, np.arange(table.count))]


FTRACE_TEXTS: Mapping[str, Callable[[ReportContext, EventTable], list[Piece]]] = {
    "ftrace:kernel_stack": _kernel_stack,
    "ftrace:bputs": _constant_message,
    "ftrace:bprint": _binary_message,
    "ftrace:raw_data": _raw_data,
    "ftrace:func_repeats": _repeats,
}
