# SPDX-License-Identifier: GPL-2.0-only
"""The text of the branch tracer: `[  ok  ] schedule:core.c:301`, and `[ MISS ]` where the annotation was wrong."""

from __future__ import annotations

import numpy as np

from emu.ftrace.buffers.entries import BRANCH
from emu.ftrace.text.columns import Column
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["BRANCH_HEADER", "branch_text"]

BRANCH_HEADER = """\
#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE
#              | |       |          |         |       |
"""


def branch_text(view: TraceView, rows: Rows) -> Column:
    entries = rows.entries(BRANCH)
    fields = (entries[name].tolist() for name in ("correct", "func", "file", "line"))
    lines = [
        f"[{'  ok  ' if correct else ' MISS '}] {_text(function)}:{_text(file)}:{line}\n"
        for correct, function, file, line in zip(*fields, strict=True)
    ]
    return np.array(lines, np.object_)


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode(errors="replace")
