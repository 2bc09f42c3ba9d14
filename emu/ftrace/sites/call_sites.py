# SPDX-License-Identifier: GPL-2.0-only
"""The call sites that the compiler recorded: one at the start of each traceable function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from emu.cpu.board import Board
from emu.ftrace.arch import FtraceArch, OutOfReach
from emu.ftrace.sites.filters import Functions
from emu.kernel.image import BadImage
from emu.kernel.memory import GuestMemory
from emu.kernel.module_files import ModuleFiles
from emu.kernel.modules import BadModule, Module

__all__ = ["Sites"]


class Sites:
    """The addresses and names of all sites, and the current target of each (0 for a nop).

    The kernel's sites come first, in address order, then those of each module in load order.
    """

    def __init__(self, board: Board, memory: GuestMemory, arch: FtraceArch, module_files: ModuleFiles) -> None:
        image = memory.image
        self._board = board
        self._memory = memory
        self._arch = arch
        self._module_files = module_files
        self._profiler = image.symbol(arch.profiler)
        self.addresses = image.sites
        self.targets = np.zeros(len(self.addresses), np.uint64)
        self.functions = Functions(image.site_functions, module_files=module_files)
        self._next_number = len(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def __contains__(self, address: int) -> bool:
        return bool(np.any(self.addresses == np.uint64(address)))

    def at(self, address: int) -> int:
        """The index of the site at an address, which must exist."""
        return int(np.flatnonzero(self.addresses == np.uint64(address))[0])

    def code(self, site: int, target: int) -> bytes:
        """The instruction that makes a site call `target`, or a nop if `target` is 0."""
        return self._code_at(int(self.addresses[site]), target)

    def _code_at(self, address: int, target: int) -> bytes:
        return self._arch.call(address, target) if target else self._arch.nop

    def initialise(self) -> None:
        """Turns every site from the compiler's call into a nop. Must be called before any CPU starts.

        Raises:
            BadImage: a site does not hold the expected call.
        """
        if not len(self.addresses):
            return
        nop, memory = self._arch.nop, self._memory
        first, length = int(self.addresses.min()), len(nop)
        code = bytearray(memory.read(first, int(self.addresses.max()) + length - first))
        for site, address in enumerate(self.addresses.tolist()):
            if wrong := self._wrong(address, bytes(code[address - first : address - first + length])):
                raise BadImage(f"{memory.image.path}: the site of {self.functions.names[site]} {wrong}")
            code[address - first : address - first + length] = nop
        self._board.write_code(memory.physical(first), bytes(code))

    def add(self, module: Module) -> None:
        """Adds the sites of a module and turns them into nops. Must be called before any CPU executes the module.

        Raises:
            BadModule: a site is not a call at the beginning of a function; nothing has changed.
            LookupError: a site is not in the kernel's memory; nothing has changed.
        """
        names = []
        addresses = sorted(set(module.sites))
        for address in addresses:
            function = module.function_at(address)
            if function is None:
                raise BadModule(f"the call site {address:#x} is in none of its functions")
            if wrong := self._wrong(address, self._memory.read(address, len(self._arch.nop))):
                raise BadModule(f"the site of {function.name} {wrong}")
            names.append(function.name)
        for address in addresses:
            self._make_nop(address)
        old, count = self.functions, len(addresses)
        self.addresses = np.append(self.addresses, np.array(addresses, np.uint64))
        self.targets = np.append(self.targets, np.zeros(count, np.uint64))
        numbers = np.append(old.numbers, np.arange(self._next_number, self._next_number + count))
        self._next_number += count
        modules = [*old.modules, *[module.name] * count]
        self.functions = Functions([*old.names, *names], modules, numbers, old.loaded | {module.name}, self._module_files)

    def remove(self, start: int, end: int) -> None:
        """Removes the sites from `start` up to `end`, whose code is gone."""
        self._keep((self.addresses < np.uint64(start)) | (self.addresses >= np.uint64(end)), self.functions.loaded)

    def unloaded(self, name: str) -> None:
        """Removes the sites of a module that has been unloaded."""
        old = self.functions
        self._keep(np.array([module != name for module in old.modules], np.bool_), old.loaded - {name})

    def _keep(self, kept: npt.NDArray[np.bool_], loaded: frozenset[str]) -> None:
        old = self.functions
        self.addresses, self.targets = self.addresses[kept], self.targets[kept]
        places = np.flatnonzero(kept).tolist()
        names, modules = _chosen(old.names, places), _chosen(old.modules, places)
        self.functions = Functions(names, modules, old.numbers[kept], loaded, self._module_files)

    def _wrong(self, address: int, found: bytes) -> str | None:
        """What is wrong with a site that should be as compiled; None if nothing is. `found`: its code."""
        try:
            expected = self._arch.compiled(address, self._profiler)
        except OutOfReach as error:
            return str(error)
        return None if found == expected else f"holds {found.hex(' ')}, not {expected.hex(' ')}"

    def _make_nop(self, address: int) -> None:
        self._board.write_code(self._memory.physical(address), self._arch.nop)


def _chosen(values: Sequence[str], places: Sequence[int]) -> list[str]:
    return [values[place] for place in places]
