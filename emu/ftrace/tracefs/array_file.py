# SPDX-License-Identifier: GPL-2.0-only
"""Files of a trace array. While one is open, the instance cannot be removed; errors of a file are reported in error_log."""

from __future__ import annotations

import stat

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.tracefs.node import File, StaticDirectory
from emu.kernel.files.node import Directory, Handle, Node, OpenFlags, Readiness, WouldBlock

__all__ = ["ArrayFile", "of_array"]


def of_array(directory: StaticDirectory, array: TraceArray) -> StaticDirectory:
    """A copy of a directory with ArrayFiles, also in static subdirectories. Other directories make their own."""

    def wrapped(node: Node) -> Node:
        match node:
            case StaticDirectory():
                return of_array(node, array)
            case Directory():
                return node
        return ArrayFile(node, array)

    listed, unlisted = (
        {name: wrapped(node) for name, node in nodes} for nodes in (directory.entries(), directory.unlisted.items())
    )
    return StaticDirectory(listed, unlisted)


class ArrayFile(File):
    """Wraps `file` with what all files of an array have in common."""

    def __init__(self, file: Node, array: TraceArray) -> None:
        super().__init__(stat.S_IMODE(file.attributes().mode))
        self._file = file
        self._array = array

    def open(self, flags: OpenFlags) -> Handle:
        return ArrayHandle(self._file.open(flags), self._array)


class ArrayHandle(Handle):
    def __init__(self, handle: Handle, array: TraceArray) -> None:
        super().__init__(handle.flags)
        self._handle: Handle = handle
        self.stream = handle.stream
        self._array = array
        self._is_open = True
        array.users += 1

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        return self._handle.read(offset, size)

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes | WouldBlock:
        return self._handle.splice(offset, size, waited=waited)

    def ioctl(self, command: int) -> int:
        return self._handle.ioctl(command)

    def write(self, offset: int, data: bytes) -> int:
        with self._array.error_log.noting():
            return self._handle.write(offset, data)

    def poll(self) -> Readiness:
        return self._handle.poll()

    def await_change(self, *, again: bool) -> None:
        self._handle.await_change(again=again)

    def await_readiness(self, *, again: bool) -> None:
        self._handle.await_readiness(again=again)

    def release(self) -> None:
        if self._is_open:
            self._array.users -= 1
            self._is_open = False
        self._handle.release()
