# SPDX-License-Identifier: GPL-2.0-only
"""Add to object files the tables of their calls of _mcount.

    recordmcount.py OBJECT ...

What `gcc -mrecord-mcount` does where it exists: a section __mcount_loc with
the address of every call site, for the linker to collect. Here the sites are
found by the relocations of the calls. The new section, its relocations and
the new section headers go to the object's end; nothing else moves. An object
that has its table is left as it is.
"""

import struct
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

MCOUNT = b"_mcount"
TABLE = b"__mcount_loc"

# ELF64, big-endian; SPARC V9's relocations.
EHDR = struct.Struct(">16sHHIQQQIHHHHHH")
SHDR = struct.Struct(">IIQQQQIIQQ")
SYM = struct.Struct(">IBBHQQ")
RELA = struct.Struct(">QQq")
R_SPARC_WDISP30 = 7
R_SPARC_64 = 32
SHT_PROGBITS, SHT_SYMTAB, SHT_RELA = 1, 2, 4
SHF_ALLOC, SHF_INFO_LINK = 0x2, 0x40
STB_WEAK = 2


@dataclass
class Section:
    """A section header, in the file's order."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


class Object:
    """A relocatable file that sections can be added to."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.header = list(EHDR.unpack_from(data))
        offset, count, self.names = self.header[6], self.header[12], self.header[13]
        self.sections = [Section(*SHDR.unpack_from(data, offset + i * SHDR.size)) for i in range(count)]
        self.symtab = next(i for i, s in enumerate(self.sections) if s.type == SHT_SYMTAB)
        self.symbols = list(SYM.iter_unpack(self.content(self.symtab)))

    def content(self, index: int) -> bytes:
        section = self.sections[index]
        return bytes(self.data[section.offset : section.offset + section.size])

    def has_table(self) -> bool:
        return TABLE + b"\0" in self.content(self.names)

    def symbol_name(self, index: int) -> bytes:
        strings = self.content(self.sections[self.symtab].link)
        start = self.symbols[index][0]
        return strings[start : strings.index(b"\0", start)]

    def append(self, content: bytes, align: int = 8) -> int:
        """Add bytes at the end; return their offset."""
        self.data += bytes(-len(self.data) % align)
        self.data += content
        return len(self.data) - len(content)

    def add_section(self, name: bytes, section: Section, content: bytes) -> int:
        """Add a section; return its index."""
        names = self.sections[self.names]
        strings = self.content(self.names)
        section.name = len(strings)
        strings += name + b"\0"
        names.offset, names.size = self.append(strings, 1), len(strings)
        section.offset, section.size = self.append(content), len(content)
        self.sections.append(section)
        return len(self.sections) - 1

    def finished(self) -> bytes:
        """The file, with the section headers at its end."""
        headers = b"".join(SHDR.pack(*astuple(s)) for s in self.sections)
        self.header[6], self.header[12] = self.append(headers), len(self.sections)
        EHDR.pack_into(self.data, 0, *self.header)
        return bytes(self.data)

    def anchor(self, section: int) -> int:
        """A symbol to which places in a section can be relative."""
        return next(i for i, (_, info, _, index, _, _) in enumerate(self.symbols) if index == section and info >> 4 != STB_WEAK)

    def call_sites(self) -> list[tuple[int, int]]:
        """(section, offset) of every call of _mcount."""
        return [
            (section.info, offset)
            for i, section in enumerate(self.sections)
            if section.type == SHT_RELA
            for offset, info, _ in RELA.iter_unpack(self.content(i))
            if info & 0xFF == R_SPARC_WDISP30 and self.symbol_name(info >> 32) == MCOUNT
        ]


def record(data: bytes) -> bytes:
    obj = Object(data)
    sites = obj.call_sites()
    if not sites or obj.has_table():
        return data
    relocations = []
    for place, (section, offset) in enumerate(sites):
        anchor = obj.anchor(section)
        addend = offset - obj.symbols[anchor][4]
        relocations.append(RELA.pack(8 * place, anchor << 32 | R_SPARC_64, addend))
    table = obj.add_section(
        TABLE,
        Section(0, SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, 0, 8, 0),
        bytes(8 * len(sites)),
    )
    obj.add_section(
        b".rela" + TABLE,
        Section(0, SHT_RELA, SHF_INFO_LINK, 0, 0, 0, obj.symtab, table, 8, RELA.size),
        b"".join(relocations),
    )
    return obj.finished()


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        data = path.read_bytes()
        if (recorded := record(data)) != data:
            path.write_bytes(recorded)
