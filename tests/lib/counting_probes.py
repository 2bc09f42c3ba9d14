# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes that count how often CPUs come to them, and keep the registers that they saw last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, consumer, event_context, trace_records
from emu.ftrace.probe_places import ProbePlace
from emu.machine import Machine
from emu.native import cfunc
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["CountingProbe", "probe", "remove"]

ZERO, ONE = np.uint64(0), np.uint64(1)
# Words of what is counted: hits, the address that handlers are told, and the change of which register is asked for
HITS, IP, FILLS, WRITES, VALUE = (np.uint64(8 * n) for n in range(5))


@cfunc(types.void(types.uint64, types.uint64))
def count(cpu, acting):
    told = load_u64(load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.ARRAY) + array_record.EVENT_CONTEXT)
    counted = load_u64(acting + consumer.TARGET)
    store_u64(counted + HITS, load_u64(counted + HITS) + ONE)
    store_u64(counted + IP, load_u64(told + event_context.IP))
    fill = load_u64(told + event_context.FILL)
    if load_u64(counted + FILLS) != ZERO and fill != ZERO:
        call_handler(fill, cpu, told)
    written = load_u64(counted + WRITES)
    if written != ZERO:
        store_u64(load_u64(told + event_context.REGISTERS) + written - ONE, load_u64(counted + VALUE))
        store_u64(told + event_context.WRITTEN, ONE)


class CountingProbe:
    """A kprobe at a place. It counts from the next update of the sites on (`probe` sees to that)."""

    def __init__(self, machine: Machine, place: ProbePlace, *, registers: bool = False) -> None:
        self._machine = machine
        self._counted = np.zeros(5, np.uint64)
        self._counted[2] = registers
        self.place = place
        self.record = trace_records.Consumer.allocate()
        self.record.set(consumer.HANDLER, count.address)
        self.record.set(consumer.TARGET, self._counted.ctypes.data)
        machine.ftrace.kprobes.add(place, self.record)

    @property
    def hits(self) -> int:
        return int(self._counted[0])

    @property
    def ip(self) -> int:
        """The address that its handler was told."""
        return int(self._counted[1])

    def write(self, register: str, value: int) -> None:
        """Has each CPU that comes here go on with another value of a register."""
        self._counted[2] = 1
        self._counted[3] = 8 * self._machine.ftrace.arch.probing().registers.names[register] + 1
        self._counted[4] = value

    def registers(self) -> Mapping[str, int]:
        """The registers that were seen last by any probe that asks for them."""
        words = self._machine.trace_array.recorder.globals.records.registers
        names = self._machine.ftrace.arch.probing().registers.names
        return {name: int(words[word]) for name, word in names.items()}


def probe(machine: Machine, *places: ProbePlace, registers: bool = False) -> list[CountingProbe]:
    """Probes places from now on."""
    made = [CountingProbe(machine, place, registers=registers) for place in places]
    machine.ftrace.update_sites()
    machine.settle()
    return made


def remove(machine: Machine, probes: Iterable[CountingProbe]) -> None:
    """Probes no longer."""
    for one in probes:
        machine.ftrace.kprobes.remove(one.record)
    machine.ftrace.update_sites()
    machine.settle()
