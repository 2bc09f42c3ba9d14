# SPDX-License-Identifier: GPL-2.0-only
"""The actions of event triggers and function commands: the handlers of consumers.

They act immediately on all CPUs: no CPU starts another block before. This code is compiled when the first one is used.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import stop
from emu.ftrace.native.context import array_of
from emu.ftrace.native.event import of_cpu
from emu.ftrace.native.switches import record_off, record_on
from emu.ftrace.native.trace_records import Consumer, EventFile
from emu.ftrace.native.trace_values import ALWAYS, DUMP_ALL, DUMP_CPU, SOFT_DISABLED
from emu.native.functions import Compiled, callback, njit
from emu.native.records import u64

__all__ = ["TriggerHandlers", "build"]

Handler = Compiled[[Cpu, Consumer], None]


class TriggerHandlers(NamedTuple):
    """The handlers, by command."""

    traceon: Handler
    traceoff: Handler
    snapshot: Handler
    stacktrace: Handler
    enable_event: Handler
    disable_event: Handler
    dump: Handler
    cpudump: Handler


@njit
def spend(acting: Consumer) -> bool:
    """Counts one action of a consumer. Returns False if its count is used up, or it is still suspended."""
    count = acting.count
    if count == 0 or acting.array.held:
        return False
    if count != ALWAYS:
        acting.count = count - 1
    return True


@njit
def switch_event(acting: Consumer, flag: u64) -> None:
    """Sets the flag SOFT_DISABLED of the consumer's target to `flag`. If it has that value already, the count does not change."""
    file = EventFile(acting.target)
    if file.flags & SOFT_DISABLED != flag and spend(acting):
        file.flags = file.flags & ~SOFT_DISABLED | flag


@njit
def ask_for_dump(cpu: Cpu, acting: Consumer, which: u64) -> None:
    """Stops recording in the top array, and makes Python handle the dump before any CPU continues."""
    if spend(acting):
        top = array_of(cpu)
        record_off(cpu, top)
        top.dump = which
        stop(cpu)


@functools.cache
def build() -> TriggerHandlers:
    """Compiles them."""

    @callback
    def traceon(cpu: Cpu, acting: Consumer) -> None:
        if not acting.array.recording and spend(acting):
            record_on(acting.array)

    @callback
    def traceoff(cpu: Cpu, acting: Consumer) -> None:
        if acting.array.recording and spend(acting):
            record_off(cpu, acting.array)

    @callback
    def stacktrace(cpu: Cpu, acting: Consumer) -> None:
        """A function's command counts only while tracing is on, an event's trigger always."""
        array, record_stack = acting.array, acting.record_stack
        called = array.event_context.entry.address == 0
        if (array.recording or not called) and spend(acting):
            record_stack(cpu, of_cpu(cpu, array.cpus))

    @callback
    def enable_event(cpu: Cpu, acting: Consumer) -> None:
        switch_event(acting, 0)

    @callback
    def disable_event(cpu: Cpu, acting: Consumer) -> None:
        switch_event(acting, SOFT_DISABLED)

    @callback
    def dump(cpu: Cpu, acting: Consumer) -> None:
        ask_for_dump(cpu, acting, DUMP_ALL)

    @callback
    def cpudump(cpu: Cpu, acting: Consumer) -> None:
        ask_for_dump(cpu, acting, DUMP_CPU + cpu.index)

    @callback
    def snapshot(cpu: Cpu, acting: Consumer) -> None:
        if spend(acting):
            acting.array.take_snapshot(cpu, acting.array)

    return TriggerHandlers(
        traceon=traceon,
        traceoff=traceoff,
        snapshot=snapshot,
        stacktrace=stacktrace,
        enable_event=enable_event,
        disable_event=disable_event,
        dump=dump,
        cpudump=cpudump,
    )
