# SPDX-License-Identifier: GPL-2.0-only
"""Nodes of tracefs: files and directories that are all in memory."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Mapping

from emu.ftrace.errors import TraceError
from emu.kernel.files.node import Attributes, Directory, Handle, Node, OpenFlags

__all__ = ["File", "HandleFile", "StaticDirectory", "TracefsDirectory"]

_PERMISSIONS = 0o7777


class _ModeNode(Node):
    """A node in memory. It is truncated by opening it, not by a change of its size."""

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
    """A file; its class says what open() returns."""

    def __init__(self, permissions: int) -> None:
        self.mode = stat.S_IFREG | permissions


class HandleFile(File):
    """A file whose handles do all its work; `make` makes one for each open()."""

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


class StaticDirectory(TracefsDirectory):
    """A directory whose entries never change."""

    def __init__(self, entries: Mapping[str, Node]) -> None:
        super().__init__()
        self._entries = dict(sorted(entries.items()))

    def lookup(self, name: str) -> Node:
        try:
            return self._entries[name]
        except KeyError:
            raise TraceError(errno.ENOENT, f"there is no '{name}' here", (name, self._entries)) from None

    def entries(self) -> Iterable[tuple[str, Node]]:
        return self._entries.items()

    def remove(self) -> None:
        """Marks the directory and all nodes in it as removed."""
        self.removed = True
        for node in self._entries.values():
            if isinstance(node, StaticDirectory):
                node.remove()
            node.removed = True
