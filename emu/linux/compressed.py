# SPDX-License-Identifier: GPL-2.0-only
"""What Linux recognises as a compressed initramfs (lib/decompress.c), and unpacking it."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

import zstandard

from emu.linux.tree import MOST_BYTES, BadTree

__all__ = ["Compression", "compression_of", "unpacked"]

_PIECE = 1024  # a few bytes can become many: so much is unpacked before the size is checked again
_ZEROS = re.compile(rb"\0*")


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class Compression(NamedTuple):
    """A compressed format, and what unpacks one stream of it; None if nothing here does."""

    name: str
    magic: bytes
    decompressor: Callable[[], _Decompressor] | None = None


_COMPRESSIONS = (
    Compression("gzip", b"\x1f\x8b", lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)),
    Compression("gzip", b"\x1f\x9e"),
    Compression("bzip2", b"BZh", bz2.BZ2Decompressor),
    Compression("xz", b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    Compression("zstd", b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor().decompressobj()),
    Compression("lzma", b"\x5d\0"),
    Compression("lzo", b"\x89LZO"),
    Compression("lz4", b"\x02\x21\x4c\x18"),
)


def compression_of(data: bytes) -> Compression | None:
    """What the data are compressed by; their first 6 bytes suffice."""
    return next((one for one in _COMPRESSIONS if data.startswith(one.magic)), None)


def unpacked(data: bytes, compression: Compression) -> bytes:
    """Unpacks one stream, or several, with zeros between and after them.

    Raises:
        BadTree: the data are damaged, unpack to 4 GiB or more, or nothing here unpacks this format.
    """
    if compression.decompressor is None:
        raise BadTree(f"it is compressed by {compression.name}: unpack it first")
    out, at = io.BytesIO(), 0
    try:
        while at < len(data):
            stream = compression.decompressor()
            while not stream.eof:
                if at >= len(data):
                    raise BadTree(f"its {compression.name} data are not complete")
                out.write(stream.decompress(data[at : at + _PIECE]))
                at += _PIECE
                if out.tell() > MOST_BYTES:
                    raise BadTree("it unpacks to 4 GiB or more")
            at = min(at, len(data)) - len(stream.unused_data)
            at = _after_zeros(data, at)
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError, MemoryError):
        raise BadTree(f"its {compression.name} data are damaged") from None
    return out.getvalue()


def _after_zeros(data: bytes, at: int) -> int:
    found = _ZEROS.match(data, at)
    return found.end() if found else at
