# SPDX-License-Identifier: GPL-2.0-only
"""The functions and variables of the kernel and its modules, as named in the text of traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.symbols import Symbol
from emu.kernel.image import Image
from emu.kernel.image import Symbol as KernelSymbol
from emu.kernel.modules import Modules

__all__ = ["KernelSymbols"]


class KernelSymbols:
    """The symbols of a kernel image and its modules, functions and variables, as in Linux with CONFIG_KALLSYMS_ALL.

    Symbols of unloaded modules are kept: a trace is often read when they are gone.

    `irq_entry_text`: the addresses of the interrupt entry functions.
    """

    def __init__(self, image: Image, modules: Modules) -> None:
        self._own = image.named_places
        self._named = image.symbols
        self._modules = modules
        self.irq_entry_text = range(image.symbol("__irqentry_text_start"), image.symbol("__irqentry_text_end"))

    def __iter__(self) -> Iterator[tuple[KernelSymbol, str]]:
        """All symbols, each with the name of its module ("" for the kernel): those of the kernel and the loaded modules."""
        yield from ((symbol, "") for symbol in self._own)
        yield from ((symbol, module.name) for module, symbol in self._modules.symbols())

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None if there is none."""
        return [self._at(address) for address in addresses.tolist()]

    def function(self, which: str | int) -> range | None:
        """The addresses of a function, given by name or by an address in it; None if there is none."""
        address = which if isinstance(which, int) else self.address(which)
        symbol = None if address is None else self._at(address)
        if address is None or symbol is None:
            return None
        start = address - symbol.offset
        return range(start, start + symbol.size)

    def address(self, name: str) -> int | None:
        """The address of a symbol of the kernel, or otherwise of a module; None if there is none."""
        if name in self._named:
            return self._named[name]
        for module in self._modules:
            with suppress(LookupError):
                return self._modules.symbol(module.name, name)
        return None

    def _at(self, address: int) -> Symbol | None:
        found = self._own.at(address)
        if found is not None:
            return Symbol(found.name, address - found.address, found.size)
        of_module = self._modules.find_symbol(address)
        if of_module is None:
            return None
        module, symbol = of_module
        return Symbol(symbol.name, address - symbol.address, symbol.size, module.name)
