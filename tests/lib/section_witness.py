# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of when a Linux guest's interrupts and preemption are off, and the critical sections by that log.

All blocks call it, those of programs, too. What a section is, is worked out afterwards, in Python. That interrupts were on for a
moment before an interrupt or an exception is told by the flags that the processor has stored on the stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from emu.cpu.host_memory import ANONYMOUS, FIXED_NOREPLACE, map_memory
from emu.cpu.native.arch.x86_64_env import Env, layouts
from emu.cpu.native.arch.x86_64_walk import walk_from
from emu.cpu.native.cpu_records import NEVER, Cpu
from emu.cpu.pc import PC_ARCH
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from emu.linux.x86_64 import KERNEL_HALF, PAGE, PAGE_TABLE
from emu.native.functions import Native
from emu.native.records import Bytes, Record, Values, Words, u64

__all__ = ["Section", "SectionWitness", "sections_in"]

SPAN = 64 << 20  # bytes of the kernel's text, at most
LOGS = u64(0x5E20_0000_0000)  # where the addresses of the logs are, since a block's function is given no data
ROWS = 1 << 20
FIELDS = ("number", "cycles", "address", "before", "irqs_off", "count", "idle", "interrupted")
ROW_WORDS, START = u64(len(FIELDS)), u64(KERNEL_HALF + (16 << 20))
PLAIN, WITH_CODE = 1, 2  # what begins at an address: an entry of the kernel; one for an exception with an error code
CODES = ("double_fault", "invalid_tss", "segment_not_present", "stack_segment", "general_protection", "page_fault",
         "alignment_check", "control_protection")  # fmt: skip
IF, NEED_RESCHED = u64(0x200), u64(0x8000_0000)
NONE = u64(0)


class Log(Record):
    """The log of a CPU."""

    on: bool
    used: u64
    rows: Words
    entries: Bytes  # of each address from START on
    number: Values[u64]  # of the latest row of any CPU
    ram: u64
    ram_size: u64
    page_table: u64
    current: u64  # host addresses of two per-CPU variables
    preempt_count: u64
    idle_task: u64
    before: u64  # the address of the CPU's previous block
    seen: u64  # its state


native = Native(layouts(PC_ARCH.layout()))


@native.callback
def log_block(cpu: Cpu, address: u64) -> None:
    log, env = Log(Words(LOGS)[cpu.index]), Env(cpu.env)
    irqs_off = u64(1) if env.eflags & IF == 0 else NONE
    count = Words(log.preempt_count)[0] & 0x7FFF_FFFF
    idle = u64(1) if Words(log.current)[0] == log.idle_task else NONE
    interrupted, place = NONE, address - START
    kind = log.entries[place] if place < SPAN else 0
    if kind != 0:
        flags = env.sp + u64(16 if kind == PLAIN else 24)
        found = walk_from(log.page_table, log.ram, log.ram_size, flags)
        if found != NEVER and Words(log.ram + found)[0] & IF:
            interrupted = u64(1)
    state = irqs_off | idle << 1 | count << 2
    if log.on and (state != log.seen or interrupted) and log.used < ROWS:
        log.seen = state
        n, rows = log.used * ROW_WORDS, log.rows
        rows[n] = log.number[0]
        rows[n + 1] = cpu.cycles
        rows[n + 2] = address
        rows[n + 3] = log.before
        rows[n + 4] = irqs_off
        rows[n + 5] = count
        rows[n + 6] = idle
        rows[n + 7] = interrupted
        log.used += 1
        log.number[0] += 1
    log.before = address


class Row(NamedTuple):
    """A block since whose predecessor something has changed, or that is an interrupt's first one."""

    number: int
    cycles: int
    address: int
    before: int
    irqs_off: int
    count: int
    idle: int
    interrupted: int


class Section(NamedTuple):
    """Attributes:
    numbers: of the rows with which it starts and ends: the order among all CPUs.
    start, end: in cycles.
    begins, ends: addresses of blocks.
    is_cut: an interrupt or an exception ended it before another block.
    """

    cpu: int
    numbers: tuple[int, int]
    start: int
    end: int
    begins: int
    ends: int
    is_cut: bool


class SectionWitness:
    """Logs on every CPU during its life as a context."""

    def __init__(self, machine: LinuxMachine) -> None:
        kernel = read_kernel(machine._kernel_path)
        symbols, btf, board = Symbols(kernel), kernel_btf(kernel), machine.board
        memory, hot = LinuxMemory(board.ram, symbols), Structures(btf, symbols).per_cpu
        self._board, self._entries = board, _entries(symbols)
        self._number = np.zeros(1, np.uint64)
        self._rows = np.zeros((len(board.cpus), ROWS, len(FIELDS)), np.uint64)
        with suppress(FileExistsError):
            map_memory(int(LOGS), PAGE, ANONYMOUS | FIXED_NOREPLACE)
        self._logs = []
        offsets, queues, table = (symbols.address(name) for name in ("__per_cpu_offset", "runqueues", PAGE_TABLE))
        assert offsets and queues is not None and table
        for cpu in board.cpus:
            area = memory.word(offsets + 8 * cpu.index)
            log = Log.allocate()
            log.rows, log.entries = Words(self._rows[cpu.index].ctypes.data), Bytes(self._entries.ctypes.data)
            log.number = Words(self._number.ctypes.data)
            log.ram, log.ram_size, log.page_table = board.ram_address, board.memory, table - KERNEL_HALF
            log.current = memory.host_address(area + hot.current_task)
            log.preempt_count = memory.host_address(area + hot.preempt_count)
            log.idle_task = memory.word(area + queues + btf.offset("rq.idle"))
            log.seen = (1 << 64) - 1
            Words(int(LOGS))[cpu.index] = log.address
            self._logs.append(log)

    def __enter__(self) -> SectionWitness:
        self._board.callouts.look_at_blocks(0, (1 << 64) - 1, log_block)
        for cpu, log in zip(self._board.cpus, self._logs, strict=True):
            cpu.forget_all()
            log.on = True
        return self

    def __exit__(self, *_: object) -> None:
        self._board.callouts.look_at_blocks(0, 0)
        for cpu in self._board.cpus:
            cpu.forget_all()

    def rows(self, cpu: int) -> Sequence[Row]:
        used = self._logs[cpu].used
        assert used < ROWS
        return [Row(*row) for row in self._rows[cpu, :used].tolist()]


def _entries(symbols: Symbols) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """What begins at each address: see PLAIN."""
    found, starts = np.zeros(SPAN, np.uint8), symbols.addresses.tolist()
    for index, name in enumerate(symbols.names):
        place = starts[index] - int(START)
        if name in ("irq_entries_start", "spurious_entries_start"):
            found[place : next(start for start in starts[index:] if start > starts[index]) - int(START)] = PLAIN
        elif name.startswith(("asm_exc_", "asm_sysvec_")):
            found[place] = WITH_CODE if name.removeprefix("asm_exc_") in CODES else PLAIN
    return found


def sections_in(witness: SectionWitness, cpus: int, *, irqs: bool, preemption: bool) -> Sequence[Section]:
    """The sections of all CPUs in which interrupts, or preemption, or either of them are off, in the order in which they end.
    What a CPU is in the midst of at the beginning is none."""
    found = []
    for cpu in range(cpus):
        start: Row | None = None
        before = True
        for row in witness.rows(cpu):
            not_preemptible = preemption and row.count > row.idle
            off = (irqs and row.irqs_off) or not_preemptible
            if row.interrupted and before and not not_preemptible:
                if start is not None:
                    found.append(_section(cpu, start, row, row.before, is_cut=True))
                before, start = False, None
            if off and not before:
                start = row
            elif before and not off:
                if start is not None:
                    found.append(_section(cpu, start, row, row.address if row.address >> 63 else row.before))
                start = None
            before = bool(off)
    return sorted(found, key=lambda section: section.numbers[1])


def _section(cpu: int, start: Row, end: Row, place: int, *, is_cut: bool = False) -> Section:
    return Section(cpu, (start.number, end.number), start.cycles, end.cycles, start.address, place, is_cut)
