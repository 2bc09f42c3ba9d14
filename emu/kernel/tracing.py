# SPDX-License-Identifier: GPL-2.0-only
"""What tracing is told of by the guest kernel, and the host calls by which the guest tells it."""

from __future__ import annotations

import errno
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import LONGEST_STRING, host_call
from emu.kernel.modules import BadModule, Module, Modules

__all__ = ["Tracing", "TracingCalls"]


class Tracing(Protocol):
    """What traces a guest. It is told of everything from the start of the first CPU on; no method may run the machine."""

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        """The kernel, once on each CPU: it can take upcalls, and its struct pcpu_hot is at `hot_area`."""

    def breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """The kernel's breakpoint handler, with the address of the saved struct pt_regs.

        True: a site that is being changed was hit, and the registers are now what its new instruction would have left.
        """

    def trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """trace_printk() writes a text, called from `ip`; for that it has itself disabled preemption `disabled` times."""

    def ftrace_enabled(self, on: bool | None) -> bool | None:
        """The sysctl kernel.ftrace_enabled is written, or with None read: whether it is on now.

        None: sites are being changed; the kernel asks again.
        """

    def module_init(self, module: Module) -> None:
        """The module loader has put a module together, of which nothing has been executed yet: its sites become nops.

        Raises:
            BadModule: they are not what the module says.
        """

    def module_enable(self, module: Module) -> bool:
        """The module loader, before the module's init: its sites are to call what is wanted of them.

        False: sites are being changed; the loader asks again.
        """

    def module_free(self, module: Module, part: range | None) -> bool:
        """The module loader, before it frees code at the addresses `part`, or all that the module has left (None).

        False: sites are being changed; the loader asks again.
        """

    def resolve_return(self, task: int, frame: int, address: int) -> int:
        """A backtrace, for the return address of the call that `frame` stands for: the real one if tracing has replaced it."""


class TracingCalls:
    """Host calls for tracing, and those about modules, which are known by name when tracing has taken note of them."""

    def __init__(self, tracing: Tracing, modules: Modules) -> None:
        self._tracing = tracing
        self._modules = modules

    @host_call
    def breakpoint(self, cpu: Cpu, registers: int) -> int:
        return int(self._tracing.breakpoint(cpu, registers))

    @host_call
    def trace_printk(self, cpu: Cpu, ip: int, text: int, size: int, disabled: int) -> int:
        self._tracing.trace_printk(cpu, ip, cpu.read(text, min(size, LONGEST_STRING)), disabled)
        return 0

    @host_call
    def ftrace_enabled(self, cpu: Cpu, wanted: int) -> int:
        answer = self._tracing.ftrace_enabled(bool(wanted) if wanted < 2 else None)
        return -errno.EAGAIN if answer is None else int(answer)

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
        return 0 if self._tracing.module_free(self._modules.get(address), range(start, end)) else -errno.EAGAIN

    @host_call
    def module_release(self, cpu: Cpu, address: int) -> int:
        if not self._tracing.module_free(self._modules.get(address), None):
            return -errno.EAGAIN
        self._modules.remove(address)
        return 0
