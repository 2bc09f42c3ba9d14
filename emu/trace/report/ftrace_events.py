# SPDX-License-Identifier: GPL-2.0-only
"""The text of events of the system ftrace that tracers record beside calls: stacks, messages, raw data, repeated calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.bprintf import arguments, formatted
from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, Texts
from emu.trace.report.context import ReportContext
from emu.trace.stack_entries import callers

__all__ = ["FTRACE_TEXTS"]

_LONG_OF_TRACE_CMD = 8  # bytes: it runs on a host of 64 bits, and makes its texts with that one's types


def _data(table: EventTable, name: str) -> tuple[NDArray[np.int32], list[bytes]]:
    """What follows in an entry from a field on, which may be longer than the format says: which of the distinct, and these."""
    [field] = [field for field in table.call.fields if field.name == name]
    return table.tails(field).distinct()


def _kernel_stack(context: ReportContext, table: EventTable) -> list[Piece]:
    """`<stack trace >`, then a line `=> fn (ffffffff81000008)` for each call."""

    def lines(data: bytes) -> Iterator[str]:
        for address in callers(data, context.words):
            name = context.function(address)
            yield f"=> {name} ({address:x})" if name else f"=> {address:x}"

    which, contents = _data(table, "caller")
    return [Texts(["\n".join(["<stack trace >", *lines(content)]) for content in contents], which)]


def _message(context: ReportContext, table: EventTable) -> list[Piece]:
    which, contents = _data(table, "buf")
    texts = [content.partition(b"\0")[0].removesuffix(b"\n") for content in contents]
    return [context.function_column(table["ip"], after=": "), Texts(texts, which)]


def _constant_message(context: ReportContext, table: EventTable) -> list[Piece]:
    distinct, which = np.unique(table["str"], return_inverse=True)
    texts = [context.string(address) for address in distinct.tolist()]
    return [context.function_column(table["ip"], after=": "), Texts(texts, which)]


def _binary_message(context: ReportContext, table: EventTable) -> list[Piece]:
    """A format, which the kernel has, and the arguments."""
    formats, buffers = table["fmt"].tolist(), _data(table, "buf")
    texts = [_formatted(context, address, buffers[1][which]) for address, which in zip(formats, buffers[0].tolist(), strict=True)]
    return [context.function_column(table["ip"], after=": "), Texts(texts, np.arange(table.count))]


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

    trace-cmd takes one `long` of the traced kernel after the other, and shows as many bytes as its own `long` has: of a kernel
    with words of 4 bytes, each word together with the next one.
    """
    step = context.words.long_size

    def text(data: bytes) -> str:
        number, rest = int.from_bytes(data[:4], context.words.order), data[4:]
        shown = b"".join(rest[at : at + _LONG_OF_TRACE_CMD] for at in range(0, len(rest), step))
        return f"# {number:x}{''.join(f' {byte:02x}' for byte in shown)}"

    which, contents = _data(table, "id")
    return [Texts([text(content) for content in contents], which)]


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
    "ftrace:print": _message,
    "ftrace:bputs": _constant_message,
    "ftrace:bprint": _binary_message,
    "ftrace:raw_data": _raw_data,
    "ftrace:func_repeats": _repeats,
}
