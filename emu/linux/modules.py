# SPDX-License-Identifier: GPL-2.0-only
"""The modules of a running Linux guest, out of its memory: where their code is, and what the kernel knows of it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.btf import Btf
from emu.linux.memory import LinuxMemory
from emu.linux.symbols import Symbols

__all__ = ["Loaded", "Module", "ModuleState", "ModuleSymbols", "Modules", "OrcTables"]

_MOST_MODULES = 1 << 14
_MOST_SECTIONS = 1 << 10
_MOST_BYTES = 1 << 28  # of one table
_SYMBOL = np.dtype([("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")])
# Names of places that are no functions, which compilers and linkers make. Linux skips them where it looks up an address.
_LABELS = (".L", "L0\x01", "$a", "$d", "$t", "$x")


class ModuleState(enum.IntEnum):
    """enum module_state of include/linux/module.h."""

    LIVE = 0
    COMING = 1  # loaded, and not initialised yet
    GOING = 2
    UNFORMED = 3  # being loaded: only the name is known


class Loaded(NamedTuple):
    """A module in the kernel's list.

    Attributes:
        address: of its struct module.
        text, init_text: where its code begins; 0: it has none, or no longer.
    """

    address: int
    text: int
    init_text: int


class ModuleSymbols(NamedTuple):
    """A module's symbols, in the order of /proc/kallsyms.

    Attributes:
        types: of each symbol, the character that nm shows. /proc/kallsyms has a capital letter for what is exported.
    """

    addresses: NDArray[np.uint64]
    types: NDArray[np.uint8]
    names: list[str]


class OrcTables(NamedTuple):
    """How the stack is unwound in a module.

    Attributes:
        ip_address: where `ip` is in the guest's memory: its numbers are relative to their own places.
        ip: arch.orc_unwind_ip, 4 bytes for each entry.
        entries: arch.orc_unwind, a struct orc_entry for each.
    """

    ip_address: int
    ip: bytes
    entries: bytes


_NO_SYMBOLS = ModuleSymbols(np.zeros(0, np.uint64), np.zeros(0, np.uint8), [])
_NO_ORC = OrcTables(0, b"", b"")


@dataclass(frozen=True, eq=False)
class Module:
    """A module, as it was when it was read.

    Attributes:
        address: of its struct module.
        text: the addresses of its code.
        init_text: the addresses of its code for initialisation; empty after that has been freed.
        call_sites: where its functions call ftrace, in ascending order.
        btf: its BTF, for Btf.split; b"" if it has none.
    """

    address: int
    name: str
    state: ModuleState
    text: range
    init_text: range
    symbols: ModuleSymbols = field(repr=False)
    call_sites: NDArray[np.uint64] = field(repr=False)
    orc: OrcTables = field(repr=False)
    btf: bytes = field(repr=False)

    def at(self, address: int) -> tuple[str, int] | None:
        """The name of the function at an address, and the offset in it; None if the address is in none of the module's.

        It is the last symbol before the address; of several at one place the first.
        """
        if address not in self.text and address not in self.init_text:
            return None
        starts, names = self._sorted
        found = int(np.searchsorted(starts, np.uint64(address), "right")) - 1
        if found < 0:
            return None
        first = int(np.searchsorted(starts, starts[found]))
        return names[first], address - int(starts[first])

    def end_of(self, address: int) -> int:
        """Where the function at an address ends: at the next symbol, or at the end of its code."""
        starts, _ = self._sorted
        after = int(np.searchsorted(starts, np.uint64(address), "right"))
        code = self.text if address in self.text else self.init_text
        return min(int(starts[after]), code.stop) if after < len(starts) else code.stop

    @functools.cached_property
    def _sorted(self) -> tuple[NDArray[np.uint64], list[str]]:
        """The addresses, ascending, and the names of all symbols that are no labels."""
        kept = np.array([not name.startswith(_LABELS) for name in self.symbols.names], bool)
        order = np.flatnonzero(kept)[np.argsort(self.symbols.addresses[kept], kind="stable")]
        return self.symbols.addresses[order], [self.symbols.names[n] for n in order.tolist()]


class Modules:
    """Reads modules of a guest.

    Args:
        memory: the guest's.
        symbols, btf: its kernel's.
    """

    def __init__(self, memory: LinuxMemory, symbols: Symbols, btf: Btf) -> None:
        self._memory, self._btf = memory, btf
        self._modules, self._btf_modules = symbols.address("modules"), symbols.address("btf_modules")

    def loaded(self) -> list[Module]:
        """All modules, in the order of /proc/modules: the latest comes first. Those of which nothing is known yet are left out.

        Raises:
            LookupError: the kernel's lists or tables lead to memory that is not mapped.
        """
        if self._modules is None:
            return []
        found = self._listed(self._modules, "module.list")
        return [self.read_module(address) for address in found if self._get(address, "module.state") != ModuleState.UNFORMED]

    def listed(self) -> list[Loaded]:
        """The modules that `loaded` reads, without reading them. It raises the same."""
        found = self._listed(self._modules, "module.list") if self._modules is not None else ()
        known = [address for address in found if self._get(address, "module.state") != ModuleState.UNFORMED]
        return [Loaded(address, *(part.start for part in self._text(address))) for address in known]

    def sections(self, address: int) -> dict[str, int]:
        """Where the sections of the module's file are, by their names; empty if the kernel does not keep that."""
        if not self._btf.has("module_sect_attrs.nsections"):
            return {}
        attributes = self._get(address, "module.sect_attrs")
        if not attributes:
            return {}
        first, step = attributes + self._btf.offset("module_sect_attrs.attrs"), self._btf.size("module_sect_attr")
        name = sum(map(self._btf.offset, ("module_sect_attr.battr", "bin_attribute.attr", "attribute.name")))
        found = range(first, first + step * min(self._get(attributes, "module_sect_attrs.nsections"), _MOST_SECTIONS), step)
        return {
            self._memory.string(self._memory.word(one + name)): self._get(one, "module_sect_attr.address") for one in found
        }

    def read_module(self, address: int) -> Module:
        """The module whose struct module is at an address. It may be in the midst of being loaded.

        Raises:
            LookupError: it is not there, or its tables lead to memory that is not mapped.
        """
        value = self._get(address, "module.state")
        if value not in ModuleState.__members__.values():
            raise LookupError(f"there is no module at {address:#x}: its state would be {value}")
        state = ModuleState(value)
        name = self._memory.string(address + self._btf.offset("module.name"), self._btf.size("module.name"))
        if state == ModuleState.UNFORMED:
            return Module(address, name, state, range(0), range(0), _NO_SYMBOLS, _NO_SYMBOLS.addresses, _NO_ORC, b"")
        text, init_text = self._text(address)
        return Module(
            address, name, state, text, init_text, self._symbols(address),
            self._call_sites(address, text, init_text), self._orc(address), self._own_btf(address, state),
        )  # fmt: skip

    # Members

    def _get(self, address: int, path: str) -> int:
        """A member of the structure at an address, as an unsigned number."""
        return self._memory.word(address + self._btf.offset(path), self._btf.size(path))

    def _table(self, address: int, count: int, size: int) -> bytes:
        """An array in the guest's memory."""
        if count * size > _MOST_BYTES:
            raise LookupError(f"a table of {count:,} entries at {address:#x} is damaged")
        return self._memory.read(address, count * size) if address else b""

    def _listed(self, head: int, member: str) -> Iterator[int]:
        """The structures that are linked by a struct list_head in them."""
        following, offset = self._btf.offset("list_head.next"), self._btf.offset(member)
        at = head
        for _ in range(_MOST_MODULES):
            at = self._memory.word(at + following)
            if at == head:
                return
            yield at - offset
        raise LookupError(f"the list of modules at {head:#x} has no end")

    def _text(self, address: int) -> tuple[range, range]:
        """The code that stays, and the code that is freed after initialisation."""
        if self._btf.has("module.mem"):  # since Linux 6.4
            start, step = address + self._btf.offset("module.mem"), self._btf.size("module_memory")
            parts = [start + step * (self._btf.enumerator(name) or 0) for name in ("MOD_TEXT", "MOD_INIT_TEXT")]
            members = "module_memory.base", "module_memory.size"
        else:
            parts = [address + self._btf.offset(f"module.{name}") for name in ("core_layout", "init_layout")]
            members = "module_layout.base", "module_layout.text_size"
        places = [[self._get(part, member) for member in members] for part in parts]
        text, init_text = (range(base, base + size) if base else range(0) for base, size in places)
        return text, init_text

    def _symbols(self, address: int) -> ModuleSymbols:
        """The symbols that have a name and a place."""
        tables = self._get(address, "module.kallsyms")
        count = self._get(tables, "mod_kallsyms.num_symtab") if tables else 0
        if not count:
            return _NO_SYMBOLS
        entries = np.frombuffer(self._table(self._get(tables, "mod_kallsyms.symtab"), count, _SYMBOL.itemsize), _SYMBOL)
        types = np.frombuffer(self._table(self._get(tables, "mod_kallsyms.typetab"), count, 1), np.uint8)
        strings, last = self._get(tables, "mod_kallsyms.strtab"), int(entries["name"].max())
        texts = self._table(strings, last, 1) + self._memory.string(strings + last).encode(errors="surrogateescape") + b"\0"
        found = (texts[start : texts.index(b"\0", start)] for start in entries["name"].tolist())
        names = [name.decode("utf-8", "replace") for name in found]
        kept = (entries["section"] != 0) & np.array([bool(name) for name in names])
        return ModuleSymbols(
            entries["value"][kept].astype(np.uint64), types[kept], [names[n] for n in np.flatnonzero(kept).tolist()]
        )

    def _call_sites(self, address: int, *code: range) -> NDArray[np.uint64]:
        """Those in code that is there. The table also has those of code that has been freed."""
        if not self._btf.has("module.ftrace_callsites"):
            return np.zeros(0, np.uint64)
        count, table = self._get(address, "module.num_ftrace_callsites"), self._get(address, "module.ftrace_callsites")
        sites = np.sort(np.frombuffer(self._table(table, count, 8), "<u8").astype(np.uint64))
        return sites[np.any([(sites >= part.start) & (sites < part.stop) for part in code], axis=0)]

    def _orc(self, address: int) -> OrcTables:
        if not self._btf.has("module.arch.num_orcs"):
            return _NO_ORC
        count, ip = self._get(address, "module.arch.num_orcs"), self._get(address, "module.arch.orc_unwind_ip")
        entries = self._table(self._get(address, "module.arch.orc_unwind"), count, self._btf.size("orc_entry"))
        return OrcTables(ip, self._table(ip, count, 4), entries)

    def _own_btf(self, address: int, state: ModuleState) -> bytes:
        """The kernel's copy. Before it has one, the module's: that is freed when the module is live."""
        for found in self._listed(self._btf_modules, "btf_module.list") if self._btf_modules is not None else ():
            if self._get(found, "btf_module.module") == address:
                btf = self._get(found, "btf_module.btf")
                return self._table(self._get(btf, "btf.data"), self._get(btf, "btf.data_size"), 1)
        if state == ModuleState.COMING and self._btf.has("module.btf_data"):
            return self._table(self._get(address, "module.btf_data"), self._get(address, "module.btf_data_size"), 1)
        return b""
