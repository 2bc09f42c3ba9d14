# SPDX-License-Identifier: GPL-2.0-only
"""Parts of packets and of replies (GDB manual, appendix E "Remote Serial Protocol", "Packets")."""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from emu.gdb.wire import LONGEST, escaped

__all__ = ["BAD_PACKET", "MOST_BYTES", "Refused", "contents", "part", "place", "point", "quoted", "syscalls"]

BAD_PACKET = b"E16"  # EINVAL
MOST_BYTES = (LONGEST - 64) // 2  # of memory, in a reply

_PLACE = re.compile(rb"([0-9a-fA-F]{1,16}),([0-9a-fA-F]{1,8})")
_CALLS = re.compile(rb"1((?:;[0-9a-fA-F]{1,8})*)")
_POINT = re.compile(rb"([0-4]),([0-9a-fA-F]{1,16}),([0-9a-fA-F]{1,8})(;.*)?")


class Refused(Exception):
    """A packet cannot be obeyed.

    Attributes:
        answer: the reply.
    """

    def __init__(self, answer: bytes) -> None:
        super().__init__()
        self.answer = answer


def place(text: bytes) -> tuple[int, int]:
    """An address and a size. Raises Refused."""
    if (found := _PLACE.fullmatch(text)) is None:
        raise Refused(BAD_PACKET)
    return int(found[1], 16), int(found[2], 16)


def point(text: bytes) -> tuple[int, int, int]:
    """A breakpoint's type, address and size. Raises Refused."""
    if (found := _POINT.fullmatch(text)) is None:
        raise Refused(BAD_PACKET)
    return int(found[1]), int(found[2], 16), int(found[3], 16)


def syscalls(text: bytes) -> frozenset[int] | None:
    """The numbers in QCatchSyscalls; None: all. Raises Refused."""
    if text == b"0":
        return frozenset()
    if (found := _CALLS.fullmatch(text)) is None:
        raise Refused(BAD_PACKET)
    return frozenset(int(word, 16) for word in found[1].split(b";")[1:]) if found[1] else None


def contents(digits: bytes) -> bytes:
    """Bytes that are written as hexadecimal digits. Raises Refused."""
    try:
        return bytes.fromhex(digits.decode())
    except ValueError:
        raise Refused(BAD_PACKET) from None


def part(whole: bytes, where: bytes) -> bytes:
    """The reply with a part of an object, as qXfer wants it. Raises Refused."""
    offset, size = place(where)
    piece = whole[offset : offset + min(size, MOST_BYTES)]
    return (b"m" if offset + len(piece) < len(whole) else b"l") + escaped(piece)


def quoted(text: str) -> str:
    """Text in an attribute of XML, without the quotes."""
    return quoteattr(text)[1:-1]
