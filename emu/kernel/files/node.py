# SPDX-License-Identifier: GPL-2.0-only
"""Files and directories that the host serves to the guest, and handles of open ones.

Nothing here blocks: a read without data returns a WouldBlock, and the file server makes the reader wait.
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
    """The attributes of a node. `mode` has its type and permissions, as in st_mode.

    A node without a time of its own gets the time when the guest first saw it.
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
    """The operations that would not block now."""

    READABLE = enum.auto()
    WRITABLE = enum.auto()


class WouldBlock:
    """There is nothing to read yet. A reader that wants to wait calls `Handle.await_change`, and tries again later."""


class LoggedError(OSError):
    """An error that is also reported in the guest kernel's log when it first happens.

    Attributes:
        log: the line.
    """

    log: str


class Handle:
    """An open node. It has no position: each read or write gives an offset.

    Raises, from any method but `poll`:
        OSError: with the errno for the guest. A write that raises has changed nothing.
    """

    stream: bool = False  # whether the guest's file has no position, so seeking fails

    def __init__(self, flags: OpenFlags) -> None:
        self.flags = flags

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        """Reads at most `size` bytes from `offset`; b"" at the end."""
        self._require(OpenFlags.READ)
        raise OSError(errno.EINVAL, "this file cannot be read")

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes | WouldBlock:
        """Reads for splice(), which not every file supports. `waited`: the reader found nothing before."""
        self._require(OpenFlags.READ)
        raise OSError(errno.EINVAL, "this file cannot be spliced")

    def write(self, offset: int, data: bytes) -> int:
        """Writes part of `data`. Returns the number of bytes."""
        self._require(OpenFlags.WRITE)
        raise OSError(errno.EINVAL, "this file cannot be written")

    def ioctl(self, command: int) -> int:
        """Obeys an ioctl without an argument, or whose argument is ignored."""
        raise OSError(errno.ENOTTY, "this file knows no commands")

    def poll(self) -> Readiness:
        return Readiness.READABLE | Readiness.WRITABLE

    def await_change(self, *, again: bool) -> None:
        """Notes that a reader waits for data. The guest is interrupted when there may be some.

        `again`: the reader has waited before and was woken in vain. The interrupt itself may cause the next data, so there must
        be a pause before the next interrupt: otherwise a CPU would do nothing else.
        """

    def await_readiness(self, *, again: bool) -> None:
        """Notes a poller. The guest is interrupted when `poll` may return more. `again`: as for `await_change`."""
        self.await_change(again=again)

    def release(self) -> None:
        """The last user of the handle has closed it. Some files act only now."""

    def _require(self, flag: OpenFlags) -> None:
        if not self.flags & flag:
            raise OSError(errno.EBADF, f"not open to {'read' if flag is OpenFlags.READ else 'write'}")


class Node(ABC):
    """An entry of a directory. Its tree keeps one object for it while the entry exists.

    Raises, from any method:
        OSError: with the errno for the guest.

    Attributes:
        removed: whether the entry is gone; requests for the node then fail with ENOENT.
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
    """A node with child nodes. Their names are never empty, `.` or `..`, and have no `/`.

    By default nothing can be changed. As in Linux, create() then raises EACCES, and every other change EPERM.
    """

    @property
    def kind(self) -> int:
        return stat.S_IFDIR

    def open(self, flags: OpenFlags) -> Handle:
        return DirectoryHandle(flags)

    @abstractmethod
    def lookup(self, name: str) -> Node:
        """The node with that name: the same object each time, while it exists."""

    @abstractmethod
    def entries(self) -> Iterable[tuple[str, Node]]:
        """Names and nodes, without `.` and `..`, in an order that is equal in every run."""

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
        """Renames an entry. `new_directory` is in the same tree."""
        raise OSError(errno.EPERM, "files cannot be renamed here")


class DirectoryHandle(Handle):
    """An open directory. Its node lists it."""

    def read(self, offset: int, size: int) -> bytes:
        raise OSError(errno.EISDIR, "is a directory")

    def write(self, offset: int, data: bytes) -> int:
        raise OSError(errno.EISDIR, "is a directory")
