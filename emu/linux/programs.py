# SPDX-License-Identifier: GPL-2.0-only
"""Programs and libraries of a Linux guest, as far as its kernel has them in memory."""

from __future__ import annotations

from emu.kernel.program_files import Programs
from emu.linux.dcache import Dcache

__all__ = ["LinuxPrograms"]


class LinuxPrograms(Programs):
    """Reads them from the guest's memory.

    Args:
        files: the files that the kernel knows.
    """

    def __init__(self, files: Dcache) -> None:
        self.files = files

    def contents(self, path: str) -> bytes | None:
        inode = self.files.file(path)
        if inode is None or not self.files.is_regular(inode):
            return None
        try:
            return self.files.contents.read(inode)
        except LookupError:
            return None
