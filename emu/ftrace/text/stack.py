# SPDX-License-Identifier: GPL-2.0-only
"""The text of stack traces: a line for each call, innermost first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import KERNEL_STACK, USER_STACK
from emu.ftrace.text.columns import Column, SymbolNames
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["kernel_stack_text", "user_stack_text"]

Addresses = NDArray[np.uint64]

_END = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # marks the end of the callers in an entry that has room for more


def kernel_stack_text(view: TraceView, rows: Rows) -> Column:
    """`<stack trace>`, then ` => schedule` for each call."""
    names, entries = SymbolNames.by_options(view), rows.bodies()
    stacks = {entry: _callers(entry) for entry in entries}
    names.of(np.unique(np.concatenate([*stacks.values()])))  # looks up all at once
    return _texts(entries, lambda entry: _stack_text("<stack trace>", names.of(stacks[entry])))


def user_stack_text(view: TraceView, rows: Rows) -> Column:
    """`<user stack trace>`, then ` =>  <00007f18c42eb001>` for each call; with sym-userobj ` => /bin/ls[+0x1b1d]`."""
    with_files, with_addresses = view.option("sym-userobj"), view.option("sym-addr")

    @cache
    def place(tgid: int, address: int) -> str:
        found = view.mapped_file(tgid, address) if with_files else None
        file = f"{_escaped(found.path)}[+{found.offset:#x}]" if found else ""
        return f"{file} <{view.words.address_digits(address)}>" if with_addresses or not found else file

    def text(entry: bytes) -> str:
        stack = np.frombuffer(entry, USER_STACK, 1)[0]
        callers, tgid = stack["caller"].tolist(), int(stack["tgid"])
        count = callers.index(0) if 0 in callers else len(callers)
        return _stack_text("<user stack trace>", [place(tgid, address) for address in callers[:count]])

    return _texts(rows.bodies(), text)


def _callers(entry: bytes) -> Addresses:
    """The callers in a kernel_stack entry: as many as it declares and contains."""
    size = int(np.frombuffer(entry, KERNEL_STACK, 1)["size"][0])
    room = (len(entry) - KERNEL_STACK.itemsize) // np.dtype(np.uint64).itemsize
    found = np.frombuffer(entry, np.uint64, min(max(size, 0), room), KERNEL_STACK.itemsize)
    ends = np.flatnonzero(found == _END)
    return found[: ends[0]] if len(ends) else found


def _escaped(path: str) -> str:
    """A path, escaped to fit on one line."""
    return path.replace("\n", "\\012")


def _stack_text(title: str, callers: Sequence[str]) -> str:
    return "\n".join([title, *(f" => {caller}" for caller in callers), ""])


def _texts(entries: Sequence[bytes], text: Callable[[bytes], str]) -> Column:
    """For each entry its text, made once for entries that differ only in the common fields."""
    column = np.empty(len(entries), np.object_)
    column[:] = list(map(cache(text), entries))
    return column
