# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace on a guest kernel: patches call sites and static keys to what all trace arrays together need."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.native.trace_values import NOBODY
from emu.ftrace.sites.callbacks import TraceCallbacks
from emu.ftrace.sites.direct_calls import DirectCalls
from emu.ftrace.sites.live_patches import LivePatch, LivePatches, NewCode, Replaced
from emu.ftrace.sites.patching import Patch
from emu.ftrace.sites.patching_driver import BadProtocol, Driver
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.return_stack import ReturnStacks
from emu.kernel.kernel import Kernel
from emu.kernel.kernel_log import Level

__all__ = ["EnabledFunction", "Ftrace"]


class EnabledFunction(NamedTuple):
    """One line of enabled_functions: a site that calls a tracer."""

    name: str
    users: int
    callback: str  # symbol+offset/size
    flags: str  # the letters that Linux prints
    direct: str  # the target of its direct call, in the same form; "": none


class Ftrace:
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
        enabled: `kernel.ftrace_enabled`.
        failed: whether tracing had to be stopped.
        updates: how many times update_sites() was called.
        recorders: the recorder of each array, by the array's ops; the top array's first.
        return_stacks: the return addresses that function_graph has replaced.
    """

    def __init__(
        self, kernel: Kernel, arch: FtraceArch, trace_globals: TraceGlobals, warn: Callable[[str], None]
    ) -> None:
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
        self.enabled = True
        self.failed = False
        self.updates = 0
        self._kernel = kernel
        self._records = trace_globals.records
        self._warn = warn
        self._refused: BadProtocol | None = None
        self._behind = False  # a change was refused, and the sites are not as the arrays need them
        self._stack_tracer = trace_globals.stack_tracer
        self._profiler = trace_globals.profiler
        self._printed_events = trace_globals.printed_events
        self.return_stacks = ReturnStacks(kernel.memory, kernel.tasks, arch)
        self.recorders: dict[FtraceOps, Recorder] = {}
        trace_globals.dynamic_events.on_gone(self.events_gone)
        self._callbacks = TraceCallbacks(kernel, arch, trace_globals.guest, trace_globals.records)

    # Trace arrays

    def register(self, ops: FtraceOps, recorder: Recorder) -> None:
        """Adds an array, the top array first. `ops` takes effect with the next update; `recorder` keeps the array's events."""
        self.recorders[ops] = recorder
        if self.failed:
            recorder.stop()

    def unregister(self, ops: FtraceOps) -> None:
        """Removes an array. A site that only this array needs records nothing until it has been patched to a nop."""
        del self.recorders[ops]
        self.update_sites()

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

    def _users(self) -> npt.NDArray[np.int64]:
        """The number of users, in all arrays, of each site."""
        users: npt.NDArray[np.int64] = np.sum([ops.users() for ops in self.recorders], axis=0)
        return users

    # Sites

    @property
    def changing(self) -> bool:
        """Whether sites are being patched, or will be when trampolines are ready."""
        return self.driver.busy or self._trampolines.busy

    def update_sites(self) -> None:
        """Starts to patch every site to what the trace arrays need now (Linux: ftrace_run_update_code).

        While an earlier change is under way, or trampolines are not ready, nothing starts. The arrays are asked again afterwards.
        """
        self.updates += 1
        self._ready()

    def _ready(self) -> None:
        """Starts the pending work, if nothing prevents it."""
        if not self.changing:
            self._update()

    def _update(self) -> None:
        """Starts the next change. An array gets its new tracer only when no site calls the old one."""
        self._behind = False
        if self.failed:
            return
        changing = [ops for ops, recorder in self.recorders.items() if ops.tracer is not recorder.tracer]
        if changing:
            if self._patch([ops for ops in self.recorders if ops not in changing]):
                return
            for ops in changing:
                self.recorders[ops].start_tracer(ops.tracer)
        if not self._patch(self.recorders):
            self._records.ask_each(self._several(self.recorders))
            for ops, recorder in self.recorders.items():
                recorder.sites_changed(ops.callback)

    def _several(self, arrays: Iterable[FtraceOps]) -> bool:
        """Whether a site may call for an array other than the top one, or for a command."""
        top = next(iter(self.recorders))
        return any(ops.has_probes or (ops is not top and ops.callback is not None) for ops in arrays)

    def _patch(self, arrays: Collection[FtraceOps]) -> bool:
        """Starts to patch the sites for these arrays' tracers and for all probes, the keys for all arrays' events, and the
        breakpoints of kprobes. Returns False if nothing needs patching.

        If the patching protocol is refused, nothing starts.
        """
        self._tell_recorders(arrays)
        # Set before the first such site is patched. _update() clears it only when no such site is left.
        if self._several(arrays):
            self._records.ask_each(True)
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

    def _tell_recorders(self, arrays: Collection[FtraceOps]) -> None:
        places = self.places(self.sites.addresses)
        graphs = [self.recorders[ops].records for ops in arrays if ops.callback is Callback.GRAPH]
        self._records.graphs_are_of(graphs[0] if graphs else None)
        for ops in arrays:
            recorder = self.recorders[ops]
            if ops.graph_user != NOBODY and not recorder.graph_running:
                self.return_stacks.start()
            recorder.follow(ops, places)
        if self._profiler.enabled:
            self._profiler.follow(self.sites.functions, places)

    def _targets(self, arrays: Iterable[FtraceOps]) -> npt.NDArray[np.uint64]:
        """The target that each site needs."""
        targets = np.zeros(len(self.sites), np.uint64)
        if self.enabled:
            wanted = [(Callback.ENTRY, ops.probed()) for ops in self.recorders]
            wanted += [(watch.callback, sites) for ops in self.recorders for watch, sites in ops.watched()]
            wanted += [(ops.callback, ops.traced()) for ops in arrays if ops.callback]
            for callback in Callback:
                target = self._kernel.image.symbol(callback.value)
                for kind, sites in wanted:
                    if kind is callback:
                        targets[sites] = target
            if self.direct_calls:
                direct = self.direct_calls.targets(self.sites.functions)
                alone = (direct != 0) & (self._users() == 1)
                targets[alone] = direct[alone]
        return targets

    def places(self, addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The offsets of sites in the kernel mapping, in bytes."""
        return (addresses - np.uint64(self._kernel.board.arch.kernel_map)).astype(np.int64)

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
        self.enabled = on
        self.update_sites()

    @property
    def stack_tracer_enabled(self) -> bool:
        """`kernel.stack_tracer_enabled`"""
        return self._stack_tracer.enabled

    def set_stack_tracer(self, on: bool) -> None:
        self._stack_tracer.enabled = on
        self.update_sites()

    def print_events(self, on: bool) -> None:
        """Makes the guest print events as they are recorded, or stop printing them."""
        self._printed_events.on = on
        for recorder in self.recorders.values():
            recorder.event_files.follow()

    # Errors

    def check_returns(self) -> None:
        """Stops tracing if a return did not match its entry. Called each time the machine has run."""
        for recorder in self.recorders.values():
            if (found := recorder.take_mismatch()) is not None:
                self._kernel.log.write(
                    f"Bad frame pointer: expected {found.expected:x}, received {found.frame:x}", Level.WARNING
                )
                known = self._kernel.symbols.function_at(found.function)
                function = known[0].name if known else f"0x{found.function:x}"  # as %ps
                self._kernel.log.write(f"  from func {function} return to {found.returns_to:x}", Level.WARNING)
                self._fail(f"function_graph: a return through {found.frame:#x} has no entry on its task's return stack")

    def _fail(self, why: str) -> None:
        """Stops all tracing for good; recorded events stay (Linux: ftrace_bug, ftrace_graph_stop)."""
        self.failed = True
        for recorder in self.recorders.values():
            recorder.stop()
        self._warn(f"{why}; tracing is off")

    def events_gone(self, calls: Collection[EventCall]) -> None:
        """Makes all arrays forget events, and empties the buffers that may hold them."""
        for ops, recorder in self.recorders.items():
            if ops.events_gone(calls):
                recorder.clear()
                recorder.clear_snapshot()

    def sites_changed(self) -> None:
        """Makes all arrays look up their sites again, because sites have come or gone."""
        for ops in self.recorders:
            ops.functions_changed(self.sites.functions)
