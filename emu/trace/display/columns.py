# SPDX-License-Identifier: GPL-2.0-only
"""The first rows of a table of a trace."""

from __future__ import annotations

from collections.abc import Mapping

from emu.trace.display.html import table
from emu.trace.lists import Column

__all__ = ["columns_html"]

_ROWS = 10


def columns_html(columns: Mapping[str, Column]) -> str:
    """The first rows as HTML."""
    shown = [columns[name][:_ROWS].tolist() for name in columns]
    count = len(columns[next(iter(columns))])
    caption = f"the first {_ROWS} of {count:,} rows" if count > _ROWS else f"{count:,} row{'s' * (count != 1)}"
    return table(list(columns), zip(*shown, strict=True), caption)
