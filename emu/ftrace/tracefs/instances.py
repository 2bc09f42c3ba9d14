# SPDX-License-Identifier: GPL-2.0-only
"""instances/: making a directory in it makes a trace array with buffers and files of its own."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator

from emu.ftrace.errors import TraceError
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.node import Directory, File, Handle, Node, OpenFlags, Poll, StaticDirectory, WouldBlock

__all__ = ["InstancesDirectory"]


class InstancesDirectory(Directory):
    """The instances of the top array.

    Args:
        top: that.
        build: makes the tree of an instance.
    """

    def __init__(self, top: TraceArray, build: Callable[[TraceArray], StaticDirectory]) -> None:
        super().__init__()
        self._top = top
        self._build = build
        self._trees: dict[str, Node] = {}

    def lookup(self, name: str) -> Node:
        try:
            return self._trees[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'") from None

    def listdir(self) -> Iterator[str]:
        return iter(sorted(self._trees))

    def mkdir(self, name: str) -> None:
        self._top.make_instance(name)
        array = self._top.instances[name]
        self._trees[name] = _held(self._build(array), array)

    def rmdir(self, name: str) -> None:
        self._top.remove_instance(name)
        del self._trees[name]


def _held(node: Node, array: TraceArray) -> Node:
    """The node, such that its instance stays as long as it is open, or one in it."""
    if not isinstance(node, Directory):
        return HeldFile(node, array)
    directory = StaticDirectory({name: _held(node.lookup(name), array) for name in node.listdir()})
    directory.mode = node.mode
    return directory


class HeldFile(File):
    def __init__(self, file: Node, array: TraceArray) -> None:
        super().__init__(file.mode)
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

    def write(self, data: bytes) -> int:
        return self._handle.write(data)

    def poll(self) -> Poll:
        return self._handle.poll()

    def await_change(self) -> None:
        self._handle.await_change()

    def release(self) -> None:
        if self._array is not None:
            self._array.users -= 1
            self._array = None
        self._handle.release()
