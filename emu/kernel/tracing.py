# SPDX-License-Identifier: GPL-2.0-only
"""What a guest kernel reports to tracing, and the host calls for it."""

from __future__ import annotations

import errno
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call
from emu.kernel.modules import BadModule, Module, Modules

__all__ = ["Tracing", "TracingCalls"]


class Tracing(Protocol):
    """Tracing of a guest. These methods are called for events in the guest, after CPU 0 has started. None may run the machine."""

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        """Called once for each CPU: it can take upcalls, and its struct pcpu_hot is at `hot_area`."""

    def breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """Called by the kernel's breakpoint handler. `registers`: the address of the saved struct pt_regs.

        True: the breakpoint was at a site that is being patched, and the registers now have the effect of its new instruction.
        """

    def module_init(self, module: Module) -> None:
        """Called before any code of a module is executed: turns the module's sites into nops.

        Raises:
            BadModule: a site is not as the module describes it.
        """

    def module_enable(self, module: Module) -> bool:
        """Called before a module's init runs: patches the module's sites for the tracers.

        Returns False if this is not done yet because sites are being patched; the loader asks again.
        """

    def module_free(self, module: Module, part: range | None) -> bool:
        """Called before code of a module is freed: at the addresses `part`, or all that is left (None).

        Returns False if this is not done because sites are being patched; the loader asks again.
        """

    def waits_for(self, cpu: Cpu) -> str | None:
        """What tracing awaits from a CPU, as in "has not answered Synchronise", which follows the CPU's name; None if nothing."""

    def resolve_return(self, task: int, frame: int, address: int) -> int:
        """The real return address of a call that has `address` on its stack. `frame`: its fp in struct ftrace_ret_stack.

        If `frame` is 0, `address` is a program counter: one in the copy of an instruction becomes the instruction's address.
        """


class TracingCalls:
    """The host calls for breakpoints and modules. A module is added to `modules` when tracing has accepted it."""

    def __init__(self, tracing: Tracing, modules: Modules) -> None:
        self._tracing = tracing
        self._modules = modules

    @host_call
    def breakpoint(self, cpu: Cpu, registers: int) -> int:
        return int(self._tracing.breakpoint(cpu, registers))

    @host_call
    def module_init(self, cpu: Cpu, address: int) -> int:
        try:
            module = self._modules.read(address)
            self._tracing.module_init(module)
        except BadModule:
            return -errno.EINVAL
        self._modules.add(module)
        return 0

    @host_call
    def module_enable(self, cpu: Cpu, address: int) -> int:
        return 0 if self._tracing.module_enable(self._modules.get(address)) else -errno.EAGAIN

    @host_call
    def module_free_mem(self, cpu: Cpu, address: int, start: int, end: int) -> int:
        module, part = self._modules.get(address), range(start, end)
        if not self._tracing.module_free(module, part):
            return -errno.EAGAIN
        module.freed(part)
        return 0

    @host_call
    def module_release(self, cpu: Cpu, address: int) -> int:
        if not self._tracing.module_free(self._modules.get(address), None):
            return -errno.EAGAIN
        self._modules.remove(address)
        return 0
