# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's loaded modules, as described by the guest: memory, symbols and call sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from emu.kernel.image import STT_FUNC, Symbol, SymbolTable, symbol_record
from emu.kernel.memory import GuestMemory

__all__ = ["BadModule", "Module", "Modules", "Region"]

_MOST_SYMBOLS = 1 << 18
_MOST_STRINGS = 1 << 24


class BadModule(ValueError):
    """The guest's description of a module is inconsistent."""


@dataclass(frozen=True)
class Region:
    """A module's region of memory. Its first `text` bytes are executable."""

    base: int
    size: int
    text: int

    def __contains__(self, address: int) -> bool:
        return self.base <= address < self.base + self.size

    def overlaps(self, other: Region) -> bool:
        return self.base < other.base + other.size and other.base < self.base + self.size


@dataclass
class Module:
    """One module: its permanent part, the part for its init, and its tables in address order."""

    address: int  # of its struct module
    name: str
    core: Region
    init: Region | None
    functions: SymbolTable
    symbols: SymbolTable  # functions and variables, each reaching to the next one
    sites: list[int]
    jump_entries: tuple[int, int]  # address of the table, and number of entries
    trace_events: list[int]  # addresses of struct trace_event_call
    trace_evals: list[int]  # addresses of struct trace_eval_map
    init_freed: bool = False  # another module may be there; `init` and `functions` stay, because a trace may name them

    def has_code(self, address: int) -> bool:
        """Whether an address is in this module's code."""
        regions = (self.core, self.init) if self.init and not self.init_freed else (self.core,)
        return any(region.base <= address < region.base + region.text for region in regions)

    def freed(self, part: range) -> None:
        """The guest frees memory of this module's init."""
        self.init_freed |= self.init is not None and self.init.base in part

    def function_at(self, address: int) -> Symbol | None:
        """The function that contains an address of this module's code."""
        found = self.functions.last_begun(address)
        if found is None:
            return None
        region = self.core if found.address in self.core else self.init
        return found if region is not None and region.base <= address < region.base + region.text else None


class Modules:
    """The loaded modules, and unloaded ones, because a trace may still name their functions.

    An unloaded module is forgotten when another module is loaded at its addresses.
    """

    def __init__(self, memory: GuestMemory) -> None:
        self._memory = memory
        self._loaded: dict[int, Module] = {}  # by the address of struct module
        self._known: list[tuple[Region, Module]] = []  # the latest is last

    def __iter__(self) -> Iterator[Module]:
        """The loaded modules, in the order of loading."""
        return iter(self._loaded.values())

    def read(self, address: int) -> Module:
        """Reads the struct module at `address`.

        Raises:
            BadModule: it is inconsistent.
            LookupError: it points outside the kernel's memory.
        """
        memory, image = self._memory, self._memory.image
        core = self._region(address + image.offset("module.core_layout"))
        init = self._region(address + image.offset("module.init_layout"))
        known = list(self._symbols(memory.member(address, "module.kallsyms")))
        functions = _functions(known, (core, init))
        sites, events, evals = (
            memory.words(*self._table(address, name)) for name in ("ftrace_callsites", "trace_events", "trace_evals")
        )
        name = memory.text(address, "module.name")
        jumps = self._table(address, "jump_entries")
        regions = (core, init) if init.size else (core,)
        symbols = SymbolTable(symbol for region in regions for symbol in _within(region, known))
        return Module(
            address, name, core, init if init.size else None, functions, symbols, sorted(sites), jumps, events, evals
        )

    def add(self, module: Module) -> None:
        """Adds a module that has been loaded."""
        self._loaded[module.address] = module
        for region in (module.core, module.init):
            if region is not None and region.size:
                self._known = [(old, owner) for old, owner in self._known if not old.overlaps(region)]
                self._known.append((region, module))

    def get(self, address: int) -> Module:
        """The loaded module with its struct module at `address`.

        Raises:
            LookupError: there is none.
        """
        return self._loaded[address]

    def remove(self, address: int) -> None:
        self._loaded.pop(address, None)

    def hold(self, name: str) -> None:
        """Prevents the guest from unloading a loaded module, until `let_go` has been called as often."""
        self._add_references(name, 1)

    def let_go(self, name: str) -> None:
        """Undoes one `hold`."""
        self._add_references(name, -1)

    def _add_references(self, name: str, count: int) -> None:
        # Equivalent to atomic_inc() and atomic_dec(), because the guest stands still.
        (module,) = [module for module in self if module.name == name]
        references = self._memory.member(module.address, "module.refcnt")
        self._memory.set_member(module.address, "module.refcnt", references + count)

    def symbol(self, module: str, name: str) -> int:
        """The address of a function or variable of a loaded module.

        Raises:
            LookupError: the module is not loaded, or has no such symbol.
        """
        for loaded in self:
            if loaded.name == module:
                for symbol, _ in self._symbols(self._memory.member(loaded.address, "module.kallsyms")):
                    if symbol.name == name:
                        return symbol.address
                raise LookupError(f"the module {module} has no symbol {name}")
        raise LookupError(f"no module {module} is loaded")

    def symbols(self) -> Iterator[tuple[Module, Symbol]]:
        """The symbols of loaded modules, including those of freed init memory that no other module uses."""
        for region, module in self._known:
            if self._loaded.get(module.address) is module:
                yield from ((module, symbol) for symbol in module.symbols if symbol.address in region)

    def find(self, address: int) -> tuple[Module, Symbol] | None:
        """The function at an address, and the module that is or was there."""
        module = self._at(address)
        function = module.function_at(address) if module else None
        return (module, function) if module and function else None

    def find_symbol(self, address: int) -> tuple[Module, Symbol] | None:
        """The function or variable at an address, and the module that is or was there."""
        module = self._at(address)
        symbol = module.symbols.at(address) if module else None
        return (module, symbol) if module and symbol else None

    def _at(self, address: int) -> Module | None:
        """The module that is or was at an address."""
        return next((module for region, module in self._known if address in region), None)

    def _table(self, module: int, name: str) -> tuple[int, int]:
        """The address and length of an array of a module."""
        count = self._memory.member(module, f"module.num_{name}")
        if count > _MOST_SYMBOLS:
            raise BadModule(f"{count} {name}")
        return self._memory.member(module, f"module.{name}"), count

    def _region(self, layout: int) -> Region:
        memory = self._memory
        base, size, text = (memory.member(layout, f"module_layout.{name}") for name in ("base", "size", "text_size"))
        if size:
            memory.physical(base)
            memory.physical(base + size - 1)
        return Region(base, size, min(text, size))

    def _symbols(self, kallsyms: int) -> Iterator[tuple[Symbol, int]]:
        """The symbols in a struct mod_kallsyms, with their types."""
        memory = self._memory
        symtab, count, strtab, size = (
            memory.member(kallsyms, f"mod_kallsyms.{name}") for name in ("symtab", "num_symtab", "strtab", "strtab_size")
        )
        if count > _MOST_SYMBOLS or size > _MOST_STRINGS:
            raise BadModule(f"{count} symbols with {size} bytes of names")
        record = symbol_record(memory.image.byte_order)
        strings = memory.read(strtab, size)
        for row in np.frombuffer(memory.read(symtab, record.itemsize * count), record):
            start = int(row["name"])
            if start < len(strings):
                name = strings[start : strings.find(b"\0", start)].decode(errors="replace")
                yield Symbol(name, int(row["value"]), int(row["size"])), int(row["info"]) & 0xF


def _functions(symbols: Iterable[tuple[Symbol, int]], regions: tuple[Region, Region]) -> SymbolTable:
    """The functions, none of which extends beyond its region's code."""
    functions = []
    for symbol, kind in symbols:
        ends = (one.base + one.text for one in regions if one.base <= symbol.address < one.base + one.text)
        end = next(ends, None)
        if kind == STT_FUNC and symbol.name and end is not None:
            functions.append(replace(symbol, size=min(symbol.size, end - symbol.address)))
    return SymbolTable(functions)


def _within(region: Region, symbols: Iterable[tuple[Symbol, int]]) -> SymbolTable:
    """The symbols in a region. The last ones in the code and in the data reach to the end of the code and of the region."""
    found = [(symbol.address, symbol.name) for symbol, _ in symbols if symbol.name and symbol.address in region]
    named = sorted(found, key=lambda one: one[0])  # of several at one address, Linux shows the first one in the module's table
    border = region.base + region.text
    code = SymbolTable.reaching([one for one in named if one[0] < border], border)
    data = SymbolTable.reaching([one for one in named if one[0] >= border], region.base + region.size)
    return SymbolTable([*code, *data])
