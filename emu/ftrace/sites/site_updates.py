# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace on emu's own kernel: patches call sites and static keys to what all trace arrays together need."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.errors import TraceError
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.sites.callbacks import TraceCallbacks
from emu.ftrace.sites.direct_calls import DirectCalls
from emu.ftrace.sites.ftrace import EnabledFunction, Ftrace
from emu.ftrace.sites.live_patches import LivePatch, LivePatches, NewCode, Replaced
from emu.ftrace.sites.patching import Patch
from emu.ftrace.sites.patching_driver import BadProtocol, Driver
from emu.ftrace.tracers.graph_cost import GraphCost, graph_cost
from emu.ftrace.tracers.return_stack import ReturnStacks
from emu.kernel.kernel import Kernel

__all__ = ["PatchedFtrace"]


class PatchedFtrace(Ftrace):
    """The call sites of a kernel that has not booted yet, for any number of trace arrays.

    Args:
        kernel: with its image loaded.
        arch: the call sites of its architecture.
        trace_globals: what all trace arrays of the kernel share.
        warn: called with a text when tracing had to be stopped.

    Attributes:
        sites: all call sites and their targets.
        keys: all branches of static keys, and which of them are jumps.
        kprobes: all kprobes and their breakpoints.
        driver: patches the sites and branches under running CPUs.
        live_patches: the functions that are replaced.
        direct_calls: the functions whose sites call an address given by a module.
        globals: what all trace arrays share.
        return_stacks: the return addresses that function_graph has replaced.
    """

    def __init__(
        self, kernel: Kernel, arch: FtraceArch, trace_globals: OwnGlobals, warn: Callable[[str], None]
    ) -> None:
        super().__init__(kernel, trace_globals.sites, trace_globals, warn)
        self.arch = arch
        self.sites = trace_globals.sites
        self.keys = trace_globals.keys
        self.kprobes = trace_globals.kprobes
        silent = (trace_globals.osnoise, trace_globals.hwlat)
        self.driver = Driver(kernel, arch, self._fail, warn, lambda: max(tracer.silence for tracer in silent))
        self._trampolines = trace_globals.trampolines
        self._trampolines.on_ready(self._ready)
        self.live_patches = LivePatches(
            kernel, arch, trace_globals.symbols, self._trampolines, trace_globals.kprobes.places.code, self.update_sites
        )
        self.direct_calls = DirectCalls(kernel, arch, self.sites, self.update_sites)
        self.at_sites = (self.kprobes, self.live_patches, self.direct_calls)
        self._kernel = kernel
        self.globals = trace_globals
        self._refused: BadProtocol | None = None
        self._behind = False  # a change was refused, and the sites are not as the arrays need them
        self._printed_events = trace_globals.printed_events
        self.return_stacks = ReturnStacks(kernel.memory, kernel.tasks, arch)
        self._callbacks = TraceCallbacks(kernel, arch, trace_globals.guest, trace_globals.records)

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        """The sites that call a tracer, and their number of users."""
        users = self._users()
        with_registers = self.kprobes.sites(self.sites.functions)
        replaced = self.live_patches.sites(self.sites.functions)
        direct = self.direct_calls.targets(self.sites.functions)
        for site in map(int, np.flatnonzero(self.sites.targets)):
            callback = self._kernel.symbols.describe(int(self.sites.targets[site]))
            called = int(direct[site])
            flags = "RI" if replaced[site] else "RD" if called else "R" if with_registers[site] else ""
            label = self.sites.functions.label(site)
            where = self._kernel.symbols.describe(called) if called else ""
            yield EnabledFunction(label, max(int(users[site]), 1), callback, flags, where)

    # Sites

    @property
    def changing(self) -> bool:
        """Whether sites are being patched, or will be when trampolines are ready."""
        return self.driver.busy or self._trampolines.busy

    def _update(self) -> None:
        self._behind = False
        super()._update()

    def _change(self, arrays: Collection[FtraceOps]) -> bool:
        """Starts to patch the sites, the keys for all arrays' events, and the breakpoints of kprobes.

        If the patching protocol is refused, nothing starts.
        """
        targets = self._targets(arrays)
        changed = np.flatnonzero(targets != self.sites.targets)
        branches = self.keys.to_turn(self._wanted_keys(arrays))
        breakpoints = self.kprobes.points.to_turn()
        if not len(changed) and not len(branches) and not breakpoints:
            return False
        if len(changed):
            self._callbacks.use()
        if len(branches):
            self._callbacks.use_events()
        if breakpoints:
            self._callbacks.use_breakpoints()
        patches = [
            Patch(
                int(self.sites.addresses[site]),
                self.sites.code(site, int(self.sites.targets[site])),
                self.sites.code(site, int(targets[site])),
            )
            for site in map(int, changed)
        ]
        patches += [*self.keys.patches(branches), *self.kprobes.points.patches(breakpoints)]
        try:
            self.driver.start(patches, lambda: self._patched(changed, targets[changed], branches, breakpoints))
        except BadProtocol as error:
            self.keys.settle(branches)
            self._refused, self._behind = error, True  # the sites stay as they are until the next update
        return True

    def _wanted_keys(self, arrays: Iterable[FtraceOps]) -> set[int]:
        """The static keys that must be on, for the tracers of these arrays and all arrays' events."""
        of_tracers = {self._kernel.image.symbol(name) for ops in arrays for name in ops.tracer_keys}
        return of_tracers.union(*(ops.events.keys for ops in self.recorders))

    def use_events(self) -> None:
        """Must be called before the guest records anything that has no static key."""
        self._callbacks.use_events()

    def try_again(self) -> None:
        """Starts the refused change again, if there is one."""
        if self._behind:
            self.update_sites()

    def take_refused(self) -> BadProtocol | None:
        """Why sites could not be patched since the last call of this; None if nothing was refused."""
        refused, self._refused = self._refused, None
        return refused

    def _patched(
        self,
        sites: npt.NDArray[np.int64],
        targets: npt.NDArray[np.uint64],
        branches: npt.NDArray[np.int64],
        breakpoints: Sequence[int],
    ) -> None:
        """Runs after the driver's last step: the sites call `targets`, and the branches and breakpoints have been patched.

        Interrupts the guest if a request of the guest waits for this.
        """
        if not self.failed:
            self.sites.targets[sites] = targets
            self.keys.turned(branches)
            self.kprobes.points.turned(breakpoints)
        self._ready()
        if not self.driver.busy:
            self._kernel.file_server.done()

    def call_cost(self) -> GraphCost | None:
        return graph_cost(self._kernel, self.arch, self._globals.records)

    def _start_calls(self) -> None:
        self.return_stacks.start()

    def _targets(self, arrays: Iterable[FtraceOps]) -> npt.NDArray[np.uint64]:
        """The target that each site needs."""
        targets = np.zeros(len(self.sites), np.uint64)
        for callback, sites in self._masks(arrays):
            targets[sites] = self._kernel.image.symbol(callback.value)
        if self.enabled and self.direct_calls:
            direct = self.direct_calls.targets(self.sites.functions)
            alone = (direct != 0) & (self._users() == 1)
            targets[alone] = direct[alone]
        return targets

    # Functions that are replaced or have direct calls

    def replace(self, function: Replaced, code: NewCode, settle: Callable[[], None]) -> LivePatch:
        """See `LivePatches.replace`.

        Raises:
            TraceError: also EBUSY if `enabled` is false or the function has a direct call; ENODEV if tracing has failed.
        """
        self._check_changeable()
        if self.direct_calls.of(function.number):
            raise TraceError(errno.EBUSY, f"{function.name} has a direct call")
        if self.kprobes.detours(function.site):
            raise TraceError(errno.EBUSY, f"a module has a kprobe in {function.name}")
        return self.live_patches.replace(function, code, settle)

    def call_directly(self, sites: Sequence[int], old: int, new: int) -> None:
        """Makes sites call `new` directly instead of `old` with the next update. See `DirectCalls.change`.

        Raises:
            TraceError: also ENODEV if the architecture has no such calls or tracing has failed; EBUSY if `enabled` is false, or a
                function is replaced or has a kprobe of the guest.
        """
        if not self.arch.direct_calls:
            raise TraceError(errno.ENODEV, "this architecture has no direct calls")
        if new:
            self._check_changeable()
        if not old and np.any(self.live_patches.sites(self.sites.functions) & np.isin(self.sites.addresses, sites)):
            raise TraceError(errno.EBUSY, "a function is replaced")
        if not old and any(map(self.kprobes.detours, sites)):
            raise TraceError(errno.EBUSY, "a module has a kprobe there")
        self.direct_calls.change(sites, old, new)

    def _check_changeable(self) -> None:
        """Raises TraceError: EBUSY if `enabled` is false; ENODEV if tracing has failed."""
        if self.failed:
            raise TraceError(errno.ENODEV, "tracing has failed, so that no call site is changed any more")
        if not self.enabled:
            raise TraceError(errno.EBUSY, "kernel.ftrace_enabled is 0")

    def check_kprobe_of_guest(self, address: int) -> None:
        """Raises TraceError if the CPU cannot trap at an address for the guest: EBUSY if the site jumps elsewhere; ENODEV."""
        if self.failed:
            raise TraceError(errno.ENODEV, "tracing has failed, so that no code is changed any more")
        here, functions = self.sites.addresses == np.uint64(address), self.sites.functions
        if np.any(here & (self.live_patches.sites(functions) | (self.direct_calls.targets(functions) != 0))):
            raise TraceError(errno.EBUSY, "the function is replaced, or has a direct call")

    # Switches

    def set_enabled(self, on: bool) -> None:
        """Sets `kernel.ftrace_enabled`. While it is off, no site calls a tracer, whatever the arrays need.

        Raises:
            TraceError: EBUSY if it would be off while a function is replaced or has a direct call.
        """
        if not on and (self.live_patches or self.direct_calls):
            raise TraceError(errno.EBUSY, "a function is replaced, or has a direct call")
        super().set_enabled(on)

    def print_events(self, on: bool) -> None:
        """Makes the guest print events as they are recorded, or stop printing them."""
        self._printed_events.on = on
        for recorder in self.recorders.values():
            recorder.event_files.follow()
