# SPDX-License-Identifier: GPL-2.0-only
"""Call sites that call an address given by a guest module (Linux: register_ftrace_direct)."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch import FtraceArch, OutOfReach
from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.native.trace_values import AFTER
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.filters import Functions, SiteMask
from emu.kernel.kernel import Kernel
from emu.kernel.kernel_log import Level
from emu.kernel.work import WorkKind

__all__ = ["DirectCalls"]


class _DirectCall(NamedTuple):
    """The direct call of a function. Its record's handler makes native code take it where a tracer is called first."""

    address: int
    record: Consumer


class DirectCalls:
    """All direct calls, at most one per function. A site without other users calls the address itself. A site with other users
    calls the tracer, which continues at the address; from there the CPU returns to the function.

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        sites: its call sites.
        changed: called when sites need new targets.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, sites: Sites, changed: Callable[[], None]) -> None:
        self._kernel = kernel
        self._arch = arch
        self._sites = sites
        self._changed = changed
        self._by_number: dict[int, _DirectCall] = {}
        self._standing = False  # a task may be executing code that is about to be freed
        self._waiting = False  # whether the guest is waiting for such tasks to leave

    def __bool__(self) -> bool:
        return bool(self._by_number)

    def of(self, number: int) -> int:
        """The target of a function's direct call, by the function's number; 0 if it has none."""
        call = self._by_number.get(number)
        return 0 if call is None else call.address

    def change(self, addresses: Sequence[int], old: int, new: int) -> None:
        """Makes the sites at addresses call `new` instead of `old`, from the next update of sites on.

        Args:
            addresses: the sites' addresses. Sites that no longer exist lose their calls with their modules.
            old: the present target of each; 0 if none has a direct call.
            new: the new target of each; 0 to remove the direct calls.

        Raises:
            TraceError: ENODEV if there is no such site or it has no direct call; EBUSY if it has one already; EINVAL if its
                target is another one, or there is no code at `new`. Nothing has changed.
        """
        existing = sorted({address for address in addresses if address in self._sites})
        numbers = [int(self._sites.functions.numbers[self._sites.at(address)]) for address in existing]
        if not numbers or (new and len(numbers) < len(set(addresses))):
            raise TraceError(errno.ENODEV, "there is no call site")
        for number in numbers:
            self._check(self.of(number), old)
        if new:
            self._check_reach(existing, new)
        for number in numbers:
            if new:
                self._by_number[number] = self._made(new)
            else:
                self._by_number.pop(number, None)
        self._changed()

    def _check(self, found: int, old: int) -> None:
        if found == old:
            return
        if not old:
            raise TraceError(errno.EBUSY, "the function has a direct call already")
        raise TraceError(errno.EINVAL if found else errno.ENODEV, f"the function does not call {old:#x} directly")

    def _check_reach(self, addresses: Sequence[int], target: int) -> None:
        modules = any(module.has_code(target) for module in self._kernel.modules)
        if not (modules or self._kernel.image.function_at(target)):
            raise TraceError(errno.EINVAL, f"there is no code at {target:#x}")
        try:
            for address in addresses:
                self._arch.call(address, target)
        except OutOfReach as error:
            raise TraceError(errno.EINVAL, str(error)) from error

    def _made(self, target: int) -> _DirectCall:
        from emu.ftrace.native import redirect  # imported when needed: it is compiled

        record = Consumer.allocate()
        record.handler, record.post, record.target = redirect.call_first, AFTER, target
        return _DirectCall(target, record)

    # When a module is unloaded

    def may_free(self, going: Callable[[int], bool]) -> bool:
        """Whether code can be freed: no CPU will reach it, and no task is in it. If not, ask again.

        Direct calls into that code end, and dmesg gets a line about it. `going`: whether the code at an address will be freed.
        """
        left = {number: call for number, call in self._by_number.items() if going(call.address)}
        for number, call in left.items():
            name = self._sites.functions.label(int(np.searchsorted(self._sites.functions.numbers, number)))
            where = self._kernel.symbols.describe(call.address)
            self._kernel.log.write(f"ftrace: the direct call of {where} by {name} ends with its module", Level.WARNING)
            del self._by_number[number]
        if left:
            self._standing = True
            self._changed()
        if any(going(int(target)) for target in np.unique(self._sites.targets)):
            return False
        if self._standing and not self._waiting:
            self._waiting = True
            self._kernel.work.ask(WorkKind.SYNCHRONIZE_RCU_TASKS, on_done=self._waited)
        return not self._standing

    def _waited(self, result: int) -> None:
        self._standing = self._waiting = False

    # The interface of call sites' users (ops.AtSites)

    def keep(self, functions: Functions) -> None:
        """Drops the direct calls of functions that no longer exist. `functions`: those that exist."""
        existing = set(functions.numbers.tolist())
        self._by_number = {number: call for number, call in self._by_number.items() if number in existing}

    def sites(self, functions: Functions) -> SiteMask:
        """The sites of functions with a direct call."""
        return np.isin(functions.numbers, list(self._by_number))

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many users each site has in direct calls."""
        return self.sites(functions).astype(np.int64)

    def targets(self, functions: Functions) -> NDArray[np.uint64]:
        """The direct call target of each site; 0 if it has none."""
        return np.array([self.of(number) for number in functions.numbers.tolist()], np.uint64)

    def chains(self, functions: Functions) -> dict[int, list[Consumer]]:
        """The sites with a direct call, by index, and their consumers."""
        numbers = functions.numbers
        return {int(np.searchsorted(numbers, number)): [call.record] for number, call in self._by_number.items()}
