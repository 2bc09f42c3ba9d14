# SPDX-License-Identifier: GPL-2.0-only
"""The functions of a Linux guest that can be traced now: the kernel's and those of its modules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.sites.filters import Functions
from emu.linux import sites

__all__ = ["TracedFunctions"]

Addresses = NDArray[np.uint64]


class TracedFunctions:
    """The kernel's functions come first, in address order, then those of each module in the order of loading.

    Args:
        kernel: the kernel's functions.

    Attributes:
        functions: their names, for filters.
        addresses: of each, the address by which traces name it: where it would call ftrace.
        begins: where each begins.
    """

    def __init__(self, kernel: sites.Functions) -> None:
        self._next_number = 0
        self._is_init = np.zeros(0, np.bool_)
        self.addresses, self.begins = np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        self.functions = Functions([])
        self.add(kernel)

    def add(self, found: sites.Functions) -> None:
        """Adds the functions of the kernel or of a module."""
        old, count = self.functions, len(found)
        self.addresses = np.append(self.addresses, found.sites)
        self.begins = np.append(self.begins, found.begins)
        self._is_init = np.append(self._is_init, found.is_init)
        numbers = np.append(old.numbers, np.arange(self._next_number, self._next_number + count))
        self._next_number += count
        loaded = old.loaded | ({found.module} if found.module else set())
        self.functions = Functions([*old.names, *found.names], [*old.modules, *[found.module] * count], numbers, loaded)

    def init_is_gone(self, module: str) -> Addresses:
        """The memory of initialisation code was freed. Returns the addresses of the functions that were there."""
        return self._keep([not (init and of == module) for init, of in zip(self._is_init, self.functions.modules, strict=True)])

    def unloaded(self, module: str) -> Addresses:
        """A module is gone. Returns the addresses of its functions."""
        gone = self._keep([of != module for of in self.functions.modules])
        old = self.functions
        self.functions = Functions(old.names, old.modules, old.numbers, old.loaded - {module})
        return gone

    def _keep(self, kept: Sequence[bool]) -> Addresses:
        mask, old = np.array(kept, np.bool_), self.functions
        gone: Addresses = self.addresses[~mask]
        if len(gone):
            self.addresses, self.begins, self._is_init = self.addresses[mask], self.begins[mask], self._is_init[mask]
            places = np.flatnonzero(mask).tolist()
            names, modules = [old.names[n] for n in places], [old.modules[n] for n in places]
            self.functions = Functions(names, modules, old.numbers[mask], old.loaded)
        return gone
