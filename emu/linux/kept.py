# SPDX-License-Identifier: GPL-2.0-only
"""Unpacked kernels that are kept on disk: unpacking xz takes seconds.

    ~/.cache/emu/linux/vmlinux/d1bc5f0a...        the vmlinux, its length and its checksum

The file's name is the digest of the bzImage. A file that is damaged or shorter than it was is not used.
"""

from __future__ import annotations

import os
import struct
import uuid
import zlib
from contextlib import suppress
from pathlib import Path

from emu.native.cache import cache_directory

__all__ = ["keep", "kept"]

_TRAILER = struct.Struct("<4sIQ")  # magic, CRC-32, length; an ELF file may end with bytes that nothing refers to
_MAGIC = b"emu\1"


def _place(digest: str) -> Path | None:
    root = cache_directory()
    return root / "linux" / "vmlinux" / digest if root else None


def kept(digest: str) -> bytes | None:
    """The vmlinux that was kept under a digest; None if there is none, or not any more."""
    place = _place(digest)
    if place is None:
        return None
    try:
        with place.open("rb") as file:
            length = os.fstat(file.fileno()).st_size - _TRAILER.size
            vmlinux, trailer = file.read(max(length, 0)), file.read()
    except OSError:
        return None
    whole = _TRAILER.pack(_MAGIC, zlib.crc32(vmlinux), len(vmlinux))
    return vmlinux if trailer == whole else None


def keep(digest: str, vmlinux: bytes) -> None:
    """Keeps a vmlinux. Nothing is lost if it cannot be written: the next process unpacks it again."""
    place = _place(digest)
    if place is None:
        return
    unfinished = place.with_name(f".{uuid.uuid4().hex[:16]}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("xb") as file:
                file.write(vmlinux)
                file.write(_TRAILER.pack(_MAGIC, zlib.crc32(vmlinux), len(vmlinux)))
            unfinished.replace(place)
        finally:
            unfinished.unlink(missing_ok=True)
