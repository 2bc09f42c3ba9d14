# SPDX-License-Identifier: GPL-2.0-only
"""snapshot: the events in the latest snapshot. Writing a number takes, clears or frees one."""

from __future__ import annotations

import errno
from functools import partial

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.numbers import parse_decimal
from emu.ftrace.text import render_trace
from emu.ftrace.text.header import tracer_line
from emu.ftrace.tracefs.text_file import Pieces, TextFile

__all__ = ["snapshot_file"]

_ALL_HELP = """\
# Snapshot commands:
# echo 0 > snapshot : Clears and frees snapshot buffer
# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.
#                      Takes a snapshot of the main buffer.
# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)
#                      (Doesn't have to be '2' works with any number that
#                       is not a '0' or '1')
"""
_CPU_HELP = """\
# Snapshot commands:
# echo 0 > snapshot : Invalid for per_cpu snapshot file.
# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.
#                      Takes a snapshot of the main buffer for this cpu.
# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)
#                      (Doesn't have to be '2' works with any number that
#                       is not a '0' or '1')
"""


def snapshot_file(trace_array: TraceArray, cpu: int | None) -> TextFile:
    """The file `snapshot` of one CPU, or of all."""

    def show() -> str | Pieces:
        view = trace_array.trace_view(cpu, spare=True)
        if view.entries:
            return partial(render_trace, view)
        state = "allocated" if trace_array.recorder.snapshot_allocated else "freed"
        return f"{tracer_line(view)}#\n# * Snapshot is {state} *\n#\n{_ALL_HELP if cpu is None else _CPU_HELP}"

    def store(text: str) -> None:
        match parse_decimal(text):
            case 0:
                if cpu is not None:
                    raise TraceError(errno.EINVAL, "the snapshot of one CPU alone cannot be freed")
                trace_array.snapshot.free()
            case 1:
                trace_array.snapshot.take(cpu)
            case _:
                trace_array.snapshot.clear(cpu)

    return TextFile(show, store)
