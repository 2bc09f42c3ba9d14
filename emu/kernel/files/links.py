# SPDX-License-Identifier: GPL-2.0-only
"""A directory tree for the guest with nothing but symbolic links."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from emu.kernel.files.node import Attributes, Directory, Handle, Node, OpenFlags

__all__ = ["Links"]

_LINK = stat.S_IFLNK | 0o777
_DIRECTORY = stat.S_IFDIR | 0o755
_DIRECTORY_SIZE = 4096


class Links(Directory):
    """Symbolic links with the names in a host folder, pointing to where the guest has that folder mounted.

    Args:
        folder: the host folder.
        where: its path in the guest.
        own: other names and their targets, which take precedence.
    """

    def __init__(self, folder: Path, where: str, own: Mapping[str, str]) -> None:
        self._folder = folder
        self._where = where
        self._own = own
        self._links: dict[str, _Link] = {}

    def attributes(self) -> Attributes:
        return Attributes(_DIRECTORY, _DIRECTORY_SIZE)

    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        raise OSError(errno.EROFS, "to be read")

    def lookup(self, name: str) -> Node:
        if name not in self._own and not os.path.lexists(self._folder / name):
            gone = self._links.pop(name, None)
            if gone is not None:
                gone.removed = True
            raise OSError(errno.ENOENT, "no such link")
        link = self._links.get(name)
        if link is None:
            link = self._links[name] = _Link(self._own.get(name, f"{self._where}/{name}"))
        return link

    def entries(self) -> Sequence[tuple[str, Node]]:
        """Sorted by name."""
        return [(name, self.lookup(name)) for name in sorted({*self._own, *os.listdir(self._folder)}, key=os.fsencode)]


class _Link(Node):
    def __init__(self, target: str) -> None:
        self._target = target

    @property
    def kind(self) -> int:
        return stat.S_IFLNK

    def attributes(self) -> Attributes:
        return Attributes(_LINK, len(os.fsencode(self._target)))

    def set_attributes(self, mode: int | None, size: int | None, mtime_ns: int | None) -> None:
        raise OSError(errno.EROFS, "to be read")

    def open(self, flags: OpenFlags) -> Handle:
        raise OSError(errno.ELOOP, "a symbolic link")

    def readlink(self) -> str:
        return self._target
