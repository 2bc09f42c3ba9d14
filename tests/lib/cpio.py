# SPDX-License-Identifier: GPL-2.0-only
"""Unpacks an initramfs on the host."""

from __future__ import annotations

import stat
from pathlib import Path

from emu.kernel.cpio import read_entries


def extract(archive: bytes, folder: Path) -> None:
    """Writes the archive's folders and regular files below `folder`; leaves out devices."""
    for entry in read_entries(archive):
        path = folder / entry.name
        if stat.S_ISDIR(entry.mode):
            path.mkdir(parents=True, exist_ok=True)
        elif stat.S_ISREG(entry.mode):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(entry.data)
            path.chmod(stat.S_IMODE(entry.mode))
