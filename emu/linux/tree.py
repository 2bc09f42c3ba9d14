# SPDX-License-Identifier: GPL-2.0-only
"""A tree of files as it is in an initramfs: it is filled by name, and packed as a cpio archive.

>>> tree = Tree()
>>> tree.put(b"bin/sh", Node(stat.S_IFREG | 0o755, data=b"..."))
>>> archive = tree.pack()
"""

from __future__ import annotations

import io
import os
import stat
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from emu.kernel.cpio import TRAILER, Header, head, padding

__all__ = ["MOST_BYTES", "BadTree", "HostFile", "Node", "Tree", "shown"]

MOST_BYTES = 0xFFFFFFFF  # of a file, because newc has 32 bits for its size; of an archive, which must fit into the guest's memory
_MOST_NAME = 4095  # Linux's PATH_MAX without the NUL: the kernel skips files with longer names, and does not say so
_MOST_PART = 255  # Linux's NAME_MAX
_MOST_LINKS = 40  # Linux's MAXSYMLINKS
_MOST_SHOWN = 200
_PIECE = 1 << 20


class BadTree(ValueError):
    """There is no tree, or the kernel could not unpack it. The message is one line that does not name the source."""


class HostFile:
    """The contents of a file of the host, which are read when the tree is packed."""

    def __init__(self, path: bytes, seen: os.stat_result) -> None:
        """`seen` is what lstat says about the file."""
        self._path = path
        self._seen = seen

    def __len__(self) -> int:
        return self._seen.st_size

    def copy_to(self, out: BinaryIO) -> bool:
        """Writes the contents. Returns whether it still is the file that was seen.

        Raises:
            OSError: it cannot be read.
        """
        # What has taken the file's place may be a link, or a FIFO, of which the opening would block.
        descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:
            left = len(self)
            if _identity(os.fstat(descriptor)) != _identity(self._seen):
                return False
            while left and (piece := file.read(min(left, _PIECE))):
                out.write(piece)
                left -= len(piece)
            return not left and _identity(os.fstat(descriptor)) == _identity(self._seen)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@dataclass(eq=False)
class Node:
    """A file of any kind. A file with several names is one node.

    Attributes:
        mode: the kind and the permissions, as in st_mode.
        device: major and minor number, of a device.
        data: the contents of a regular file, or the target of a link.
        children: the files in a directory.
    """

    mode: int
    uid: int = 0
    gid: int = 0
    mtime: int = 0
    device: tuple[int, int] = (0, 0)
    data: bytes | memoryview | HostFile = b""
    children: dict[bytes, Node] = field(default_factory=dict, repr=False)


class Tree:
    """A directory and what is below it. Names are bytes, begin at this directory, and `..` does not lead out of it."""

    def __init__(self) -> None:
        self.root = Node(stat.S_IFDIR | 0o755)

    def put(self, name: bytes, node: Node) -> None:
        """Puts a file where tar would: links in the name are followed, but not at its end, and missing directories are made. It
        replaces a file with this name; a directory that is there keeps its files.

        Raises:
            BadTree: the kernel could not make the file.
        """
        parts = _normal(name)
        if not parts:
            if not stat.S_ISDIR(node.mode):
                raise BadTree("the root is no directory")
            return  # whoever unpacks the tree has made its root
        if stat.S_ISLNK(node.mode) and (not node.data or len(node.data) > _MOST_NAME or b"\0" in _bytes(node)):
            raise BadTree(f"the target of the link {shown(name)} is no name")
        place = self._reach(parts[:-1], make=True)
        if place is None or not stat.S_ISDIR(place.mode):
            raise BadTree(f"{shown(name)} does not lie in a directory")
        old = place.children.get(parts[-1])
        if old is not None and stat.S_ISDIR(old.mode):
            if stat.S_ISDIR(node.mode):
                old.mode, old.uid, old.gid, old.mtime = node.mode, node.uid, node.gid, node.mtime
                return
            if old.children:
                raise BadTree(f"{shown(name)} is a directory with files, and something else")
        place.children[parts[-1]] = node

    def at(self, name: bytes) -> Node | None:
        """What has this name, also if it is a link."""
        parts = _normal(name)
        place = self._reach(parts[:-1])
        return place.children.get(parts[-1]) if parts and place else None

    def find(self, name: bytes) -> Node | None:
        """What opening this name would open: links are followed, absolute ones from this tree's root."""
        return self._reach(_normal(name))

    def pack(self) -> bytes:
        """The tree as a newc archive: sorted, each directory before its files. The root itself is not in it.

        A file's data stand at the last of its names, as GNU's cpio has them.

        Raises:
            BadTree: the kernel could not unpack it, or a file of the host cannot be read or has changed.
        """
        members = list(self._members())
        if sum({id(node): len(node.data) for _, node in members}.values()) > MOST_BYTES:
            raise BadTree("all files together have 4 GiB or more")
        links = Counter(id(node) for _, node in members if stat.S_ISREG(node.mode))  # the format has no others
        left = links.copy()
        inodes: dict[int, int] = {}
        out = io.BytesIO()
        for inode, (name, node) in enumerate(members, 1):
            if id(node) in links:
                inode = inodes.setdefault(id(node), inode)
                left[id(node)] -= 1
            size = 0 if left[id(node)] else len(node.data)
            out.write(_head(name, node, inode, links.get(id(node), 1), size))
            if size:
                _write(out, name, node)
                out.write(padding(size))
        out.write(head(TRAILER, Header()))
        return out.getvalue()

    def _members(self) -> Iterator[tuple[bytes, Node]]:
        """All files with their names, checked."""
        todo = [(b"", self.root)]
        while todo:
            name, node = todo.pop()
            if name:
                yield name, node
            for part, child in sorted(node.children.items(), reverse=True):
                inner = name + b"/" + part if name else part
                if len(inner) > _MOST_NAME or len(part) > _MOST_PART:
                    raise BadTree(f"the name {shown(inner)} is longer than Linux's can be")
                if inner == TRAILER:
                    raise BadTree(f"{shown(inner)} is the end of an archive, not a name")
                if len(child.data) > MOST_BYTES:
                    raise BadTree(f"{shown(inner)} has 4 GiB or more")
                todo.append((inner, child))

    def _reach(self, parts: list[bytes], make: bool = False) -> Node | None:
        """Follows names and links. None: something is missing, or no directory, or there are too many links."""
        above, todo, links = [self.root], parts[::-1], 0
        while todo:
            part, here = todo.pop(), above[-1]
            if part == b"..":
                above = above[:-1] or above
                continue
            node = here.children.get(part)
            if node is None and make and stat.S_ISDIR(here.mode):
                node = here.children[part] = Node(stat.S_IFDIR | 0o755)
            if node is None:
                return None
            if not stat.S_ISLNK(node.mode):
                above.append(node)
                continue
            links += 1
            if links > _MOST_LINKS:
                return None
            target = _bytes(node)
            if target.startswith(b"/"):
                above = [self.root]
            todo += _parts(target)[::-1]
        return above[-1]


def shown(name: bytes) -> str:
    """A name of a file for a message: in one line, whatever is in it, and not too long."""
    text = repr(os.fsdecode(name))[1:-1]
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _bytes(node: Node) -> bytes:
    """A link's target."""
    assert not isinstance(node.data, HostFile)
    return bytes(node.data)


def _parts(name: bytes) -> list[bytes]:
    return [part for part in name.split(b"/") if part not in (b"", b".")]


def _normal(name: bytes) -> list[bytes]:
    """The parts of a name, without `..`.

    Raises:
        BadTree: there is a NUL in it.
    """
    if b"\0" in name:
        raise BadTree(f"{shown(name)} is no name")
    found: list[bytes] = []
    for part in _parts(name):
        if part == b"..":
            del found[-1:]
        else:
            found.append(part)
    return found


def _head(name: bytes, node: Node, inode: int, links: int, size: int) -> bytes:
    mtime = min(max(node.mtime, 0), 0xFFFFFFFF)
    major, minor = node.device
    header = Header(inode, node.mode, node.uid, node.gid, links, mtime, size, device_major=major, device_minor=minor)
    try:
        return head(name, header)
    except struct.error:
        raise BadTree(f"an owner or a device number of {shown(name)} has more than 32 bits") from None


def _write(out: BinaryIO, name: bytes, node: Node) -> None:
    """Writes a node's data."""
    if not isinstance(node.data, HostFile):
        out.write(node.data)
        return
    try:
        same = node.data.copy_to(out)
    except OSError as error:
        raise BadTree(f"{shown(name)} cannot be read ({error.strerror})") from None
    if not same:
        raise BadTree(f"{shown(name)} changed meanwhile")
