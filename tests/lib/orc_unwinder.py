# SPDX-License-Identifier: GPL-2.0-only
"""Unwinds the stacks of a Linux guest from outside, by its ORC tables, for tests."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS, layout
from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_records
from emu.cpu.native.arch.x86_64_env import Registers
from emu.ftrace.native.arch import x86_64_orc
from emu.ftrace.native.orc_record import OrcTables, TextTable, TextTables
from emu.ftrace.native.trace_records import EventContext, TraceArray
from emu.ftrace.native.trace_values import PLACE_BLOCK, PLACE_FUNCTION
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import njit, shared
from emu.native.records import Values, Words, u64

__all__ = ["Call", "OrcUnwinder", "page_table"]

MOST = 512
GUARD = 0xA5A5_A5A5
TOP_SHIFT, LAST_SHIFT, INDEX_BITS, INDEX = u64(39), u64(12), u64(9), u64(0x1FF)
FRAME, PRESENT, LARGE = u64(0x000F_FFFF_FFFF_F000), u64(1), u64(0x80)


WordAt = Callable[[TraceArray, u64], u64]


class Call(NamedTuple):
    """A call under way. `slot`: the stack address of the word that has the address."""

    address: int
    slot: int = 0


# A TraceArray has no field for these yet: its `trampolines` is the address of the tables, its `stage` is %cr3.


@njit
def orc_of(array: TraceArray) -> OrcTables:
    return OrcTables(array.trampolines)


@njit
def mapped_word(array: TraceArray, address: u64) -> u64:
    """By the page tables: a stack of Linux's may be anywhere in the kernel's half."""
    table, shift = array.stage & FRAME, TOP_SHIFT
    while table < array.ram_size:
        entry = Words(array.ram + table)[address >> shift & INDEX]
        if not entry & PRESENT:
            break
        if shift == LAST_SHIFT or (entry & LARGE and shift != TOP_SHIFT):
            inside = (u64(1) << shift) - 1
            place = (entry & FRAME & ~inside) | (address & inside)
            return Words(array.ram + place)[0] if place < array.ram_size else 0
        table, shift = entry & FRAME, shift - INDEX_BITS
    return 0


@njit
def linear_word(array: TraceArray, address: u64) -> u64:
    """For a made stack, in RAM that is mapped at one place."""
    place = address - array.direct_start
    return Words(array.ram + place)[0] if place < array.ram_size else 0


def build(word_at: WordAt, site_end: int | None, with_places: bool) -> Callable[..., int]:
    """unwind(), for Python."""
    unwind: Unwind = x86_64_orc.build(orc_of, word_at, site_end, with_places)

    @shared
    def from_python(cpu: cpu_records.Cpu, array: TraceArray, place: u64, out: Values[u64], most: u64) -> u64:
        return unwind(cpu, array, place, out, most)

    return from_python


class OrcUnwinder:
    """An unwinder of stacks in the RAM of a machine.

    Args:
        ram, size: the host address and the size of that RAM.
        kernel, others: the tables of its code.
        direct_start: where RAM is mapped; None: wherever the page tables say.
        site_end, with_places: see x86_64_orc.build.
    """

    def __init__(
        self,
        ram: int,
        size: int,
        kernel: TextTable,
        others: Sequence[TextTable] = (),
        direct_start: int | None = None,
        site_end: int | None = None,
        with_places: bool = True,
    ) -> None:
        self.tables = TextTables(kernel)
        self.tables.set_others(others)
        self.context = EventContext.allocate()
        self.array = TraceArray.allocate()
        self.array.ram, self.array.ram_size, self.array.direct_start = ram, size, direct_start or 0
        self.array.trampolines = self.tables.record.address
        self.array.event_context = self.context
        self.words = 1 + with_places
        self.out = np.zeros(self.words * (MOST + 1), np.uint64)
        self.unwind = build(mapped_word if direct_start is None else linear_word, site_end, with_places)
        self._made = cpu_records.Cpu.allocate()
        self._registers = Registers.allocate()
        self._location = np.zeros(1, np.uint64)
        self._made.env, self._made.location = self._registers.address, Words(self._location.ctypes.data)

    def at_function(self, cpu: Cpu) -> list[Call]:
        """The calls under way on a CPU that is at the first instruction of a function."""
        self.array.stage = page_table(cpu)
        return self._calls(cpu.record, PLACE_FUNCTION, MOST)

    def from_registers(self, ip: int, values: Mapping[str, int], *, place: int = PLACE_BLOCK, most: int = MOST) -> list[Call]:
        """The calls under way where a CPU has these values in registers, which are called as in Registers."""
        for name in GENERAL_REGISTERS:
            setattr(self._registers, name, values.get(name, 0))
        self.context.ip = self._location[0] = ip
        return self._calls(self._made, place, most)

    def _calls(self, cpu: cpu_records.Cpu, place: int, most: int) -> list[Call]:
        words = self.words
        self.out[:] = GUARD
        count = int(self.unwind(cpu, self.array, place, Words(self.out.ctypes.data), most))
        assert count <= most and (self.out[words * count :] == GUARD).all()
        return [Call(*pair) for pair in self.out[: words * count].reshape(-1, words).tolist()]


def page_table(cpu: Cpu) -> int:
    """A CPU's %cr3."""
    return ctypes.c_uint64.from_address(cpu.env + layout().env_cr3).value
