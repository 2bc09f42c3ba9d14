# SPDX-License-Identifier: GPL-2.0-only
"""What triggers of events and commands of functions do: the handlers of consumers.

They act at once, on all CPUs: no CPU comes to another block before. This code is compiled when the first of them is wanted.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import stop
from emu.ftrace.native import array_record, consumer, event_context, event_file
from emu.ftrace.native.context import array_of
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.switches import record_off, record_on
from emu.native import cfunc, njit
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["TriggerHandlers", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE = np.uint64(0), np.uint64(1)


class TriggerHandlers(NamedTuple):
    """The addresses of void (*)(cpu, consumer), by the command's name."""

    traceon: int
    traceoff: int
    snapshot: int
    stacktrace: int
    enable_event: int
    disable_event: int
    dump: int
    cpudump: int


@njit
def spend(acting):
    """Counts that a consumer acts once more. False: it has done so as often as it may, or must not do so yet."""
    count = load_u64(acting + consumer.COUNT)
    if count == ZERO or load_u64(load_u64(acting + consumer.ARRAY) + array_record.HELD) != ZERO:
        return False
    if count != consumer.ALWAYS:
        store_u64(acting + consumer.COUNT, count - ONE)
    return True


@njit
def is_recording(acting):
    return load_u64(load_u64(acting + consumer.ARRAY) + array_record.RECORDING) != ZERO


@njit
def switch_event(acting, flag):
    """Makes the flag SOFT_DISABLED of the consumer's target `flag`. What is so already takes no count."""
    flags = load_u64(acting + consumer.TARGET) + event_file.FLAGS
    if load_u64(flags) & event_file.SOFT_DISABLED != flag and spend(acting):
        store_u64(flags, load_u64(flags) & ~event_file.SOFT_DISABLED | flag)


@njit
def ask_for_dump(cpu, acting, which):
    """Ends recording in the top array, and has Python see to the dump before any CPU goes on."""
    if spend(acting):
        top = array_of(cpu)
        record_off(cpu, top)
        store_u64(top + array_record.DUMP, which)
        stop(cpu)


@functools.cache
def build() -> TriggerHandlers:
    """Compiles them."""

    @cfunc(_HANDLER)
    def traceon(cpu, acting):
        if not is_recording(acting) and spend(acting):
            record_on(load_u64(acting + consumer.ARRAY))

    @cfunc(_HANDLER)
    def traceoff(cpu, acting):
        if is_recording(acting) and spend(acting):
            record_off(cpu, load_u64(acting + consumer.ARRAY))

    @cfunc(_HANDLER)
    def stacktrace(cpu, acting):
        """A function's command counts while tracing is on, an event's trigger always."""
        array = load_u64(acting + consumer.ARRAY)
        called = load_u64(load_u64(array + array_record.EVENT_CONTEXT) + event_context.ENTRY) == ZERO
        if (is_recording(acting) or not called) and spend(acting):
            call_handler(load_u64(acting + consumer.TARGET), cpu, of_cpu(cpu, load_u64(array + array_record.CPUS)))

    @cfunc(_HANDLER)
    def enable_event(cpu, acting):
        switch_event(acting, ZERO)

    @cfunc(_HANDLER)
    def disable_event(cpu, acting):
        switch_event(acting, event_file.SOFT_DISABLED)

    @cfunc(_HANDLER)
    def dump(cpu, acting):
        ask_for_dump(cpu, acting, array_record.DUMP_ALL)

    @cfunc(_HANDLER)
    def cpudump(cpu, acting):
        ask_for_dump(cpu, acting, array_record.DUMP_CPU + load_u64(cpu + cpu_record.INDEX))

    @cfunc(_HANDLER)
    def snapshot(cpu, acting):
        array = load_u64(acting + consumer.ARRAY)
        if spend(acting):
            call_handler(load_u64(array + array_record.TAKE_SNAPSHOT), cpu, array)

    return TriggerHandlers(
        traceon=traceon.address,
        traceoff=traceoff.address,
        snapshot=snapshot.address,
        stacktrace=stacktrace.address,
        enable_event=enable_event.address,
        disable_event=disable_event.address,
        dump=dump.address,
        cpudump=cpudump.address,
    )
