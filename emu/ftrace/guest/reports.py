# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's reports to tracing (kernel.tracing.Tracing): CPUs, breakpoints, return addresses, modules."""

from __future__ import annotations

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.kernel.kernel import Kernel
from emu.kernel.modules import BadModule, Module

__all__ = ["GuestReports"]


class GuestReports:
    """Handles a kernel's reports."""

    def __init__(self, kernel: Kernel, ftrace: PatchedFtrace) -> None:
        self._kernel, self._ftrace, self._globals = kernel, ftrace, ftrace.globals

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        """A CPU can take upcalls. Its struct pcpu_hot is at `hot_area`."""
        self._globals.records.set_hot_area(cpu.index, hot_area)
        self._globals.printed_events.cpu_online(cpu)

    def breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """Handles a breakpoint at a site that is being patched. Returns False at any other place. `registers`: the saved pt_regs.

        A breakpoint that a protocol left behind ends the kernel here, because the kernel's own report would hit others.
        """
        ftrace = self._ftrace
        if ftrace.driver.on_breakpoint(cpu, registers):
            return True
        breakpoint = ftrace.arch.breakpoint
        if breakpoint is not None and not ftrace.driver.is_changing(site := breakpoint.site(self._kernel.memory, registers)):
            what = "a call site" if site in ftrace.sites else "a static key's branch" if site in ftrace.keys else None
            if what is not None:
                where = self._kernel.symbols.describe(site)
                self._kernel.panicked(cpu, f"breakpoint at {where}, {what} that is not being changed", registers)
        return False

    def waits_for(self, cpu: Cpu) -> str | None:
        """What patching awaits from a CPU; None if nothing."""
        return self._ftrace.driver.waits_for(cpu.index)

    def resolve_return(self, task: int, frame: int, address: int) -> int:
        """The real return address of a task's call that has `address` on its stack. `frame` identifies the call.

        If `frame` is 0, `address` is a program counter: one in the copy of an instruction becomes the instruction's address.
        """
        for _ in range(2 if frame else 0):  # function_graph and a return probe may have replaced each other's, in either order
            address = self._globals.rethooks.resolve(task, frame, self._ftrace.return_stacks.resolve(task, frame, address))
        return self._globals.trampolines.original(address)

    def module_init(self, module: Module) -> None:
        """Adds the sites, keys and events of a module that is being loaded. The sites become nops, which can be traced."""
        events = self._globals.events.read(module)
        self._ftrace.keys.add(module)
        try:
            self._ftrace.sites.add(module)
        except (BadModule, LookupError):
            self._ftrace.keys.unloaded(module.name)
            raise
        self._globals.events.add(events)
        self._globals.stacks.module_added(module)
        self._ftrace.sites_changed()

    def module_enable(self, module: Module) -> bool:
        """Patches a module's sites to what the trace arrays need, before its init runs. Returns False if that is not done yet."""
        if self._ftrace.changing:
            return False
        for ops in self._ftrace.recorders:
            ops.module_coming(module.name)
        self._ftrace.kprobes.module_coming(module)
        self._globals.symbol_names.module_came()
        self._ftrace.update_sites()
        return not self._ftrace.changing

    def module_free(self, module: Module, part: range | None) -> bool:
        """Removes the sites in code that a module frees (None: all). Returns False if not done because sites are being patched.

        With the last code of a module its events go too, and buffers that may hold them are emptied.
        """
        going = module.has_code if part is None else part.__contains__
        if self._ftrace.driver.busy or not self._ftrace.direct_calls.may_free(going):
            return False
        before = self._ftrace.sites.addresses
        self._ftrace.kprobes.module_going(going)
        if part is None:
            self._ftrace.sites.unloaded(module.name)
            self._ftrace.keys.unloaded(module.name)
            self._ftrace.events_gone(self._globals.events.remove(module.name))
        else:
            self._ftrace.sites.remove(part.start, part.stop)
            self._ftrace.keys.remove(part.start, part.stop)
        gone = self._ftrace.places(np.setdiff1d(before, self._ftrace.sites.addresses))
        for recorder in self._ftrace.recorders.values():
            recorder.forget_sites(gone)
        self._ftrace.sites_changed()
        return True
