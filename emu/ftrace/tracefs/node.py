# SPDX-License-Identifier: GPL-2.0-only
"""Nodes of the tracefs tree and the handles that open() gives, as every front end sees them.

Nothing here waits: a read that has nothing to give returns a WouldBlock, and whoever serves the reader waits.
"""

from __future__ import annotations

import enum
import errno
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping

from emu.ftrace.errors import TraceError

__all__ = ["Directory", "File", "Handle", "HandleFile", "Node", "OpenFlags", "Poll", "StaticDirectory", "WouldBlock"]


class OpenFlags(enum.Flag):
    """What a file is opened for. A front end translates its own architecture's O_ constants to these."""

    READ = enum.auto()
    WRITE = enum.auto()
    APPEND = enum.auto()
    TRUNCATE = enum.auto()


class Poll(enum.Flag):
    """What would not block now."""

    READABLE = enum.auto()
    WRITABLE = enum.auto()


class WouldBlock:
    """There is nothing to read yet: a reader that wants to wait says so (`Handle.await_change`), and tries again."""


class Handle:
    """An open file. The front end keeps the position of its reader and says it with each read.

    Raises, from any method:
        TraceError: with the errno for the reader or writer. A write that raises has changed nothing.
    """

    stream: bool = False  # it has no position: nobody can seek in it

    def __init__(self, flags: OpenFlags) -> None:
        self.flags = flags

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        """Up to `size` bytes from `offset`; b"" at the end."""
        self._require(OpenFlags.READ)
        raise TraceError(errno.EINVAL, "this file cannot be read")

    def write(self, data: bytes) -> int:
        """Takes some of `data`, and returns how many bytes."""
        self._require(OpenFlags.WRITE)
        raise TraceError(errno.EINVAL, "this file cannot be written")

    def poll(self) -> Poll:
        return Poll.READABLE | Poll.WRITABLE

    def await_change(self) -> None:
        """Somebody waits until there is something to read: the guest is told when it is time to look again."""

    def release(self) -> None:
        """The last user of the handle has closed it. Some files act only now."""

    def _require(self, flag: OpenFlags) -> None:
        if not self.flags & flag:
            raise TraceError(errno.EBADF, f"not open to {'read' if flag is OpenFlags.READ else 'write'}")


class Node(ABC):
    """A name in a directory."""

    mode: int  # type and permissions, as in st_mode

    @abstractmethod
    def open(self, flags: OpenFlags) -> Handle: ...


class File(Node):
    """A node whose open() gives a handle on something."""

    def __init__(self, permissions: int) -> None:
        self.mode = 0o100000 | permissions


class HandleFile(File):
    """A file that is all in its handles; `make` makes one for each open()."""

    def __init__(self, permissions: int, make: Callable[[OpenFlags], Handle]) -> None:
        super().__init__(permissions)
        self._make = make

    def open(self, flags: OpenFlags) -> Handle:
        return self._make(flags)


class Directory(Node):
    """A node that holds others. By default nobody may add to it."""

    def __init__(self) -> None:
        self.mode = 0o040750

    def open(self, flags: OpenFlags) -> Handle:
        raise TraceError(errno.EISDIR, "is a directory")

    @abstractmethod
    def lookup(self, name: str) -> Node:
        """Raises TraceError, ENOENT, when there is none of this name."""

    @abstractmethod
    def listdir(self) -> Iterator[str]: ...

    def mkdir(self, name: str) -> None:
        raise TraceError(errno.EPERM, "directories cannot be made here")

    def rmdir(self, name: str) -> None:
        raise TraceError(errno.EPERM, "directories cannot be removed here")


class StaticDirectory(Directory):
    """A directory whose entries never change."""

    def __init__(self, entries: Mapping[str, Node]) -> None:
        super().__init__()
        self._entries = dict(sorted(entries.items()))

    def lookup(self, name: str) -> Node:
        try:
            return self._entries[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no '{name}' here") from None

    def listdir(self) -> Iterator[str]:
        return iter(self._entries)
