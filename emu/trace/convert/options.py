# SPDX-License-Identifier: GPL-2.0-only
"""What part of a trace is converted, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from emu.trace.selection import Selection

__all__ = ["By", "CannotConvert", "ConvertOptions"]

By = Literal["task", "cpu", "function"]


class CannotConvert(ValueError):
    """The trace has nothing for the format, or an option does not apply. The message is one line."""


@dataclass(frozen=True)
class ConvertOptions:
    """Attributes:
    selection: the selected events and calls.
    by: the first frame of a stack: its task, its CPU, or, with "function", the outermost function.
    off_cpu: whether to use the stack traces of switches, weighted by the time until the task was switched in.
    table: the table with the rows: `calls`, or the name of an event; None: all events, with their texts.
    title: a picture's title; None: made from the trace.
    notes: a line is added for everything that the format cannot represent.
    """

    selection: Selection = field(default_factory=Selection)
    by: By = "task"
    off_cpu: bool = False
    table: str | None = None
    title: str | None = None
    notes: list[str] = field(default_factory=list)
