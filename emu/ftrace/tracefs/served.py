# SPDX-License-Identifier: GPL-2.0-only
"""The tracefs tree as the file server serves it to the guest, whose CPUs go on running meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from typing import TypeVar

from emu.ftrace.tracefs.node import Directory, Handle, Node, Poll, WouldBlock
from emu.ftrace.tracefs.node import OpenFlags as NodeFlags
from emu.kernel.served_tree import Attributes, Blocked, Entry, OpenFlags, Readiness, Tree

__all__ = ["TracefsTree"]

Result = TypeVar("Result")


class TracefsTree(Tree):
    """Numbers the nodes of a tracefs tree from 1, the root, on.

    Args:
        root: the tree.
        begun: how often patching has been asked for.
        busy: whether patching goes on; an operation that asked for it ends when it does not.
    """

    def __init__(self, root: Directory, begun: Callable[[], int], busy: Callable[[], bool]) -> None:
        self._nodes: dict[int, Node] = {}
        self._numbers: dict[Node, int] = {}
        self._last = 0
        self._begun = begun
        self._busy = busy
        self._number(root)

    def root(self) -> Attributes:
        return self.attributes(1)

    def lookup(self, directory: int, name: bytes) -> Attributes:
        return self._attributes(self._directory(directory).lookup(_text(name)))

    def attributes(self, node: int) -> Attributes:
        return self._attributes(self._node(node))

    def set_attributes(self, node: int, mode: int | None, size: int | None, mtime_ns: int | None) -> Attributes:
        """A size means nothing here: opening is what truncates."""
        found = self._node(node)
        if mode is not None:
            found.mode = found.mode & ~0o7777 | mode & 0o7777
        return self._attributes(found)

    def open(self, node: int, flags: OpenFlags) -> ServedNode:
        found = self._node(node)
        if isinstance(found, Directory):
            return ServedNode(self, found, None)
        return ServedNode(self, found, found.open(_node_flags(flags)))

    def mkdir(self, directory: int, name: bytes, mode: int) -> Attributes | Blocked[Attributes]:
        parent = self._directory(directory)

        def made() -> Attributes:
            parent.mkdir(_text(name))
            return self._attributes(parent.lookup(_text(name)))

        return self.settled(made)

    def rmdir(self, directory: int, name: bytes) -> Blocked[None] | None:
        parent = self._directory(directory)
        gone = parent.lookup(_text(name))
        result = self.settled(lambda: parent.rmdir(_text(name)))
        self._forget(gone)
        return result

    def _forget(self, node: Node) -> None:
        """A node is gone, and what is in it."""
        if node in self._numbers:
            del self._nodes[self._numbers.pop(node)]
        if isinstance(node, Directory):
            for name in node.listdir():
                self._forget(node.lookup(name))

    def entries(self, directory: Directory) -> Sequence[Entry]:
        """What is in a directory."""
        found = ((name, directory.lookup(name)) for name in directory.listdir())
        return [Entry(name.encode(errors="surrogateescape"), self._number(node), node.mode) for name, node in found]

    def settled(self, operation: Callable[[], Result]) -> Result | Blocked[Result]:
        """The operation's result, when the patching that it asked for has been done."""
        before = self._begun()
        result = operation()

        def later() -> Result | Blocked[Result]:
            return Blocked(later, begun=True) if self._busy() else result

        return result if self._begun() == before else later()

    def _number(self, node: Node) -> int:
        number = self._numbers.get(node)
        if number is None:
            self._last = number = self._last + 1
            self._numbers[node], self._nodes[number] = number, node
        return number

    def _node(self, number: int) -> Node:
        try:
            return self._nodes[number]
        except KeyError:
            raise OSError(errno.ESTALE, "removed") from None

    def _directory(self, number: int) -> Directory:
        node = self._node(number)
        if not isinstance(node, Directory):
            raise OSError(errno.ENOTDIR, "is not a directory")
        return node

    def _attributes(self, node: Node) -> Attributes:
        number, links = self._number(node), 1
        if isinstance(node, Directory):
            links = 2 + sum(isinstance(node.lookup(name), Directory) for name in node.listdir())
        return Attributes(number, number, node.mode, nlink=links)


class ServedNode:
    """A node that the guest has open; a directory has no handle."""

    def __init__(self, tree: TracefsTree, node: Node, handle: Handle | None) -> None:
        self._tree = tree
        self._node = node
        self._handle = handle

    @property
    def stream(self) -> bool:
        return self._handle is not None and self._handle.stream

    def read(self, offset: int, size: int) -> bytes | Blocked[bytes]:
        file = self._file
        data = file.read(offset, size)
        if isinstance(data, WouldBlock):
            file.await_change()
            return Blocked(lambda: self.read(offset, size))
        return data

    def write(self, offset: int, data: bytes) -> int | Blocked[int]:
        file = self._file
        return self._tree.settled(lambda: file.write(data))

    def entries(self) -> Sequence[Entry]:
        if not isinstance(self._node, Directory):
            raise OSError(errno.ENOTDIR, "is not a directory")
        return self._tree.entries(self._node)

    def poll(self) -> Readiness:
        if self._handle is None:
            return Readiness.READABLE | Readiness.WRITABLE
        ready, found = self._handle.poll(), Readiness.NOTHING
        if Poll.READABLE in ready:
            found |= Readiness.READABLE
        else:
            self._handle.await_change()
        return found | Readiness.WRITABLE if Poll.WRITABLE in ready else found

    def release(self) -> Blocked[None] | None:
        return None if self._handle is None else self._tree.settled(self._handle.release)

    @property
    def _file(self) -> Handle:
        if self._handle is None:
            raise OSError(errno.EISDIR, "is a directory")
        return self._handle


def _text(name: bytes) -> str:
    return name.decode(errors="surrogateescape")


def _node_flags(flags: OpenFlags) -> NodeFlags:
    found = NodeFlags(0)
    for flag in OpenFlags:
        if flag in flags:
            found |= NodeFlags[flag.name or ""]
    return found
