# SPDX-License-Identifier: GPL-2.0-only
"""Handles the requests of the guest's kernel and its modules to tracing (kernel.tracing_requests)."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from emu.cpu.cpu import Cpu
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.guest.instances import GuestInstances
from emu.ftrace.sites.filters import Pattern
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.kernel.kernel import Kernel

__all__ = ["GuestRequests"]


class GuestRequests:
    """A request that names no array is for the top array, or for all. The methods are documented in TracingRequests.

    Args:
        kernel: the kernel that asks.
        top: the top array.
        ftrace: patches the sites.
    """

    def __init__(self, kernel: Kernel, top: TraceArray, ftrace: PatchedFtrace) -> None:
        self._kernel = kernel
        self._top = top
        self._ftrace = ftrace
        self._globals = ftrace.globals
        self._instances = GuestInstances(top)
        self._dump: Iterator[str] | None = None

    @property
    def changing(self) -> bool:
        return self._ftrace.changing

    # Texts and times from the kernel

    def trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        self._top.recorder.host_events.write_printk(cpu, ip, text, disabled)

    def trace_bprint(self, cpu: Cpu, ip: int, template: int, arguments: bytes) -> None:
        self._top.recorder.host_events.write_bprint(cpu, ip, template, arguments)

    def trace_bputs(self, cpu: Cpu, ip: int, text: int) -> None:
        self._top.recorder.host_events.write_bputs(cpu, ip, text)

    def tracer_printk(self, cpu: Cpu, kind: int, ip: int, text: bytes) -> None:
        for recorder in self._taking(kind):
            recorder.host_events.write_printk(cpu, ip, text, 1)

    def max_latency(self, kind: int, nanoseconds: int) -> None:
        for recorder in self._taking(kind):
            recorder.max_latency.raise_to(nanoseconds)

    def _taking(self, kind: int) -> list[Recorder]:
        """The arrays that record entries of a kind from tracers in the guest."""
        recorders = [array.recorder for array in (self._top, *self._top.instances.values())]
        return [recorder for recorder in recorders if recorder.event_files.takes_entries(kind)]

    # Switches. As in Linux, the tracer is not told when recording stops or starts.

    def tracing_on(self, on: bool | None) -> bool:
        recorder = self._top.recorder
        if on is not None:
            (recorder.record_on if on else recorder.record_off)()
        return recorder.recording

    def tracer_off(self, kind: int) -> None:
        for recorder in self._taking(kind):
            recorder.record_off()

    def ftrace_enabled(self, on: bool | None) -> int:
        return self._switched(on, self._ftrace.set_enabled, lambda: self._ftrace.enabled)

    def stack_tracer(self, on: bool | None) -> int:
        return self._switched(on, self._ftrace.set_stack_tracer, lambda: self._ftrace.stack_tracer_enabled)

    def _switched(self, on: bool | None, switch: Callable[[bool], None], is_on: Callable[[], bool]) -> int:
        """Sets a switch, unless `on` is None. Returns its state, or -errno."""
        if on is not None:
            try:
                if not self.changing:
                    switch(on)
            except TraceError as error:
                return -error.code
            if self.changing:
                return -errno.EAGAIN
        return int(is_on())

    def tracepoint_printk(self, on: bool | None) -> bool:
        printed = self._globals.printed_events
        if on is not None and printed.allowed:
            self._ftrace.print_events(on)
        return printed.on

    def tracepoint_printk_line(self, cpu: Cpu) -> bytes | None:
        line = self._globals.printed_events.next_line(cpu)
        return None if line is None else line.encode(errors="surrogateescape")

    # Buffers

    def allocate_snapshot(self) -> bool:
        try:
            self._top.snapshot.allocate()
        except TraceError:
            return False
        return True

    def take_snapshot(self, cpu: Cpu) -> None:
        self._globals.snapshots.take(cpu, self._top.records.array)

    def dump_line(self, cpu: int | None) -> bytes | None:
        """Starts a dump, if none is under way."""
        self._ftrace.driver.alive()  # a CPU may print thousands of lines with interrupts off
        if self._dump is None:
            self._dump = self._top.dumps.take(cpu)
        line = next(self._dump, None)
        if line is None:
            self._dump = None
            return None
        return line.encode(errors="surrogateescape")

    # Instances

    def trace_array_get(self, name: str) -> int:
        return _or_errno(lambda: self._instances.get(name))

    def trace_array_put(self, array: int) -> int:
        return _or_errno(lambda: self._instances.put(array))

    def trace_array_destroy(self, array: int) -> int:
        return _or_errno(lambda: self._instances.destroy(array))

    def trace_array_printk(self, cpu: Cpu, array: int, ip: int, text: bytes) -> int:
        return _or_errno(lambda: self._instances.printk(array, cpu, ip, text, 1))

    def trace_array_event(self, array: int, system: str, event: str, on: bool) -> int:
        if self.changing:
            return -errno.EAGAIN
        result = _or_errno(lambda: self._instances.enable_events(array, system, event, on))
        return -errno.EAGAIN if not result and self.changing else result

    # Call sites

    def site_of(self, address: int) -> int:
        sites = self._ftrace.sites
        if address in sites:
            return address
        found = self._kernel.symbols.function_at(address)
        if found is None or found[0].address != address:
            return 0
        behind = sites.addresses - np.uint64(address)  # addresses below wrap around
        return int(min(sites.addresses[behind < np.uint64(found[0].size)], default=0))

    def sites_named(self, word: str) -> Sequence[int]:
        sites = self._ftrace.sites
        addresses: list[int] = sites.addresses[Pattern.parse(word).select(sites.functions.names)].tolist()
        return addresses

    def direct_call(self, sites: Sequence[int], old: int, new: int) -> int:
        return -errno.EAGAIN if self.changing else _or_errno(lambda: self._ftrace.call_directly(sites, old, new))

    # Kprobes of the guest itself. `probe` is the guest's name for one.

    def kprobe_register(self, probe: int, address: int, returns: bool, disabled: bool) -> int:
        return self._change_kprobe(probe, lambda: self._register(probe, address, returns, disabled))

    def _register(self, probe: int, address: int, returns: bool, disabled: bool) -> None:
        if probe not in self._globals.guest_kprobes:  # the guest asks again after EAGAIN
            self._ftrace.check_kprobe_of_guest(address)
            self._globals.guest_kprobes.add(probe, address, returns, not disabled)

    def kprobe_unregister(self, probe: int) -> int:
        return self._change_kprobe(probe, lambda: self._globals.guest_kprobes.remove(probe))

    def kprobe_enable(self, probe: int, on: bool) -> int:
        return self._change_kprobe(probe, lambda: self._enable(probe, on))

    def _enable(self, probe: int, on: bool) -> None:
        if on:
            self._ftrace.check_kprobe_of_guest(self._globals.guest_kprobes.address(probe))
        self._globals.guest_kprobes.enable(probe, on)

    def _change_kprobe(self, probe: int, change: Callable[[], None]) -> int:
        """Changes a kprobe, unless sites are being patched. Returns as kprobe_register."""
        try:
            if not self.changing:
                change()
                self._ftrace.update_sites()
        except TraceError as error:
            return -self._kernel.image.error_number(error.code)
        if self.changing:
            return -errno.EAGAIN
        probes = self._globals.guest_kprobes
        return probes.trap(probe) if probe in probes else 0


def _or_errno(method: Callable[[], int | None]) -> int:
    """Calls a method: its result, 0 for None, or -errno for a TraceError."""
    try:
        return method() or 0
    except TraceError as error:
        return -error.code
