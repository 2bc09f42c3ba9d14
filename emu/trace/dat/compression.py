# SPDX-License-Identifier: GPL-2.0-only
"""Decompresses sections and chunks of a trace.dat, in bounded memory."""

from __future__ import annotations

import reprlib
import zlib
from collections.abc import Callable, Mapping

from emu.trace.errors import TraceFileError

__all__ = ["LARGEST_PIECE", "Unpack", "unpacker"]

LARGEST_PIECE = 256 << 20  # maximum size of one unpacked piece in bytes

Unpack = Callable[[memoryview, int, int], bytes]  # packed bytes, their unpacked size, their position in the file


def _zlib(packed: memoryview, size: int) -> bytes:
    stream = zlib.decompressobj()
    found = stream.decompress(packed, size + 1)
    if not stream.eof:
        raise ValueError("it is cut, or is longer than it says")
    return found


def _zstd(packed: memoryview, size: int) -> bytes:
    import zstandard  # only compressed files need it

    try:
        stated = zstandard.frame_content_size(packed)
        if stated > size:
            raise ValueError(f"it says that it has {stated} bytes")
        return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


_UNPACKERS: Mapping[str, Callable[[memoryview, int], bytes]] = {"zlib": _zlib, "zstd": _zstd}


def unpacker(name: str, place: int) -> Unpack:
    """The unpacker for a compression algorithm, by name.

    Raises:
        TraceFileError: the algorithm is unknown; later: a piece cannot be unpacked to its stated size.
    """
    if name not in _UNPACKERS:
        raise TraceFileError(place, f"nothing here can unpack {reprlib.repr(name)}")
    decompress = _UNPACKERS[name]

    def unpack(packed: memoryview, size: int, at: int) -> bytes:
        if size > LARGEST_PIECE:
            raise TraceFileError(at, f"a compressed piece has an unpacked size of {size} bytes")
        try:
            found = decompress(packed, size)
        except (ValueError, zlib.error) as error:
            raise TraceFileError(at, f"{name} data cannot be unpacked: {error}") from None
        if len(found) != size:
            raise TraceFileError(at, f"a compressed piece has {len(found)} bytes where it says {size}")
        return found

    return unpack
