# SPDX-License-Identifier: GPL-2.0-only
"""One CPU of a board: a Uc with its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import unicorn

from emu.cpu.internals import add_native_hook
from emu.cpu.native import cpu_records, turns
from emu.cpu.native.code_pages import fetch_anew
from emu.cpu.native.cpu_records import HALTED, HELD, NEVER, NO_REQUEST, OFF, RUNNING, STOPPED, TRANSLATION_BUFFER, VECTORS
from emu.native.records import WORD, Bytes, Words, zeros

if TYPE_CHECKING:
    from emu.cpu.board import Board

__all__ = ["Cpu", "CpuFault"]


class Cpu:
    """A CPU. Its clock is `cycles`; it runs when the board gives it a turn.

    Attributes:
        record: the CPU's state, shared with native code (`native.cpu_records`).
        code_pages, old_code: the memory of the record's fields.
    """

    def __init__(self, board: Board, index: int) -> None:
        self.board = board
        self.index = index
        board.arch.layout()
        self.record = record = cpu_records.Cpu.allocate(board.arch.unicorn_layouts)
        with board.heap:
            self.uc: unicorn.Uc = board.arch.create()
            self.uc._uch.memory = board.heap, board.ram  # kept alive by the binding until it has closed the Uc
            self.uc.ctl_set_tcg_buffer_size(TRANSLATION_BUFFER)
            self.uc.mem_map_ptr(0, board.memory, unicorn.UC_PROT_ALL, board.ram_address)
            if board.io is not None:
                board.io.connect(self.uc)
            board.arch.attach(self.uc, record, board.block_hook)
        self.env = record.env
        record.board = board.record
        self.code_pages = zeros(-(-board.record.page_count // WORD))
        record.code_pages = Bytes(self.code_pages.ctypes.data)
        self.old_code = zeros(board.memory // WORD if board.arch.fenced_code else 0)
        record.old_code = self.old_code.ctypes.data
        record.index = index
        record.timer = record.nmi_timer = record.nmi_arrival = record.smi_next = record.arrival = record.goal = NEVER
        for vector in range(VECTORS):
            record.arrivals[vector] = NEVER

    def close(self) -> None:
        """Frees Unicorn's memory (the binding does so when the last reference goes)."""
        del self.uc

    @property
    def cycles(self) -> int:
        """The CPU's clock."""
        return self.record.cycles

    @property
    def busy_cycles(self) -> int:
        """The cycles during which it was not halted."""
        return self.cycles - self.record.slept

    def wait_until(self, cycles: int) -> None:
        """Moves the CPU's clock forward to a time."""
        waits = max(cycles - self.cycles, 0)
        if self.halted:
            self.record.slept += waits
        self.record.cycles += waits

    @property
    def instructions(self) -> int:
        """The number of instructions started so far."""
        return self.record.instructions

    @property
    def running(self) -> bool:
        """Whether the CPU is switched on."""
        return self.record.status != OFF

    @property
    def pc(self) -> int:
        """The address of the next instruction."""
        return self.record.location[0]

    @property
    def in_user_mode(self) -> bool:
        """Whether the CPU executes a program."""
        return self.board.arch.in_user_mode(self.env)

    @property
    def irqs_off(self) -> bool:
        """Whether the CPU takes no interrupts except NMIs."""
        return self.board.arch.native().irqs_off(self.env)

    @property
    def halted(self) -> bool:
        """Whether the CPU waits for an interrupt, or forever."""
        return self.record.status & ~int(HELD) in (HALTED, STOPPED)

    @property
    def held(self) -> bool:
        """Whether it gets no turns: see emu.history.holding."""
        return bool(self.record.status & HELD)

    def hold(self) -> None:
        """Gives it no turns from now on. A turn that is not over must end here."""
        self.record.status |= int(HELD)

    def release(self, cycles: int) -> None:
        """Gives it turns again, at a time."""
        self.record.status &= ~int(HELD)
        self.wait_until(cycles)

    @property
    def next_event(self) -> int | None:
        """The time, in cycles, at which the timer or an interrupt wakes a halted CPU; None: never."""
        event = turns.ready_at(self.record)
        return None if event == NEVER else event

    def registers(self) -> Mapping[str, int]:
        """The integer registers, by the disassembler's names, then those of the CPU's state."""
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
        self.record.cycles = max(time, self.cycles)
        self.record.status = RUNNING

    def raise_interrupt(self, vector: int, time: int | None = None) -> None:
        """Makes a vector pending no earlier than `time` (default: now)."""
        time = self.cycles if time is None else time
        record = self.record
        record.arrivals[vector] = min(record.arrivals[vector], time)
        record.arrival = min(record.arrival, time)
        record.deadline = 0

    def raise_nmi(self) -> None:
        """Makes a non-maskable interrupt pending now."""
        self.record.nmi = True
        self.record.deadline = 0

    def forget(self, ranges: npt.NDArray[np.uint64]) -> None:
        """Drops translations of RAM addresses, shape (n, 2): rows of [start, end).

        A block that is running continues in its old translation up to its end. A CPU with fenced code goes on to see what it
        has seen there; other ones that are not coherent see the code in memory.
        """
        with self.board.heap:
            self.board.native_forget(self.record.uc, Words(ranges.ctypes.data), len(ranges))
        if self.board.calls_python:
            self.record.leaves = True
            self.record.deadline = 0

    def fetch_anew(self, ranges: npt.NDArray[np.uint64]) -> None:
        """Sees the code in memory at RAM addresses, given as to `forget`, once the block that is running has ended."""
        fetch_anew(self.record, Words(ranges.ctypes.data), len(ranges))
        self.forget(ranges)

    def translate(self, address: int) -> int | None:
        """The physical address behind a virtual one; None if it is not mapped."""
        return self.board.arch.translate(self.env, self.board.ram, address)

    def code_of_block(self, address: int, physical: int, size: int) -> bytes:
        """The code of a block, which begins at both addresses. After the end of a page it continues in the next virtual page."""
        page = self.board.arch.page_size
        here = min(size, page - physical % page)
        code = bytes(self.board.ram[physical : physical + here])
        return code + self.read(address + here, size - here) if here < size else code

    def read(self, address: int, size: int) -> bytes:
        """Reads guest memory as this CPU sees it.

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

    def forget_all(self) -> None:
        """Drops all translations. The guest does not notice."""
        with self.board.heap:
            self.uc.ctl_flush_tb()
        self.record.flushed = False

    def answer(self, value: int) -> None:
        """Gives a waiting host call its result."""
        self.board.arch.set_result(self.env, value)
        self.record.request = NO_REQUEST

    def watch_blocks(self, function: int, data: int) -> None:
        """Calls a native void (*)(uc, address, size, data) for every block that begins from now on.

        It runs after the board's own hook, so it sees only blocks that are really executed.
        """
        with self.board.heap:
            add_native_hook(self.uc, unicorn.UC_HOOK_BLOCK, function, data)
        self.forget_all()

    def step(self, instructions: int = 1) -> None:
        """Executes the given number of instructions of this CPU only, or fewer if a block ends first.

        A pending interrupt is delivered first: the instructions are then its handler's. An interrupt that arrives meanwhile is
        delivered afterwards. A string instruction with a `rep` prefix counts as one instruction per element. The instructions are
        those in memory (with fenced code, those that the CPU sees), or those that earlier steps executed at this place since the
        CPU last forgot it; translations from normal running are not used.
        """
        self.record.state.cflags_next_tb = instructions
        self.record.stepping = True
        self.record.steps = 1
        try:
            self.board.turn(self)
        finally:
            self.record.stepping = False
            self.record.state.cflags_next_tb = 0xFFFF_FFFF


class CpuFault(RuntimeError):
    """A CPU did something that the board does not support: it left RAM, or Unicorn failed."""

    def __init__(self, cpu: Cpu, error: int) -> None:
        super().__init__(f"CPU {cpu.index} at {cpu.pc:#x}: {unicorn.UcError(error)}")
        self.cpu = cpu
