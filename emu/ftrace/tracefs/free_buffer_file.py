# SPDX-License-Identifier: GPL-2.0-only
"""free_buffer: closing it shrinks the ring buffers, also when a process ends with it open."""

from __future__ import annotations

from emu.ftrace.arrays.trace_array import TraceArray
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["FreeBufferHandle"]


class FreeBufferHandle(Handle):
    """An open free_buffer. Writes are ignored."""

    stream = True

    def __init__(self, flags: OpenFlags, trace_array: TraceArray) -> None:
        super().__init__(flags)
        self._trace_array = trace_array

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        return len(data)

    def release(self) -> None:
        self._trace_array.buffer_size.free()
