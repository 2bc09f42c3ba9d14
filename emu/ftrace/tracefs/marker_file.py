# SPDX-License-Identifier: GPL-2.0-only
"""trace_marker: every write becomes one print event among the events of the guest."""

from __future__ import annotations

import errno

from emu.ftrace.errors import TraceError
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.node import File, Handle, OpenFlags

__all__ = ["MarkerFile"]

LONGEST_MARKER = 1024  # bytes in one event; a longer write is taken in pieces


class MarkerHandle(Handle):
    """Write-only; the events carry the time of the write."""

    def __init__(self, flags: OpenFlags, trace_array: TraceArray) -> None:
        super().__init__(flags)
        self._trace_array = trace_array

    def write(self, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if not self._trace_array.options["markers"]:
            raise TraceError(errno.EINVAL, "option 'markers' is off")
        piece = data[:LONGEST_MARKER]
        if piece and not self._trace_array.engine.write_marker(piece if piece.endswith(b"\n") else piece + b"\n"):
            raise TraceError(errno.EBADF, "nothing is being recorded (tracing_on is 0)")
        return len(piece)


class MarkerFile(File):
    def __init__(self, trace_array: TraceArray) -> None:
        super().__init__(0o220)
        self._trace_array = trace_array

    def open(self, flags: OpenFlags) -> Handle:
        return MarkerHandle(flags, self._trace_array)
