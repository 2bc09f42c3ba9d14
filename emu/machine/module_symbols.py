# SPDX-License-Identifier: GPL-2.0-only
"""Symbol files of the modules that emu's own kernel has loaded, for gdb. They are made when gdb asks for them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from elftools.elf.enums import ENUM_E_MACHINE

from emu.gdb.libraries import Library
from emu.gdb.symbol_file import Symbol, symbol_file, write_symbol_file
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module, Region

__all__ = ["ModuleSymbols"]

_WATCHED = ("do_init_module", "free_module")  # the kernel's functions between which a module's code is executed


class ModuleSymbols:
    """The modules, as gdb's libraries (gdb.libraries.Libraries). `kernel`: the guest's.

    Attributes:
        watched: see Libraries.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._made: dict[tuple[int, int], Library] = {}  # by the addresses of a struct module and of a region
        self.watched = [kernel.image.symbols[name] for name in _WATCHED if name in kernel.image.symbols]

    def loaded(self) -> Sequence[Library]:
        """The present list."""
        found = []
        for module in self._kernel.modules:
            found.append(self._library(module, module.core, f"{module.name}.ko"))
            if module.init is not None and not module.init_freed:
                found.append(self._library(module, module.init, f"{module.name}.init.ko"))
        return found

    def _library(self, module: Module, region: Region, title: str) -> Library:
        key = module.address, region.base
        if key not in self._made:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="emu-gdb-modules-")
            path = Path(self._folder.name) / f"{region.base:x}" / title
            path.parent.mkdir(exist_ok=True)
            write_symbol_file(path, self._written(module, region))
            self._made[key] = Library(str(path), (region.base,))
        return self._made[key]

    def _written(self, module: Module, region: Region) -> bytes:
        functions = {one.address for one in module.functions}
        symbols = [
            Symbol(one.address, "T" if one.address in functions else "D", one.name)
            for one in module.symbols if one.address in region
        ]  # fmt: skip
        number = ENUM_E_MACHINE[self._kernel.arch.elf_machine]
        code = [range(region.base, region.base + region.size)]
        return symbol_file(symbols, number, self._kernel.board.arch.byte_order, code)
