# SPDX-License-Identifier: GPL-2.0-only
"""What can be probed in the kernel and its modules: where functions are, and their code as compiled."""

from __future__ import annotations

import errno
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.placing import ProbePlace
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.keys import Keys
from emu.kernel.image import Symbol
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module

__all__ = ["ProbePlaces", "ProbedFunction"]

_MOST_FIXED_UP = 1 << 16  # instructions per module


@dataclass(frozen=True)
class ProbedFunction:
    """A function and its contents.

    Attributes:
        module: its module; None for the kernel.
        site: its call site; None if it has none.
        code: its code as compiled, without any patches, and with nops for calls of tracers.
        branches: the branches of static keys.
        fixed_up: the instructions with an exception fix-up.
    """

    symbol: Symbol
    module: Module | None
    site: int | None
    code: bytes
    branches: Sequence[int]
    fixed_up: frozenset[int]


class ProbePlaces:
    """Finds the places that can be probed.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        sites: all call sites.
        keys: all branches of static keys.
        replaced: returns the instructions that breakpoints replace now, or did or will, by address.
    """

    def __init__(
        self, kernel: Kernel, arch: FtraceArch, sites: Sites, keys: Keys, replaced: Callable[[], Mapping[int, bytes]]
    ) -> None:
        self._kernel = kernel
        self._arch = arch
        self._sites = sites
        self._keys = keys
        self._replaced = replaced
        self._functions: dict[int, ProbedFunction] = {}  # the functions looked up so far, by address
        self._keyed: Sequence[int] = ()  # all branches, while there are such functions

    def forget(self) -> None:
        """Forgets the functions: modules come or go."""
        self._functions.clear()

    def resolve(self, place: ProbePlace) -> int | None:
        """The address of a place; None if its module is not loaded. Raises TraceError: ENOENT."""
        if place.address is not None:
            return place.address
        address = self._symbol(place.symbol, place.module)
        return None if address is None else address + place.offset

    def _symbol(self, name: str, module: str | None) -> int | None:
        """The address of a function; None if its module is not loaded. Raises TraceError: ENOENT."""
        loaded = {one.name: one for one in self._kernel.modules}
        if module and module not in loaded:
            return None
        if module is None and name in self._kernel.image.symbols:
            return self._kernel.image.symbols[name]
        known = [loaded[module]] if module else list(loaded.values())
        for one in known:
            for function in one.functions:
                if function.name == name:
                    return function.address
        names = self._sites.functions.names
        raise TraceError(errno.ENOENT, f"there is no function '{name}'", (name, names))

    def function_at(self, address: int) -> ProbedFunction | None:
        """The function around an address; None if there is no code."""
        image, module = self._kernel.image, None
        symbol = image.function_at(address)
        if symbol is None:
            module = next((module for module in self._kernel.modules if module.has_code(address)), None)
            symbol = module.function_at(address) if module else None
        if symbol is None or address >= symbol.address + max(symbol.size, 1):
            return None
        known = self._functions.get(symbol.address)
        if not self._functions:
            self._keyed = sorted(self._keys.branches())
        if known is None:
            with suppress(LookupError):  # a damaged module
                known = self._functions[symbol.address] = self._read(symbol, module)
        return known

    def _read(self, symbol: Symbol, module: Module | None) -> ProbedFunction:
        """Reads the contents of a function."""
        start, end = symbol.address, symbol.address + symbol.size
        sites, keyed = self._sites.addresses, self._keyed
        inside = sites[(sites >= np.uint64(start)) & (sites < np.uint64(end))].tolist()
        branches = keyed[bisect_left(keyed, start) : bisect_left(keyed, end)]
        compiled = dict.fromkeys(branches, self._arch.key_nop)
        compiled |= {at: instruction for at, instruction in self._replaced().items() if start <= at < end}
        compiled |= dict.fromkeys(inside, self._arch.nop)
        code = bytearray(self._kernel.memory.read(start, symbol.size))
        for address, instruction in compiled.items():
            code[address - start : address - start + len(instruction)] = instruction
        fixed_up = frozenset(address for address in self._fixed_up(module) if start <= address < end)
        return ProbedFunction(symbol, module, inside[0] if inside else None, bytes(code), branches, fixed_up)

    def find(self, address: int) -> tuple[ProbedFunction, bytes]:
        """The function around an address that can be probed, and the instruction there (none at a call site).

        Raises:
            TraceError: EILSEQ if no instruction begins there; EINVAL, with the reason, if the address cannot be probed.
        """
        function = self.function_at(address)
        if function is None:
            raise TraceError(errno.EINVAL, f"{address:#x} is in no function of the kernel")
        name, start, site = function.symbol.name, function.symbol.address, function.site
        if site is None:
            raise TraceError(errno.EINVAL, f"{name} cannot be traced, so nothing in it can be probed")
        if address == site:
            return function, b""
        instruction = self._arch.probing().instruction(function.code, start, address)
        keyed = any(branch <= address < branch + len(self._arch.key_nop) for branch in function.branches)
        if keyed or site <= address < site + len(self._arch.nop):
            raise TraceError(errno.EINVAL, f"tracing itself changes the instruction at {address:#x}")
        if address in function.fixed_up:
            raise TraceError(errno.EINVAL, f"the kernel expects the instruction at {address:#x} to fault")
        return function, instruction

    def _fixed_up(self, module: Module | None) -> Iterator[int]:
        """The instructions with an exception fix-up, in the kernel or in a module."""
        memory, image = self._kernel.memory, self._kernel.image
        size, at = image.size("exception_table_entry"), image.offset("exception_table_entry.insn")
        if module is None:
            start = image.symbol("__start___ex_table")
            count = (image.symbol("__stop___ex_table") - start) // size
        else:
            start, count = (memory.member(module.address, f"module.{name}") for name in ("extable", "num_exentries"))
        for entry in range(start, start + size * min(count, _MOST_FIXED_UP), size):
            yield entry + at + int.from_bytes(memory.read(entry + at, 4), memory.byte_order, signed=True)

    def code(self, function: int) -> bytes:
        """A function's code as compiled, by the function's address. Raises LookupError: there is none."""
        found = self.function_at(function)
        if found is None:
            raise LookupError(f"no function begins at {function:#x}")
        return found.code

    def blacklist(self) -> str:
        """kprobes/blacklist: the kernel functions that cannot be probed."""
        sites = self._sites.addresses
        lines = []
        for function in self._kernel.image.functions:
            end = function.address + function.size
            if not np.any((sites >= np.uint64(function.address)) & (sites < np.uint64(end))):
                lines.append(f"{function.address:#018x}-{end:#018x}\t{function.name}\n")
        return "".join(lines)
