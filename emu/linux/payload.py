# SPDX-License-Identifier: GPL-2.0-only
"""Unpacks the payload of a bzImage: the compressed vmlinux (payload_offset in Linux's boot.rst)."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Mapping

__all__ = ["BadPayload", "unpack"]

_MOST = 1 << 30  # bytes of an unpacked kernel
_PIECE = 1 << 20
_WINDOW = 1 << 27  # of zstd -22 --ultra, with which kernels are packed
_XZ_MEMORY = 1 << 28  # kernels are packed with dictionaries of 32 or 128 MiB
_SIZE = 4  # The build appends the unpacked size. gzip's own last field is that size, too.
_LZ4_MAGIC = b"\x02\x21\x4c\x18"
_LZ4_BLOCK = 8 << 20  # lz4's legacy frame: each block but the last unpacks to this size
# Only old or unusual kernels are packed in these ways.
_UNSUPPORTED = {b"BZh": "bzip2", b"\x5d\0\0": "lzma", b"\x89LZO": "lzo"}


class BadPayload(ValueError):
    """A payload cannot be unpacked."""


def unpack(payload: memoryview) -> bytes:
    """The vmlinux in a payload.

    Raises:
        BadPayload: the compression is unknown, or the payload is damaged.
    """
    start = bytes(payload[:8])
    if start.startswith(b"\x7fELF"):
        return bytes(payload)
    for magic, method in _METHODS.items():
        if start.startswith(magic):
            size = int.from_bytes(payload[-_SIZE:], "little")
            if size > _MOST:
                raise BadPayload(f"the payload is damaged (it would unpack to {size:,} bytes)")
            unpacked = method(payload, size)
            if len(unpacked) != size:
                raise BadPayload(f"the payload is damaged (it does not unpack to its {size:,} bytes)")
            return unpacked
    for magic, name in _UNSUPPORTED.items():
        if start.startswith(magic):
            raise BadPayload(f"the payload is compressed by {name}; gzip, xz, lz4 and zstd can be read")
    raise BadPayload(f"the payload's compression is unknown (it begins with {start.hex(' ')})")


# Each method unpacks at most `size + 1` bytes, however many a damaged payload describes. It asks for one more than there should
# be, because a decompressor compares checksums only when it comes to the end.


def _gzip(payload: memoryview, size: int) -> bytes:
    stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = stream.decompress(payload, size + 1)
    except zlib.error as error:
        raise BadPayload(f"the payload is damaged ({error})") from None
    return unpacked if stream.eof else b""


def _xz(payload: memoryview, size: int) -> bytes:
    try:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)
        unpacked = stream.decompress(payload[:-_SIZE], size + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise BadPayload(f"the payload is damaged ({error})") from None
    return unpacked if stream.eof else b""


def _zstd(payload: memoryview, size: int) -> bytes:
    import zstandard  # importing it takes longer than unpacking lz4

    pieces, left = [], size + 1
    try:
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(payload[:-_SIZE]) as stream:
            while left and (piece := stream.read(min(left, _PIECE))):
                pieces.append(piece)
                left -= len(piece)
    except zstandard.ZstdError as error:
        raise BadPayload(f"the payload is damaged ({error})") from None
    return b"".join(pieces)


def _lz4(payload: memoryview, size: int) -> bytes:
    """Legacy frames: blocks, each after its packed size. A frame may follow another."""
    import lz4.block

    pieces, at, left = [], 0, size
    end = len(payload) - _SIZE
    try:
        while left > 0 and at + 4 <= end:
            head, at = bytes(payload[at : at + 4]), at + 4
            if head != _LZ4_MAGIC:
                packed = int.from_bytes(head, "little")
                pieces.append(lz4.block.decompress(payload[at : min(at + packed, end)], uncompressed_size=min(left, _LZ4_BLOCK)))
                at, left = at + packed, left - len(pieces[-1])
    except (lz4.block.LZ4BlockError, ValueError) as error:
        raise BadPayload(f"the payload is damaged ({error})") from None
    return b"".join(pieces) if at == end else b""


_METHODS: Mapping[bytes, Callable[[memoryview, int], bytes]] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\0": _xz,
    _LZ4_MAGIC: _lz4,
    b"\x28\xb5\x2f\xfd": _zstd,
}
