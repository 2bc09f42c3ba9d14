# SPDX-License-Identifier: GPL-2.0-only
"""The files that the guest begins with, as an initramfs.

An initramfs is one or more newc cpio archives, one after the other, each of which may be compressed; the kernel unpacks them in
that order. The same input gives the same bytes. `base` comes before `tree_of`: a tree may have a link where the base has an empty
directory, and the kernel replaces an empty directory by a link, but could not put a link where a directory with files is.

>>> initramfs = base(init, None) + tree_of(Path("debian.tar"))
"""

from __future__ import annotations

import io
import os
import re
import stat
import tarfile
from pathlib import Path

from emu.kernel.cpio import MAGICS, TRAILER, read_member
from emu.linux.compressed import compression_of, unpacked
from emu.linux.tree import MOST_BYTES, BadTree, HostFile, Node, Tree, shown

__all__ = ["BadRoot", "base", "initrd_of", "tree_of"]

_OWN = b".emu"  # emu's own directory in the guest's root
_DIRECTORIES = (b"proc", b"sys", b"dev", b"root", b"run", b"etc", b"bin", b"mnt")
_SHELL = b"/bin/sh"
_PASSWD = b"root:x:0:0:root:/root:/bin/sh\n"
_GROUP = b"root:x:0:\n"
_BLOCK = 512  # tar's unit
_ZEROS = re.compile(rb"\0*")


class BadRoot(ValueError):
    """A tree or an initrd cannot be used. The message is one line that names it."""


def base(init: bytes, busybox: bytes | None) -> bytes:
    """emu's own part of an initramfs: /.emu/init, /.emu/busybox if it is given, and what a program expects of any root."""
    tree = Tree()
    for name in _DIRECTORIES:
        tree.put(name, Node(stat.S_IFDIR | 0o755))
    tree.put(b"tmp", Node(stat.S_IFDIR | 0o1777))
    for name, program in ((b"init", init), (b"busybox", busybox)):
        if program is not None:
            tree.put(_OWN + b"/" + name, Node(stat.S_IFREG | 0o755, data=program))
    # The kernel opens /dev/console for init before anything is mounted on /dev.
    tree.put(b"dev/console", Node(stat.S_IFCHR | 0o600, device=(5, 1)))
    tree.put(b"dev/null", Node(stat.S_IFCHR | 0o666, device=(1, 3)))
    tree.put(b"etc/passwd", Node(stat.S_IFREG | 0o644, data=_PASSWD))
    tree.put(b"etc/group", Node(stat.S_IFREG | 0o644, data=_GROUP))
    return tree.pack()


def tree_of(source: Path) -> bytes:
    """A directory, a tar, or a newc cpio as an archive for an initramfs. Files may be compressed by gzip, bzip2, xz or zstd.

    Owners, permissions, times, links, devices and FIFOs are kept; sockets are left out, and so is /.emu, which is emu's own.
    Names with `..`, and absolute ones, stay within the root. Other file systems that are mounted in a directory are left out.

    Raises:
        BadRoot: it cannot be read, is damaged, has no /bin/sh, or has what the kernel could not unpack.
    """
    try:
        tree = _read_directory(source) if os.path.isdir(source) else _read_archive(_read_file(source))
        tree.root.children.pop(_OWN, None)
        shell = tree.find(_SHELL)
        if shell is None or not stat.S_ISREG(shell.mode):
            raise BadTree(f"there is no {_SHELL.decode()} in it")
        return tree.pack()
    except BadTree as why:
        raise BadRoot(f"{shown(os.fsencode(source))}: {why}") from None


def initrd_of(path: Path) -> bytes:
    """A file that the kernel unpacks itself, unchanged.

    Raises:
        BadRoot: it cannot be read, or Linux would not recognise it.
    """
    try:
        data = _read_file(path)
        if not data:
            raise BadTree("it is empty")
        if not data.startswith(MAGICS) and compression_of(data) is None:
            raise BadTree("it is neither a newc cpio nor compressed by what Linux unpacks")
        return data
    except BadTree as why:
        raise BadRoot(f"{shown(os.fsencode(path))}: {why}") from None


def _read_file(path: Path) -> bytes:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # opening a FIFO would block
            raise BadTree("it is no file")
        if found.st_size > MOST_BYTES:
            raise BadTree("it has 4 GiB or more")
        return path.read_bytes()
    except OSError as error:
        raise BadTree(f"it cannot be read ({error.strerror})") from None


def _read_directory(source: Path) -> Tree:
    tree = Tree()
    linked: dict[tuple[int, int], Node] = {}
    top = os.fsencode(source)
    todo = [(top, tree.root)]
    try:
        device = os.stat(top).st_dev
        while todo:
            path, place = todo.pop()
            with os.scandir(path) as found:
                for entry in found:
                    seen = entry.stat(follow_symlinks=False)
                    if stat.S_ISSOCK(seen.st_mode):
                        continue
                    node = linked.get((seen.st_dev, seen.st_ino)) or _node(entry.path, seen)
                    place.children[entry.name] = node
                    if stat.S_ISREG(seen.st_mode) and seen.st_nlink > 1:
                        linked[seen.st_dev, seen.st_ino] = node
                    elif stat.S_ISDIR(seen.st_mode) and seen.st_dev == device:
                        todo.append((entry.path, node))
    except OSError as error:
        name = shown(os.path.relpath(error.filename, top)) if isinstance(error.filename, bytes) else "it"
        raise BadTree(f"{name} cannot be read ({error.strerror})") from None
    return tree


def _node(path: bytes, seen: os.stat_result) -> Node:
    """A file of the host."""
    node = Node(seen.st_mode, seen.st_uid, seen.st_gid, int(seen.st_mtime))
    if stat.S_ISREG(seen.st_mode):
        node.data = HostFile(path, seen)
    elif stat.S_ISLNK(seen.st_mode):
        node.data = os.readlink(path)
    elif stat.S_ISCHR(seen.st_mode) or stat.S_ISBLK(seen.st_mode):
        node.device = os.major(seen.st_rdev), os.minor(seen.st_rdev)
    return node


def _read_archive(data: bytes) -> Tree:
    if (compression := compression_of(data)) is not None:
        data = unpacked(data, compression)
    return _read_cpio(data) if data.startswith(MAGICS) else _read_tar(data)


def _read_cpio(data: bytes) -> Tree:
    """Archives that follow each other, as in an initramfs."""
    tree = Tree()
    linked: dict[tuple[int, int, int], Node] = {}
    offset, ended = 0, False
    while offset < len(data):
        if ended and (compression := compression_of(data[offset : offset + 6])) is not None:
            data, offset = unpacked(data[offset:], compression), 0
        try:
            member = read_member(data, offset)
        except ValueError as why:
            raise BadTree(f"it is damaged: {why}") from None
        offset, header = member.end, member.header
        ended = member.name == TRAILER
        if ended:
            linked.clear()
            zeros = _ZEROS.match(data, offset)
            offset = zeros.end() if zeros else offset
            continue
        kind = stat.S_IFMT(header.mode)
        if kind == stat.S_IFSOCK:
            continue
        if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO):
            raise BadTree(f"{shown(member.name)} is of an unknown kind")
        node = Node(header.mode, header.uid, header.gid, header.mtime)
        if kind in (stat.S_IFCHR, stat.S_IFBLK):
            node.device = header.device_major, header.device_minor
        elif kind == stat.S_IFLNK:
            node.data = bytes(member.data)
        elif kind == stat.S_IFREG:
            if header.links > 1:
                node = linked.setdefault((header.major, header.minor, header.inode), node)
            if member.data:
                node.data = member.data
        tree.put(member.name, node)
    if not ended:
        raise BadTree("its cpio archive does not end")
    return tree


def _read_tar(data: bytes) -> Tree:
    tree = Tree()
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape") as tar:
            left = MOST_BYTES
            for member in tar:
                left -= member.size if member.isreg() else 0
                if member.size < 0 or left < 0:  # tarfile would go back to an earlier member, or has a sparse file that is large
                    raise BadTree(f"{shown(_encoded(member.name))} has an impossible size")
                tree.put(_encoded(member.name), _tar_node(tree, tar, member, data))
            end = tar.offset
    except tarfile.ReadError as why:
        raise BadTree(f"it is neither a tar nor a newc cpio, or is damaged ({why})") from None
    except BadTree:
        raise
    except (tarfile.TarError, OSError, EOFError, ValueError, ArithmeticError, LookupError, RecursionError, MemoryError):
        raise BadTree("it is a damaged tar") from None
    # tarfile takes a damaged header for the end, but the end is a block of zeros.
    if any(data[end : end + _BLOCK]):
        raise BadTree(f"it is a tar that is damaged at {end}")
    return tree


def _tar_node(tree: Tree, tar: tarfile.TarFile, member: tarfile.TarInfo, data: bytes) -> Node:
    if member.islnk():
        target = _encoded(member.linkname)
        node = tree.at(target)
        if node is None or stat.S_ISDIR(node.mode):
            raise BadTree(f"{shown(_encoded(member.name))} is a link to {shown(target)}, and no file before it has this name")
        return node
    kinds = (
        (member.isreg(), stat.S_IFREG), (member.isdir(), stat.S_IFDIR), (member.issym(), stat.S_IFLNK),
        (member.ischr(), stat.S_IFCHR), (member.isblk(), stat.S_IFBLK), (member.isfifo(), stat.S_IFIFO),
    )  # fmt: skip
    kind = next((kind for is_it, kind in kinds if is_it), None)
    if kind is None:
        raise BadTree(f"{shown(_encoded(member.name))} is of an unknown kind")
    node = Node(kind | stat.S_IMODE(member.mode), member.uid, member.gid, int(member.mtime))
    if member.issparse():
        file = tar.extractfile(member)
        node.data = file.read() if file else b""
    elif kind == stat.S_IFREG:
        node.data = memoryview(data)[member.offset_data : member.offset_data + member.size]
    elif kind == stat.S_IFLNK:
        node.data = _encoded(member.linkname)
    elif kind in (stat.S_IFCHR, stat.S_IFBLK):
        node.device = member.devmajor, member.devminor
    return node


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
