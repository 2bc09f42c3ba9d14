# SPDX-License-Identifier: GPL-2.0-only
"""What of a trace is converted, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from emu.trace.selection import Selection

__all__ = ["By", "CannotConvert", "ConvertOptions"]

By = Literal["task", "cpu", "function"]


class CannotConvert(ValueError):
    """The trace has nothing that the format is for, or an option does not fit. The message is one line."""


@dataclass(frozen=True)
class ConvertOptions:
    """Attributes:
    selection: the events and calls that are wanted.
    by: what the first frame of a stack is: its task, its CPU, or, with "function", the outermost function.
    off_cpu: whether stacks are those by which tasks were switched out, weighted by the time until they were switched in.
    table: of which table the rows are: `calls`, or an event by its name; None: all events, with their texts.
    title: of a picture; None: what the trace says of itself.
    notes: is extended by a line for each thing that the format cannot hold.
    """

    selection: Selection = field(default_factory=Selection)
    by: By = "task"
    off_cpu: bool = False
    table: str | None = None
    title: str | None = None
    notes: list[str] = field(default_factory=list)
