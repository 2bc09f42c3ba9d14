# SPDX-License-Identifier: GPL-2.0-only
"""The modules that the guest could load: the files in its initramfs, and their traceable functions."""

from __future__ import annotations

import functools
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from elftools.elf.elffile import ELFFile

from emu.kernel.cpio import read_entries
from emu.kernel.image import Symbol, SymbolTable

__all__ = ["ModuleFiles"]


class ModuleFiles:
    """The modules of an initramfs. They are read only when needed, because only errors need them.

    Attributes:
        initramfs: a cpio archive in the newc format, as built; empty if there is none.
    """

    def __init__(self) -> None:
        self.initramfs = b""

    @functools.cached_property
    def functions(self) -> Mapping[str, Sequence[str]]:
        """For each module, sorted by name: the names of its functions with a call site, in the file's order."""
        if not self.initramfs:
            return {}
        files = ((PurePosixPath(entry.name), entry.data) for entry in read_entries(self.initramfs))
        modules = ((path.stem.replace("-", "_"), data) for path, data in files if path.suffix == ".ko")
        return {name: _traceable(ELFFile(io.BytesIO(data))) for name, data in sorted(modules)}


def _traceable(module: ELFFile) -> list[str]:
    """The functions in __mcount_loc: each of its words has a relocation to a call site."""
    symbols = list(module.get_section_by_name(".symtab").iter_symbols())
    functions: defaultdict[int, list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol["st_info"]["type"] == "STT_FUNC":
            functions[symbol["st_shndx"]].append(Symbol(symbol.name, symbol["st_value"], symbol["st_size"]))
    tables = {section: SymbolTable(found) for section, found in functions.items()}
    names = []
    for relocation in module.get_section_by_name(".rela__mcount_loc").iter_relocations():
        symbol = symbols[relocation["r_info_sym"]]
        function = tables[symbol["st_shndx"]].last_begun(symbol["st_value"] + relocation["r_addend"])
        if function is not None:
            names.append(function.name)
    return names
