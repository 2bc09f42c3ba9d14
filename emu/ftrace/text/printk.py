# SPDX-License-Identifier: GPL-2.0-only
"""The text of trace_printk() events with a constant format: an entry has the format's address and its arguments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.ftrace.bprintf import arguments, formatted
from emu.ftrace.buffers.entries import BPRINT, BPUTS
from emu.ftrace.text.columns import Column, SymbolNames
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["bprint_message", "bprint_raw", "bprint_text", "bputs_message", "bputs_raw", "bputs_text"]

_UNREADABLE = "(efault)"  # for a string that is not in the guest's memory


def bputs_message(view: TraceView, rows: Rows) -> Column:
    """The message alone."""
    return np.array([_string_at(view, address) for address in rows.entries(BPUTS)["str"].tolist()], np.object_)


def bputs_text(view: TraceView, rows: Rows) -> Column:
    """`sample_init: hello`"""
    return _behind_place(view, rows, bputs_message(view, rows))


def bputs_raw(view: TraceView, rows: Rows) -> Column:
    """`: ffffffff81000000 : hello`"""
    return _behind_address(rows, bputs_message(view, rows))


def bprint_message(view: TraceView, rows: Rows) -> Column:
    """The message alone."""
    pointer = _pointer_text(view)
    texts = []
    for row, address in enumerate(rows.entries(BPRINT)["fmt"].tolist()):
        template = _string_at(view, address).encode(errors="surrogateescape")
        values = arguments(template, rows.payload(row, BPRINT.itemsize), view.words)
        texts.append(formatted(template, values, pointer, view.words.long_size).decode(errors="surrogateescape"))
    return np.array(texts, np.object_)


def bprint_text(view: TraceView, rows: Rows) -> Column:
    """`sample_tick: tick 1 of 3`"""
    return _behind_place(view, rows, bprint_message(view, rows))


def bprint_raw(view: TraceView, rows: Rows) -> Column:
    """`: ffffffff81000000 : tick 1 of 3`"""
    return _behind_address(rows, bprint_message(view, rows))


def _string_at(view: TraceView, address: int) -> str:
    text = view.string_at(address)
    return _UNREADABLE if text is None else text


def _behind_place(view: TraceView, rows: Rows, messages: Column) -> Column:
    places = SymbolNames.by_options(view).of(rows.entries(BPUTS)["ip"])
    return np.array([f"{place}: {message}" for place, message in zip(places, messages.tolist(), strict=True)], np.object_)


def _behind_address(rows: Rows, messages: Column) -> Column:
    addresses = rows.entries(BPUTS)["ip"].tolist()
    lines = [f": {address:x} : {message}" for address, message in zip(addresses, messages.tolist(), strict=True)]
    return np.array(lines, np.object_)


def _pointer_text(view: TraceView) -> Callable[[bytes, int], bytes | None]:
    names = {b"S": SymbolNames(view, offset=True), b"s": SymbolNames(view)}
    names[b"B"] = names[b"S"]

    def text(kind: bytes, address: int) -> bytes | None:
        """`%pS`, `%pB`: a symbol with the offset into it; `%ps`: a symbol; `%px`: digits; other pointers are printed plainly."""
        if kind == b"x":
            return b"%x" % address
        return names[kind].of(np.array([address], np.uint64))[0].encode() if kind in names else None

    return text
