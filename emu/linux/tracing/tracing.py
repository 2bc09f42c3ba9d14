# SPDX-License-Identifier: GPL-2.0-only
"""Tracing of a Linux guest: its parts, put together, and what it follows in the guest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from emu.cpu.cpu import Cpu
from emu.cpu.pc import EPOCH
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.btf import BadBtf
from emu.ftrace.native.trace_records import Kprobes
from emu.ftrace.native.trace_values import CLOCK_COUNTER
from emu.ftrace.text.prototypes import BtfPrototypes
from emu.linux import arch, sites
from emu.linux.dcache import Dcache
from emu.linux.guest import Guest
from emu.linux.image import Kernel
from emu.linux.kernel_btf import NoBtf, kernel_btf
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module, Modules
from emu.linux.symbols import NoSymbols, Symbols
from emu.linux.tracing import arch as outside
from emu.linux.tracing.awaited_calls import AwaitedCalls
from emu.linux.tracing.command_start import CommandStart
from emu.linux.tracing.events.syscall_source import SyscallSources
from emu.linux.tracing.events.tables import EventTables
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.kprobes import WatchedKprobes
from emu.linux.tracing.layout import NotTraceable, guest_of
from emu.linux.tracing.module_loads import ModuleLoads
from emu.linux.tracing.orc_stacks import OrcStacks
from emu.linux.tracing.outside_globals import OutsideGlobals
from emu.linux.tracing.task_calls import TaskCalls
from emu.linux.tracing.tracepoints import Tracepoints
from emu.linux.tracing.tree import build_outside_tree
from emu.linux.tracing.uprobes import WatchedUprobes
from emu.linux.tracing.values import LinuxValues
from emu.linux.tracing.wakeups import Wakers
from emu.linux.tracing.watched import WatchedFtrace

if TYPE_CHECKING:
    from emu.ftrace.probes.host_probes import HostProbes
    from emu.linux.tracing.profile import LinuxProfile

__all__ = ["LinuxTracing"]

# Functions of the kernel by which the host follows its tasks, by the native functions for them
_FOLLOWED = {"switched": "__switch_to", "forked": "wake_up_new_task", "freed": "__put_task_struct"}

_READ_ONLY = "the host only looks at a Linux guest: its registers cannot be changed"

# The function that runs when a booting kernel has made the per-CPU areas
_AREAS_ARE_MADE = "native_smp_prepare_boot_cpu"


class LinuxTracing:
    """Traces a guest that stands still now.

    Args:
        of_guest: the guest.
        kernel: its kernel.
        seed: of the machine.
        all_functions: whether also functions can be traced that ftrace must not trace.
        warn: called with what the user must know.

    Attributes:
        array: the top trace array.
        tree: the root of its tracefs.

    Raises:
        NotTraceable: the kernel lacks what tracing must know. It is a ValueError.
    """

    def __init__(
        self,
        of_guest: Guest,
        kernel: Kernel,
        *,
        seed: int,
        all_functions: bool,
        warn: Callable[[str], None],
    ) -> None:
        board = of_guest.board
        try:
            symbols, self.btf = of_guest.symbols, kernel_btf(kernel)
        except (NoSymbols, NoBtf, BadBtf) as error:
            raise NotTraceable(str(error)) from None
        memory = LinuxMemory(board.ram, symbols)
        guest = guest_of(self.btf, symbols, memory)
        self.kernel = LinuxKernel(
            board, memory, symbols, guest, release=self._release(symbols, memory), boot_time=EPOCH, warn=warn
        )
        found = sites.every_function(symbols) if all_functions else sites.traceable_functions(kernel, symbols)
        self.functions = TracedFunctions(found)
        self._symbols = symbols
        has_booted = of_guest.channel.ready
        if has_booted:  # the kernel has freed its initialisation code
            self.functions.init_is_gone("")
        self._records = records = RecordLists(self.kernel, self.kernel.hot_areas)
        page_table = (symbols.address(arch.PAGE_TABLE) or 0) - arch.KERNEL_HALF
        self._shared_by_kprobes = Kprobes.allocate()
        for array in records.arrays:
            array.page_table, array.translate, array.kprobes = page_table, outside.NATIVE.translate(), self._shared_by_kprobes
        callbacks = outside.NATIVE.outside_tasks(guest)
        self.calls = TaskCalls(self.kernel, guest, records, callbacks)
        self._prototypes = BtfPrototypes(self.btf)
        self._stacks = stacks = OrcStacks(kernel, symbols, self.btf, guest, records)
        self._awaited = AwaitedCalls(records)
        self._kprobes = WatchedKprobes(
            self.kernel,
            kernel,
            symbols,
            self.functions,
            guest,
            records,
            self._awaited,
            outside.NATIVE,
            has_booted=has_booted,
            warn=warn,
        )
        self._uprobes = WatchedUprobes(self.kernel, symbols, self.btf, guest, records, self._awaited, outside.NATIVE)
        self._tracepoints = Tracepoints(
            kernel, self.kernel, symbols, self.btf, records, outside.probe_registers, warn
        )
        self._globals = shared = OutsideGlobals(
            self.kernel,
            outside.NATIVE,
            guest,
            records,
            self.functions,
            stacks,
            self._prototypes,
            Wakers(symbols, self.btf),
            EventTables(kernel, symbols, self.btf, memory, has_booted=has_booted),
            self._tracepoints,
            self._kprobes,
            self._uprobes,
            SyscallSources(self.kernel, kernel, symbols, guest, outside.NATIVE),
            LinuxValues(self.btf, symbols, memory),
            warn=warn,
            pointer_key=seed,
        )
        self.ftrace = WatchedFtrace(self.kernel, self.functions, shared, outside.NATIVE, self.calls, warn)
        self.array = TraceArray(self.ftrace, Recorder(self.kernel, shared))
        self.tree = build_outside_tree(self.array, shared)
        self.calls.clear()
        for name, function in _FOLLOWED.items():
            address = symbols.address(function)
            if address is None:
                warn(f"the kernel has no function {function}: what tasks do is followed only in part")
            else:
                board.callouts.notice(address, getattr(callbacks, name))
        if not has_booted and (address := symbols.address(_AREAS_ARE_MADE)) is not None:
            board.callouts.notice(address, board.python_handler(self._areas_are_made))
        self._command_start = CommandStart(self.kernel, symbols, self.btf)
        self._loads = ModuleLoads(
            board,
            Modules(memory, symbols, self.btf),
            symbols,
            came=self._module_came,
            initialised=self._initialised,
            gone=self._module_gone,
        )

    @property
    def dcache(self) -> Dcache:
        """The files that the guest's kernel knows."""
        return self._uprobes.dcache

    @cached_property
    def profile(self) -> LinuxProfile:
        """Counts for each function and each program."""
        from emu.linux.tracing.profile import LinuxProfile  # imported when needed: it is compiled

        return LinuxProfile(self.kernel, self._symbols, self.array.globals.guest)

    @cached_property
    def probes(self) -> HostProbes:
        """Probes that call Python functions."""
        from emu.ftrace.probes.host_probes import HostProbes  # imported when needed: it is compiled

        native, shared, update = outside.NATIVE, self._globals, self.ftrace.update_sites
        handler, events = native.probe_handlers(shared.guest).host, shared.defined_events.kprobe_events
        return HostProbes(
            self.kernel, outside.probe_registers(), handler, shared, events, update, lambda: None, read_only=_READ_ONLY
        )

    def _release(self, symbols: Symbols, memory: LinuxMemory) -> str:
        """The kernel's version, as uname shows it."""
        place = symbols.address("init_uts_ns")
        return "" if place is None else memory.string(place + self.btf.offset("uts_namespace.name.release"))

    def _areas_are_made(self, cpu: Cpu, address: int) -> None:
        """The kernel that boots has made the CPUs' areas for their variables."""
        self.kernel.find_hot_areas()
        for index, area in self.kernel.hot_areas.items():
            self.array.globals.records.set_hot_area(index, area)

    def _module_came(self, module: Module) -> None:
        self.functions.add(sites.functions_of_module(module))
        self.kernel.symbols.add(module)
        if module.btf:
            self._prototypes.add(module.name, module.btf)
        self._stacks.module_added(module)
        self._tracepoints.module_came(module)
        self._globals.events.module_came(module)
        self._kprobes.module_coming(module)
        self.array.globals.symbol_names.module_came()
        self.ftrace.sites_changed()
        for ops in self.ftrace.recorders:
            ops.module_coming(module.name)
        self.ftrace.update_sites()

    def _initialised(self, module: str) -> None:
        self._kprobes.init_is_gone(module)
        self._forget(self.functions.init_is_gone(module))

    def _module_gone(self, name: str) -> None:
        self._stacks.module_gone(name)
        self._globals.dynamic_events.module_going(name)
        self.ftrace.events_gone(self._globals.events.remove(name))
        self._tracepoints.module_gone(name)
        self._kprobes.module_going(name)
        self._forget(self.functions.unloaded(name))

    def _forget(self, sites: NDArray[np.uint64]) -> None:
        """Functions are gone."""
        if len(sites):
            for recorder in self.ftrace.recorders.values():
                recorder.forget_sites(self.ftrace.places(sites))
            self.ftrace.sites_changed()
            self.ftrace.update_sites()

    def restored(self) -> None:
        """The guest has gone back to an earlier state. What it traces, and how, stays. If something was recorded later than that
        state, the buffers are emptied: it is of a time that the guest has not seen. No call is under way, and nothing that was
        being measured has begun.
        """
        self._loads.look_again()
        self.calls.clear()
        self._awaited.clear()
        self._uprobes.restored()
        self._records.sections_lost()
        for array in (self.array, *self.array.instances.values()):
            array.tracer.clock_changed(array)
        for recorder in self.ftrace.recorders.values():
            self._follow_running(recorder)
            times = zip(recorder.rings, self.kernel.board.cpus, strict=True)
            counts = recorder.clock.source == CLOCK_COUNTER
            if not counts and any(ring.record.time > recorder.records.now(cpu) for ring, cpu in times):
                recorder.clear()
                recorder.clear_snapshot()

    def _follow_running(self, recorder: Recorder) -> None:
        """Looks which tasks the CPUs run, and whether they are traced."""
        for index, task in self.kernel.tasks.running().items():
            recorder.records.cpus[index].pid = self.kernel.tasks.pid(task)
        for pids in (recorder.pid_filter, recorder.event_pid_filter):
            pids.choose(pids.chosen)

    def command_begins(self, begins: Callable[[int], None]) -> AbstractContextManager[None]:
        """A context in which `begins` is called with the pid of the command's process when that executes the command."""
        return self._command_start.awaited(begins)

    def after_run(self) -> None:
        """Acts on what native code has found. Called each time the machine has run."""
        if "probes" in self.__dict__:
            self.probes.after_run()
        self._tracepoints.after_run()
        self.array.after_run()
