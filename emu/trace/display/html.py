# SPDX-License-Identifier: GPL-2.0-only
"""HTML snippets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["table"]

_ADDRESS = 1 << 63  # kernel addresses start here; counts are smaller


def table(titles: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table. Numbers are right-aligned, with commas. Without titles, the first cell of a row is its title."""
    head = "".join(f'<th style="text-align:left">{escape(title)}</th>' for title in titles)
    lines = [f"<tr>{head}</tr>"] if titles else []
    for row in rows:
        cells = [_cell(value, title=not titles and not place) for place, value in enumerate(row)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    shown = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    return f"<table>{shown}{''.join(lines)}</table>\n"


def _cell(value: object, *, title: bool) -> str:
    tag = "th" if title else "td"
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = f"{value:#x}" if value >= _ADDRESS else f"{value:,}"
        return f'<{tag} style="text-align:right">{text}</{tag}>'
    return f'<{tag} style="text-align:left">{escape(str(value))}</{tag}>'
