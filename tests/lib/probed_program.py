# SPDX-License-Identifier: GPL-2.0-only
"""A program compiled by the host, in a folder that the guest sees, and the offsets of its functions in its file."""

from __future__ import annotations

import io
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.lib.host_compiler import compile_static

__all__ = ["ProbedProgram"]


class ProbedProgram:
    """A compiled static program; the test is skipped if it cannot be compiled.

    Args:
        arch: name of the architecture.
        source: the C source.
        folder: its folder.
        name: its file name.
    """

    def __init__(self, arch: str, source: str, folder: Path, name: str = "program") -> None:
        self.file = folder / name
        compile_static(arch, source, self.file)
        elf = ELFFile(io.BytesIO(self.file.read_bytes()))
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        self._addresses = {symbol.name: symbol["st_value"] for symbol in table.iter_symbols()}
        self._segments = [segment.header for segment in elf.iter_segments("PT_LOAD")]

    def address(self, symbol: str) -> int:
        """The address of a symbol in memory."""
        return int(self._addresses[symbol])

    def offset(self, symbol: str) -> int:
        """The offset of a symbol in the file."""
        address = self.address(symbol)
        (start,) = (
            one.p_offset - one.p_vaddr for one in self._segments if one.p_vaddr <= address < one.p_vaddr + one.p_filesz
        )
        return address + int(start)
