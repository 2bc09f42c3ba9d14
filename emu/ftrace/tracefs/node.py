# SPDX-License-Identifier: GPL-2.0-only
"""Nodes of tracefs: files and directories in memory."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from emu.ftrace.errors import TraceError
from emu.ftrace.linux_events import LinuxDirectory
from emu.kernel.files.node import Attributes, Directory, Handle, Node, OpenFlags

__all__ = ["File", "HandleFile", "LiveDirectory", "StaticDirectory", "TracefsDirectory"]

_PERMISSIONS = 0o7777

_Thing = TypeVar("_Thing")


class _ModeNode(Node):
    """A node in memory. Opening it can truncate it; changing its size cannot."""

    mode: int  # type and permissions, as in st_mode

    @property
    def kind(self) -> int:
        return stat.S_IFMT(self.mode)

    def attributes(self) -> Attributes:
        return Attributes(self.mode)

    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        if mode is not None:
            self.mode = self.mode & ~_PERMISSIONS | mode & _PERMISSIONS


class File(_ModeNode):
    """A file. Its subclass implements open()."""

    def __init__(self, permissions: int) -> None:
        self.mode = stat.S_IFREG | permissions


class HandleFile(File):
    """A file whose handles do all the work; `make` makes one for each open()."""

    def __init__(self, permissions: int, make: Callable[[OpenFlags], Handle]) -> None:
        super().__init__(permissions)
        self._make = make

    def open(self, flags: OpenFlags) -> Handle:
        return self._make(flags)


class TracefsDirectory(_ModeNode, Directory):
    """A directory. As in Linux, its group may list it."""

    def __init__(self) -> None:
        self.mode = stat.S_IFDIR | 0o750

    def attributes(self) -> Attributes:
        return Attributes(self.mode, nlink=2 + sum(isinstance(node, Directory) for _, node in self.entries()))

    def existing(self) -> Iterable[Node]:
        """The nodes that the directory has made so far."""
        return [node for _, node in self.entries()]

    def remove(self) -> None:
        """Marks the directory and all nodes in it as removed."""
        self.removed = True
        for node in self.existing():
            if isinstance(node, TracefsDirectory):
                node.remove()
            node.removed = True


class StaticDirectory(TracefsDirectory):
    """A directory whose entries never change.

    Attributes:
        unlisted: further entries, which can only be found by name.
    """

    def __init__(self, entries: Mapping[str, Node], unlisted: Mapping[str, Node] | None = None) -> None:
        super().__init__()
        self._entries = dict(sorted(entries.items()))
        self.unlisted = dict(unlisted or {})

    def lookup(self, name: str) -> Node:
        try:
            return self._entries.get(name) or self.unlisted[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no '{name}' here", (name, self._entries)) from None

    def entries(self) -> Iterable[tuple[str, Node]]:
        return self._entries.items()

    def existing(self) -> Iterable[Node]:
        return [*self._entries.values(), *self.unlisted.values()]


class LiveDirectory(TracefsDirectory, Generic[_Thing]):
    """A directory with some entries that represent things that come and go, each a directory. A node is made when it is first
    looked up.

    Args:
        things: returns the present things, by name.
        make: makes a thing's directory.
        files: the entries that never change, none of them a directory.
        linux: the entries of the directory in Linux.
    """

    def __init__(
        self,
        things: Callable[[], Mapping[str, _Thing]],
        make: Callable[[_Thing], Node],
        files: Mapping[str, Node],
        linux: LinuxDirectory,
    ) -> None:
        super().__init__()
        self._linux = linux
        self._things = things
        self._make = make
        self._files = files
        self._made: dict[str, tuple[_Thing, Node]] = {}

    def attributes(self) -> Attributes:
        return Attributes(self.mode, nlink=2 + len(self._things()))

    def lookup(self, name: str) -> Node:
        if name in self._files:
            return self._files[name]
        things = self._things()
        if (node := self._node(name, things)) is None:
            raise self._linux.missing(name, [*things, *self._files])
        return node

    def entries(self) -> Iterable[tuple[str, Node]]:
        things = self._things()
        names = (things.keys() | self._made.keys()) - self._files.keys()
        nodes = {name: node for name in names if (node := self._node(name, things)) is not None}
        return sorted([*nodes.items(), *self._files.items()], key=lambda entry: entry[0])

    def existing(self) -> Iterable[Node]:
        return [*self._files.values(), *(node for _, node in self._made.values())]

    def _node(self, name: str, things: Mapping[str, _Thing]) -> Node | None:
        """The node of the thing that has this name now. The node of an earlier thing with this name is removed."""
        thing, node = self._made.get(name, (None, None))
        if node is not None and things.get(name) != thing:
            del self._made[name]
            if isinstance(node, TracefsDirectory):
                node.remove()
            node.removed, node = True, None
        if node is None and name in things:
            node = self._make(things[name])
            self._made[name] = things[name], node
        return node
