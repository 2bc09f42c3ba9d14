# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of what a Linux guest executes, and which calls there were, by that log.

All blocks of the kernel call it (`Callouts.look_at_blocks`), whatever functions the tracer has set where blocks begin. It
knows nothing of `emu.linux.tracing`. Which calls a task has under way is worked out afterwards, in Python, from where stack
pointers are; the tracer decides it at once, by the kernel's functions for tasks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.cpu.host_memory import ANONYMOUS, FIXED_NOREPLACE, map_memory
from emu.cpu.native.arch.x86_64_env import Registers
from emu.cpu.native.arch.x86_64_walk import walk_from
from emu.cpu.native.cpu_records import NEVER, Cpu
from emu.linux.image import read_kernel
from emu.linux.kernel_btf import kernel_btf
from emu.linux.machine import LinuxMachine
from emu.linux.memory import LinuxMemory
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from emu.linux.x86_64 import PAGE
from emu.native.functions import callback
from emu.native.records import Bytes, Record, Values, Words, u64
from tests.lib.cpu_logs import CpuLogs

__all__ = ["Event", "LinuxWitness", "calls_in"]

FIRST, SPAN = 0xFFFF_FFFF_8000_0000, 2 << 30  # the kernel's image and its modules
FUNCTION, RETURN = u64(1), u64(2)
ROW = np.dtype([(name, "u8") for name in ("number", "address", "sp", "returns_to", "cycles", "task", "stack", "pid")])
WORDS = len(ROW)
STACK_SIZE = 16 << 10


class Log(Record):
    """The log of a CPU."""

    on: bool
    count: u64
    most: u64
    rows: Words
    places: Bytes  # of each address from FIRST on: FUNCTION: one that is logged begins there; RETURN: one has returned there
    returns: bool  # whether returns are logged, too
    number: Values[u64]  # of the latest row of any CPU
    ram: u64
    ram_size: u64
    page_table: u64
    direct: u64  # host address minus guest address, in the direct map
    current: u64  # host address of the per-CPU variable
    stack: u64  # offsets in task_struct
    pid: u64


START = u64(FIRST)
LOGS = u64(0x5E00_0000_0000)  # where the addresses of the logs are, since a block's function is given no data
ROW_WORDS = u64(WORDS)


@callback
def log_block(cpu: Cpu, address: u64) -> None:
    log = Log(Words(LOGS)[cpu.index])
    if not log.on:
        return
    place = address - START
    kind = log.places[place]
    if kind == 0 or log.count >= log.most:
        return
    sp = Registers(cpu.env).sp
    returns_to = u64(0)
    if kind & FUNCTION:
        found = walk_from(log.page_table, log.ram, log.ram_size, sp)
        if found != NEVER:
            returns_to = Words(log.ram + found)[0]
        if log.returns and returns_to >= START:
            log.places[returns_to - START] |= RETURN
    task = Words(log.current)[0]
    place = task - START + log.ram if task >= START else task + log.direct  # the first CPU's idle task is in the image
    n = log.count * ROW_WORDS
    rows = log.rows
    rows[n] = log.number[0]
    rows[n + 1] = address
    rows[n + 2] = sp
    rows[n + 3] = returns_to
    rows[n + 4] = cpu.cycles
    rows[n + 5] = task
    rows[n + 6] = Words(place + log.stack)[0]
    rows[n + 7] = Words(place + log.pid)[0] & 0xFFFF_FFFF
    log.number[0] += 1
    log.count += 1


class LinuxWitness(CpuLogs):
    """Logs on every CPU while `on`.

    Args:
        machine: that has booted.
        functions: where functions begin that are logged.
        returns: whether the blocks to which they return are logged, too.
        rows: for how many there is room, per CPU.
    """

    def __init__(self, machine: LinuxMachine, functions: Collection[int], *, returns: bool = False, rows: int = 1 << 21) -> None:
        kernel = read_kernel(machine.config.kernel)
        symbols, board = Symbols(kernel), machine.board
        btf, memory = kernel_btf(kernel), LinuxMemory(board.ram, symbols)
        self._places = np.zeros(SPAN, np.uint8)  # the host allocates memory only for pages that are used
        self.add(functions)
        self._number = np.zeros(1, np.uint64)
        with suppress(FileExistsError):
            map_memory(int(LOGS), PAGE, ANONYMOUS | FIXED_NOREPLACE)
        table = Words(int(LOGS))
        self._logs, self._rows = [], np.zeros((len(board.cpus), rows), ROW)
        offsets = symbols.address("__per_cpu_offset")
        assert offsets is not None
        for cpu, room in zip(board.cpus, self._rows, strict=True):
            log = Log.allocate()
            log.most, log.rows, log.places = rows, Words(room.ctypes.data), Bytes(self._places.ctypes.data)
            log.returns = returns
            log.number = Words(self._number.ctypes.data)
            log.ram, log.ram_size = board.ram_address, board.memory
            log.page_table = (symbols.address("init_top_pgt") or 0) - FIRST
            direct = memory.word(symbols.address("page_offset_base") or 0)
            log.direct = (board.ram_address - direct) % 2**64
            current = Structures(btf, symbols).per_cpu.current_task
            log.current = memory.host_address(memory.word(offsets + 8 * cpu.index) + current)
            log.stack, log.pid = btf.offset("task_struct.stack"), btf.offset("task_struct.pid")
            self._logs.append(log)
            table[cpu.index] = log.address
        self._board = board
        board.callouts.look_at_blocks(FIRST, FIRST + SPAN - 1, log_block)
        self._translate_anew()

    def close(self) -> None:
        """Logs nothing any more."""
        self._board.callouts.look_at_blocks(0, 0)
        self._translate_anew()

    def _translate_anew(self) -> None:
        for cpu in self._board.cpus:
            with self._board.heap:
                cpu.uc.ctl_flush_tb()
            cpu.record.flushed = False

    def add(self, functions: Collection[int]) -> None:
        """Logs these functions, too."""
        self._places[[function - FIRST for function in functions]] = 1

    def rows(self, cpu: int) -> NDArray[np.void]:
        """What a CPU has executed, in order. Fields: ROW's."""
        count = self._logs[cpu].count
        assert count < self._logs[cpu].most, "the witness's log is full"
        return self._rows[cpu, :count]


# Which calls there were


class Event(NamedTuple):
    """The begin of a call, or its end.

    Attributes:
        row: the row in the CPU's log: of the function's first block, or of that to which the call has returned.
        depth: how many calls of the task were under way around it.
    """

    kind: Literal["entry", "exit"]
    row: int
    function: int
    depth: int
    pid: int


class _Call(NamedTuple):
    stack: int
    frame: int  # where the return address is
    returns_to: int
    function: int


def calls_in(
    logs: Sequence[NDArray[np.void]], functions: Collection[int], last: int
) -> tuple[list[list[Event]], list[int]]:
    """The calls of functions, from logs with returns of each CPU. They are those of the task that `current` names, which is known
    by its stack.

    Args:
        last: the function that a task calls last, from which it never returns. Another task may get its stack then.

    Returns:
        The events of each CPU, in order; and the functions of the calls that other calls or returns show to have been left.
    """
    events: list[list[Event]] = [[] for _ in logs]
    left: list[int] = []
    tasks: defaultdict[int, list[_Call]] = defaultdict(list)
    owners: list[int | None] = [None] * len(logs)
    for cpu, row, values in _in_order(logs):
        _, address, sp, returns_to, _, _, stack, pid = values
        here = sp // STACK_SIZE if returns_to else (sp - 8) // STACK_SIZE
        owner = stack // STACK_SIZE
        if owner != owners[cpu]:
            owners[cpu] = owner
            if any(call.function == last for call in tasks[owner]):
                tasks[owner].clear()
        calls = tasks[owner]
        # A block to which calls return: the latest one, and those that ended with a jump to it
        while (latest := next((n for n in range(len(calls) - 1, -1, -1) if _returns(calls[n], sp, address)), None)) is not None:
            left += [call.function for call in calls[latest + 1 :]]
            events[cpu].append(Event("exit", row, calls[latest].function, latest, pid))
            del calls[latest:]
        if address in functions and returns_to:
            while calls and here == owner and (calls[-1].stack != here or calls[-1].frame < sp):
                left.append(calls.pop().function)
            events[cpu].append(Event("entry", row, address, len(calls), pid))
            calls.append(_Call(here, sp, returns_to, address))
    return events, left


def _returns(call: _Call, sp: int, address: int) -> bool:
    return call.frame == sp - 8 and call.returns_to == address


def _in_order(logs: Sequence[NDArray[np.void]]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """(CPU, row, values), in the order of execution."""
    numbers = np.concatenate([log["number"] for log in logs])
    cpus = np.concatenate([np.full(len(log), cpu) for cpu, log in enumerate(logs)])
    rows = np.concatenate([np.arange(len(log)) for log in logs])
    order = np.argsort(numbers, kind="stable")
    values = [log.tolist() for log in logs]
    for cpu, row in zip(cpus[order].tolist(), rows[order].tolist(), strict=True):
        yield cpu, row, values[cpu][row]
