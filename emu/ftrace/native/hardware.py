# SPDX-License-Identifier: GPL-2.0-only
"""Makes the entries of `hardware:sample` when a counter of a timing model has reached the end of a period.

The board calls this after charging a block (its `sample`). It is compiled when the first array enables the event.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.timing.record import Timing
from emu.ftrace.native import stages
from emu.ftrace.native.context import array_of
from emu.ftrace.native.trace_records import Event, Told, TraceArray
from emu.ftrace.native.trace_values import COUNTER_NAME_SIZE, PLACE_BLOCK
from emu.native.functions import callback, njit
from emu.native.memory import copy
from emu.native.records import HOST, Bytes, Record, Values, inline, u8, u64

__all__ = ["Sample", "sample"]


class Sample(Record):
    """An entry of the event."""

    common: u64
    ip: u64
    event: Values[u8] = inline(COUNTER_NAME_SIZE)
    period: u64


SIZE = u64(HOST.size(Sample))


@njit
def passed(timing: Timing, told: Told, counter: u64) -> u64:
    """The number of a counter's events that a sample now represents: a whole number of periods. `told`: the CPU's."""
    period, before = timing.periods[counter], told.counts[counter]
    if period == 0:
        return u64(0)
    count = (timing.counts[counter] - before) // period * period
    told.counts[counter] = before + count
    return count


@njit
def fill(entry: Sample, address: u64, name: Values[u8], period: u64) -> None:
    entry.ip = address
    copy(entry.event, name, u64(COUNTER_NAME_SIZE))
    entry.period = period


@njit
def record(cpu: Cpu, array: TraceArray, event: Event, address: u64, counter: u64, count: u64) -> None:
    """Makes an entry: a counter has counted `count` events."""
    stage = stages.enter(array)
    if stage != 0:
        fill(Sample(stage), address, array.hardware.names[counter].characters, count)
        context = array.event_context
        context.place = PLACE_BLOCK
        context.ip = address
        stages.put(cpu, array, event, None, Bytes(stage), SIZE)
        stages.leave(array)


@callback
def sample(cpu: Cpu, address: u64) -> None:
    """Checks which periods have ended in the block at an address. This is the board's `sample`."""
    timing, array = cpu.timing, array_of(cpu)
    sampled, counter = timing.sampled, u64(0)
    timing.sampled = 0
    hardware = array.hardware
    told = hardware.told[cpu.index]
    while sampled != 0:
        count = passed(timing, told, counter) if sampled & 1 != 0 else u64(0)
        if count != 0 and hardware.event.files is not None:
            record(cpu, array, hardware.event, address, counter, count)
        sampled >>= 1
        counter += 1
