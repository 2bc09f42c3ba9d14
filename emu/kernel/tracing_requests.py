# SPDX-License-Identifier: GPL-2.0-only
"""Requests of a guest kernel, or of a module, to tracing, and the host calls for them."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import LONGEST_STRING, host_call, put, string

__all__ = ["TracingRequestCalls", "TracingRequests"]

_MOST_SITES = 1 << 18  # per host call


class TracingRequests(Protocol):
    """Handles a guest's requests to tracing. None of these methods may run the machine."""

    def trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """trace_printk(), called from `ip`, writes a text. It has itself disabled preemption `disabled` times."""

    def trace_bprint(self, cpu: Cpu, ip: int, template: int, arguments: bytes) -> None:
        """trace_printk() writes a text, given by its format's address and its arguments as packed by vbin_printf().

        It has disabled preemption once.
        """

    def trace_bputs(self, cpu: Cpu, ip: int, text: int) -> None:
        """trace_puts() writes the string at an address, where it stays."""

    def tracing_on(self, on: bool | None) -> bool:
        """Turns recording in the top array on or off (`on` None: no change). Returns whether it is on."""

    def max_latency(self, kind: int, nanoseconds: int) -> None:
        """Raises a tracer's tracing_max_latency to at least this. `kind`: the tracer's entries, enum trace_type."""

    def tracer_printk(self, cpu: Cpu, kind: int, ip: int, text: bytes) -> None:
        """The tracer that records entries of a kind writes a text to its arrays, as trace_printk() does."""

    def tracer_off(self, kind: int) -> None:
        """The tracer that records entries of a kind stops recording in its arrays."""

    def allocate_snapshot(self) -> bool:
        """Makes room for a snapshot of the top array. Returns False if there is not enough memory."""

    def take_snapshot(self, cpu: Cpu) -> None:
        """Takes a snapshot of the top array, or writes to the trace why it cannot."""

    def dump_line(self, cpu: int | None) -> bytes | None:
        """The next line of a dump of the top array's buffers, or of one CPU's; None after the last one."""

    def ftrace_enabled(self, on: bool | None) -> int:
        """Sets the sysctl kernel.ftrace_enabled (`on` None: no change), and returns its value.

        Or returns -errno. EAGAIN: it cannot be set while sites are being patched; the kernel asks again.
        """

    @property
    def changing(self) -> bool:
        """Whether call sites are being patched."""

    def site_of(self, address: int) -> int:
        """The call site at an address, or of the function that begins there; 0 if there is none."""

    def sites_named(self, word: str) -> Sequence[int]:
        """The call sites of the functions selected by a word of a filter."""

    def direct_call(self, sites: Sequence[int], old: int, new: int) -> int:
        """Makes sites call `new` directly instead of `old`, all or none of them; 0 stands for no direct call.

        Returns 0 when this has started; it is complete when no site is being patched any more. Or returns -errno.
        """

    def trace_array_get(self, name: str) -> int:
        """The number, from 1 on, of an instance, which is created if necessary. Adds a reference of the guest. Or -errno."""

    def trace_array_put(self, array: int) -> int:
        """Drops one of the guest's references to an instance. Returns 0 or -errno."""

    def trace_array_destroy(self, array: int) -> int:
        """Removes an unused instance. Returns 0 or -errno."""

    def trace_array_printk(self, cpu: Cpu, array: int, ip: int, text: bytes) -> int:
        """As trace_printk(), into an instance. It has itself disabled preemption once. Returns 0 or -errno."""

    def trace_array_event(self, array: int, system: str, event: str, on: bool) -> int:
        """Starts or stops recording events in an instance. Empty names mean all. Returns 0 or -errno.

        EAGAIN: sites are being patched; the kernel asks again.
        """

    def stack_tracer(self, on: bool | None) -> int:
        """Starts or stops the stack tracer (`on` None: no change). Returns whether it runs.

        Or returns -EAGAIN: sites are being patched; the kernel asks again.
        """

    def tracepoint_printk(self, on: bool | None) -> bool:
        """Starts or stops printing events as they are recorded (`on` None: no change). Returns whether they are printed."""

    def tracepoint_printk_line(self, cpu: Cpu) -> bytes | None:
        """The next line of such events for a CPU to print; None if there is none."""

    def kprobe_register(self, probe: int, address: int, returns: bool, disabled: bool) -> int:
        """The kernel registers a kprobe of its own, identified by `probe`, or a kretprobe (`returns`).

        Returns the address at which the CPU traps for it (0: it is disabled), or -errno. EAGAIN: the kernel asks again.
        """

    def kprobe_unregister(self, probe: int) -> int:
        """Unregisters a kprobe. Returns 0, also if it does not exist, or -EAGAIN: the kernel asks again."""

    def kprobe_enable(self, probe: int, on: bool) -> int:
        """Enables or disables a kprobe. Returns as `kprobe_register`."""


class TracingRequestCalls:
    """The host calls for requests. Their arguments come from the guest: any number is possible."""

    def __init__(self, requests: TracingRequests) -> None:
        self._requests = requests

    @host_call
    def trace_printk(self, cpu: Cpu, ip: int, text: int, size: int, disabled: int) -> int:
        self._requests.trace_printk(cpu, ip, cpu.read(text, min(size, LONGEST_STRING)), disabled)
        return 0

    @host_call
    def trace_bprint(self, cpu: Cpu, ip: int, template: int, arguments: int, words: int) -> int:
        self._requests.trace_bprint(cpu, ip, template, cpu.read(arguments, 4 * min(words, LONGEST_STRING // 4)))
        return 0

    @host_call
    def trace_bputs(self, cpu: Cpu, ip: int, text: int) -> int:
        self._requests.trace_bputs(cpu, ip, text)
        return 0

    @host_call
    def tracing_on(self, cpu: Cpu, wanted: int) -> int:
        return int(self._requests.tracing_on(_switch(wanted)))

    @host_call
    def tracing_max_latency(self, cpu: Cpu, kind: int, nanoseconds: int) -> int:
        self._requests.max_latency(kind, nanoseconds)
        return 0

    @host_call
    def tracer_printk(self, cpu: Cpu, kind: int, ip: int, text: int, size: int) -> int:
        self._requests.tracer_printk(cpu, kind, ip, cpu.read(text, min(size, LONGEST_STRING)))
        return 0

    @host_call
    def tracer_off(self, cpu: Cpu, kind: int) -> int:
        self._requests.tracer_off(kind)
        return 0

    @host_call
    def tracing_snapshot(self, cpu: Cpu, take: int) -> int:
        if take:
            self._requests.take_snapshot(cpu)
            return 0
        return 0 if self._requests.allocate_snapshot() else -errno.ENOMEM

    @host_call
    def ftrace_dump(self, cpu: Cpu, which: int, address: int, size: int) -> int:
        """Stores the next line, cut to `size` bytes, and returns its length; -EAGAIN if there is none. `which`: a CPU."""
        line = self._requests.dump_line(which if which < len(cpu.board.cpus) else None)
        return -errno.EAGAIN if line is None else put(cpu, address, line[:size])

    @host_call
    def ftrace_enabled(self, cpu: Cpu, wanted: int) -> int:
        return self._requests.ftrace_enabled(_switch(wanted))

    @host_call
    def ftrace_location(self, cpu: Cpu, address: int) -> int:
        return self._requests.site_of(address)

    @host_call
    def ftrace_match(self, cpu: Cpu, word: int, size: int, address: int, most: int) -> int:
        """Stores the addresses of at most `most` sites. Returns the number of all."""
        found = self._requests.sites_named(cpu.read(word, min(size, LONGEST_STRING)).decode(errors="replace"))
        stored = b"".join(one.to_bytes(8, cpu.board.arch.byte_order) for one in found[:most])
        return min(put(cpu, address, stored), 0) or len(found)

    @host_call
    def ftrace_direct(self, cpu: Cpu, sites: int, count: int, old: int, new: int) -> int:
        """Without sites: only checks whether everything is complete."""
        if not count:
            return -errno.EAGAIN if self._requests.changing else 0
        if count > _MOST_SITES:
            return -errno.EINVAL
        words = cpu.read(sites, 8 * count)
        addresses = [int.from_bytes(words[n : n + 8], cpu.board.arch.byte_order) for n in range(0, len(words), 8)]
        return self._requests.direct_call(addresses, old, new)

    @host_call
    def trace_array_get(self, cpu: Cpu, name: int) -> int:
        return self._requests.trace_array_get(string(cpu, name))

    @host_call
    def trace_array_put(self, cpu: Cpu, array: int) -> int:
        return self._requests.trace_array_put(array)

    @host_call
    def trace_array_destroy(self, cpu: Cpu, array: int) -> int:
        return self._requests.trace_array_destroy(array)

    @host_call
    def trace_array_printk(self, cpu: Cpu, array: int, ip: int, text: int, size: int) -> int:
        return self._requests.trace_array_printk(cpu, array, ip, cpu.read(text, min(size, LONGEST_STRING)))

    @host_call
    def trace_array_event(self, cpu: Cpu, array: int, system: int, event: int, on: int) -> int:
        return self._requests.trace_array_event(array, string(cpu, system), string(cpu, event), bool(on))

    @host_call
    def stack_tracer(self, cpu: Cpu, wanted: int) -> int:
        return self._requests.stack_tracer(_switch(wanted))

    @host_call
    def tracepoint_printk(self, cpu: Cpu, wanted: int) -> int:
        return int(self._requests.tracepoint_printk(_switch(wanted)))

    @host_call
    def tracepoint_printk_line(self, cpu: Cpu, address: int, size: int) -> int:
        """Stores the next line to print, cut to `size` bytes, and returns its length; -EAGAIN if there is none."""
        line = self._requests.tracepoint_printk_line(cpu)
        return -errno.EAGAIN if line is None else put(cpu, address, line[:size])

    @host_call
    def kprobe_register(self, cpu: Cpu, probe: int, address: int, flags: int) -> int:
        return self._requests.kprobe_register(probe, address, bool(flags & 1), bool(flags & 2))

    @host_call
    def kprobe_unregister(self, cpu: Cpu, probe: int) -> int:
        return self._requests.kprobe_unregister(probe)

    @host_call
    def kprobe_enable(self, cpu: Cpu, probe: int, on: int) -> int:
        return self._requests.kprobe_enable(probe, bool(on))


def _switch(wanted: int) -> bool | None:
    """The requested state of a switch; None if it is only queried."""
    return bool(wanted) if wanted < 2 else None
