# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's loadable modules: what the guest tells of them, and whose function an address is."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emu.kernel.image import Symbol

if TYPE_CHECKING:
    from emu.kernel.kernel import Kernel

__all__ = ["BadModule", "Module", "Modules", "Region"]

_MOST_SYMBOLS = 1 << 18
_MOST_STRINGS = 1 << 24
_FUNCTION = 2  # STT_FUNC


class BadModule(ValueError):
    """What the guest says of a module cannot be."""


@dataclass(frozen=True)
class Region:
    """A module's part in memory, the first `text` bytes of it executable."""

    base: int
    size: int
    text: int

    def __contains__(self, address: int) -> bool:
        return self.base <= address < self.base + self.size

    def overlaps(self, other: Region) -> bool:
        return self.base < other.base + other.size and other.base < self.base + self.size


@dataclass
class Module:
    """One module: the part that stays, the part that only its init needs, and its functions in address order."""

    address: int  # of its struct module
    name: str
    core: Region
    init: Region | None
    functions: list[Symbol]
    sites: list[int]
    init_freed: bool = False

    def function_at(self, address: int) -> Symbol | None:
        """The function that contains an address of this module's code."""
        index = bisect.bisect_right(self.functions, address, key=lambda function: function.address) - 1
        if index < 0:
            return None
        found = self.functions[index]
        while index and self.functions[index - 1].address == found.address:
            index -= 1
            found = self.functions[index]
        region = self.core if found.address in self.core else self.init
        return found if region is not None and region.base <= address < region.base + region.text else None


class Modules:
    """The modules there are, and what is still known of those that there were: a trace may name them.

    Whatever is known of an address is forgotten when another module comes to lie there.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._loaded: dict[int, Module] = {}  # by the address of struct module
        self._known: list[tuple[Region, Module]] = []  # the latest last

    def __iter__(self) -> Iterator[Module]:
        """Those loaded, in the order in which they came."""
        return iter(self._loaded.values())

    def read(self, address: int) -> Module:
        """What the struct module at `address` says.

        Raises:
            BadModule: it cannot be.
            LookupError: it points out of the kernel's memory.
        """
        kernel = self._kernel
        name = self._bytes(address + kernel.image.offset("module.name"), kernel.image.size("module.name"))
        core = self._region(address + kernel.image.offset("module.core_layout"))
        init = self._region(address + kernel.image.offset("module.init_layout"))
        functions = self._functions(kernel.member(address, "module.kallsyms"), (core, init))
        count = kernel.member(address, "module.num_ftrace_callsites")
        table = kernel.member(address, "module.ftrace_callsites")
        if count > _MOST_SYMBOLS:
            raise BadModule(f"{count} call sites")
        order = ">" if kernel.board.arch.byte_order == "big" else "<"
        sites = np.frombuffer(self._bytes(table, 8 * count), f"{order}u8").tolist() if count else []
        text = name.split(b"\0")[0].decode(errors="replace")
        return Module(address, text, core, init if init.size else None, functions, sorted(sites))

    def add(self, module: Module) -> None:
        """The module is there from now on."""
        self._loaded[module.address] = module
        for region in (module.core, module.init):
            if region is not None and region.size:
                self._known = [(old, owner) for old, owner in self._known if not old.overlaps(region)]
                self._known.append((region, module))

    def get(self, address: int) -> Module | None:
        """The loaded module whose struct module is at `address`."""
        return self._loaded.get(address)

    def remove(self, address: int) -> None:
        self._loaded.pop(address, None)

    def find(self, address: int) -> tuple[Module, Symbol] | None:
        """The function at an address, of a module that is or was there, and the module."""
        for region, module in self._known:
            if address in region:
                function = module.function_at(address)
                return (module, function) if function is not None else None
        return None

    def known(self) -> Iterator[tuple[Region, Module]]:
        """Every part whose addresses have names, and whose it is."""
        return iter(self._known)

    def _bytes(self, address: int, size: int) -> bytes:
        physical = self._kernel.physical(address)
        if size:
            self._kernel.physical(address + size - 1)
        return bytes(self._kernel.board.ram[physical : physical + size])

    def _region(self, layout: int) -> Region:
        kernel = self._kernel
        base, size, text = (kernel.member(layout, f"module_layout.{name}") for name in ("base", "size", "text_size"))
        if size:
            kernel.physical(base)
            kernel.physical(base + size - 1)
        return Region(base, size, min(text, size))

    def _functions(self, kallsyms: int, regions: tuple[Region, Region]) -> list[Symbol]:
        kernel = self._kernel
        symtab, count, strtab, size = (
            kernel.member(kallsyms, f"mod_kallsyms.{name}") for name in ("symtab", "num_symtab", "strtab", "strtab_size")
        )
        if count > _MOST_SYMBOLS or size > _MOST_STRINGS:
            raise BadModule(f"{count} symbols with {size} bytes of names")
        order = ">" if kernel.board.arch.byte_order == "big" else "<"
        entry = np.dtype(
            [(name, order + kind) for name, kind in
             (("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8"))]
        )  # fmt: skip
        strings = self._bytes(strtab, size)
        functions = []
        for row in np.frombuffer(self._bytes(symtab, entry.itemsize * count), entry):
            value, start = int(row["value"]), int(row["name"])
            inside = any(region.base <= value < region.base + region.text for region in regions)
            if int(row["info"]) & 0xF != _FUNCTION or not inside or start >= len(strings):
                continue
            name = strings[start : strings.find(b"\0", start)].decode(errors="replace")
            if name:
                functions.append(Symbol(name, value, int(row["size"])))
        return sorted(functions, key=lambda function: function.address)
