# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes that count how often CPUs reach them, and keep the registers that they saw last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import array_of
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.probes.placing import ProbePlace
from emu.machine import Machine
from emu.native.functions import callback
from emu.native.records import Record, u64

__all__ = ["CountingProbe", "probe", "remove"]


class Counted(Record):
    """The settings and the counters of a probe."""

    hits: u64
    ip: u64  # the address passed to handlers
    fills: bool  # whether the registers are read
    writes: bool  # whether a register is changed
    register: u64  # its number
    value: u64


@callback
def count(cpu: Cpu, acting: Consumer) -> None:
    told, counted = array_of(cpu).event_context, Counted(acting.target)
    counted.hits += 1
    counted.ip = told.ip
    fill = told.fill
    if counted.fills and fill is not None:
        fill(cpu, told)
    if counted.writes:
        told.registers[counted.register] = counted.value
        told.written = True


class CountingProbe:
    """A kprobe at a place. It counts from the next update of the sites on (`probe` does one)."""

    def __init__(self, machine: Machine, place: ProbePlace, *, registers: bool = False) -> None:
        self._machine = machine
        self._counted = Counted.allocate()
        self._counted.fills = registers
        self.place = place
        self.record = Consumer.allocate()
        self.record.handler, self.record.target = count, self._counted.address
        machine.ftrace.kprobes.add(place, self.record)

    @property
    def hits(self) -> int:
        return self._counted.hits

    @property
    def ip(self) -> int:
        """The address that was passed to its handler."""
        return self._counted.ip

    def write(self, register: str, value: int) -> None:
        """Makes each CPU that reaches the probe continue with another value in a register."""
        self._counted.fills = self._counted.writes = True
        self._counted.register = self._machine.ftrace.arch.probing().registers.names[register]
        self._counted.value = value

    def registers(self) -> Mapping[str, int]:
        """The registers that were last seen by any probe that reads them."""
        words = self._machine.trace_array.recorder.globals.records.registers
        names = self._machine.ftrace.arch.probing().registers.names
        return {name: int(words[word]) for name, word in names.items()}


def probe(machine: Machine, *places: ProbePlace, registers: bool = False) -> list[CountingProbe]:
    """Inserts probes at places."""
    made = [CountingProbe(machine, place, registers=registers) for place in places]
    machine.ftrace.update_sites()
    machine.settle()
    return made


def remove(machine: Machine, probes: Iterable[CountingProbe]) -> None:
    """Removes probes."""
    for one in probes:
        machine.ftrace.kprobes.remove(one.record)
    machine.ftrace.update_sites()
    machine.settle()
