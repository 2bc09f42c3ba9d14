# SPDX-License-Identifier: GPL-2.0-only
"""trace: the recorded events, or the worst latency's, without consuming them. Opening with O_TRUNC empties the buffer."""

from __future__ import annotations

from functools import partial

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.text import render_trace
from emu.ftrace.tracefs.text_file import TextHandle
from emu.kernel.files.node import OpenFlags

__all__ = ["TraceHandle"]


class TraceHandle(TextHandle):
    """An open `trace`. Writes are ignored. With pause-on-trace, nothing is recorded while it is open for reading.

    Args:
        cpu: the CPU whose events it shows; None: all.
    """

    def __init__(self, flags: OpenFlags, trace_array: TraceArray, cpu: int | None) -> None:
        super().__init__(flags, lambda: partial(render_trace, trace_array.trace_view(cpu)), lambda text: None)
        self._recorder = trace_array.recorder
        if OpenFlags.TRUNCATE in flags and OpenFlags.WRITE in flags:
            trace_array.clear_shown(cpu)
        self._pauses = OpenFlags.READ in flags and trace_array.options["pause-on-trace"]
        if self._pauses:
            self._recorder.pause()

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes:
        return self.read(offset, size)

    def release(self) -> None:
        if self._pauses:
            self._pauses = False
            self._recorder.resume()
