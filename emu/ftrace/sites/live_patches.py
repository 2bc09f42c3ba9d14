# SPDX-License-Identifier: GPL-2.0-only
"""Live patches: functions of the guest's kernel that are replaced while it runs (Linux: livepatch)."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch import FtraceArch
from emu.ftrace.errors import TraceError, did_you_mean
from emu.ftrace.guest.symbols import KernelSymbols
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.native.trace_values import AFTER
from emu.ftrace.sites.filters import Functions, SiteMask
from emu.ftrace.sites.trampolines import Trampolines
from emu.kernel.kernel import Kernel

__all__ = ["LivePatch", "LivePatches", "NewCode", "Replaced"]


class Replaced(NamedTuple):
    """A function to replace.

    Attributes:
        name: its name, followed by ` [module]` if it belongs to a module.
        number: its number (filters.Functions).
        site: the address of its call site.
    """

    name: str
    number: int
    site: int


class NewCode(NamedTuple):
    """The code that replaces a function.

    Attributes:
        at: returns the code for an address. It may raise ValueError.
        module: the module at which the code continues; "" if it continues in no module, or in that of the function.
    """

    at: Callable[[int], bytes]
    module: str = ""


class LivePatch:
    """One replaced function, made by `Machine.patch`. As a context manager, it is removed at the end of the `with` statement.

    Attributes:
        function: the replaced function, followed by ` [module]` if it belongs to a module.
        address: the address of the new code.
    """

    def __init__(
        self, patches: LivePatches, function: Replaced, address: int, module: str, settle: Callable[[], None]
    ) -> None:
        self.function = function.name
        self.address = address
        self.number = function.number
        self.record = Consumer.allocate()  # for native code
        self.module = module  # the module that cannot be unloaded while the patch is active; "": none
        self._patches = patches
        self._settle = settle

    def __repr__(self) -> str:
        return f"<live patch of {self.function}: {f'{self.address:#x}' if self.active else 'removed'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.remove()

    @property
    def active(self) -> bool:
        """Whether the function is replaced. False after `remove`, or when its module has been unloaded."""
        return self._patches.of(self.number) is self

    def remove(self) -> None:
        """Restores the function: from now on, calls reach it again. Calls that are under way end in the new code.

        Raises:
            GuestPanic, LimitReached, PoweredOff, BadProtocol: as `Machine.settle`.
        """
        if self.active:
            self._patches.remove(self)
            self._settle()


class LivePatches:
    """All live patches. Native code finds them at the call sites of their functions, after the tracers.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        symbols: those of the kernel and its modules.
        trampolines: the places for new code.
        code: returns a function as it was compiled, by its address.
        changed: called when sites need new targets.
    """

    def __init__(
        self,
        kernel: Kernel,
        arch: FtraceArch,
        symbols: KernelSymbols,
        trampolines: Trampolines,
        code: Callable[[int], bytes],
        changed: Callable[[], None],
    ) -> None:
        self._kernel = kernel
        self._arch = arch
        self._symbols = symbols
        self._trampolines = trampolines
        self._code = code
        self._changed = changed
        self._by_number: dict[int, LivePatch] = {}

    def __bool__(self) -> bool:
        return bool(self._by_number)

    def of(self, number: int) -> LivePatch | None:
        """The live patch of a function, by its number."""
        return self._by_number.get(number)

    def replace(self, function: Replaced, code: NewCode, settle: Callable[[], None]) -> LivePatch:
        """Replaces a function, from the next update of sites on.

        Args:
            function: the function to replace.
            code: the new code. If it continues in a module, that module cannot be unloaded while the patch is active.
            settle: runs the machine until the patch is in place.

        Raises:
            TraceError: EBUSY if the function is replaced already; EINVAL if it cannot be replaced; ENOMEM if there is no room.
            ValueError: from `code`.
        """
        from emu.ftrace.native import redirect  # imported when needed: it is compiled

        if function.number in self._by_number:
            raise TraceError(errno.EBUSY, f"{function.name} is replaced already")
        begin = self._begin(function)
        if why := self._arch.hinders_replacing(self._code(begin), function.site - begin):
            raise TraceError(errno.EINVAL, f"{function.name} cannot be replaced: {why}")
        address = self._trampolines.allocate(len(code.at(self._trampolines.first)), stands_for=begin)
        try:
            self._trampolines.write(address, code.at(address))
        except BaseException:
            self._trampolines.release(address)
            raise
        patch = LivePatch(self, function, address, code.module, settle)
        patch.record.handler, patch.record.post, patch.record.target = redirect.go_on, AFTER, address
        self._by_number[function.number] = patch
        if code.module:
            self._kernel.modules.hold(code.module)
        self._changed()
        return patch

    def assembled(self, text: str) -> NewCode:
        """Code from assembly language, with symbols of the kernel and its modules (`assemble`)."""
        from emu.ftrace.sites.assembler import assemble  # imported when needed: keystone takes a while to load

        begin = self._arch.taken_over
        return NewCode(lambda address: begin + assemble(self._arch, text, address + len(begin), self._symbols.address))

    def detour(self, function: Replaced, name: str) -> NewCode:
        """Code that jumps to another function.

        Raises:
            LookupError: no function has this name, or several have it.
            TraceError: EINVAL if it is the function itself.
        """
        tables = [self._kernel.image.functions, *(module.functions for module in self._kernel.modules)]
        found = sorted({function.address for table in tables for function in table if function.name == name})
        if not found:
            known = (function.name for table in tables for function in table)
            raise LookupError(f"there is no function '{name}'{did_you_mean(name, known)}")
        if len(found) > 1:
            raise LookupError(f"{len(found)} functions are called '{name}'")
        if found[0] == self._begin(function):
            raise TraceError(errno.EINVAL, f"{name} cannot replace itself")
        code = functools.partial(self._arch.detour, target=found[0])
        owner, own = (self._module_of(address) for address in (found[0], function.site))
        return NewCode(code, owner if owner != own else "")

    def _module_of(self, address: int) -> str:
        """The module whose code contains an address; "" if none does."""
        return next((module.name for module in self._kernel.modules if module.has_code(address)), "")

    def remove(self, patch: LivePatch) -> None:
        """Stops native code from using a patch, from now on."""
        self._drop(patch)
        self._changed()

    def _drop(self, patch: LivePatch) -> None:
        patch.record.target = 0
        del self._by_number[patch.number]
        if patch.module:
            self._kernel.modules.let_go(patch.module)
        self._trampolines.release(patch.address)

    def keep(self, functions: Functions) -> None:
        """Removes the patches of functions that no longer exist. `functions`: those that exist."""
        existing = set(functions.numbers.tolist())
        for patch in [patch for number, patch in self._by_number.items() if number not in existing]:
            self._drop(patch)

    def sites(self, functions: Functions) -> SiteMask:
        """The sites of functions that are replaced."""
        return np.isin(functions.numbers, list(self._by_number))

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many users each site has in live patches."""
        return self.sites(functions).astype(np.int64)

    def chains(self, functions: Functions) -> dict[int, list[Consumer]]:
        """The sites of replaced functions, by index, and their consumers."""
        numbers = functions.numbers
        return {int(np.searchsorted(numbers, number)): [patch.record] for number, patch in self._by_number.items()}

    def _begin(self, function: Replaced) -> int:
        """The address of a function."""
        found = self._kernel.symbols.function_at(function.site)
        assert found is not None
        return found[0].address
