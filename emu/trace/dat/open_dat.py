# SPDX-License-Identifier: GPL-2.0-only
"""Opens a trace.dat: reads the head that all versions have."""

from __future__ import annotations

import mmap
from dataclasses import replace
from pathlib import Path

from emu.trace.dat.byte_reader import ByteReader
from emu.trace.dat.pages import check_page_size
from emu.trace.dat.version6 import Version6
from emu.trace.dat.version7 import Version7
from emu.trace.errors import TraceFileError
from emu.trace.recording import Recording

__all__ = ["open_dat"]

_MAGIC = b"\x17\x08\x44tracing"
_BYTE_ORDERS = ("little", "big")  # by their number in the file


def open_dat(path: Path, *, salvage: bool = False) -> Recording:
    """The contents of a trace.dat of version 6 or 7. Its pages stay mapped.

    Args:
        path: the file's path.
        salvage: return what can be read; errors in the rest are in `damage`.

    Raises:
        TraceFileError: the file is not a trace.dat, or is damaged.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        try:
            memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:  # the file is empty
            memory = memoryview(b"")
    damage: list[str] = []

    def complain(error: TraceFileError) -> None:
        if not salvage:
            raise error
        damage.append(str(error))

    byte_order, reader = "little", ByteReader(memory, "little")
    reader.expect(_MAGIC, "trace.dat: its first bytes are others")
    place, version = reader.place, reader.string("the version")
    order = reader.number(1, "the byte order")
    if order >= len(_BYTE_ORDERS):
        raise TraceFileError(reader.place - 1, f"the byte order {order}")
    byte_order = _BYTE_ORDERS[order]
    reader = ByteReader(memory, byte_order, reader.offset)
    long_size = reader.number(1, "the size of a long")
    if long_size not in (4, 8):
        raise TraceFileError(reader.place - 1, f"a long of {long_size} bytes")
    page_size = reader.number(4, "the size of a page")
    check_page_size(page_size, reader.place - 4)
    if version == "7":
        found = Version7(memory, reader, byte_order, complain).recording()
    elif version == "6":
        found = Version6(memory, reader, byte_order, page_size, complain).recording()
    else:
        raise TraceFileError(place, f"version {version!r}; versions 6 and 7 are known")
    return replace(found, byte_order="<>"[order], damage=damage)
