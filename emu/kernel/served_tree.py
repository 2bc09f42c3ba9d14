# SPDX-License-Identifier: GPL-2.0-only
"""What a tree of files must be able to do so that the file server can serve it to the guest."""

from __future__ import annotations

import enum
import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

__all__ = ["Attributes", "Blocked", "Entry", "OpenFlags", "Readiness", "ServedHandle", "ServedTree", "Tree"]

Node = TypeVar("Node")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Attributes:
    """What is known of a node. `node` stands for it in later requests; `mode` has its type and permissions.

    A node without a time of its own has been there since the guest first saw it.
    """

    node: int
    ino: int
    mode: int
    size: int = 0
    nlink: int = 1
    mtime_ns: int | None = None


@dataclass(frozen=True)
class Entry:
    """A name in a directory; `mode` tells its type."""

    name: bytes
    ino: int
    mode: int


class OpenFlags(enum.Flag):
    """What a node is opened for."""

    READ = enum.auto()
    WRITE = enum.auto()
    APPEND = enum.auto()
    TRUNCATE = enum.auto()


class Readiness(enum.Flag):
    """What would not wait now."""

    NOTHING = 0
    READABLE = enum.auto()
    WRITABLE = enum.auto()


@dataclass(frozen=True)
class Blocked(Generic[Result]):
    """An operation that has no result yet.

    `again` gives the result, or another Blocked. Until it does the operation can be given up, unless it has `begun`.
    """

    again: Callable[[], Result | Blocked[Result]]
    begun: bool = False


class ServedHandle(Protocol):
    """An open node. Any method but `poll` may raise OSError, with the errno for the guest."""

    @property
    def stream(self) -> bool:
        """Whether it has no position, so that nobody can seek in it."""

    def read(self, offset: int, size: int) -> bytes | Blocked[bytes]:
        """At most `size` bytes; b"" at the end."""

    def write(self, offset: int, data: bytes) -> int | Blocked[int]:
        """How many bytes were taken."""

    def entries(self) -> Sequence[Entry]:
        """What is in a directory, without `.` and `..`, in an order that does not depend on chance."""

    def poll(self) -> Readiness: ...

    def release(self) -> Blocked[None] | None: ...


class ServedTree(Protocol):
    """A tree of nodes, which it numbers itself. Any method may raise OSError, with the errno for the guest.

    Names are single components, never empty, `.` or `..`.
    """

    read_only: bool

    def root(self) -> Attributes: ...

    def lookup(self, directory: int, name: bytes) -> Attributes: ...

    def attributes(self, node: int) -> Attributes: ...

    def set_attributes(self, node: int, mode: int | None, size: int | None, mtime_ns: int | None) -> Attributes: ...

    def open(self, node: int, flags: OpenFlags) -> ServedHandle: ...

    def readlink(self, node: int) -> bytes: ...

    def create(self, directory: int, name: bytes, mode: int) -> Attributes: ...

    def mkdir(self, directory: int, name: bytes, mode: int) -> Attributes | Blocked[Attributes]: ...

    def symlink(self, directory: int, name: bytes, text: bytes) -> Attributes: ...

    def link(self, directory: int, name: bytes, node: int) -> Attributes: ...

    def unlink(self, directory: int, name: bytes) -> None: ...

    def rmdir(self, directory: int, name: bytes) -> Blocked[None] | None: ...

    def rename(self, directory: int, name: bytes, new_directory: int, new_name: bytes) -> None: ...


class Tree:
    """A tree in which nothing can be changed, to be extended. As Linux has it: what cannot be created is a matter of access,
    what cannot be done otherwise one of permission."""

    read_only = False

    def create(self, directory: int, name: bytes, mode: int) -> Attributes:
        raise OSError(errno.EACCES, "files cannot be made here")

    def readlink(self, node: int) -> bytes:
        raise OSError(errno.EINVAL, "not a symbolic link")

    def mkdir(self, directory: int, name: bytes, mode: int) -> Attributes | Blocked[Attributes]:
        raise OSError(errno.EPERM, "directories cannot be made here")

    def symlink(self, directory: int, name: bytes, text: bytes) -> Attributes:
        raise OSError(errno.EPERM, "links cannot be made here")

    def link(self, directory: int, name: bytes, node: int) -> Attributes:
        raise OSError(errno.EPERM, "links cannot be made here")

    def unlink(self, directory: int, name: bytes) -> None:
        raise OSError(errno.EPERM, "files cannot be removed here")

    def rmdir(self, directory: int, name: bytes) -> Blocked[None] | None:
        raise OSError(errno.EPERM, "directories cannot be removed here")

    def rename(self, directory: int, name: bytes, new_directory: int, new_name: bytes) -> None:
        raise OSError(errno.EPERM, "files cannot be renamed here")
