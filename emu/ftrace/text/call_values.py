# SPDX-License-Identifier: GPL-2.0-only
"""The text of what calls are given and return: `(file=0xffff888103214800, count=832)`, `ret=-2`. Linux: print_function_args()
and print_graph_retval().

Entries have it only in traces of kernels that are looked at from outside: see emu.ftrace.buffers.entries, VALUED_ENTRY.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import ARGUMENTS, FUNCGRAPH_EXIT, FUNCTION, VALUED_EXIT, entries_at
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import Parameter, ParameterKind, TraceView

__all__ = ["ArgumentTexts", "exits", "has_arguments", "has_return_address", "returned", "returned_text", "values_behind"]

_WORD = 8  # bytes
_BEHIND = FUNCTION.itemsize  # where the arguments begin, in entries of both tracers
_LARGEST_ERROR = 4095  # Linux: MAX_ERRNO
_UNKNOWN_PROTOTYPE = "()"


def has_arguments(size: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which entries of calls, by their sizes, have arguments behind them."""
    found: NDArray[np.bool_] = size >= _BEHIND + ARGUMENTS * _WORD
    return found


def has_return_address(size: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of them have also the return address."""
    found: NDArray[np.bool_] = size >= _BEHIND + (ARGUMENTS + 1) * _WORD
    return found


def values_behind(rows: Rows, count: int) -> NDArray[np.uint64]:
    """The first words behind entries that have so many, shape (n, count)."""
    return entries_at(rows.words, rows.offset + _BEHIND, [("values", "u8", count)])["values"]


def exits(rows: Rows) -> NDArray[np.void]:
    """function_graph's entries of returns. All entries of a trace have the same layout."""
    with_value = len(rows) > 0 and int(rows.size.min()) >= VALUED_EXIT.itemsize
    return rows.entries(VALUED_EXIT if with_value else FUNCGRAPH_EXIT)


def returned(entries: NDArray[np.void]) -> NDArray[np.uint64]:
    """What these returns returned; zeros if the entries do not tell it."""
    there: NDArray[np.uint64] = (
        entries["retval"] if "retval" in (entries.dtype.names or ()) else np.zeros(len(entries), np.uint64)
    )
    return there


def returned_text(value: int, *, always_hex: bool) -> str:
    """A returned value. Without the option funcgraph-retval-hex, what may be an error's number is decimal.

    >>> returned_text(832, always_hex=False), returned_text(0xFFFF_FFFE, always_hex=False)
    ('ret=0x340', 'ret=-2')
    """
    negative = value - (1 << (32 if value >> 31 == 1 else 64))  # an int may be negative in the lower half alone
    return f"ret={negative}" if -_LARGEST_ERROR <= negative < 0 and not always_hex else f"ret={value:#x}"


class _Template(NamedTuple):
    """The arguments of one function.

    Attributes:
        text: the text, in printf's notation.
        words: for each of its numbers the word: the arguments, and then the arguments as signed numbers.
    """

    text: str
    words: Sequence[int]


class ArgumentTexts:
    """The text of arguments, for one view. What a function takes is looked up once."""

    def __init__(self, view: TraceView) -> None:
        self._view = view
        self._templates: dict[int, _Template] = {}

    def of(self, functions: NDArray[np.uint64], arguments: NDArray[np.uint64]) -> list[str]:
        """The text of each call's arguments. `functions`: the addresses; `arguments`: shape (n, ARGUMENTS)."""
        self._learn(np.unique(functions))
        rows = np.concatenate([arguments.astype(object), arguments.view(np.int64).astype(object)], axis=1).tolist()
        templates = map(self._templates.__getitem__, functions.tolist())
        return [text % tuple(row[word] for word in words) for (text, words), row in zip(templates, rows, strict=True)]

    def _learn(self, functions: NDArray[np.uint64]) -> None:
        prototypes = self._view.prototypes
        for address, symbol in zip(functions.tolist(), self._view.symbols.lookup(functions), strict=True):
            if address not in self._templates:
                known = None if symbol is None or prototypes is None else prototypes.parameters(symbol.name, symbol.module)
                self._templates[address] = _template(known)


def _template(parameters: Sequence[Parameter] | None) -> _Template:
    """How arguments are printed. An argument takes the next register; what is passed by value takes as many as it needs, which
    is right for most of them. Of a register all bits are shown, however few the type has.
    """
    texts: list[str] = []
    words: list[int] = []
    register = 0
    for parameter in parameters or ():
        if register == ARGUMENTS:
            texts.append("...")
            break
        name = f"{parameter.name}=".replace("%", "%%")
        if parameter.kind is ParameterKind.OTHER:
            count = max(-(-parameter.size // _WORD), 1)
            there = min(count, ARGUMENTS - register)
            pieces = ["0x%x"] * there + ["..."] * (there < count)
            texts.append(f"{name}({parameter.type})[{':'.join(pieces)}]")
            words += range(register, register + there)
            if there < count:
                break
            register += count
            continue
        unknown = "?" if parameter.kind is ParameterKind.UNKNOWN else ""
        is_number = parameter.kind is ParameterKind.NUMBER
        texts.append(name + ("%d" if is_number else f"{unknown}0x%x"))
        words.append(register + ARGUMENTS * is_number)
        register += 1
    return _Template(f"({', '.join(texts)})" if texts else _UNKNOWN_PROTOTYPE, words)
