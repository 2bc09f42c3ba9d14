# SPDX-License-Identifier: GPL-2.0-only
"""A host folder as a tree for the guest, which is not to be trusted: nothing outside the folder can be reached.

A node is a name in a node. It is found by opening one component after another below the folder, as a path that cannot be read or
written (O_PATH) and never through a symbolic link; what is found must still be what it was when the guest looked it up. What
is then read or written is the very file that was found, whatever has happened to its names meanwhile, and it is a regular file:
devices, FIFOs and sockets can be seen, but not opened.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from emu.kernel.served_tree import Attributes, Entry, OpenFlags, Readiness

__all__ = ["Share", "ShareTree"]

_MOST_HANDLES = 256  # the host process has only so many descriptors
_LARGEST = (1 << 63) - 1
_PERMISSIONS = 0o777  # a guest makes nothing setuid on its host
_PATH = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Share:
    """A host folder that the guest finds at `guest`; None: at /mnt and the folder's name."""

    directory: Path
    guest: str | None = None
    writable: bool = False

    @classmethod
    def parse(cls, text: str) -> Share:
        """`DIR[:GUESTDIR][:rw]`.

        >>> Share.parse("src:/usr/src:rw")
        Share(directory=PosixPath('src'), guest='/usr/src', writable=True)

        Raises:
            ValueError: there is no DIR.
        """
        *words, mode = text.split(":") if text.endswith((":rw", ":ro")) else (*text.split(":"), "")
        guest = words.pop() if len(words) > 1 and words[-1].startswith("/") else None
        directory = ":".join(words)
        if not directory:
            raise ValueError(f"cannot share '{text}': it names no folder")
        return cls(Path(directory), guest, mode == "rw")

    @property
    def mount_point(self) -> str:
        """Where the guest finds it."""
        return self.guest or f"/mnt/{self.directory.resolve().name or 'host'}"


@dataclass(eq=False)
class _Node:
    number: int
    parent: _Node | None
    name: bytes
    identity: tuple[int, int]  # the host's device and inode number
    children: dict[bytes, _Node] = field(default_factory=dict)


class ShareTree:
    """The tree of a host folder. Nodes are numbered in the order in which they are seen; owners and other times than that of
    the last change are the host's own business.

    Raises:
        OSError: the folder is none, or cannot be opened.
    """

    def __init__(self, share: Share) -> None:
        self.read_only = not share.writable
        self._root_fd = os.open(share.directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        found = os.fstat(self._root_fd)
        self._root = _Node(1, None, b"", (found.st_dev, found.st_ino))
        self._nodes = {1: self._root}
        self._last = 1
        self.handles = 0

    def close(self) -> None:
        """The tree cannot be used afterwards."""
        os.close(self._root_fd)

    # What changes nothing

    def root(self) -> Attributes:
        return _attributes(self._root, os.fstat(self._root_fd))

    def lookup(self, directory: int, name: bytes) -> Attributes:
        parent = self._node(directory)
        with self._opened(parent) as fd:
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
        return _attributes(self._child(parent, name, found), found)

    def attributes(self, node: int) -> Attributes:
        found = self._node(node)
        with self._opened(found) as fd:
            return _attributes(found, os.fstat(fd))

    def readlink(self, node: int) -> bytes:
        with self._opened(self._node(node)) as fd:
            return os.readlink(b"", dir_fd=fd)

    def open(self, node: int, flags: OpenFlags) -> ShareFile | ShareDirectory:
        """Truncation is a matter of `set_attributes`."""
        found = self._node(node)
        with self._opened(found) as fd:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                return ShareDirectory(self, found)
            if self.handles >= _MOST_HANDLES:
                raise OSError(errno.ENFILE, "too many files are open")
            if OpenFlags.WRITE in flags:
                self._must_be_writable()
                mode = os.O_RDWR if OpenFlags.READ in flags else os.O_WRONLY
                file = ShareFile(self, _reopen(fd, mode | (os.O_APPEND if OpenFlags.APPEND in flags else 0)))
            else:
                file = ShareFile(self, _reopen(fd, os.O_RDONLY))
        self.handles += 1
        return file

    def entries(self, directory: _Node) -> Sequence[Entry]:
        """What is in a directory, by name."""
        found = []
        with self._opened(directory) as fd:
            listing = os.open(b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=fd)
            try:
                for name in sorted(map(os.fsencode, os.listdir(listing))):
                    try:
                        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    found.append(Entry(name, self._child(directory, name, status).number, status.st_mode))
            finally:
                os.close(listing)
        return found

    # What changes something

    def set_attributes(self, node: int, mode: int | None, size: int | None, mtime_ns: int | None) -> Attributes:
        self._must_be_writable()
        found = self._node(node)
        with self._opened(found) as fd:
            kind = os.fstat(fd).st_mode
            if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
                raise OSError(errno.EOPNOTSUPP, "not a file or a directory")
            if size is not None:
                if size > _LARGEST:
                    raise OSError(errno.EFBIG, "too large")
                file = _reopen(fd, os.O_WRONLY)
                try:
                    os.ftruncate(file, size)
                finally:
                    os.close(file)
            if mode is not None:
                os.chmod(_magic_link(fd), mode & _PERMISSIONS)
            if mtime_ns is not None:
                if abs(mtime_ns) > _LARGEST:
                    raise OSError(errno.EINVAL, "no such time")
                os.utime(_magic_link(fd), ns=(mtime_ns, mtime_ns))
            return _attributes(found, os.fstat(fd))

    def create(self, directory: int, name: bytes, mode: int) -> Attributes:
        def make(fd: int) -> None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(name, flags, mode & _PERMISSIONS, dir_fd=fd))

        return self._made(directory, name, make)

    def mkdir(self, directory: int, name: bytes, mode: int) -> Attributes:
        return self._made(directory, name, lambda fd: os.mkdir(name, mode & _PERMISSIONS, dir_fd=fd))

    def symlink(self, directory: int, name: bytes, text: bytes) -> Attributes:
        """Nothing here follows it; the guest does, in its own tree."""
        return self._made(directory, name, lambda fd: os.symlink(text, name, dir_fd=fd))

    def link(self, directory: int, name: bytes, node: int) -> Attributes:
        existing = self._node(node)
        if existing.parent is None:
            raise OSError(errno.EPERM, "a directory")
        with self._opened(existing.parent) as source:
            old = existing.name
            return self._made(
                directory, name, lambda fd: os.link(old, name, src_dir_fd=source, dst_dir_fd=fd, follow_symlinks=False)
            )

    def unlink(self, directory: int, name: bytes) -> None:
        self._must_be_writable()
        parent = self._node(directory)
        with self._opened(parent) as fd:
            os.unlink(name, dir_fd=fd)
        self._forget(parent, name)

    def rmdir(self, directory: int, name: bytes) -> None:
        self._must_be_writable()
        parent = self._node(directory)
        with self._opened(parent) as fd:
            os.rmdir(name, dir_fd=fd)
        self._forget(parent, name)

    def rename(self, directory: int, name: bytes, new_directory: int, new_name: bytes) -> None:
        self._must_be_writable()
        old, new = self._node(directory), self._node(new_directory)
        with self._opened(old) as source, self._opened(new) as target:
            os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
        if (old, name) == (new, new_name):
            return
        self._forget(new, new_name)
        moved = old.children.pop(name, None)
        if moved is not None:
            moved.parent, moved.name = new, new_name
            new.children[new_name] = moved

    # Nodes

    def _node(self, number: int) -> _Node:
        try:
            return self._nodes[number]
        except KeyError:
            raise OSError(errno.ESTALE, "removed") from None

    def _child(self, parent: _Node, name: bytes, found: os.stat_result) -> _Node:
        """The node of a name, a new one if something else had that name."""
        identity = (found.st_dev, found.st_ino)
        child = parent.children.get(name)
        if child is not None and child.identity == identity:
            return child
        self._forget(parent, name)
        self._last += 1
        child = _Node(self._last, parent, name, identity)
        self._nodes[child.number] = parent.children[name] = child
        return child

    def _forget(self, parent: _Node, name: bytes) -> None:
        """Nothing has that name any more: it and all below it are stale. What is open stays so."""
        child = parent.children.pop(name, None)
        gone = [child] if child is not None else []
        while gone:
            node = gone.pop()
            del self._nodes[node.number]
            gone += node.children.values()

    def _made(self, directory: int, name: bytes, make: Callable[[int], object]) -> Attributes:
        """What `make` has made under that name."""
        self._must_be_writable()
        parent = self._node(directory)
        with self._opened(parent) as fd:
            make(fd)
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
        return _attributes(self._child(parent, name, found), found)

    def _must_be_writable(self) -> None:
        if self.read_only:
            raise OSError(errno.EROFS, "shared to be read")

    @contextmanager
    def _opened(self, node: _Node) -> Iterator[int]:
        """An O_PATH descriptor of a node. It need not be a directory; all that it is in must be.

        Raises:
            OSError: ESTALE, when something else is found under its name; ENOENT, ENOTDIR.
        """
        chain: list[_Node] = []
        at: _Node | None = node
        while at is not None:
            chain.append(at)
            at = at.parent
        fd = os.dup(self._root_fd)
        try:
            for step in chain[-2::-1]:
                following = os.open(step.name, _PATH, dir_fd=fd)
                os.close(fd)
                fd = following
                status = os.fstat(fd)
                if (status.st_dev, status.st_ino) != step.identity:
                    raise OSError(errno.ESTALE, "something else has its name")
            yield fd
        finally:
            os.close(fd)


class ShareDirectory:
    """A directory that the guest lists. It holds no descriptor."""

    stream = False

    def __init__(self, tree: ShareTree, node: _Node) -> None:
        self._tree = tree
        self._node = node

    def read(self, offset: int, size: int) -> bytes:
        raise OSError(errno.EISDIR, "is a directory")

    def write(self, offset: int, data: bytes) -> int:
        raise OSError(errno.EISDIR, "is a directory")

    def entries(self) -> Sequence[Entry]:
        return self._tree.entries(self._node)

    def poll(self) -> Readiness:
        return Readiness.READABLE | Readiness.WRITABLE

    def release(self) -> None:
        pass


class ShareFile:
    """A regular file that the guest has open."""

    stream = False

    def __init__(self, tree: ShareTree, fd: int) -> None:
        self._tree = tree
        self._fd = fd

    def read(self, offset: int, size: int) -> bytes:
        return b"" if offset > _LARGEST - size else os.pread(self._fd, size, offset)

    def write(self, offset: int, data: bytes) -> int:
        """Where to does not matter to a file that is open to append."""
        if offset > _LARGEST - len(data):
            raise OSError(errno.EFBIG, "too large")
        return os.pwrite(self._fd, data, offset)

    def entries(self) -> Sequence[Entry]:
        raise OSError(errno.ENOTDIR, "is no directory")

    def poll(self) -> Readiness:
        return Readiness.READABLE | Readiness.WRITABLE

    def release(self) -> None:
        self._tree.handles -= 1
        os.close(self._fd)


def _magic_link(fd: int) -> str:
    """A path to the very file that a descriptor stands for."""
    return f"/proc/self/fd/{fd}"


def _reopen(fd: int, mode: int) -> int:
    """Opens what an O_PATH descriptor stands for, if it is a regular file. So opening never waits, and does nothing else."""
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise OSError(errno.ENXIO, "not a regular file")
    return os.open(_magic_link(fd), mode | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)


def _attributes(node: _Node, found: os.stat_result) -> Attributes:
    size = found.st_size if not stat.S_ISDIR(found.st_mode) else 4096
    mode = stat.S_IFMT(found.st_mode) | found.st_mode & _PERMISSIONS
    # How a file system counts the links of directories is its own business, too.
    links = 1 if stat.S_ISDIR(mode) else found.st_nlink
    return Attributes(node.number, node.number, mode, size, links, found.st_mtime_ns)
