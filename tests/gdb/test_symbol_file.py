# SPDX-License-Identifier: GPL-2.0-only
"""Symbol files, as pyelftools reads them."""

from __future__ import annotations

import io
from typing import Literal

import pytest
from elftools.elf.elffile import ELFFile

from emu.gdb.symbol_file import Symbol, symbol_file

KNOWN = [
    Symbol(0x1000, "T", "start"), Symbol(0x1010, "t", "inner"), Symbol(0x1010, "W", "alias"), Symbol(0x1100, "D", "data"),
    Symbol(0x20, "A", "an_offset"), Symbol(0x1180, "r", "text"),
]  # fmt: skip


@pytest.mark.parametrize("byte_order", ["little", "big"])
def test_symbols_have_addresses_sizes_and_kinds(byte_order: Literal["little", "big"]) -> None:
    file = ELFFile(io.BytesIO(symbol_file(reversed(KNOWN), 62, byte_order)))
    assert (file.little_endian, file["e_machine"]) == (byte_order == "little", "EM_X86_64")
    table = file.get_section_by_name(".symtab")
    found = {
        one.name: (one["st_value"], one["st_size"], one["st_info"]["bind"], one["st_info"]["type"])
        for one in table.iter_symbols() if one.name
    }  # fmt: skip
    assert found == {
        "start": (0x1000, 0x10, "STB_GLOBAL", "STT_FUNC"),
        "inner": (0x1010, 0xF0, "STB_LOCAL", "STT_FUNC"),
        "alias": (0x1010, 0xF0, "STB_WEAK", "STT_FUNC"),
        "data": (0x1100, 0x80, "STB_GLOBAL", "STT_OBJECT"),
        "text": (0x1180, 0x10, "STB_LOCAL", "STT_OBJECT"),
    }
    locals_ = [one["st_info"]["bind"] == "STB_LOCAL" for one in table.iter_symbols()]
    assert locals_.index(False) == table["sh_info"]
    text = file.get_section_by_name(".text")
    assert (text["sh_type"], text["sh_addr"], text["sh_size"]) == ("SHT_NOBITS", 0x1000, 0x190)


def test_the_last_function_ends_with_its_code() -> None:
    """gdb does not name an instruction behind a function's end."""
    file = ELFFile(io.BytesIO(symbol_file(KNOWN[:2], 62, "little", [range(0x1000, 0x1400)])))
    sizes = {one.name: one["st_size"] for one in file.get_section_by_name(".symtab").iter_symbols()}
    assert (sizes["start"], sizes["inner"]) == (0x10, 0x3F0)


def test_no_symbols_are_a_file_too() -> None:
    file = ELFFile(io.BytesIO(symbol_file([], 62, "little")))
    assert [section.name for section in file.iter_sections()] == ["", ".text", ".symtab", ".strtab", ".shstrtab"]
