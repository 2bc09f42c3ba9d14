# SPDX-License-Identifier: GPL-2.0-only
"""Symbol files of the modules that a Linux guest has loaded, for gdb.

Each module's symbols are written to a file when it is seen first, with what its ORC tables say of stacks; those of its code for
initialisation are in another one, because that code goes. Where a file with debug information is known, gdb gets that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from emu.ftrace.btf import Btf
from emu.gdb.libraries import Library
from emu.gdb.symbol_file import Symbol, symbol_file, write_symbol_file
from emu.linux import arch
from emu.linux.call_frames import call_frames
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Loaded, Module, Modules
from emu.linux.orc import NoOrc, Orc, OrcLayout
from emu.linux.symbols import Symbols

__all__ = ["ModuleFiles"]

_WATCHED = ("do_init_module", "free_module")  # the kernel's functions between which a module's code is executed


class ModuleFiles:
    """The modules of a guest, as gdb's libraries (gdb.libraries.Libraries).

    Args:
        folder: where the files are written.
        ram: the guest's memory.
        symbols, btf: its kernel's.
        debug_files: files with debug information, by the names of modules.
        always: files that are always in the list, beside the modules.

    Attributes:
        watched: see Libraries.
    """

    def __init__(
        self,
        folder: Path,
        ram: memoryview,
        symbols: Symbols,
        btf: Btf,
        debug_files: dict[str, Path],
        always: Sequence[Library] = (),
    ) -> None:
        self._folder, self._debug_files, self._always = folder, debug_files, tuple(always)
        self._modules = Modules(LinuxMemory(ram, symbols), symbols, btf)
        self._layout = OrcLayout.of(lambda member: btf.has(f"orc_entry.{member}"))
        self._made: dict[Loaded, Sequence[Library]] = {}
        self.watched = [address for address in map(symbols.address, _WATCHED) if address is not None]

    def loaded(self) -> Sequence[Library]:
        """The present list. A module that cannot be read is left out."""
        found = list(self._always)
        with suppress(LookupError):
            for one in self._modules.listed():
                if one not in self._made:
                    self._made[one] = self._files(one)
                found += self._made[one]
        return found

    def _files(self, loaded: Loaded) -> Sequence[Library]:
        """The files of a module as it is now."""
        module = self._modules.read_module(loaded.address)
        place = self._folder / f"{module.text.start:x}"
        place.mkdir(exist_ok=True)
        if (debug := self._debug_files.get(module.name)) is not None and (sections := self._modules.sections(loaded.address)):
            return [_debug_library(debug, place, module.name, sections)]
        files = []
        for title, code in ((module.name, module.text), (f"{module.name}.init", module.init_text)):
            if code:
                path = place / f"{title}.ko"
                write_symbol_file(path, self._written(module, code))
                files.append(Library(str(path), (code.start,)))
        return files

    def _written(self, module: Module, code: range) -> bytes:
        """The symbols of one of the module's ranges of code; those of its data are with the code that stays."""
        others = module.init_text if code is module.text else range(0)
        types = module.symbols.types.tobytes().decode("latin-1")
        symbols = [
            Symbol(*one)
            for one in zip(module.symbols.addresses.tolist(), types, module.symbols.names, strict=True)
            if one[0] in code or (code is module.text and one[0] not in others)
        ]
        return symbol_file(symbols, arch.ELF_MACHINE, LinuxMemory.byte_order, [code], self._frames(module, code))

    def _frames(self, module: Module, code: range) -> bytes:
        try:
            orc = Orc.of(module.orc.ip_address, module.orc.ip, module.orc.entries, self._layout)
        except NoOrc:
            return b""
        first, last = np.searchsorted(orc.addresses, np.array([code.start, code.stop], np.uint64))
        part = Orc(orc.addresses[first:last], orc.entries[first:last])
        return call_frames(part, [], code.stop) if len(part.addresses) else b""


def _debug_library(debug: Path, place: Path, name: str, sections: dict[str, int]) -> Library:
    """A file with debug information. It is relocatable: its sections are where the kernel has put them."""
    from elftools.elf.elffile import ELFFile

    path = place / f"{name}.ko"
    if not path.is_symlink():
        path.symlink_to(debug)
    with debug.open("rb") as file:
        allocated = [one.name for one in ELFFile(file).iter_sections() if one["sh_flags"] & 2]
    return Library(str(path), tuple(sections.get(title, 0) for title in allocated), relocatable=True)
