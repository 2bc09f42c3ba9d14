# SPDX-License-Identifier: GPL-2.0-only
"""Translates file system operations, by paths and file numbers, to the nodes and handles that the guest also uses."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from emu.ftrace.tracefs import TraceFS
from emu.kernel.files.node import Attributes, Directory, Handle, OpenFlags, Readiness, WouldBlock

__all__ = ["MountedTree"]

_ACCESS = {
    os.O_RDONLY: OpenFlags.READ,
    os.O_WRONLY: OpenFlags.WRITE,
    os.O_RDWR: OpenFlags.READ | OpenFlags.WRITE,
}


class _Opened(NamedTuple):
    path: str
    handle: Handle


class MountedTree:
    """A tree of a machine that stands still during a method. Operations that change something run it until that is complete.

    Args:
        tracefs: the tree.
        settle: runs the machine until nothing is under way.

    Raises, from any method:
        OSError: for the requester.
        GuestPanic, LimitReached, PoweredOff: as Machine.settle.
    """

    def __init__(self, tracefs: TraceFS, settle: Callable[[], None]) -> None:
        self._tracefs = tracefs
        self._settle = settle
        self._opened: dict[int, _Opened] = {}
        self._last = 0

    @contextmanager
    def _changing(self, path: str) -> Iterator[None]:
        self._settle()  # completes what the guest has started
        with self._tracefs.changing(path):
            yield

    def attributes(self, path: str) -> Attributes:
        return self._tracefs.node(path).attributes()

    def set_mode(self, path: str, mode: int) -> None:
        self._tracefs.node(path).set_attributes(mode, None, None)

    def entries(self, path: str) -> list[tuple[str, int]]:
        """Names, and the nodes' types as in st_mode."""
        return [(name, node.kind) for name, node in self._tracefs.directory(path).entries()]

    def make_directory(self, path: str, mode: int) -> None:
        with self._changing(path):
            self._parent(path).mkdir(os.path.basename(path), mode)

    def remove_directory(self, path: str) -> None:
        with self._changing(path):
            self._parent(path).rmdir(os.path.basename(path))

    def create(self, path: str, mode: int) -> None:
        self._parent(path).create(os.path.basename(path), mode)

    def remove(self, path: str) -> None:
        self._parent(path).unlink(os.path.basename(path))

    def _parent(self, path: str) -> Directory:
        return self._tracefs.directory(os.path.dirname(path))

    # Open files

    def open(self, path: str, flags: int) -> int:
        """Opens a file with flags of open(2). Returns its number."""
        wanted = _ACCESS[flags & os.O_ACCMODE]
        if flags & os.O_TRUNC:
            wanted |= OpenFlags.TRUNCATE
        if flags & os.O_APPEND:
            wanted |= OpenFlags.APPEND
        with self._changing(path):
            handle = self._tracefs.node(path).open(wanted)
        self._last += 1
        self._opened[self._last] = _Opened(path, handle)
        return self._last

    def read(self, number: int, size: int, offset: int, *, wait: bool) -> bytes | WouldBlock:
        data = self._handle(number).read(offset, size)
        if isinstance(data, WouldBlock) and not wait:
            raise OSError(errno.EAGAIN, "nothing to read")
        return data

    def write(self, number: int, data: bytes, offset: int) -> int:
        path, handle = self._opened[number]
        with self._changing(path):
            return handle.write(offset, data)

    def ioctl(self, number: int, command: int) -> None:
        path, handle = self._opened[number]
        with self._changing(path):
            handle.ioctl(command)

    def poll(self, number: int) -> Readiness:
        return self._handle(number).poll()

    def is_open(self, number: int) -> bool:
        return number in self._opened

    def release(self, number: int) -> None:
        path, handle = self._opened.pop(number)
        with self._changing(path):
            handle.release()

    def release_all(self) -> None:
        """Releases everything that is still open, without running the machine."""
        while self._opened:
            _, (_, handle) = self._opened.popitem()
            handle.release()

    def _handle(self, number: int) -> Handle:
        return self._opened[number].handle
