# SPDX-License-Identifier: GPL-2.0-only
"""A host folder as a tree for the guest. The guest is not trusted: it cannot reach anything outside the folder.

A node is a name in a directory. Its file is found by opening the components of its path one after another below the
folder (O_PATH), without following symbolic links. It must be the file that the guest looked up; otherwise the node is stale.
The file is then opened through its descriptor, so it is the same file even if its name has changed meanwhile. Only
regular files can be opened: the guest sees devices, FIFOs and sockets, but cannot open them.

The guest does not see owners, nor times other than the modification time.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from emu.cpu.journal import Journal, journalled
from emu.kernel.files.node import Attributes, Directory, Handle, Node, OpenFlags

__all__ = ["SharedFolder"]

_MOST_HANDLES = 256  # the host process has a limited number of descriptors
_LARGEST = (1 << 63) - 1
_PERMISSIONS = 0o777  # a guest cannot set setuid bits on its host
_DIRECTORY_SIZE = 4096
_PATH = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class SharedFolder:
    """An open folder of the host.

    Attributes:
        root: the folder as a directory for the guest.
        journal: what the guest has done here; None: nobody wants to know.
        opened: a line for each file that the guest has opened: its path in the folder, its size and its time.

    Raises:
        OSError: there is no such folder, or it cannot be opened.
    """

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        self.writable = writable
        self.descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self.root = SharedDirectory(self, None, "", os.fstat(self.descriptor))
        self.open_files = 0
        self.opened: set[str] = set()
        self.journal: Journal | None = None

    def close(self) -> None:
        """Closes the folder. Open files can still be used."""
        os.close(self.descriptor)

    def must_be_writable(self) -> None:
        if not self.writable:
            raise OSError(errno.EROFS, "shared to be read")


class SharedNode(Node):
    """A name in a shared folder. The node becomes stale when the name refers to another file.

    Args:
        folder: the shared folder.
        parent: the directory with the name; None for the folder itself.
        name: the name. It and `parent` change when the node is renamed.
        found: the result of stat() for the file.
    """

    def __init__(self, folder: SharedFolder, parent: SharedDirectory | None, name: str, found: os.stat_result) -> None:
        self._folder = folder
        self._parent = parent
        self._name = name
        self._identity = _identity(found)

    @property
    def kind(self) -> int:
        return self._identity[2]

    @property
    def folder(self) -> SharedFolder:
        """The folder that is shared."""
        return self._folder

    @journalled
    def attributes(self) -> Attributes:
        with self._opened() as fd:
            found = os.fstat(fd)
        is_directory = stat.S_ISDIR(found.st_mode)
        size = _DIRECTORY_SIZE if is_directory else found.st_size
        # File systems count a directory's links in different ways.
        links = 1 if is_directory else found.st_nlink
        return Attributes(self.kind | found.st_mode & _PERMISSIONS, size, links, found.st_mtime_ns)

    @journalled
    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        self._folder.must_be_writable()
        if self.kind not in (stat.S_IFREG, stat.S_IFDIR):
            raise OSError(errno.EOPNOTSUPP, "not a file or a directory")
        with self._opened() as fd:
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

    @journalled
    def readlink(self) -> str:
        with self._opened() as fd:
            return os.readlink("", dir_fd=fd)

    @journalled
    def open(self, flags: OpenFlags) -> Handle:
        """Opens the file without truncating it: `set_attributes` does that."""
        if self._folder.open_files >= _MOST_HANDLES:
            raise OSError(errno.ENFILE, "too many files are open")
        mode = os.O_RDONLY
        if OpenFlags.WRITE in flags:
            self._folder.must_be_writable()
            mode = os.O_RDWR if OpenFlags.READ in flags else os.O_WRONLY
            if OpenFlags.APPEND in flags:
                mode |= os.O_APPEND
        with self._opened() as fd:
            handle = SharedHandle(flags, self._folder, _reopen(fd, mode))
            found = os.fstat(fd)
        self._folder.opened.add(f"{self._path} {found.st_size} {found.st_mtime_ns}")
        return handle

    @property
    def _path(self) -> str:
        """Its path in the folder."""
        return self._name if self._parent is None else f"{self._parent._path}/{self._name}"

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """An O_PATH descriptor of the node, closed at the end.

        Raises:
            OSError: ESTALE if its name refers to another file now; ENOENT, ENOTDIR.
        """
        chain: list[SharedNode] = []
        at: SharedNode = self
        while at._parent is not None:
            chain.append(at)
            at = at._parent
        fd = os.dup(self._folder.descriptor)
        try:
            for step in reversed(chain):
                following = os.open(step._name, _PATH, dir_fd=fd)
                os.close(fd)
                fd = following
                if _identity(os.fstat(fd)) != step._identity:
                    raise OSError(errno.ESTALE, "something else has its name")
            yield fd
        finally:
            os.close(fd)


class SharedDirectory(SharedNode, Directory):
    """A directory in a shared folder, and the nodes in it that the guest has seen."""

    def __init__(self, folder: SharedFolder, parent: SharedDirectory | None, name: str, found: os.stat_result) -> None:
        super().__init__(folder, parent, name, found)
        self._children: dict[str, SharedNode] = {}

    @journalled
    def open(self, flags: OpenFlags) -> Handle:
        """Opens the directory. The handle holds no descriptor."""
        with self._opened():
            return Directory.open(self, flags)

    # Operations that change nothing

    @journalled
    def lookup(self, name: str) -> Node:
        with self._opened() as fd:
            return self._child(name, os.stat(name, dir_fd=fd, follow_symlinks=False))

    @journalled
    def entries(self) -> Sequence[tuple[str, Node]]:
        """Sorted by name."""
        found = []
        with self._opened() as fd:
            listing = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=fd)
            try:
                for name in sorted(os.listdir(listing), key=os.fsencode):
                    try:
                        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    found.append((name, self._child(name, status)))
            finally:
                os.close(listing)
        return found

    # Operations that change something

    @journalled
    def create(self, name: str, mode: int) -> Node:
        def make(fd: int) -> None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(name, flags, mode & _PERMISSIONS, dir_fd=fd))

        return self._made(name, make)

    @journalled
    def mkdir(self, name: str, mode: int) -> Node:
        return self._made(name, lambda fd: os.mkdir(name, mode & _PERMISSIONS, dir_fd=fd))

    @journalled
    def symlink(self, name: str, target: str) -> Node:
        """Makes a symbolic link. The host never follows it; the guest does, in its own tree."""
        return self._made(name, lambda fd: os.symlink(target, name, dir_fd=fd))

    @journalled
    def link(self, name: str, node: Node) -> Node:
        assert isinstance(node, SharedNode)
        if node._parent is None:
            raise OSError(errno.EPERM, "a directory")
        with node._parent._opened() as source:
            old = node._name
            return self._made(name, lambda fd: os.link(old, name, src_dir_fd=source, dst_dir_fd=fd, follow_symlinks=False))

    @journalled
    def unlink(self, name: str) -> None:
        self._folder.must_be_writable()
        with self._opened() as fd:
            os.unlink(name, dir_fd=fd)
        self._forget(name)

    @journalled
    def rmdir(self, name: str) -> None:
        self._folder.must_be_writable()
        with self._opened() as fd:
            os.rmdir(name, dir_fd=fd)
        self._forget(name)

    @journalled
    def rename(self, name: str, new_directory: Directory, new_name: str) -> None:
        assert isinstance(new_directory, SharedDirectory)
        self._folder.must_be_writable()
        with self._opened() as source, new_directory._opened() as target:
            os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
        if (self, name) == (new_directory, new_name):
            return
        new_directory._forget(new_name)
        moved = self._children.pop(name, None)
        if moved is not None:
            moved._parent, moved._name = new_directory, new_name
            new_directory._children[new_name] = moved

    # Child nodes

    def _made(self, name: str, make: Callable[[int], object]) -> Node:
        """Calls `make` with a descriptor of this directory, and returns the node that it made under `name`."""
        self._folder.must_be_writable()
        with self._opened() as fd:
            make(fd)
            return self._child(name, os.stat(name, dir_fd=fd, follow_symlinks=False))

    def _child(self, name: str, found: os.stat_result) -> SharedNode:
        """The node of a name; a new one if the name referred to another file before."""
        child = self._children.get(name)
        if child is None or child._identity != _identity(found):
            self._forget(name)
            kind = SharedDirectory if stat.S_ISDIR(found.st_mode) else SharedNode
            child = self._children[name] = kind(self._folder, self, name, found)
        return child

    def _forget(self, name: str) -> None:
        """Marks the node of a name, and all nodes below it, as removed. Open handles stay open."""
        child = self._children.pop(name, None)
        gone = [child] if child is not None else []
        while gone:
            node = gone.pop()
            node.removed = True
            if isinstance(node, SharedDirectory):
                gone += node._children.values()
                node._children.clear()


class _OpenFile:
    """A descriptor that is closed with the last reference. A checkpoint keeps its files open."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


class SharedHandle(Handle):
    """An open regular file."""

    def __init__(self, flags: OpenFlags, folder: SharedFolder, fd: int) -> None:
        super().__init__(flags)
        self._folder = folder
        self._file: _OpenFile | None = _OpenFile(fd)
        folder.open_files += 1

    @property
    def _fd(self) -> int:
        assert self._file is not None
        return self._file.descriptor

    @journalled
    def read(self, offset: int, size: int) -> bytes:
        return b"" if offset > _LARGEST - size else os.pread(self._fd, size, offset)

    def splice(self, offset: int, size: int, *, waited: bool) -> bytes:
        return self.read(offset, size)

    @journalled
    def write(self, offset: int, data: bytes) -> int:
        """Writes at `offset`; a file opened for appending ignores it."""
        if offset > _LARGEST - len(data):
            raise OSError(errno.EFBIG, "too large")
        return os.pwrite(self._fd, data, offset)

    @journalled
    def release(self) -> None:
        self._folder.open_files -= 1
        self._file = None


def _identity(found: os.stat_result) -> tuple[int, int, int]:
    """The identity of a host file: device and inode number, and the type, because inode numbers are reused."""
    return found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode)


def _magic_link(fd: int) -> str:
    """A path that refers to the file of a descriptor."""
    return f"/proc/self/fd/{fd}"


def _reopen(fd: int, mode: int) -> int:
    """Opens the file of an O_PATH descriptor. It must be a regular file, because opening one never blocks or has side effects."""
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        raise OSError(errno.ENXIO, "not a regular file")
    return os.open(_magic_link(fd), mode | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
