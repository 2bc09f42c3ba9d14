# SPDX-License-Identifier: GPL-2.0-only
"""Probes that make events: the handlers of their consumers. The TARGET of such a consumer is a probe_record.

This code is compiled when the first probe is defined.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from emu.ftrace.event.call import COMMON_SIZE
from emu.ftrace.native import array_record, consumer, event_context, event_record, fetch, probe_record, stages
from emu.ftrace.native.context import Context, array_of
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, call_handler, load_u64, store_u64

__all__ = ["ProbeHandlers", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE = np.uint64(0), np.uint64(1)
FIRST = np.uint64(COMMON_SIZE)
SECOND = FIRST + np.uint64(8)


class ProbeHandlers(NamedTuple):
    """The addresses of void (*)(cpu, consumer), for probes."""

    at: int
    """Of an instruction, in the kernel or in a program: KPROBE, UPROBE."""

    returned: int
    """Of returns of a function: KRETPROBE, URETPROBE."""

    event: int
    """Of an event: EPROBE."""

    host: int
    """Of an instruction, or of returns: has the probe's CALLBACK act, which may change the registers. There is no event."""


@njit
def need_registers(cpu, told):
    """Has the registers stored, if they are not yet."""
    fill = load_u64(told + event_context.FILL)
    if fill != ZERO:
        call_handler(fill, cpu, told)
        store_u64(told + event_context.FILL, ZERO)


def build(memory: Accessors, guest: GuestLayout, context: Context, user_address: Any) -> ProbeHandlers:
    """Compiles them. The arguments are those of `fetch.build`."""
    fetch_arguments = fetch.build(memory, guest, context, user_address)

    @njit
    def begin(cpu, array, told, probe):
        """Where the entry is put together; 0: nobody wants it, or there is no room."""
        store_u64(probe + probe_record.HITS, load_u64(probe + probe_record.HITS) + ONE)
        if load_u64(load_u64(probe + probe_record.EVENT) + event_record.FILES) == ZERO:
            return ZERO
        if load_u64(probe + probe_record.USES_REGISTERS) != ZERO:
            need_registers(cpu, told)
        return stages.enter(array)

    @njit
    def end(cpu, array, told, probe, stage):
        """Fetches the arguments, and gives the entry to the arrays."""
        program, size = load_u64(probe + probe_record.PROGRAM), load_u64(probe + probe_record.SIZE)
        size = fetch_arguments(cpu, array, told, program, stage, size)
        stages.put(cpu, array, load_u64(probe + probe_record.EVENT), load_u64(probe + probe_record.FILE), stage, size)
        stages.leave(array)

    @cfunc(_HANDLER)
    def at(cpu, acting):
        array, probe = array_of(cpu), load_u64(acting + consumer.TARGET)
        told = load_u64(array + array_record.EVENT_CONTEXT)
        stage = begin(cpu, array, told, probe)
        if stage != ZERO:
            store_u64(stage + FIRST, load_u64(told + event_context.IP))
            end(cpu, array, told, probe, stage)

    @cfunc(_HANDLER)
    def returned(cpu, acting):
        array, probe = array_of(cpu), load_u64(acting + consumer.TARGET)
        told = load_u64(array + array_record.EVENT_CONTEXT)
        stage = begin(cpu, array, told, probe)
        if stage != ZERO:
            store_u64(stage + FIRST, load_u64(told + event_context.IP))
            store_u64(stage + SECOND, load_u64(told + event_context.RETURN_IP))
            end(cpu, array, told, probe, stage)

    @cfunc(_HANDLER)
    def event(cpu, acting):
        array, probe = array_of(cpu), load_u64(acting + consumer.TARGET)
        told = load_u64(array + array_record.EVENT_CONTEXT)
        stage = begin(cpu, array, told, probe)
        if stage != ZERO:
            end(cpu, array, told, probe, stage)

    @cfunc(_HANDLER)
    def host(cpu, acting):
        array, probe = array_of(cpu), load_u64(acting + consumer.TARGET)
        told = load_u64(array + array_record.EVENT_CONTEXT)
        need_registers(cpu, told)
        stage = stages.enter(array)
        if stage != ZERO:
            fetch_arguments(cpu, array, told, load_u64(probe + probe_record.PROGRAM), stage, load_u64(probe + probe_record.SIZE))
            store_u64(probe + probe_record.ENTRY, stage)
            call_handler(load_u64(probe + probe_record.CALLBACK), cpu, probe)
            stages.leave(array)

    return ProbeHandlers(at.address, returned.address, event.address, host.address)
