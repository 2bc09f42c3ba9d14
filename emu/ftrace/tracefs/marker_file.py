# SPDX-License-Identifier: GPL-2.0-only
"""trace_marker and trace_marker_raw: each write becomes an event in the guest's trace."""

from __future__ import annotations

import errno

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["MarkerHandle", "RawMarkerHandle"]

LONGEST_MARKER = 1024  # bytes in one event; a longer write is split
LONGEST_RAW_WRITE = 3072
SHORTEST_RAW_WRITE = 4  # the event's number
TEXT_ROOM = len("<faulted>")  # Linux records this instead of an unreadable text, so every event has room for it
RAW_ROOM = SHORTEST_RAW_WRITE + TEXT_ROOM


class MarkerHandle(Handle):
    """An open trace_marker, write-only. The events have the time of the write."""

    stream = True

    def __init__(self, flags: OpenFlags, trace_array: TraceArray) -> None:
        super().__init__(flags)
        self._trace_array = trace_array

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if not self._trace_array.options["markers"]:
            raise TraceError(errno.EINVAL, "option 'markers' is off")
        data = self._piece(data)
        if data and not self._record(data):
            raise TraceError(errno.EBADF, "nothing is being recorded (tracing_on is 0, this CPU is masked, or a reader pauses)")
        return len(data)

    def _piece(self, data: bytes) -> bytes:
        """The first part of the data, as much as fits into one event."""
        return data[:LONGEST_MARKER]

    def _record(self, data: bytes) -> bool:
        newline = None if data.endswith(b"\n") else len(data)
        text = data if newline is None else data + b"\n"
        room = max(len(data), TEXT_ROOM) + len("\n\0")
        return self._trace_array.recorder.host_events.write_marker(text.ljust(room, b"\0"), newline)


class RawMarkerHandle(MarkerHandle):
    """An open trace_marker_raw. The first four bytes are a number that says what the others mean."""

    def _piece(self, data: bytes) -> bytes:
        if not SHORTEST_RAW_WRITE <= len(data) <= LONGEST_RAW_WRITE:
            why = f"{len(data)} bytes: an event is made of {SHORTEST_RAW_WRITE} to {LONGEST_RAW_WRITE}"
            raise TraceError(errno.EINVAL, why)
        return super()._piece(data)

    def _record(self, data: bytes) -> bool:
        # Linux counts the number's size twice.
        return self._trace_array.recorder.host_events.write_raw(data.ljust(max(len(data), RAW_ROOM) + SHORTEST_RAW_WRITE, b"\0"))
