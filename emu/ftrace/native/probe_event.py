# SPDX-License-Identifier: GPL-2.0-only
"""The handlers for consumers of probe events. The `target` of such a consumer is a `Probe`.

This code is compiled when the first probe is defined.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.event.call import COMMON_SIZE
from emu.ftrace.native import fetch, stages
from emu.ftrace.native.context import Context, array_of
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.probe_record import Probe, ProbeHandler
from emu.ftrace.native.trace_records import Consumer, EventContext, TraceArray
from emu.ftrace.native.user_memory import UserAddress
from emu.native.functions import callback, njit
from emu.native.records import Bytes, Words, u64

__all__ = ["ProbeHandlers", "build"]

FIRST = u64(COMMON_SIZE // 8)  # the word at which an entry's own fields begin


class ProbeHandlers(NamedTuple):
    """The handlers, by kind of probe."""

    at: ProbeHandler
    """At an instruction of the kernel or of a program: KPROBE, UPROBE."""

    returned: ProbeHandler
    """At returns of a function: KRETPROBE, URETPROBE."""

    event: ProbeHandler
    """At an event: EPROBE."""

    host: ProbeHandler
    """At an instruction or at returns: calls the probe's `callback`, which may change the registers. Makes no event."""


@njit
def need_registers(cpu: Cpu, told: EventContext) -> None:
    """Stores the registers, unless they are stored already."""
    fill = told.fill
    if fill is not None:
        fill(cpu, told)
        told.fill = None


@njit
def begin(cpu: Cpu, array: TraceArray, probe: Probe) -> u64:
    """The address at which the entry is put together; 0 if nobody uses it or there is no room."""
    probe.hits += 1
    if probe.event.files is None:
        return 0
    if probe.uses_registers:
        need_registers(cpu, array.event_context)
    return stages.enter(array)


def build(guest: Guest, context: Context, user_address: UserAddress) -> ProbeHandlers:
    """Compiles them. The arguments are those of `fetch.build`."""
    fetch_arguments = fetch.build(guest, context, user_address)

    @njit
    def end(cpu: Cpu, array: TraceArray, probe: Probe, stage: Bytes) -> None:
        """Fetches the arguments, and passes the entry to the arrays."""
        size = fetch_arguments(cpu, array, array.event_context, probe.program, stage, probe.size)
        stages.put(cpu, array, probe.event, probe.file, stage, size)
        stages.leave(array)

    @callback
    def at(cpu: Cpu, acting: Consumer) -> None:
        array, probe = array_of(cpu), Probe(acting.target)
        stage = begin(cpu, array, probe)
        if stage != 0:
            Words(stage)[FIRST] = array.event_context.ip
            end(cpu, array, probe, Bytes(stage))

    @callback
    def returned(cpu: Cpu, acting: Consumer) -> None:
        array, probe = array_of(cpu), Probe(acting.target)
        stage = begin(cpu, array, probe)
        if stage != 0:
            Words(stage)[FIRST] = array.event_context.ip
            Words(stage)[FIRST + 1] = array.event_context.return_ip
            end(cpu, array, probe, Bytes(stage))

    @callback
    def event(cpu: Cpu, acting: Consumer) -> None:
        array, probe = array_of(cpu), Probe(acting.target)
        stage = begin(cpu, array, probe)
        if stage != 0:
            end(cpu, array, probe, Bytes(stage))

    @callback
    def host(cpu: Cpu, acting: Consumer) -> None:
        array, probe = array_of(cpu), Probe(acting.target)
        told = array.event_context
        need_registers(cpu, told)
        stage = stages.enter(array)
        if stage != 0:
            fetch_arguments(cpu, array, told, probe.program, Bytes(stage), probe.size)
            probe.entry = stage
            probe.callback(cpu, probe)
            stages.leave(array)

    return ProbeHandlers(at, returned, event, host)
