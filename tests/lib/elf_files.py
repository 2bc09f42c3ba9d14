# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images and modules with tables that a test damages."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emu.kernel.cpio import read_entries
from emu.machine import image_directory

__all__ = ["ElfFile", "module_file"]

_WORD = 8
_ADDEND = 16  # offset in Elf64_Rela (System V ABI, 4, "Relocation")


class ElfFile:
    """The bytes of an ELF file; those of an image are named by addresses, those of a module by a section and an offset in it."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self._elf = ELFFile(io.BytesIO(data))
        self._byte_order: Literal["little", "big"] = "little" if self._elf.little_endian else "big"

    def write_to(self, path: Path) -> Path:
        path.write_bytes(self.data)
        return path

    def symbol(self, name: str) -> tuple[str, int]:
        """The section and the value of a symbol: the offset in that section in a module, the address in an image."""
        table = self._elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        (found,) = table.get_symbol_by_name(name)
        return self._elf.get_section(found["st_shndx"]).name, found["st_value"]

    # Images

    def at(self, address: int) -> int:
        """The offset in the file of the bytes at an address."""
        for segment in self._elf.iter_segments("PT_LOAD"):
            if segment["p_vaddr"] <= address < segment["p_vaddr"] + segment["p_filesz"]:
                return int(address - segment["p_vaddr"] + segment["p_offset"])
        raise LookupError(f"{address:#x} is not in the file")

    def word(self, address: int) -> int:
        place = self.at(address)
        return int.from_bytes(self.data[place : place + _WORD], self._byte_order)

    def set_word(self, address: int, value: int, size: int = _WORD) -> None:
        place = self.at(address)
        self.data[place : place + size] = value.to_bytes(size, self._byte_order)

    # Modules

    def move_pointer(self, section: str, offset: int, distance: int) -> None:
        """Moves the target of the pointer at an offset in a module's section by `distance`."""
        place = self._relocation(section, offset) + _ADDEND
        addend = int.from_bytes(self.data[place : place + _WORD], self._byte_order, signed=True)
        self.data[place : place + _WORD] = (addend + distance).to_bytes(_WORD, self._byte_order, signed=True)

    def copy_pointer(self, section: str, offset: int, source: int) -> None:
        """Makes the pointer at an offset in a module's section point to the target of another pointer in that section."""
        place, other = self._relocation(section, offset) + _WORD, self._relocation(section, source) + _WORD
        self.data[place : place + 2 * _WORD] = self.data[other : other + 2 * _WORD]

    def set_pointer(self, section: str, offset: int, address: int) -> None:
        """Makes the pointer at an offset in a module's section point to an address of the guest."""
        place = self._relocation(section, offset)
        self.data[place + _WORD : place + 2 * _WORD] = bytes(_WORD)  # R_..._NONE: the number is not relocated
        self.set_number(section, offset, address)

    def set_number(self, section: str, offset: int, value: int, size: int = _WORD) -> None:
        """Stores a number at an offset in a module's section."""
        place = self._elf.get_section_by_name(section)["sh_offset"] + offset
        self.data[place : place + size] = value.to_bytes(size, self._byte_order)

    def _relocation(self, section: str, offset: int) -> int:
        """The offset in the file of a pointer's Elf64_Rela."""
        table = self._elf.get_section_by_name(f".rela{section}")
        (index,) = (n for n, row in enumerate(table.iter_relocations()) if row["r_offset"] == offset)
        return int(table["sh_offset"] + index * table["sh_entsize"])


def module_file(arch: str, name: str) -> ElfFile:
    """A module of the guest's /lib/modules."""
    archive = (image_directory(arch) / "initramfs.cpio").read_bytes()
    (data,) = (entry.data for entry in read_entries(archive) if entry.name == f"lib/modules/{name}.ko")
    return ElfFile(data)
