# SPDX-License-Identifier: GPL-2.0-only
"""An ELF file with nothing but symbols: gdb's view of a kernel that comes without debug information.

The format is that of the System V ABI, chapter 4 "Object Files". The file has sections without contents for the ranges of the
code, so that gdb reads the code itself from the machine. It may have call frame information.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

__all__ = ["Symbol", "symbol_file", "write_symbol_file"]

_EXEC, _PROGBITS, _SYMTAB, _STRTAB, _NOBITS = 2, 1, 2, 3, 8
_ABSOLUTE = 0xFFF1  # the section of symbols that are in none
_ALLOCATED, _EXECUTED = 2, 4
_GLOBAL, _WEAK, _OBJECT, _FUNCTION = 1, 2, 1, 2
_HEADER, _SEGMENT, _SECTION, _ENTRY = "16sHHIQQQIHHHHHH", "IIQQQQQQ", "IIQQQQIIQQ", "IBBHQQ"
_LOAD, _EXECUTABLE = 1, 5  # a segment, and its permissions: read, execute
_LAST_SIZE = 16  # bytes of the last symbol, if its end is not known


class Symbol(NamedTuple):
    """A symbol: its address, the character that nm shows for its type, and its name."""

    address: int
    type: str
    name: str


def symbol_file(
    symbols: Iterable[Symbol],
    machine: int,
    byte_order: Literal["little", "big"],
    code: Sequence[range] | None = None,
    frames: bytes = b"",
) -> bytes:
    """An ELF file.

    Args:
        symbols: in any order. Absolute ones ("a"), as per-CPU offsets, are left out.
        machine: e_machine.
        byte_order: of the machine.
        code: the ranges of the code, which do not overlap; None: one, from the first function to the last symbol.
        frames: the section .debug_frame; b"": none.
    """
    known = sorted({one for one in symbols if one.type not in "aAU"})
    order = "<" if byte_order == "little" else ">"
    ranges = [_range(known)] if code is None else list(code)
    names, entries = bytearray(b"\0"), [struct.pack(order + _ENTRY, 0, 0, 0, 0, 0, 0)]
    sizes = _sizes(known, ranges)
    for local in (True, False):  # local symbols come first
        for index, one in enumerate(known):
            if one.type.islower() != local:
                continue
            binding = 0 if local else _WEAK if one.type in "WV" else _GLOBAL
            kind = _FUNCTION if one.type in "tTwW" else _OBJECT
            place = next((n for n, part in enumerate(ranges, 1) if one.address in part), _ABSOLUTE)
            entries.append(struct.pack(order + _ENTRY, len(names), binding << 4 | kind, 0, place, one.address, sizes[index]))
            names += one.name.encode() + b"\0"
    locals_ = 1 + sum(one.type.islower() for one in known)
    return _elf(order, machine, b"".join(entries), bytes(names), locals_, ranges, frames)


def write_symbol_file(path: Path, data: bytes) -> None:
    """Writes it. It appears whole or not at all. Raises OSError if it cannot be written."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)


def _sizes(known: Sequence[Symbol], code: Sequence[range]) -> Sequence[int]:
    """Of each symbol, the bytes to the next address that another one has; of the last one, to the end of its range of code."""
    sizes = [0] * len(known)
    last = known[-1].address if known else 0
    here = following = next((part.stop for part in code if last in part), last + _LAST_SIZE)
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


def _elf(
    order: str, machine: int, symbols: bytes, names: bytes, locals_: int, code: Sequence[range], frames: bytes
) -> bytes:
    """The file. Sections: none, one for each range of code, .debug_frame if there is one, .symtab, .strtab, .shstrtab."""
    segments = [struct.pack(order + _SEGMENT, _LOAD, _EXECUTABLE, 0, part.start, part.start, 0, len(part), 16) for part in code]
    size, titles = struct.calcsize("<" + _HEADER), bytearray(b"\0")
    body = bytearray(size) + b"".join(segments)
    sections: list[tuple[int, ...]] = [(0,) * 10]

    def add(title: str, kind: int, flags: int, address: int, length: int, *rest: int) -> None:
        sections.append((len(titles), kind, flags, address, len(body), length, *rest))
        titles.extend(title.encode() + b"\0")

    for n, part in enumerate(code):
        add(f".text.{n}" if n else ".text", _NOBITS, _ALLOCATED | _EXECUTED, part.start, len(part), 0, 0, 16, 0)
    if frames:
        add(".debug_frame", _PROGBITS, 0, 0, len(frames), 0, 0, 8, 0)
        body += frames
    add(".symtab", _SYMTAB, 0, 0, len(symbols), len(sections) + 1, locals_, 8, struct.calcsize("<" + _ENTRY))
    body += symbols
    add(".strtab", _STRTAB, 0, 0, len(names), 0, 0, 1, 0)
    body += names
    add(".shstrtab", _STRTAB, 0, 0, len(titles) + len(b".shstrtab\0"), 0, 0, 1, 0)
    body += titles + bytes(-(len(body) + len(titles)) % 8)
    ident = b"\x7fELF" + bytes((2, 1 if order == "<" else 2, 1)) + bytes(9)
    body[:size] = struct.pack(
        order + _HEADER, ident, _EXEC, machine, 1, code[0].start if code else 0, size, len(body), 0, size,
        struct.calcsize("<" + _SEGMENT), len(code), struct.calcsize("<" + _SECTION), len(sections), len(sections) - 1,
    )  # fmt: skip
    return bytes(body) + b"".join(struct.pack(order + _SECTION, *one) for one in sections)
