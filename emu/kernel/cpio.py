# SPDX-License-Identifier: GPL-2.0-only
"""Reads cpio archives in the newc format, the format of an initramfs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Entry", "read_entries"]

_HEADER_SIZE = 110  # a magic number of 6 characters, 13 fields of 8 hexadecimal digits
_TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """One file of an archive; `name` has no leading slash."""

    name: str
    mode: int
    data: bytes


def _aligned(offset: int) -> int:
    return (offset + 3) & ~3


def read_entries(archive: bytes) -> Iterator[Entry]:
    """The entries in the archive's order.

    Raises:
        ValueError: it is not a newc archive, or is truncated.
    """
    offset = 0
    while True:
        header = archive[offset : offset + _HEADER_SIZE]
        if len(header) < _HEADER_SIZE or header[:6] != b"070701":
            raise ValueError(f"no newc header at {offset}")
        fields = [int(header[at : at + 8], 16) for at in range(6, _HEADER_SIZE, 8)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name_at = offset + _HEADER_SIZE
        data_at = _aligned(name_at + name_size)
        name = archive[name_at : name_at + name_size - 1].decode()
        if name == _TRAILER:
            return
        yield Entry(name.lstrip("/"), mode, archive[data_at : data_at + size])
        offset = _aligned(data_at + size)
