# SPDX-License-Identifier: GPL-2.0-only
"""Tracing of a Linux guest: its parts, put together, and what it follows in the guest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from emu.cpu.pc import EPOCH
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.native.trace_records import Kprobes
from emu.ftrace.native.trace_values import CLOCK_COUNTER
from emu.linux import arch, sites
from emu.linux.btf import BadBtf, Btf, NoBtf
from emu.linux.guest import Guest
from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module, Modules
from emu.linux.symbols import NoSymbols
from emu.linux.tracing.command_start import CommandStart
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.layout import NotTraceable, guest_of
from emu.linux.tracing.module_loads import ModuleLoads
from emu.linux.tracing.native import ARCH
from emu.linux.tracing.orc_stacks import OrcStacks
from emu.linux.tracing.outside_globals import OutsideGlobals
from emu.linux.tracing.task_calls import TaskCalls
from emu.linux.tracing.tree import build_outside_tree
from emu.linux.tracing.watched import WatchedFtrace

__all__ = ["LinuxTracing"]

# Functions of the kernel by which the host follows its tasks, by the native functions for them
_FOLLOWED = {"switched": "__switch_to", "forked": "wake_up_new_task", "freed": "__put_task_struct"}


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
            symbols, self.btf = of_guest.symbols, Btf.of(kernel)
        except (NoSymbols, NoBtf, BadBtf) as error:
            raise NotTraceable(str(error)) from None
        guest = guest_of(self.btf, symbols)
        memory = LinuxMemory(board.ram, symbols)
        self.kernel = LinuxKernel(
            board, memory, symbols, guest, release=kernel.version, boot_time=EPOCH, warn=warn
        )
        found = sites.every_function(symbols) if all_functions else sites.traceable_functions(kernel, symbols)
        self.functions = TracedFunctions(found)
        if of_guest.channel.ready:  # the kernel has booted, and freed its initialisation code
            self.functions.init_is_gone("")
        records = RecordLists(self.kernel, self.kernel.hot_areas)
        page_table = (symbols.address(arch.PAGE_TABLE) or 0) - arch.KERNEL_HALF
        self._no_kprobes = Kprobes.allocate()  # a function's commands name it for consumers that want registers: there are none
        for array in records.arrays:
            array.page_table, array.translate, array.kprobes = page_table, ARCH.translate(), self._no_kprobes
        callbacks = ARCH.outside_tasks(guest)
        self.calls = TaskCalls(self.kernel, guest, records, callbacks)
        self._stacks = stacks = OrcStacks(kernel, symbols, self.btf, guest, records)
        shared = OutsideGlobals(
            self.kernel, ARCH, guest, records, self.functions, stacks, warn=warn, pointer_key=seed
        )
        self.ftrace = WatchedFtrace(self.kernel, self.functions, shared, ARCH, self.calls, warn)
        self.array = TraceArray(self.ftrace, Recorder(self.kernel, shared))
        self.tree = build_outside_tree(self.array)
        self.calls.clear()
        for name, function in _FOLLOWED.items():
            address = symbols.address(function)
            if address is None:
                warn(f"the kernel has no function {function}: what tasks do is followed only in part")
            else:
                board.notice(address, getattr(callbacks, name))
        self._command_start = CommandStart(self.kernel, symbols, self.btf)
        self._loads = ModuleLoads(
            board,
            Modules(memory, symbols, self.btf),
            symbols,
            came=self._module_came,
            initialised=self._initialised,
            gone=self._module_gone,
        )

    def _module_came(self, module: Module) -> None:
        self.functions.add(sites.functions_of_module(module))
        self.kernel.symbols.add(module)
        self._stacks.module_added(module)
        self.ftrace.sites_changed()
        for ops in self.ftrace.recorders:
            ops.module_coming(module.name)
        self.ftrace.update_sites()

    def _initialised(self, module: str) -> None:
        self._forget(self.functions.init_is_gone(module))

    def _module_gone(self, name: str) -> None:
        self._stacks.module_gone(name)
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
        state, the buffers are emptied: it is of a time that the guest has not seen.
        """
        self._loads.look_again()
        self.calls.clear()
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
        self.array.after_run()
