# SPDX-License-Identifier: GPL-2.0-only
"""The modules that the guest could load: the files of its initramfs, and which functions of theirs could be traced."""

from __future__ import annotations

import functools
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from elftools.elf.elffile import ELFFile

from emu.kernel.image import FunctionTable, Symbol

__all__ = ["ModuleFiles"]

_FIELDS, _FIELD = 13, 8  # of a header in the cpio format "newc": hexadecimal numbers after the magic
_MAGIC = 6
_FILE_SIZE, _NAME_SIZE = 6, 11


class ModuleFiles:
    """What the modules of an initramfs have. Nothing is read before somebody asks, because only errors do.

    Attributes:
        initramfs: a cpio archive in the format "newc", as the build makes it.
    """

    def __init__(self) -> None:
        self.initramfs = b""

    @functools.cached_property
    def functions(self) -> Mapping[str, Sequence[str]]:
        """By module the names of its functions with a call site, in the order of the file."""
        return {
            path.stem: _traceable(ELFFile(io.BytesIO(data))) for path, data in _members(self.initramfs) if path.suffix == ".ko"
        }


def _members(archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of an archive. Names and data are padded to four bytes."""
    place = 0
    while place < len(archive):
        start = place + _MAGIC
        fields = [int(archive[at : at + _FIELD], 16) for at in range(start, start + _FIELDS * _FIELD, _FIELD)]
        start += _FIELDS * _FIELD
        end = start + fields[_NAME_SIZE]
        data = end + -end % 4
        place = data + fields[_FILE_SIZE]
        yield PurePosixPath(archive[start : end - 1].decode()), archive[data:place]
        place += -place % 4


def _traceable(module: ELFFile) -> list[str]:
    """The functions that __mcount_loc names: each of its words is relocated to a call site."""
    symbols = list(module.get_section_by_name(".symtab").iter_symbols())
    functions: defaultdict[int, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol["st_info"]["type"] == "STT_FUNC":
            functions[symbol["st_shndx"]].append(Symbol(symbol.name, symbol["st_value"], symbol["st_size"]))
    tables = {section: FunctionTable(found) for section, found in functions.items()}
    names = []
    for relocation in module.get_section_by_name(".rela__mcount_loc").iter_relocations():
        symbol = symbols[relocation["r_info_sym"]]
        function = tables[symbol["st_shndx"]].last_begun(symbol["st_value"] + relocation["r_addend"])
        if function is not None:
            names.append(function.name)
    return names
