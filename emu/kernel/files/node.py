# SPDX-License-Identifier: GPL-2.0-only
"""Files and directories that the host serves to the guest, and the handles that opening them gives.

Nothing here waits: a read that has nothing to give returns a WouldBlock, and the file server has the reader wait.
"""

from __future__ import annotations

import enum
import errno
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Attributes", "Directory", "DirectoryHandle", "Handle", "LoggedError", "Node", "OpenFlags", "Readiness", "WouldBlock"]


@dataclass(frozen=True)
class Attributes:
    """What is known of a node: `mode` has its type and permissions, as st_mode.

    A node without a time of its own has been there since the guest first saw it.
    """

    mode: int
    size: int = 0
    nlink: int = 1
    mtime_ns: int | None = None


class OpenFlags(enum.Flag):
    """What a node is opened for."""

    READ = enum.auto()
    WRITE = enum.auto()
    APPEND = enum.auto()
    TRUNCATE = enum.auto()


class Readiness(enum.Flag):
    """What would not wait now."""

    READABLE = enum.auto()
    WRITABLE = enum.auto()


class WouldBlock:
    """There is nothing to read yet. A reader that wants to wait calls `Handle.await_change`, and tries again later."""


class LoggedError(OSError):
    """An error of which the guest kernel's log tells, too, when it happens for the first time.

    Attributes:
        log: the line.
    """

    log: str


class Handle:
    """An open node. It has no position: readers and writers give the offset each time.

    Raises, from any method but `poll`:
        OSError: with the errno for the reader or writer. A write that raises has changed nothing.
    """

    stream: bool = False  # the guest's file has no position: seeking fails

    def __init__(self, flags: OpenFlags) -> None:
        self.flags = flags

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        """At most `size` bytes from `offset`; b"" at the end."""
        self._require(OpenFlags.READ)
        raise OSError(errno.EINVAL, "this file cannot be read")

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes | WouldBlock:
        """The same for splice(), which not every file knows. `waited`: there was nothing when it was first asked."""
        self._require(OpenFlags.READ)
        raise OSError(errno.EINVAL, "this file cannot be spliced")

    def write(self, offset: int, data: bytes) -> int:
        """Takes some of `data`, and returns how many bytes."""
        self._require(OpenFlags.WRITE)
        raise OSError(errno.EINVAL, "this file cannot be written")

    def ioctl(self, command: int) -> int:
        """Obeys a command that has no argument, or whose argument does not matter."""
        raise OSError(errno.ENOTTY, "this file knows no commands")

    def poll(self) -> Readiness:
        return Readiness.READABLE | Readiness.WRITABLE

    def await_change(self, *, again: bool) -> None:
        """Notes that a reader waits for data: the guest is interrupted when there may be some.

        `again`: it has waited before, and was woken in vain. The interrupt may itself cause what the reader is told of next, so
        there must be some time before the next one: otherwise a CPU would do nothing else.
        """

    def await_readiness(self, *, again: bool) -> None:
        """Notes that somebody polls: the guest is interrupted when `poll` may say more. `again`: as for `await_change`."""
        self.await_change(again=again)

    def release(self) -> None:
        """The last user of the handle has closed it. Some files act only now."""

    def _require(self, flag: OpenFlags) -> None:
        if not self.flags & flag:
            raise OSError(errno.EBADF, f"not open to {'read' if flag is OpenFlags.READ else 'write'}")


class Node(ABC):
    """An entry of a directory. Its tree has one object for it as long as the entry exists.

    Raises, from any method:
        OSError: with the errno for whoever asked.

    Attributes:
        removed: the entry is gone; requests for the node fail with ENOENT.
    """

    removed = False

    @property
    @abstractmethod
    def kind(self) -> int:
        """Its type: the bits of st_mode that never change."""

    @abstractmethod
    def attributes(self) -> Attributes: ...

    @abstractmethod
    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        """Changes the attributes that are not None; of `mode` only the permissions."""

    @abstractmethod
    def open(self, flags: OpenFlags) -> Handle: ...

    def readlink(self) -> str:
        raise OSError(errno.EINVAL, "not a symbolic link")


class Directory(Node):
    """A node that holds others, by names that are never empty, `.` or `..`, and have no `/`.

    By default nothing can be changed. As in Linux, create() then raises EACCES, and every other change EPERM.
    """

    @property
    def kind(self) -> int:
        return stat.S_IFDIR

    def open(self, flags: OpenFlags) -> Handle:
        return DirectoryHandle(flags)

    @abstractmethod
    def lookup(self, name: str) -> Node:
        """The node of that name: the same object each time, as long as it exists."""

    @abstractmethod
    def entries(self) -> Iterable[tuple[str, Node]]:
        """Names and nodes, without `.` and `..`, in an order that is the same in every run."""

    def create(self, name: str, mode: int) -> Node:
        raise OSError(errno.EACCES, "files cannot be made here")

    def mkdir(self, name: str, mode: int) -> Node:
        raise OSError(errno.EPERM, "directories cannot be made here")

    def symlink(self, name: str, target: str) -> Node:
        raise OSError(errno.EPERM, "links cannot be made here")

    def link(self, name: str, node: Node) -> Node:
        raise OSError(errno.EPERM, "links cannot be made here")

    def unlink(self, name: str) -> None:
        raise OSError(errno.EPERM, "files cannot be removed here")

    def rmdir(self, name: str) -> None:
        raise OSError(errno.EPERM, "directories cannot be removed here")

    def rename(self, name: str, new_directory: Directory, new_name: str) -> None:
        """`new_directory` is of the same tree."""
        raise OSError(errno.EPERM, "files cannot be renamed here")


class DirectoryHandle(Handle):
    """An open directory: it is listed by its node."""

    def read(self, offset: int, size: int) -> bytes:
        raise OSError(errno.EISDIR, "is a directory")

    def write(self, offset: int, data: bytes) -> int:
        raise OSError(errno.EISDIR, "is a directory")
