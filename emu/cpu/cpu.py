# SPDX-License-Identifier: GPL-2.0-only
"""One CPU of a board: a Uc with its record."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import unicorn

from emu.cpu.internals import add_native_hook, handle_of
from emu.cpu.native import cpu_record, cpu_records

if TYPE_CHECKING:
    from emu.cpu.board import Board

__all__ = ["Cpu"]


class Cpu:
    """A CPU. Its clock is `cycles`; it runs when the board gives it a turn.

    Attributes:
        record: the CPU's state that native code shares (`native.cpu_record`).
    """

    def __init__(self, board: Board, index: int) -> None:
        self.board = board
        self.index = index
        self.record = cpu_records.Cpu.allocate()
        board.arch.layout()
        with board.heap:
            self.uc: unicorn.Uc = board.arch.create()
            self.uc._uch.memory = board.heap, board.ram  # the binding keeps this until it has closed the Uc
            self.uc.ctl_set_tcg_buffer_size(cpu_record.TRANSLATION_BUFFER)
            self.uc.mem_map_ptr(0, board.memory, unicorn.UC_PROT_ALL, board.ram_address)
            if board.io is not None:
                board.io.connect(self.uc)
            inside = board.arch.attach(self.uc, self.record.address, board.block_hook)
        self.env = inside["env"]
        self._cflags_next_tb = ctypes.c_uint32.from_address(inside["cflags_next_tb"])
        self.record.fill(cpu_record.ARRIVALS, cpu_record.VECTORS, cpu_record.NEVER)
        for field, value in (
            (cpu_record.UC, handle_of(self.uc)),
            (cpu_record.CPU, inside["cpu"]),
            (cpu_record.ENV, self.env),
            (cpu_record.BOARD, board.record.address),
            (cpu_record.INDEX, index),
            (cpu_record.LOCATION, inside["location"]),
            (cpu_record.NEXT_LOCATION, inside["next_location"]),
            (cpu_record.BLOCK_HOOK, board.block_hook),
            (cpu_record.TRANSLATOR, inside["translator"]),
            (cpu_record.CYCLE_COUNTER, inside["cycle_counter"]),
            (cpu_record.TIMER, cpu_record.NEVER),
            (cpu_record.NMI_TIMER, cpu_record.NEVER),
            (cpu_record.SMI_NEXT, cpu_record.NEVER),
            (cpu_record.ARRIVAL, cpu_record.NEVER),
        ):
            self.record.set(field, value)

    def close(self) -> None:
        """Gives Unicorn's memory back (the binding does so when the last reference goes)."""
        del self.uc

    @property
    def cycles(self) -> int:
        """The CPU's clock."""
        return self.record.get(cpu_record.CYCLES)

    @property
    def busy_cycles(self) -> int:
        """For how many of these it was not halted."""
        return self.cycles - self.record.get(cpu_record.SLEPT)

    def wait_until(self, cycles: int) -> None:
        """Moves its clock forward to that time."""
        waits = max(cycles - self.cycles, 0)
        if self.halted:
            self.record.set(cpu_record.SLEPT, self.record.get(cpu_record.SLEPT) + waits)
        self.record.set(cpu_record.CYCLES, self.cycles + waits)

    @property
    def instructions(self) -> int:
        """Instructions begun so far."""
        return self.record.get(cpu_record.INSTRUCTIONS)

    @property
    def running(self) -> bool:
        """Whether the CPU is switched on."""
        return self.record.get(cpu_record.STATUS) != int(cpu_record.OFF)

    @property
    def pc(self) -> int:
        """The address of the next instruction."""
        return ctypes.c_uint64.from_address(self.record.get(cpu_record.LOCATION)).value

    @property
    def in_user_mode(self) -> bool:
        """Whether the CPU executes a program."""
        return self.board.arch.in_user_mode(self.env)

    @property
    def irqs_off(self) -> bool:
        """Whether the CPU takes no interrupts but NMIs."""
        return bool(self.board.arch.native().irqs_off(np.uint64(self.env)))

    @property
    def halted(self) -> bool:
        """Whether the CPU waits for an interrupt, or for ever."""
        return self.record.get(cpu_record.STATUS) in (cpu_record.HALTED, cpu_record.STOPPED)

    @property
    def next_event(self) -> int | None:
        """The time, in cycles, at which its timer or an interrupt under way wakes a halted CPU; None: never."""
        if self.record.get(cpu_record.PENDING_COUNT) or self.record.get(cpu_record.NMI):
            return self.cycles
        event = min(self.record.get(cpu_record.TIMER), self.record.get(cpu_record.ARRIVAL))
        return None if event == cpu_record.NEVER else event

    def registers(self) -> Mapping[str, int]:
        """The integer registers, by the names that disassembly has for them; then those of the CPU's state."""
        return self.board.arch.registers(self.env)

    def start(self, entry: int, argument: int, time: int) -> None:
        """Switches the CPU on in its reset state; its clock starts at `time`."""
        with self.board.heap:
            self.board.arch.reset(
                self.uc,
                entry=entry,
                page_table=self.board.reset_page_table,
                arguments=(argument, self.index),
            )
        self.record.set(cpu_record.CYCLES, max(time, self.cycles))
        self.record.set(cpu_record.STATUS, cpu_record.RUNNING)

    def raise_interrupt(self, vector: int, time: int | None = None) -> None:
        """Makes a vector pending no earlier than `time` (default: now)."""
        time = self.cycles if time is None else time
        self.record.set(cpu_record.ARRIVALS, min(self.record.get(cpu_record.ARRIVALS, vector), time), vector)
        self.record.set(cpu_record.ARRIVAL, min(self.record.get(cpu_record.ARRIVAL), time))
        self.record.set(cpu_record.DEADLINE, 0)

    def raise_nmi(self) -> None:
        """Makes a non-maskable interrupt pending now."""
        self.record.set(cpu_record.NMI, 1)
        self.record.set(cpu_record.DEADLINE, 0)

    def forget(self, ranges: npt.NDArray[np.uint64]) -> None:
        """Drops translations of RAM addresses, shape (n, 2): rows of [start, end).

        A block that is running goes on in its old translation.
        """
        with self.board.heap:
            self.board.native_forget(self.record.get(cpu_record.UC), ranges)

    def translate(self, address: int) -> int | None:
        """The physical address behind a virtual one, None if it is not mapped."""
        return self.board.arch.translate(self.env, self.board.ram, address)

    def read(self, address: int, size: int) -> bytes:
        """Guest memory as this CPU sees it.

        Raises:
            LookupError: an address is not mapped to RAM.
        """
        out = bytearray()
        page = self.board.arch.page_size
        while len(out) < size:
            at = address + len(out)
            physical = self.translate(at)
            length = min(page - at % page, size - len(out))
            if physical is None or physical + length > self.board.memory:
                raise LookupError(f"address {at:#x} is not mapped")
            out += self.board.ram[physical : physical + length]
        return bytes(out)

    def answer(self, value: int) -> None:
        """Gives a waiting host call its result."""
        self.board.arch.set_result(self.env, value)
        self.record.set(cpu_record.REQUEST, cpu_record.NO_REQUEST)

    def watch_blocks(self, function: int, data: int) -> None:
        """Has a native void (*)(uc, address, size, data) see every block that begins from now on.

        It runs after the board's own hook, so it sees a block only when that block is really executed.
        """
        with self.board.heap:
            add_native_hook(self.uc, unicorn.UC_HOOK_BLOCK, function, data)
            self.uc.ctl_flush_tb()

    def step(self, instructions: int = 1) -> None:
        """Executes that many instructions of this CPU alone, fewer if a block ends first.

        A pending interrupt is delivered first: the instructions are then its handler's. An interrupt that comes while they
        are executed is delivered after them. A string instruction with a `rep` prefix is one instruction for each element.
        The instructions are those in memory, or those that earlier steps have executed here since the CPU last forgot the
        place: translations that running has left are not used.
        """
        self._cflags_next_tb.value = instructions
        self.record.set(cpu_record.STEPPING, 1)
        self.record.set(cpu_record.STEPS, 1)
        try:
            self.board.turn(self)
        finally:
            self.record.set(cpu_record.STEPPING, 0)
            self._cflags_next_tb.value = 0xFFFF_FFFF
