# SPDX-License-Identifier: GPL-2.0-only
"""Fields in the style of trace-cmd's plug-ins: every number is unsigned, whatever its size, until it is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, constant, texts_of

__all__ = ["Show", "decimal", "hexadecimal", "long_decimal", "numbered", "padded", "shown", "signed", "unsigned"]

Show = Callable[[NDArray[np.uint64]], Piece]


def unsigned(table: EventTable, name: str) -> NDArray[np.uint64]:
    """A number field."""
    values = table[name]
    return np.asarray(values.view(f"u{values.itemsize}").astype(np.uint64))


def decimal(values: NDArray[np.integer]) -> Piece:
    """%llu"""
    return Numbers(values)


def long_decimal(values: NDArray[np.uint64]) -> Piece:
    """%lld: only 8-byte numbers can be negative."""
    return Numbers(values.view(np.int64))


def signed(values: NDArray[np.uint64]) -> Piece:
    """%d of an int."""
    return Numbers(values.astype(np.int32))


def hexadecimal(values: NDArray[np.uint64]) -> Piece:
    """%llx"""
    return Numbers(values, 16)


def padded(values: NDArray[np.uint64]) -> Piece:
    """0x%08llx"""
    return texts_of(values, lambda value: f"0x{value:08x}")


def shown(table: EventTable, *parts: str | tuple[str, Show]) -> list[Piece]:
    """Texts, and fields: each with its name and its way of printing."""
    return [
        constant(part, table.count) if isinstance(part, str) else part[1](unsigned(table, part[0])) for part in parts
    ]  # fmt: skip


def numbered(runs: Mapping[int, str], prefix: str = "") -> dict[int, str]:
    """Names by number; `runs`: the names of consecutive numbers, from the given one on."""
    return {first + n: prefix + name for first, names in runs.items() for n, name in enumerate(names.split())}
