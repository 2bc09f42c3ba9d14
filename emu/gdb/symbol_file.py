# SPDX-License-Identifier: GPL-2.0-only
"""An ELF file with nothing but symbols: gdb's view of a kernel that comes without debug information.

The format is that of the System V ABI, chapter 4 "Object Files". The file has one section without contents for the range of the
symbols, so that gdb reads the code itself from the machine.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["Symbol", "symbol_file", "write_symbol_file"]

_EXEC, _SYMTAB, _STRTAB, _NOBITS = 2, 2, 3, 8
_ALLOCATED, _EXECUTED = 2, 4
_GLOBAL, _WEAK, _OBJECT, _FUNCTION = 1, 2, 1, 2
_HEADER, _SECTION, _ENTRY = "16sHHIQQQIHHHHHH", "IIQQQQIIQQ", "IBBHQQ"
_LAST_SIZE = 16  # bytes of the last symbol, whose end is not known


class Symbol(NamedTuple):
    """A symbol: its address, the character that nm shows for its type, and its name."""

    address: int
    type: str
    name: str


def symbol_file(symbols: Iterable[Symbol], machine: int, byte_order: Literal["little", "big"]) -> bytes:
    """An ELF file.

    Args:
        symbols: in any order. Absolute ones ("a"), as per-CPU offsets, are left out.
        machine: e_machine.
        byte_order: of the machine.
    """
    known = sorted({one for one in symbols if one.type not in "aAU"})
    order = "<" if byte_order == "little" else ">"
    names, entries = bytearray(b"\0"), [struct.pack(order + _ENTRY, 0, 0, 0, 0, 0, 0)]
    sizes = _sizes(known)
    for local in (True, False):  # local symbols come first
        for index, one in enumerate(known):
            if one.type.islower() != local:
                continue
            binding = 0 if local else _WEAK if one.type in "WV" else _GLOBAL
            kind = _FUNCTION if one.type in "tTwW" else _OBJECT
            entries.append(struct.pack(order + _ENTRY, len(names), binding << 4 | kind, 0, 1, one.address, sizes[index]))
            names += one.name.encode() + b"\0"
    locals_ = 1 + sum(one.type.islower() for one in known)
    return _elf(order, machine, b"".join(entries), bytes(names), locals_, _range(known))


def write_symbol_file(path: Path, data: bytes) -> None:
    """Writes it. It appears whole or not at all. Raises OSError if it cannot be written."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)


def _sizes(known: Sequence[Symbol]) -> Sequence[int]:
    """Of each symbol, the bytes to the next address that another one has."""
    sizes = [0] * len(known)
    here = following = known[-1].address + _LAST_SIZE if known else 0
    for index in reversed(range(len(known))):
        address = known[index].address
        if address != here:
            here, following = address, here
        sizes[index] = following - address
    return sizes


def _range(known: Sequence[Symbol]) -> range:
    """The addresses from the first function to the last symbol."""
    functions = [one.address for one in known if one.type in "tTwW"]
    return range(functions[0], known[-1].address + _LAST_SIZE) if functions else range(0)


def _elf(order: str, machine: int, symbols: bytes, names: bytes, locals_: int, text: range) -> bytes:
    """The file. Sections: none, .text, .symtab, .strtab, .shstrtab."""
    titles = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    at = [titles.index(b"\0" + title + b"\0") + 1 for title in (b".text", b".symtab", b".strtab", b".shstrtab")]
    size = struct.calcsize("<" + _HEADER)
    places = [size, size + len(symbols), size + len(symbols) + len(names)]
    end = places[2] + len(titles) + -(places[2] + len(titles)) % 8
    sections = (
        (0,) * 10,
        (at[0], _NOBITS, _ALLOCATED | _EXECUTED, text.start, size, len(text), 0, 0, 16, 0),
        (at[1], _SYMTAB, 0, 0, places[0], len(symbols), 3, locals_, 8, struct.calcsize("<" + _ENTRY)),
        (at[2], _STRTAB, 0, 0, places[1], len(names), 0, 0, 1, 0),
        (at[3], _STRTAB, 0, 0, places[2], len(titles), 0, 0, 1, 0),
    )
    ident = b"\x7fELF" + bytes((2, 1 if order == "<" else 2, 1)) + bytes(9)
    header = struct.pack(
        order + _HEADER, ident, _EXEC, machine, 1, text.start, 0, end, 0, size, 0, 0, struct.calcsize("<" + _SECTION),
        len(sections), len(sections) - 1,
    )  # fmt: skip
    body = header + symbols + names + titles
    return body.ljust(end, b"\0") + b"".join(struct.pack(order + _SECTION, *one) for one in sections)
