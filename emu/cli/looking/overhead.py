# SPDX-License-Identifier: GPL-2.0-only
"""The times of functions, with an estimate of the cost of tracing in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.trace import Trace
    from emu.trace.function_times import FunctionTime

__all__ = ["estimated"]


def estimated(rows: Sequence[FunctionTime], file: Path, trace: Trace, *, net: bool) -> list[FunctionTime]:
    """The rows with the estimates of `traced_twice`; with `net`, self times minus these, and no other times.

    Raises:
        click.ClickException: the recording cannot be reproduced.
    """
    from emu.cli.looking.traced_twice import traced_twice
    from emu.trace.origin import origin_of

    words = (origin_of(trace) or {}).get("words")
    if not isinstance(words, list):
        raise click.ClickException(f"{file}: emu did not record it, so what tracing has cost cannot be found out")
    cost = traced_twice(words)
    found = [replace(row, tracing=cost.get(row.function, 0)) for row in rows]
    if not net:
        return found
    return [
        replace(row, self_time=max(row.self_time - (row.tracing or 0), 0), total=None, minimum=None, maximum=None)
        for row in found
        if row.self_time is not None
    ]
