# SPDX-License-Identifier: GPL-2.0-only
"""The functions of the kernel and its modules, as the text of traces names them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text import Symbol, SymbolTable
from emu.kernel.image import Image
from emu.kernel.modules import Modules

__all__ = ["KernelSymbols"]


class KernelSymbols:
    """Symbols of a kernel image and of its modules, unloaded ones, too: a trace is often read when they are gone.

    `irq_entry_text`: the addresses of the functions by which interrupts enter.
    """

    def __init__(self, image: Image, modules: Modules) -> None:
        names: dict[int, str] = {}
        for function in image.functions:
            names.setdefault(function.address, function.name)
        text = range(image.symbol("_stext"), image.symbol("_etext"))
        for name, address in image.symbols.items():
            if address in text:  # what begins a part of the text, or ends it, ends the function before it, too
                names.setdefault(address, name)
        self._image = SymbolTable(names, max(f.address + max(f.size, 1) for f in image.functions))
        self._functions = image.functions
        self._named = image.symbols
        self._modules = modules
        self.irq_entry_text = range(image.symbol("__irqentry_text_start"), image.symbol("__irqentry_text_end"))

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None where there is none."""
        found = self._image.lookup(addresses)
        return [symbol or self._of_module(int(address)) for symbol, address in zip(found, addresses, strict=True)]

    def function(self, which: str | int) -> range | None:
        """The addresses of the function of a name, or of that around an address; None: there is none."""
        address = which if isinstance(which, int) else self._address(which)
        if address is None:
            return None
        (symbol,) = self.lookup(np.array([address], np.uint64))
        return None if symbol is None else range(address - symbol.offset, address - symbol.offset + symbol.size)

    def address(self, name: str) -> int | None:
        """The address of a symbol of the kernel or, if it has none of the name, of a module; None: there is none."""
        if name in self._named:
            return self._named[name]
        for module in self._modules:
            with suppress(LookupError):
                return self._modules.symbol(module.name, name)
        return None

    def _address(self, name: str) -> int | None:
        """Of several functions, the kernel's own comes first."""
        tables = (self._functions, *(module.functions for module in self._modules))
        return next((function.address for table in tables for function in table if function.name == name), None)

    def _of_module(self, address: int) -> Symbol | None:
        found = self._modules.find(address)
        if found is None:
            return None
        module, function = found
        return Symbol(function.name, address - function.address, function.size, module.name)
