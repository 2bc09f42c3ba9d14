# SPDX-License-Identifier: GPL-2.0-only
"""instances/: making a directory in it makes a trace array with buffers and files of its own."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable

from emu.ftrace.errors import TraceError
from emu.ftrace.trace_array import TraceArray
from emu.ftrace.tracefs.node import File, StaticDirectory, TracefsDirectory
from emu.kernel.files.node import Handle, Node, OpenFlags, Readiness, WouldBlock

__all__ = ["InstancesDirectory"]


class InstancesDirectory(TracefsDirectory):
    """The instances of the top array.

    Args:
        top: the top array.
        build: makes the tree of an instance.
    """

    def __init__(self, top: TraceArray, build: Callable[[TraceArray], StaticDirectory]) -> None:
        super().__init__()
        self._top = top
        self._build = build
        self._trees: dict[str, StaticDirectory] = {}

    def lookup(self, name: str) -> Node:
        try:
            return self._trees[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'", (name, self._trees)) from None

    def entries(self) -> Iterable[tuple[str, Node]]:
        return sorted(self._trees.items())

    def mkdir(self, name: str, mode: int) -> Node:
        """Makes an instance. `mode` is ignored: every instance's directory has the same."""
        self._top.make_instance(name)
        array = self._top.instances[name]
        self._trees[name] = _held(self._build(array), array)
        return self._trees[name]

    def rmdir(self, name: str) -> None:
        self._top.remove_instance(name)
        self._trees.pop(name).remove()


def _held(directory: StaticDirectory, array: TraceArray) -> StaticDirectory:
    """Wraps a directory, so that its instance cannot be removed while a file below it is open."""
    return StaticDirectory(
        {
            name: _held(node, array) if isinstance(node, StaticDirectory) else HeldFile(node, array)
            for name, node in directory.entries()
        }
    )


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
