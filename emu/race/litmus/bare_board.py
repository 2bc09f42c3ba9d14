# SPDX-License-Identifier: GPL-2.0-only
"""A board without a kernel, on which a litmus test's CPUs execute single instructions from any state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import unicorn

from emu.cpu.board import Board
from emu.cpu.cpu import CpuFault
from emu.cpu.snapshot.cpus import CpuState, CpuStates
from emu.race.litmus.arch import CODE, DATA, MOST_CPUS, STACK_SIZE, STACKS, Decoded, load
from emu.race.litmus.condition import FinalValue
from emu.race.litmus.litmus_text import Litmus

__all__ = ["ENDED", "RUNNING", "BareBoard", "Executed", "Stored"]

_MEMORY = 1 << 20  # bytes; a test uses two pages of them
_MOST_BYTES = 1 << 30  # limit for the CPUs' states
_HALTED = "halted"
RUNNING, ENDED = None, ""


class Stored(NamedTuple):
    """A store to the test's memory.

    Attributes:
        address: the first byte.
        data: the bytes.
        aliased: whether the CPU stored through another linear address than the one at which it fetches.
    """

    address: int
    data: bytes
    aliased: bool = False


class Executed(NamedTuple):
    """The result of one instruction.

    Attributes:
        cpu: the number of the CPU's new state.
        loads: the addresses and sizes of its loads.
        stores: its stores, in order.
        end: why the CPU stops: "" at the end of its text, otherwise the exception. None if it continues.
    """

    cpu: int
    loads: tuple[tuple[int, int], ...]
    stores: tuple[Stored, ...]
    end: str | None


class BareBoard:
    """The board of one test.

    Its CPUs can access the test's code, data and stacks, and no other memory. So the state consists of the CPUs' states, each
    distinct one of which has a number, and of the contents of this memory.

    Attributes:
        first: the numbers of the CPUs' initial states.
        data: the initial contents of memory after the code.
    """

    def __init__(self, litmus: Litmus) -> None:
        self.arch = load(litmus.arch)
        self._program = litmus.program
        self._addresses = litmus.addresses
        self._board = Board(self.arch.cpu, litmus.cpus, _MEMORY, 1, 0, 1_000_000_000)
        self._code = slice(CODE, CODE + len(litmus.program.code))
        self._memory = slice(DATA, STACKS + MOST_CPUS * STACK_SIZE)
        self.arch.prepare(self._board)
        self._snapshots = [CpuStates(cpu) for cpu in self._board.cpus]
        self._states: list[CpuState] = []
        self._numbers: dict[bytes, int] = {}
        self._pcs: list[int] = []
        self._translated: list[dict[int, bytes]] = [{} for _ in self._board.cpus]
        self._board.ram[self._code] = litmus.program.code
        for name, value in litmus.memory.items():
            at = litmus.addresses[name]
            self._board.ram[at : at + 8] = value.to_bytes(8, self.arch.cpu.byte_order)
        self.data = bytes(self._board.ram[self._memory])
        for cpu, registers in zip(self._board.cpus, litmus.registers, strict=True):
            self.arch.start(cpu, litmus.program.begins[cpu.index], registers)
        self._records = [snapshots.save()[1] for snapshots in self._snapshots]
        self.first = tuple(self._number(n) for n in range(litmus.cpus))
        self._accesses: list[tuple[bool, int, int]] = []
        # What an instruction does depends only on the CPU's state, its bytes, and the values that it loads.
        self._known: dict[tuple[int, int, bytes], list[tuple[tuple[bytes, ...], Executed]]] = {}
        for cpu in self._board.cpus:
            cpu.uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._accessed)
        self._in_cpu = list(self.first)
        self._in_data, self._in_code = self.data, litmus.program.code

    def close(self) -> None:
        self._board.close()

    def _accessed(self, uc: unicorn.Uc, access: int, address: int, size: int, value: int, user: object) -> None:
        """Unicorn's hook, with the physical address."""
        if self._code.start <= address < self._code.stop or self._memory.start <= address < self._memory.stop:
            self._accesses.append((access == unicorn.UC_MEM_WRITE, address, size))

    def _number(self, cpu: int) -> int:
        """The number of a CPU's present state."""
        self.arch.settle(self._board.cpus[cpu])
        registers, _ = self._snapshots[cpu].save()
        number = self._numbers.setdefault(registers, len(self._states))
        if number == len(self._states):
            self._states.append((registers, self._records[cpu]))  # so every instruction is executed at the same time
            self._pcs.append(self._board.cpus[cpu].pc)
        return number

    @property
    def full(self) -> str:
        """A sentence if the CPUs' states exceed the host memory for a search; otherwise ""."""
        full = len(self._states) * len(self._states[0][0]) > _MOST_BYTES
        return f"the limit of {_MOST_BYTES >> 20:,} MiB for states of CPUs was reached" if full else ""

    def pc(self, number: int) -> int:
        """The program counter in a CPU state."""
        return self._pcs[number]

    def decode(self, code: bytes, address: int) -> Decoded | None:
        """The instruction at the start of some bytes."""
        return self.arch.decode(code, address)

    def execute(self, cpu: int, number: int, data: bytes, code: bytes, fetched: bytes) -> Executed:
        """Executes the instruction that a CPU has fetched.

        The fetched bytes are in memory during that. So an instruction that reads or writes its own bytes accesses the fetched
        ones.

        Args:
            number: the CPU's state.
            data: the contents of memory after the code, as the CPU sees it.
            code: the contents of the code's memory, as the CPU sees it.
            fetched: the bytes of the instruction.
        """
        known = self._known.setdefault((cpu, number, fetched), [])
        for values, executed in known:
            if all(self._at(data, code, *load) == value for load, value in zip(executed.loads, values, strict=True)):
                return executed
        executed = self._execute(cpu, number, data, code, fetched)
        known.append((tuple(self._at(data, code, *load) for load in executed.loads), executed))
        return executed

    def _at(self, data: bytes, code: bytes, address: int, size: int) -> bytes:
        """The bytes at an address."""
        if address >= DATA:
            return data[address - DATA : address - DATA + size]
        return code[address - CODE : address - CODE + size]

    def _execute(self, cpu: int, number: int, data: bytes, code: bytes, fetched: bytes) -> Executed:
        ram, this = self._board.ram, self._board.cpus[cpu]
        self._put(cpu, number, data, code)
        pc = self._pcs[number]
        here = slice(pc, pc + len(fetched))
        if self._translated[cpu].get(pc) != fetched:
            this.fetch_anew(np.array([[here.start, here.stop]], np.uint64))
            self._translated[cpu][pc] = fetched
        memory = bytes(ram[here])
        if memory != fetched:
            ram[here] = fetched
        linear = self.arch.linear_addresses(this, fetched, pc)
        self._in_cpu[cpu], self._in_data, self._in_code = -1, b"", b""  # whatever happens, memory is set anew for the next one
        self._accesses.clear()
        fault = ""
        try:
            this.step()
        except CpuFault as error:
            fault = str(error).rpartition(": ")[2]
        loads = tuple(dict.fromkeys((at, size) for stores, at, size in self._accesses if not stores))
        stores = tuple(
            Stored(at, bytes(ram[at : at + size]), bool(linear) and at not in linear)
            for stores, at, size in self._accesses
            if stores
        )
        end = self._end(cpu, fault)
        self._in_cpu[cpu] = after = self._number(cpu)
        return Executed(after, loads, stores, end)

    def _put(self, cpu: int, number: int, data: bytes, code: bytes) -> None:
        """Sets the board to a state, as far as one CPU can observe it."""
        if self._in_cpu[cpu] != number:
            self._snapshots[cpu].put_back(self._states[number])
        if self._in_data is not data:
            self._board.ram[self._memory] = data
        if self._in_code is not code:
            self._board.ram[self._code] = code

    def _end(self, cpu: int, fault: str) -> str | None:
        this = self._board.cpus[cpu]
        if fault := fault or self.arch.fault(this):
            return fault
        if any(self.arch.ended(this, end) for end in self._program.ends):
            return ENDED
        if this.halted:
            return _HALTED
        if not self._code.start <= this.pc < self._code.stop:
            return f"left the text, to {this.pc:#x}"
        return RUNNING

    def values(self, cpus: tuple[int, ...], data: bytes, shown: tuple[FinalValue, ...]) -> dict[FinalValue, int]:
        """The values of registers and words in a state."""
        found = {}
        for value in shown:
            if value.cpu < 0:
                at = self._addresses[value.name] - DATA
                found[value] = int.from_bytes(data[at : at + 8], self.arch.cpu.byte_order)
                continue
            number = cpus[value.cpu]
            if self._in_cpu[value.cpu] != number:
                self._snapshots[value.cpu].put_back(self._states[number])
                self._in_cpu[value.cpu] = number
            found[value] = self.arch.value(self._board.cpus[value.cpu], self.arch.registers[value.name])
        return found
