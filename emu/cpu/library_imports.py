# SPDX-License-Identifier: GPL-2.0-only
"""Replaces functions that Unicorn's library calls through its global offset table (GOT).

A change affects the whole process, but only calls by the library: looking a function up by name still finds the original.
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from emu.cpu.internals import LIBRARY, UnknownUnicorn

__all__ = ["replace", "replaced"]

_DT_PLTRELSZ, _DT_STRTAB, _DT_SYMTAB, _DT_STRSZ, _DT_JMPREL = 2, 5, 6, 10, 23

# ELF's 64-bit structures: Elf64_Rela and Elf64_Sym.
_RELA = np.dtype([("offset", "u8"), ("type", "u4"), ("symbol", "u4"), ("addend", "i8")])
_SYMBOL = np.dtype([("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8")])


class _LinkMap(ctypes.Structure):
    """glibc's struct link_map, to which a dlopen() handle points."""

    _fields_ = (("base", ctypes.c_uint64), ("name", ctypes.c_char_p), ("dynamic", ctypes.c_uint64))


def _table(address: int, layout: np.dtype[np.void], count: int) -> npt.NDArray[np.void]:
    memory = memoryview((ctypes.c_char * (count * layout.itemsize)).from_address(address))
    return np.frombuffer(memory, layout)


class _Imports:
    """The library's imported functions: the offsets of their names in its string table, and their GOT slots."""

    def __init__(self, library: _LinkMap) -> None:
        tags: dict[int, int] = {}
        at = library.dynamic
        while tag := ctypes.c_uint64.from_address(at).value:
            tags[tag] = ctypes.c_uint64.from_address(at + 8).value
            at += 16
        relocations = _table(tags[_DT_JMPREL], _RELA, tags[_DT_PLTRELSZ] // _RELA.itemsize)
        symbols = _table(tags[_DT_SYMTAB], _SYMBOL, int(relocations["symbol"].max()) + 1)
        self._strings = ctypes.string_at(tags[_DT_STRTAB], tags[_DT_STRSZ])
        self._names = symbols["name"][relocations["symbol"]]
        self._slots = relocations["offset"] + np.uint64(library.base)

    def slot(self, name: str) -> int | None:
        """The address of a function's slot; None if the library does not import it."""
        places = [found.start() for found in re.finditer(name.encode() + b"\0", self._strings)]  # also ends of names
        found = np.flatnonzero(np.isin(self._names, places))
        return int(self._slots[found[0]]) if len(found) else None


@functools.cache
def _imports() -> _Imports:
    return _Imports(_LinkMap.from_address(LIBRARY._handle))


def replace(name: str, function: int) -> int:
    """Makes the library call `function`, an address, where its source calls the function `name`. Returns what it has called.

    Raises:
        UnknownUnicorn: the library does not call it through the GOT.
    """
    slot = _imports().slot(name)
    if slot is None:
        raise UnknownUnicorn(f"the library does not import {name}")
    before = ctypes.c_uint64.from_address(slot).value
    ctypes.c_uint64.from_address(slot).value = function
    return before


@contextmanager
def replaced(name: str, function: int) -> Iterator[None]:
    """The same for a while.

    Raises: as `replace`.
    """
    before = replace(name, function)
    try:
        yield
    finally:
        replace(name, before)
