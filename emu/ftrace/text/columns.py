# SPDX-License-Identifier: GPL-2.0-only
"""Builds text from columns: the text of each distinct value is made once, then picked for each row with that value.

So a million lines need a few thousand strings and one join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import Flag
from emu.ftrace.symbols import Symbol
from emu.ftrace.text.rows import Indices, Rows
from emu.ftrace.text.view import TraceView

__all__ = [
    "Column",
    "SymbolNames",
    "in_microseconds",
    "joined",
    "latency_flags",
    "picked",
    "split_time",
    "spread",
    "task_column",
    "text_of",
    "text_of_state",
    "time_columns",
]  # fmt: skip

Column = NDArray[np.object_]


def picked(texts: Iterable[str], which: NDArray[np.integer[Any]]) -> Column:
    """For each row, the text with that index."""
    table = np.array([*texts, ""], dtype=np.object_)
    column: Column = table[which]
    return column


def text_of(values: NDArray[np.generic], text: Callable[[Any], str]) -> Column:  # the values have any one type
    """For each row, the text of its value."""
    distinct, which = np.unique(values, return_inverse=True)
    return picked([text(value) for value in distinct.tolist()], which)


def joined(columns: Iterable[Column]) -> str:
    """The rows, each the concatenation of its texts in all columns."""
    return "".join(np.stack(list(columns), axis=1).ravel().tolist())


def spread(column: Column, places: Indices, count: int) -> Column:
    """A column with these texts at `places`, and empty text in all other rows."""
    full = np.full(count, "", np.object_)
    full[places] = column
    return full


_RETURN_PROBE = "arch_rethook_trampoline"  # a return probe watches the function whose return address this is


class SymbolNames:
    """The text of code addresses under one set of options, each made once. `zero`: the text of address 0."""

    def __init__(self, view: TraceView, *, offset: bool = False, address: bool = False, zero: str = "0") -> None:
        self._symbols, self._words = view.symbols, view.words
        self._offset, self._address, self._zero = offset, address, zero
        self._texts: dict[int, str] = {}

    @classmethod
    def by_options(cls, view: TraceView) -> SymbolNames:
        return cls(view, offset=view.option("sym-offset"), address=view.option("sym-addr"))

    def of(self, addresses: NDArray[np.uint64]) -> list[str]:
        """The text of each address."""
        wanted = addresses.tolist()
        unknown = [address for address in dict.fromkeys(wanted) if address not in self._texts]
        for address, symbol in zip(unknown, self._symbols.lookup(np.array(unknown, np.uint64)), strict=True):
            self._texts[address] = self._text(address, symbol)
        return [self._texts[address] for address in wanted]

    def _text(self, address: int, symbol: Symbol | None) -> str:
        if address == 0:
            return self._zero
        if symbol is None:
            text = f"{address:#x}"
        else:
            text = f"{symbol.name}+{symbol.offset:#x}/{symbol.size:#x}" if self._offset else symbol.name
            text += f" [{symbol.module}]" if symbol.module else ""
            if symbol.offset == 0 and symbol.name == _RETURN_PROBE:
                text = "[unknown/kretprobe'd]"
        return f"{text} <{self._words.address_digits(address)}>" if self._address else text


_RESCHED = int(Flag.NEED_RESCHED | Flag.PREEMPT_RESCHED)
_RESCHED_LETTERS = {_RESCHED: "N", Flag.NEED_RESCHED: "n", Flag.PREEMPT_RESCHED: "p"}
_CONTEXT = int(Flag.NMI | Flag.HARDIRQ | Flag.SOFTIRQ)
_CONTEXT_LETTERS = {
    _CONTEXT: "Z",
    Flag.NMI | Flag.HARDIRQ: "Z",
    Flag.NMI | Flag.SOFTIRQ: "z",
    Flag.NMI: "z",
    Flag.HARDIRQ | Flag.SOFTIRQ: "H",
    Flag.HARDIRQ: "h",
    Flag.SOFTIRQ: "s",
}


def latency_flags(flags: int, preempt_count: int) -> str:
    """The five letters explained in the header: `d.h2.`.

    >>> latency_flags(Flag.IRQS_OFF | Flag.HARDIRQ, 0x12)
    'd.h21'
    """
    if flags & Flag.IRQS_OFF:
        irqs = "D" if flags & Flag.BH_OFF else "d"
    elif flags & Flag.BH_OFF:
        irqs = "b"
    else:
        irqs = "X" if flags & Flag.IRQS_NOT_KNOWN else "."
    resched = _RESCHED_LETTERS.get(flags & _RESCHED, ".")
    context = _CONTEXT_LETTERS.get(flags & _CONTEXT, ".")
    depths = (preempt_count & 0xF, preempt_count >> 4)
    return irqs + resched + context + "".join(f"{depth:x}" if depth else "." for depth in depths)


def text_of_state(rows: Rows, text: Callable[[int, int, int, int], str]) -> Column:
    """For each row, the text of its pid, CPU, flags and `preempt_count`."""
    pid, flags = (rows.entry[name].astype(np.int64) for name in ("pid", "flags"))
    keys = pid << 32 | rows.cpu << 16 | flags << 8 | rows.entry["preempt_count"]
    return text_of(keys, lambda key: text(key >> 32, key >> 16 & 0xFFFF, key >> 8 & 0xFF, key & 0xFF))


def task_column(view: TraceView, rows: Rows) -> Column:
    """`            sh-57      [001] d.h2.`: task, CPU and, if enabled, thread group and flags."""
    show_flags, show_tgid = view.option("irq-info"), view.option("record-tgid")

    def text(pid: int, cpu: int, flags: int, preempt_count: int) -> str:
        tgid = ""
        if show_tgid:
            known = view.tgid_of(pid)
            tgid = f"({known:7}) " if known else "(-------) "
        letters = latency_flags(flags, preempt_count) if show_flags else ""
        return f"{view.task_name(pid):>16}-{pid:<7} {tgid}[{cpu:03}] {letters}"

    return text_of_state(rows, text)


def in_microseconds(nanoseconds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rounded, as in Linux."""
    return (nanoseconds + np.uint64(500)) // np.uint64(1000)


def time_columns(time: NDArray[np.uint64], clock_is_ns: bool) -> list[Column]:
    """`    76.407272: `: seconds, rounded to microseconds; the plain count if the clock does not count nanoseconds."""
    if not clock_is_ns:
        return [np.array([f" {count:12}: " for count in time.tolist()], dtype=np.object_)]
    return split_time(in_microseconds(time), " ", ": ")


_THOUSANDTHS = [f"{number:03}" for number in range(1000)]


def split_time(microseconds: NDArray[np.uint64], before: str, after: str) -> list[Column]:
    """`SSSSS.UUUUUU` between two strings, in two columns."""
    milliseconds, rest = np.divmod(microseconds, np.uint64(1000))
    return [
        text_of(milliseconds, lambda value: f"{before}{value // 1000:5}.{value % 1000:03}"),
        picked([thousandth + after for thousandth in _THOUSANDTHS], rest),
    ]
