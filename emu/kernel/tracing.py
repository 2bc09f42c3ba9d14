# SPDX-License-Identifier: GPL-2.0-only
"""What a guest kernel reports to tracing, and the host calls by which it does."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import LONGEST_STRING, host_call, put, string
from emu.kernel.modules import BadModule, Module, Modules

__all__ = ["Tracing", "TracingCalls"]

_MOST_SITES = 1 << 18  # of one host call


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

    def max_latency(self, kind: int, nanoseconds: int) -> None:
        """A tracer's tracing_max_latency is at least this. `kind`: of the entries that the tracer records, enum trace_type."""

    def tracer_printk(self, cpu: Cpu, kind: int, ip: int, text: bytes) -> None:
        """The tracer that records entries of a kind writes a text, as trace_printk() does, into the buffers of its arrays."""

    def tracer_off(self, kind: int) -> None:
        """It has the buffers of its arrays record no longer."""

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

    @property
    def changing(self) -> bool:
        """Whether call sites are being changed."""

    def site_of(self, address: int) -> int:
        """The call site at an address, or that of the function that begins there; 0: there is none."""

    def sites_named(self, word: str) -> Sequence[int]:
        """The call sites of the functions that a word of a filter selects."""

    def direct_call(self, sites: Sequence[int], old: int, new: int) -> int:
        """Has sites call `new` directly instead of `old`; 0 stands for no direct call. All of them or none.

        Returns 0 when this has begun; it is done when no site is being changed any more. Or -errno.
        """

    def trace_array_get(self, name: str) -> int:
        """The number, from 1 on, of an instance of the tracer, which is made if there is none. The guest uses it. Or -errno."""

    def trace_array_put(self, array: int) -> int:
        """The guest uses an instance once less. Returns 0 or -errno."""

    def trace_array_destroy(self, array: int) -> int:
        """Removes an instance that nobody uses. Returns 0 or -errno."""

    def trace_array_printk(self, cpu: Cpu, array: int, ip: int, text: bytes) -> int:
        """As trace_printk(), into an instance. Preemption has been disabled once for it. Returns 0 or -errno."""

    def trace_array_event(self, array: int, system: str, event: str, on: bool) -> int:
        """Records events in an instance, or no longer. Names that are empty mean all. Returns 0 or -errno.

        EAGAIN: sites are being changed; the kernel asks again.
        """

    def stack_tracer(self, on: bool | None) -> int:
        """Starts or stops the stack tracer (`on` None: leaves it as it is), and returns whether it runs.

        Or -EAGAIN: sites are being changed; the kernel asks again.
        """

    def tracepoint_printk(self, on: bool | None) -> bool:
        """Has events printed as they are recorded, or not (`on` None: leaves it as it is), and returns whether they are."""

    def tracepoint_printk_line(self) -> bytes | None:
        """The next line that is to be printed of such events; None: there is none."""

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
    def tracing_max_latency(self, cpu: Cpu, kind: int, nanoseconds: int) -> int:
        self._tracing.max_latency(kind, nanoseconds)
        return 0

    @host_call
    def tracer_printk(self, cpu: Cpu, kind: int, ip: int, text: int, size: int) -> int:
        self._tracing.tracer_printk(cpu, kind, ip, cpu.read(text, min(size, LONGEST_STRING)))
        return 0

    @host_call
    def tracer_off(self, cpu: Cpu, kind: int) -> int:
        self._tracing.tracer_off(kind)
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
    def ftrace_location(self, cpu: Cpu, address: int) -> int:
        return self._tracing.site_of(address)

    @host_call
    def ftrace_match(self, cpu: Cpu, word: int, size: int, address: int, most: int) -> int:
        """Stores the addresses of at most so many sites. Returns how many there are."""
        found = self._tracing.sites_named(cpu.read(word, min(size, LONGEST_STRING)).decode(errors="replace"))
        stored = b"".join(one.to_bytes(8, cpu.board.arch.byte_order) for one in found[:most])
        return min(put(cpu, address, stored), 0) or len(found)

    @host_call
    def ftrace_direct(self, cpu: Cpu, sites: int, count: int, old: int, new: int) -> int:
        """Without sites: only whether all is done."""
        if not count:
            return -errno.EAGAIN if self._tracing.changing else 0
        if count > _MOST_SITES:
            return -errno.EINVAL
        words = cpu.read(sites, 8 * count)
        addresses = [int.from_bytes(words[n : n + 8], cpu.board.arch.byte_order) for n in range(0, len(words), 8)]
        return self._tracing.direct_call(addresses, old, new)

    @host_call
    def trace_array_get(self, cpu: Cpu, name: int) -> int:
        return self._tracing.trace_array_get(string(cpu, name))

    @host_call
    def trace_array_put(self, cpu: Cpu, array: int) -> int:
        return self._tracing.trace_array_put(array)

    @host_call
    def trace_array_destroy(self, cpu: Cpu, array: int) -> int:
        return self._tracing.trace_array_destroy(array)

    @host_call
    def trace_array_printk(self, cpu: Cpu, array: int, ip: int, text: int, size: int) -> int:
        return self._tracing.trace_array_printk(cpu, array, ip, cpu.read(text, min(size, LONGEST_STRING)))

    @host_call
    def trace_array_event(self, cpu: Cpu, array: int, system: int, event: int, on: int) -> int:
        return self._tracing.trace_array_event(array, string(cpu, system), string(cpu, event), bool(on))

    @host_call
    def stack_tracer(self, cpu: Cpu, wanted: int) -> int:
        return self._tracing.stack_tracer(bool(wanted) if wanted < 2 else None)

    @host_call
    def tracepoint_printk(self, cpu: Cpu, on: int) -> int:
        return int(self._tracing.tracepoint_printk(bool(on) if on < 2 else None))

    @host_call
    def tracepoint_printk_line(self, cpu: Cpu, address: int, size: int) -> int:
        """Stores the next line that is to be printed, cut to `size` bytes, and returns its length; -EAGAIN: there is none."""
        line = self._tracing.tracepoint_printk_line()
        return -errno.EAGAIN if line is None else put(cpu, address, line[:size])

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
