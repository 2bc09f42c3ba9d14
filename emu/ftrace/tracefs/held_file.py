# SPDX-License-Identifier: GPL-2.0-only
"""Files of an instance: while one is open, the instance cannot be removed."""

from __future__ import annotations

import stat

from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.node import File
from emu.kernel.files.node import Handle, Node, OpenFlags, Readiness, WouldBlock

__all__ = ["HeldFile"]


class HeldFile(File):
    def __init__(self, file: Node, array: TraceArray) -> None:
        super().__init__(stat.S_IMODE(file.attributes().mode))
        self._file = file
        self._array = array

    def open(self, flags: OpenFlags) -> Handle:
        return HeldHandle(self._file.open(flags), self._array)


class HeldHandle(Handle):
    def __init__(self, handle: Handle, array: TraceArray) -> None:
        super().__init__(handle.flags)
        self._handle: Handle = handle
        self.stream = handle.stream
        self._array: TraceArray | None = array
        array.users += 1

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        return self._handle.read(offset, size)

    def write(self, offset: int, data: bytes) -> int:
        return self._handle.write(offset, data)

    def poll(self) -> Readiness:
        return self._handle.poll()

    def await_change(self) -> None:
        self._handle.await_change()

    def release(self) -> None:
        if self._array is not None:
            self._array.users -= 1
            self._array = None
        self._handle.release()
