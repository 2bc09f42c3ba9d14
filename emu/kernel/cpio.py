# SPDX-License-Identifier: GPL-2.0-only
"""Reads and writes cpio archives in the newc format, the format of an initramfs.

firmware/tools/initramfs.py writes this format itself: the build of the firmware needs neither emu nor its libraries.
"""

from __future__ import annotations

import binascii
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["MAGICS", "TRAILER", "Entry", "Header", "Member", "head", "padding", "read_entries", "read_member"]

MAGICS = (b"070701", b"070702")  # newc; crc, which has the sum of each file's bytes as well
TRAILER = b"TRAILER!!!"  # the name of an archive's last member

_FIELDS = struct.Struct(">13I")
_HEADER_SIZE = 110  # a magic number of 6 characters, 13 fields of 8 hexadecimal digits


class Header(NamedTuple):
    """A member's numbers, in the format's order. `name_size` counts the NUL at the name's end."""

    inode: int = 0
    mode: int = 0
    uid: int = 0
    gid: int = 0
    links: int = 1
    mtime: int = 0
    size: int = 0
    major: int = 0
    minor: int = 0
    device_major: int = 0
    device_minor: int = 0
    name_size: int = 0
    check: int = 0


@dataclass(frozen=True)
class Member:
    """One header of an archive with what belongs to it.

    Attributes:
        name: as it stands in the archive, without the NUL.
        data: a view of the archive.
        end: the offset of the next header.
    """

    header: Header
    name: bytes
    data: memoryview
    end: int


@dataclass(frozen=True)
class Entry:
    """One file of an archive; `name` has no leading slash."""

    name: str
    mode: int
    data: bytes


def _aligned(offset: int) -> int:
    return (offset + 3) & ~3


def read_member(archive: bytes, offset: int) -> Member:
    """The member whose header begins at an offset.

    Raises:
        ValueError: there is no newc header, or the archive ends within the member.
    """
    magic = archive[offset : offset + 6]
    name_at = offset + _HEADER_SIZE
    if magic not in MAGICS:
        raise ValueError(f"no newc header at {offset}")
    try:
        header = Header(*_FIELDS.unpack(binascii.unhexlify(archive[offset + 6 : name_at])))
    except (binascii.Error, struct.error):
        raise ValueError(f"no newc header at {offset}") from None
    data_at = _aligned(name_at + header.name_size)
    end = data_at + header.size
    if end > len(archive):
        raise ValueError(f"the archive ends within the file at {offset}")
    if not header.name_size or archive[name_at + header.name_size - 1]:
        raise ValueError(f"the name of the file at {offset} does not end")
    data = memoryview(archive)[data_at:end]
    # Of links cpio writes no sum.
    if magic == MAGICS[1] and stat.S_ISREG(header.mode) and sum(data) & 0xFFFFFFFF != header.check:
        raise ValueError(f"the file at {offset} has another sum than its header says")
    return Member(header, archive[name_at : name_at + header.name_size - 1], data, _aligned(end))


def read_entries(archive: bytes) -> Iterator[Entry]:
    """The entries in the archive's order.

    Raises:
        ValueError: it is not a newc archive, or is truncated.
    """
    offset = 0
    while (member := read_member(archive, offset)).name != TRAILER:
        yield Entry(member.name.decode().lstrip("/"), member.header.mode, bytes(member.data))
        offset = member.end


def head(name: bytes, header: Header) -> bytes:
    """What stands before a member's data: its header, whose `name_size` is filled in, and its name.

    The data follow, and then padding(header.size).

    Raises:
        struct.error: a number does not fit into 32 bits.
    """
    fields = _FIELDS.pack(*header._replace(name_size=len(name) + 1))
    start = b"".join((MAGICS[0], binascii.hexlify(fields), name, b"\0"))
    return start + padding(len(start))


def padding(size: int) -> bytes:
    """What follows `size` bytes, so that the next header is aligned."""
    return bytes(-size % 4)
