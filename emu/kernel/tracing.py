# SPDX-License-Identifier: GPL-2.0-only
"""What a guest kernel reports to tracing, and the host calls by which it does."""

from __future__ import annotations

import errno
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import LONGEST_STRING, host_call, put
from emu.kernel.modules import BadModule, Module, Modules

__all__ = ["Tracing", "TracingCalls"]


class Tracing(Protocol):
    """Traces a guest. The guest's events call these methods from the start of CPU 0 on. None may run the machine."""

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        """Called once for each CPU: the CPU can take upcalls, and its struct pcpu_hot is at `hot_area`."""

    def breakpoint(self, cpu: Cpu, registers: int) -> bool:
        """Called by the kernel's breakpoint handler. `registers`: the address of the saved struct pt_regs.

        True: the breakpoint was at a site that is being changed; the registers now are as after its new instruction.
        """

    def trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """trace_printk(), called from `ip`, writes a text. It has itself disabled preemption `disabled` times."""

    def trace_bprint(self, cpu: Cpu, ip: int, template: int, arguments: bytes) -> None:
        """trace_printk() writes a text: its format's address, and its arguments as vbin_printf() packs them.

        It has disabled preemption once.
        """

    def trace_bputs(self, cpu: Cpu, ip: int, text: int) -> None:
        """trace_puts() writes the text at an address, which stays there."""

    def tracing_on(self, on: bool | None) -> bool:
        """Has the top array's buffers record or not (`on` None: leaves them as they are); returns whether they do."""

    def max_latency(self, nanoseconds: int) -> None:
        """The top array's tracing_max_latency is at least this."""

    def allocate_snapshot(self) -> bool:
        """Makes room for a snapshot of the top array. False: there is not enough memory."""

    def take_snapshot(self) -> bool:
        """Takes a snapshot of the top array. False: there is no room for it."""

    def dump_line(self, cpu: int | None) -> bytes | None:
        """The next line of a dump of the top array's buffers, or one CPU's. After the last one, None."""

    def ftrace_enabled(self, on: bool | None) -> int:
        """Sets the sysctl kernel.ftrace_enabled (`on` None: leaves it as it is) and returns its value.

        Or -errno. EAGAIN: it is being set, but sites are being changed; the kernel asks again.
        """

    def stack_tracer(self, on: bool) -> int:
        """Starts or stops the stack tracer, and returns 0. Or -EAGAIN: sites are being changed; the kernel asks again."""

    def module_init(self, module: Module) -> None:
        """Called before any code of a module is executed: turns the module's sites into nops.

        Raises:
            BadModule: a site is not what the module says.
        """

    def module_enable(self, module: Module) -> bool:
        """Called before a module's init runs: patches the module's sites for the tracers.

        False: not done yet, sites are being changed; the loader asks again.
        """

    def module_free(self, module: Module, part: range | None) -> bool:
        """Called before code of a module is freed: at the addresses `part`, or all that is left (None).

        False: not done, sites are being changed; the loader asks again.
        """

    def kprobe_register(self, probe: int, address: int, returns: bool, disabled: bool) -> int:
        """The kernel registers a kprobe of its own, which is called `probe`, or (`returns`) one of returns.

        Returns: the address at which the CPU traps for it (0: it is disabled); or -errno. EAGAIN: the kernel asks again.
        """

    def kprobe_unregister(self, probe: int) -> int:
        """There is no such kprobe any more: 0; or -EAGAIN: the kernel asks again."""

    def kprobe_enable(self, probe: int, on: bool) -> int:
        """Enables or disables one. Returns as `kprobe_register`."""

    def waits_for(self, cpu: Cpu) -> str | None:
        """What tracing waits for on a CPU, to be said after its name: "has not answered Synchronise"; None: for nothing."""

    def resolve_return(self, task: int, frame: int, address: int) -> int:
        """The real return address of a call whose stack has `address`. `frame`: its fp in struct ftrace_ret_stack.

        If that is 0, `address` is a program counter; of one that is in the copy of an instruction: the instruction's address.
        """


class TracingCalls:
    """The host calls for tracing and modules. A module is added to `modules` when tracing has accepted it."""

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
    def trace_bprint(self, cpu: Cpu, ip: int, template: int, arguments: int, words: int) -> int:
        self._tracing.trace_bprint(cpu, ip, template, cpu.read(arguments, 4 * min(words, LONGEST_STRING // 4)))
        return 0

    @host_call
    def trace_bputs(self, cpu: Cpu, ip: int, text: int) -> int:
        self._tracing.trace_bputs(cpu, ip, text)
        return 0

    @host_call
    def tracing_on(self, cpu: Cpu, wanted: int) -> int:
        return int(self._tracing.tracing_on(bool(wanted) if wanted < 2 else None))

    @host_call
    def tracing_max_latency(self, cpu: Cpu, nanoseconds: int) -> int:
        self._tracing.max_latency(nanoseconds)
        return 0

    @host_call
    def tracing_snapshot(self, cpu: Cpu, take: int) -> int:
        if take:
            return int(self._tracing.take_snapshot())
        return 0 if self._tracing.allocate_snapshot() else -errno.ENOMEM

    @host_call
    def ftrace_dump(self, cpu: Cpu, which: int, address: int, size: int) -> int:
        """Stores the next line, cut to `size` bytes, and returns its length; -EAGAIN: there is none. `which`: a CPU."""
        line = self._tracing.dump_line(which if which < len(cpu.board.cpus) else None)
        return -errno.EAGAIN if line is None else put(cpu, address, line[:size])

    @host_call
    def ftrace_enabled(self, cpu: Cpu, wanted: int) -> int:
        return self._tracing.ftrace_enabled(bool(wanted) if wanted < 2 else None)

    @host_call
    def stack_tracer(self, cpu: Cpu, on: int) -> int:
        return self._tracing.stack_tracer(bool(on))

    @host_call
    def kprobe_register(self, cpu: Cpu, probe: int, address: int, flags: int) -> int:
        return self._tracing.kprobe_register(probe, address, bool(flags & 1), bool(flags & 2))

    @host_call
    def kprobe_unregister(self, cpu: Cpu, probe: int) -> int:
        return self._tracing.kprobe_unregister(probe)

    @host_call
    def kprobe_enable(self, cpu: Cpu, probe: int, on: int) -> int:
        return self._tracing.kprobe_enable(probe, bool(on))

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
