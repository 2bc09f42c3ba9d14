# SPDX-License-Identifier: GPL-2.0-only
"""A CPU comes to a tracepoint: evaluates its arguments, and tells those who use it."""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import probes, stages
from emu.ftrace.native.context import is_up
from emu.ftrace.native.trace_records import ArrayCpu, EventContext, TraceArray
from emu.ftrace.native.trace_values import BEFORE, PLACE_BLOCK
from emu.linux.lift.area import Area
from emu.linux.lift.records import Place, User
from emu.native.functions import Compiled, callback, njit
from emu.native.records import u64

__all__ = ["Handlers", "build"]

FAILED = u64(0xFFFF_FFFF_FFFF_FFFF)


class Handlers(NamedTuple):
    """Compiled functions."""

    reached: Compiled[[Cpu, u64], None]
    """reached(cpu, place): a CPU has come to a `Place`."""

    record: Compiled[[Cpu, User], None]
    """record(cpu, user): the handler of a user that is an event."""

    consume: Compiled[[Cpu, User], None]
    """consume(cpu, user): the handler of a user that is a consumer."""

    fill: Compiled[[Cpu, EventContext], None]
    """For `Tracepoint.fill`."""


@njit
def per_cpu_area(array_cpu: ArrayCpu, array: TraceArray) -> u64:
    """The guest's address of the CPU's per-CPU area, in the direct map."""
    return array_cpu.hot.address - array.ram + array.direct_start


@njit
def area_of(user: User) -> Area:
    return user.tracepoint.area


def build(words: tuple[int, ...]) -> Handlers:
    """Compiles them. `words`: the words of the registers with a function's arguments (`Probing.registers`)."""
    first, second, third, fourth, fifth, sixth = (u64(word) for word in words)

    @callback
    def reached(cpu: Cpu, argument: u64) -> None:
        place = Place(argument)
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        if not is_up(array_cpu, array):
            return
        tracepoint = place.tracepoint
        found = place.lifted(cpu.env, per_cpu_area(array_cpu, array))
        if found == 0:
            return
        if found == FAILED:
            tracepoint.missed += 1
            return
        probes.tell(array.event_context, PLACE_BLOCK, place.ip, tracepoint.area.address, tracepoint.fill)
        user = tracepoint.first
        while user is not None:
            user.handler(cpu, user)
            user = user.next

    @callback
    def record(cpu: Cpu, user: User) -> None:
        if user.event.files is None:
            return
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        size = user.probe(cpu.env, per_cpu_area(array_cpu, array))
        if size == FAILED:
            user.tracepoint.missed += 1
        elif size != 0:
            stages.put(cpu, array, user.event, None, area_of(user).entry, size + 3 & ~u64(3))

    @callback
    def fill(cpu: Cpu, told: EventContext) -> None:
        """The arguments, as if a function with them began. Those that are on the stack beyond the registers are not there."""
        area = Area(told.saved)
        told.registers[first] = area.registers[1]
        told.registers[second] = area.registers[2]
        told.registers[third] = area.registers[3]
        told.registers[fourth] = area.registers[4]
        told.registers[fifth] = area.registers[5]
        told.registers[sixth] = area.outgoing[0]

    @callback
    def consume(cpu: Cpu, user: User) -> None:
        probes.act(cpu, user.consumer, BEFORE)

    return Handlers(reached, record, consume, fill)
