# SPDX-License-Identifier: GPL-2.0-only
"""Hides the host's time from Unicorn, which uses it to choose the size of its soft TLBs.

The size of a soft TLB decides which of the guest's addresses are looked up again, and so which entry a SPARC's TLB
replaces next: the guest would depend on the host's time. So the library gets a gettimeofday() that stands still.
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
    """struct link_map of glibc, to which a dlopen() handle points."""

    _fields_ = (("base", ctypes.c_uint64), ("name", ctypes.c_char_p), ("dynamic", ctypes.c_uint64))


class _Rela(ctypes.Structure):
    _fields_ = (("offset", ctypes.c_uint64), ("type", ctypes.c_uint32), ("symbol", ctypes.c_uint32), ("addend", ctypes.c_int64))


class _Symbol(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_uint32), ("info", ctypes.c_uint8), ("other", ctypes.c_uint8), ("section", ctypes.c_uint16),
        ("value", ctypes.c_uint64), ("size", ctypes.c_uint64),
    )  # fmt: skip


def _imports(library: _LinkMap) -> Iterator[tuple[bytes, int]]:
    """The names of the functions that the library imports, and the host addresses of their slots in its GOT."""
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
    """Stops Unicorn's clock, once for the process; called before the first Uc is made.

    Raises:
        UnknownUnicorn: the library does not import gettimeofday.
    """
    for name, slot in _imports(_LinkMap.from_address(LIBRARY._handle)):
        if name == b"gettimeofday":
            ctypes.c_uint64.from_address(slot).value = gettimeofday.address
            return
    raise UnknownUnicorn("the library does not import gettimeofday")
