# SPDX-License-Identifier: GPL-2.0-only
"""The files that a Linux guest's kernel knows by name at the moment: its directory cache, read from outside.

What no process has looked up for some time is not there. Everything that is mapped is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from emu.ftrace.btf import Btf
from emu.linux import arch
from emu.linux.memory import LinuxMemory
from emu.linux.page_cache import PageCache
from emu.linux.symbols import Symbols

__all__ = ["Dcache"]

_MOST_LINKS = 40  # symbolic links that a path leads through, as in Linux
_MOST_MOUNTS = 1000  # one on top of the other
_MOST_NAMES = 1 << 20  # of a directory
_KIND, _LINK, _REGULAR, _DIRECTORY = 0o170000, 0o120000, 0o100000, 0o040000
_KEPT = ("rootfs", "ramfs", "tmpfs", "devtmpfs")  # file systems that are nowhere else than in the directory cache
# What is read besides
_MEMBERS = (
    "dentry.d_hash.pprev", "dentry.d_inode", "dentry.d_name.len", "dentry.d_name.name", "dentry.d_parent", "dentry.d_sb",
    "file_system_type.name", "fs_struct.root", "inode.i_ino", "inode.i_link", "inode.i_mode", "inode.i_sb", "inode.i_size",
    "mount.mnt.mnt_root", "mount.mnt_child", "mount.mnt_mountpoint", "mount.mnt_mounts", "mount.mnt_parent", "path.dentry",
    "path.mnt", "super_block.s_type", "task_struct.fs", "task_struct.tasks",
)  # fmt: skip


class _Place(NamedTuple):
    """A file, and the mounted file system in which it is: guest addresses of struct mount and struct dentry."""

    mount: int
    dentry: int


class Dcache:
    """Looks up paths.

    Args:
        memory: the kernel's memory.
        btf: its types.
        symbols: its symbols.

    Attributes:
        contents: of the files.

    Raises:
        LookupError: the kernel's types are not as expected.
    """

    def __init__(self, memory: LinuxMemory, btf: Btf, symbols: Symbols) -> None:
        self._memory, self._btf = memory, btf
        self._first_task = symbols.address("init_task") or 0
        newer = btf.has("dentry.d_children")  # since Linux 6.8
        self._children = btf.offset("dentry.d_children" if newer else "dentry.d_subdirs")
        self._sibling = btf.offset("dentry.d_sib" if newer else "dentry.d_child")
        self.contents = PageCache(memory, btf, symbols)
        for member in _MEMBERS:
            btf.offset(member)

    def find(self, path: str) -> int | None:
        """The guest address of the inode of the file at an absolute path, as the first process sees it; None if the kernel does
        not know it now. Symbolic links are followed.

        Raises:
            FileNotFoundError: it does not exist: it would be in a file system that is kept in memory.
        """
        try:
            root = self._root()
            found = None if root is None else self._walk(root, root, path, _MOST_LINKS)
            return None if found is None else self._get(found.dentry, "dentry.d_inode") or None
        except LookupError:  # the guest is changing it
            return None

    def file(self, path: str) -> int | None:
        """The same; None also if it does not exist."""
        try:
            return self.find(path)
        except FileNotFoundError:
            return None

    def size(self, inode: int) -> int:
        """The size of a file in bytes."""
        return self._get(inode, "inode.i_size")

    def is_regular(self, inode: int) -> bool:
        """Whether an inode is that of a regular file."""
        return self._get(inode, "inode.i_mode") & _KIND == _REGULAR

    def is_directory(self, inode: int) -> bool:
        return self._get(inode, "inode.i_mode") & _KIND == _DIRECTORY

    def number(self, inode: int) -> int:
        """The inode's number."""
        return self._get(inode, "inode.i_ino")

    def identity(self, inode: int) -> int:
        """What tells a file from an earlier one with an inode at the same address."""
        return self.number(inode) ^ self._get(inode, "inode.i_sb")

    def _root(self) -> _Place | None:
        """The root of the first process; None if there is no such process yet."""
        tasks = self._btf.offset("task_struct.tasks")
        task = self._memory.word(self._first_task + tasks) - tasks
        files = self._get(task, "task_struct.fs")
        if task == self._first_task or files == 0:
            return None
        root = files + self._btf.offset("fs_struct.root")
        mount = self._get(root, "path.mnt") - self._btf.offset("mount.mnt")
        return self._mounted(_Place(mount, self._get(root, "path.dentry")))

    def _walk(self, root: _Place, place: _Place, path: str, links: int) -> _Place | None:
        """Follows a path from a directory, or from the root if it is absolute. `links`: how many it may lead through."""
        if path.startswith("/"):
            place = root
        found: _Place | None = place
        for name in path.split("/"):
            if found is None:
                break
            found = self._step(root, found, name, links)
        return found

    def _step(self, root: _Place, place: _Place, name: str, links: int) -> _Place | None:
        if name in ("", ".", ".."):
            if not self.is_directory(self._get(place.dentry, "dentry.d_inode")):
                return None
            return self._above(root, place) if name == ".." else place
        dentry = self._child(place.dentry, name.encode(errors="surrogateescape"))
        if dentry is None:
            kind = self._get(self._get(place.dentry, "dentry.d_sb"), "super_block.s_type")
            if self._memory.string(self._get(kind, "file_system_type.name")) in _KEPT:
                raise FileNotFoundError(name)
            return None
        inode = self._get(dentry, "dentry.d_inode")
        if self._get(inode, "inode.i_mode") & _KIND == _LINK:
            target = self._target(inode) if links else None
            return None if target is None else self._walk(root, place, target, links - 1)
        return self._mounted(_Place(place.mount, dentry))

    def _above(self, root: _Place, place: _Place) -> _Place:
        """The directory in which a file is. At the root, that is the root itself."""
        for _ in range(_MOST_MOUNTS):
            if place == root or self._get(place.mount, "mount.mnt.mnt_root") != place.dentry:
                break
            parent = self._get(place.mount, "mount.mnt_parent")
            if parent == place.mount:
                return place
            place = _Place(parent, self._get(place.mount, "mount.mnt_mountpoint"))
        return place if place == root else _Place(place.mount, self._get(place.dentry, "dentry.d_parent"))

    def _mounted(self, place: _Place) -> _Place:
        """The root of what is mounted on a directory; or the directory itself."""
        for _ in range(_MOST_MOUNTS):
            above = (
                mount
                for mount in self._listed(place.mount + self._btf.offset("mount.mnt_mounts"), "mount.mnt_child")
                if self._get(mount, "mount.mnt_mountpoint") == place.dentry
            )
            mount = next(above, None)
            if mount is None:
                break
            place = _Place(mount, self._get(mount, "mount.mnt.mnt_root"))
        return place

    def _child(self, directory: int, name: bytes) -> int | None:
        """The dentry of an existing file in a directory."""
        size = len(name)
        for dentry in self._chain(directory + self._children, self._sibling):
            if (
                self._get(dentry, "dentry.d_name.len") == size
                and self._get(dentry, "dentry.d_inode")
                and self._get(dentry, "dentry.d_hash.pprev")
                and self._memory.read(self._get(dentry, "dentry.d_name.name"), size) == name
            ):
                return dentry
        return None

    def _target(self, inode: int) -> str | None:
        """Where a symbolic link leads; None if that is not in memory."""
        if text := self._get(inode, "inode.i_link"):
            return self._memory.string(text, arch.PAGE)
        contents = self.contents.read(inode)
        return None if contents is None else contents.decode(errors="surrogateescape")

    def _listed(self, head: int, link: str) -> Iterator[int]:
        """What is linked in a list. `link`: the member by which."""
        yield from self._chain(head, self._btf.offset(link))

    def _chain(self, head: int, link: int) -> Iterator[int]:
        """The same for lists that end at their head, and for those that end with 0."""
        at = self._memory.word(head)
        for _ in range(_MOST_NAMES):
            if at in (0, head):
                return
            yield at - link
            at = self._memory.word(at)

    def _get(self, address: int, member: str) -> int:
        """The value of a member: "dentry.d_inode" of the struct dentry at an address."""
        return self._memory.word(address + self._btf.offset(member), self._btf.size(member))
