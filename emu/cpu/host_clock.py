# SPDX-License-Identifier: GPL-2.0-only
"""Keeps the host's time from Unicorn, whose soft TLBs change their size by it.

How large a soft TLB is decides which of the guest's translations are looked up again, and with that what a SPARC's TLB
replaces next: the guest would see the host's time. So the library's imports of clocks lead to one that stands still.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator

from emu.cpu.internals import LIBRARY, UnknownUnicorn
from emu.cpu.native.host_clock import gettimeofday

__all__ = ["stop"]

_DT_PLTRELSZ, _DT_STRTAB, _DT_SYMTAB, _DT_JMPREL = 2, 5, 6, 23


class _LinkMap(ctypes.Structure):
    """What a dlopen() handle of glibc's points to."""

    _fields_ = (("base", ctypes.c_uint64), ("name", ctypes.c_char_p), ("dynamic", ctypes.c_uint64))


class _Rela(ctypes.Structure):
    _fields_ = (("offset", ctypes.c_uint64), ("type", ctypes.c_uint32), ("symbol", ctypes.c_uint32), ("addend", ctypes.c_int64))


class _Symbol(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_uint32), ("info", ctypes.c_uint8), ("other", ctypes.c_uint8), ("section", ctypes.c_uint16),
        ("value", ctypes.c_uint64), ("size", ctypes.c_uint64),
    )  # fmt: skip


def _imports(library: _LinkMap) -> Iterator[tuple[bytes, int]]:
    """The functions that the library takes from others, and where it keeps their addresses."""
    tags: dict[int, int] = {}
    at = library.dynamic
    while tag := ctypes.c_uint64.from_address(at).value:
        tags[tag] = ctypes.c_uint64.from_address(at + 8).value
        at += 16
    for n in range(tags[_DT_PLTRELSZ] // ctypes.sizeof(_Rela)):
        rela = _Rela.from_address(tags[_DT_JMPREL] + n * ctypes.sizeof(_Rela))
        symbol = _Symbol.from_address(tags[_DT_SYMTAB] + rela.symbol * ctypes.sizeof(_Symbol))
        yield ctypes.string_at(tags[_DT_STRTAB] + symbol.name), library.base + rela.offset


@functools.cache
def stop() -> None:
    """Once for the process, before the first Uc is made.

    Raises:
        UnknownUnicorn: the library does not ask for the time as it is expected to.
    """
    for name, slot in _imports(_LinkMap.from_address(LIBRARY._handle)):
        if name == b"gettimeofday":
            ctypes.c_uint64.from_address(slot).value = gettimeofday.address
            return
    raise UnknownUnicorn("the library does not import gettimeofday")
