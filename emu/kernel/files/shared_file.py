# SPDX-License-Identifier: GPL-2.0-only
"""One file of the host as a tree for the guest, which sees nothing else of the file's folder."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from emu.kernel.files.node import Node
from emu.kernel.files.shared_folder import SharedDirectory, SharedFolder

__all__ = ["SharedFile"]


class SharedFile:
    """A file of the host. `root` is a directory for the guest that has only this file, read-only, under a given name.

    Raises:
        OSError: the file's folder cannot be opened.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._folder = SharedFolder(path.parent)
        self.root = _OneFile(self._folder, path.name, name)

    def close(self) -> None:
        """Closes the folder. The file can still be used through open handles."""
        self._folder.close()


class _OneFile(SharedDirectory):
    """A shared folder that shows one of its files, under another name."""

    def __init__(self, folder: SharedFolder, host_name: str, name: str) -> None:
        super().__init__(folder, None, "", os.fstat(folder.descriptor))
        self._host_name = host_name
        self._shown = name

    def lookup(self, name: str) -> Node:
        if name != self._shown:
            raise OSError(errno.ENOENT, "not the file that is shared")
        return super().lookup(self._host_name)

    def entries(self) -> Sequence[tuple[str, Node]]:
        return [(self._shown, self.lookup(self._shown))]
