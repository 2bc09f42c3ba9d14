# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of the functions under way at each event, made from what the CPUs execute: the addresses of blocks, and the
stack pointer. It asks no frame pointer, no register window and no return address.

A function is under way from its first block on, until the stack pointer is what its caller had. Whatever interrupts a function
is called below it on the same stack. But that a function was entered, or has returned, is known only when the next block begins,
and an interrupt may come before; so when a handler begins, the place that it interrupted counts like a block. Only x86-64 has
another stack: that of NMIs.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types

from emu.cpu.arch.sparc64.state import Env, TrapState, window_register
from emu.cpu.arch.x86_64.state import register
from emu.machine import Machine
from emu.native.pointers import in_byte_order, load_u32, load_u64, store_u64
from emu.native.record import Fields, Record
from tests.lib.witness import GRANULE, SiteMap

__all__ = ["Stack", "StackWitness"]

_fields = Fields()
ON = _fields.word()  # 1: events are logged; which functions are under way is followed in any case
USED = _fields.word()  # words of the log
MAP = _fields.word()  # address, first and last place of a SiteMap
FIRST = _fields.word()
LAST = _fields.word()
HOT = _fields.word()  # host address of the CPU's struct pcpu_hot
DIRECT = _fields.word()  # what the direct map and the kernel mapping are moved by, and where the latter begins
KERNEL = _fields.word()
KERNEL_START = _fields.word()
ENV = _fields.word()  # the CPU's state
IN_TRAP = _fields.word()  # the trap level of the block before
STACKS = _fields.word()  # address of the table of stacks
OWN = _fields.word()  # address of the row of the CPU's stack for NMIs
LOG = _fields.word()  # address of the log
LABEL_COUNT = 3
LABELS = _fields.words(LABEL_COUNT)  # where events are recorded
WORDS = _fields.count
LOG_WORDS = 6_000_000

# A row of the table of stacks. It has the sites of the functions under way, and the stack pointers at their first instructions.
_fields = Fields()
STACK = _fields.word()  # the task's stack
PID = _fields.word()  # of the task, plus one
WHOLE = _fields.word()  # 1: it has been seen from its outermost call on
COUNT = _fields.word()  # of functions
DEEPEST = 150
SITES = _fields.words(DEEPEST)
POINTERS = _fields.words(DEEPEST)
ROW = _fields.count
STACK_LIMIT = 2048

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
ROW_SIZE, ROWS, MOST = np.uint64(8 * ROW), np.uint64(STACK_LIMIT), np.uint64(DEEPEST)
PAGE = np.uint64(12)
IDLE = ONE  # in PID: idle tasks, which have begun before the witness came
NO_CODE, ERROR_CODE = ONE, np.uint64(2)  # words of the SiteMap: an exception's entry, without and with an error code on the stack
TL, TRAPS, TRAP_SIZE = np.uint64(Env.tl.offset), np.uint64(Env.ts.offset), np.uint64(ctypes.sizeof(TrapState))
TRAP_TYPE = np.uint64(TrapState.tt.offset)
CLEAN_WINDOW, CLEAN_WINDOW_END, SPILL, FILL_END = (np.uint32(n) for n in (0x24, 0x28, 0x80, 0x100))
SPARC_SP, WINDOW = np.uint64(window_register("o6")), np.uint64(Env.regwptr.offset)
BIAS = np.uint64(2047)
X86_SP = np.uint64(register("sp"))

_signature = types.void(types.uint64, types.uint64, types.uint32, types.uint64)


@numba.njit
def _host(head, address):
    """The host address of an address of the kernel's."""
    return address + load_u64(head + (KERNEL if address >= load_u64(head + KERNEL_START) else DIRECT))


@numba.njit
def _site(head, address):
    """The word of the SiteMap for a place."""
    place = address - load_u64(head + FIRST)
    if address < load_u64(head + FIRST) or address > load_u64(head + LAST) or place % GRANULE != ZERO:
        return ZERO
    return load_u64(load_u64(head + MAP) + place // GRANULE * WORD)


@numba.njit
def _row(head, stack):
    """The table's row of a task's stack."""
    n = (stack >> PAGE) % ROWS
    while True:
        row = load_u64(head + STACKS) + n * ROW_SIZE
        if load_u64(row + STACK) == ZERO:
            store_u64(row + STACK, stack)
        if load_u64(row + STACK) == stack:
            return row
        n = (n + ONE) % ROWS


@functools.cache
def _logger(arch: str, byte_order: Any, current_task: int, task_stack: int, task_pid: int, size: int) -> Any:
    """The hook, compiled for an architecture.

    Args:
        arch: its name.
        byte_order: its byte order.
        current_task: offset in struct pcpu_hot.
        task_stack: offset in struct task_struct.
        task_pid: likewise.
        size: of a task's stack.
    """
    is_sparc = arch == "sparc64"
    guest_u32, guest_u64 = in_byte_order(byte_order).load_u32, in_byte_order(byte_order).load_u64
    current, stack_of, pid, stack_size = np.uint64(current_task), np.uint64(task_stack), np.uint64(task_pid), np.uint64(size)
    # The stack pointer of entry code that has saved a program's registers: whatever is under way is below.
    outermost = np.uint64(192 + 160 if is_sparc else 168 + 8)

    @numba.njit
    def task_row(head):
        """The row of the stack of the task that runs."""
        task = _host(head, guest_u64(load_u64(head + HOT) + current))
        row = _row(head, guest_u64(task + stack_of))
        known, now = load_u64(row + PID), np.uint64(guest_u32(task + pid)) + ONE
        if known != now:
            store_u64(row + PID, now)
            store_u64(row + WHOLE, ZERO if known == ZERO else ONE)  # it is a new task's
            store_u64(row + COUNT, ZERO)
        return row

    @numba.njit
    def step(head, address, sp):
        """A block begins, or an interrupted function would have gone on here."""
        site = _site(head, address)
        row = task_row(head)
        bottom = load_u64(row + STACK)
        if not bottom <= sp <= bottom + stack_size:
            if is_sparc or sp >> np.uint64(63) == ZERO:  # a program's
                return
            row = load_u64(head + OWN)
        elif sp >= bottom + stack_size - outermost and load_u64(row + PID) != IDLE:
            store_u64(row + WHOLE, ONE)
        count = load_u64(row + COUNT)
        returned = is_sparc or site > ERROR_CODE  # whether a function has returned, or jumped, whose stack pointer is the same
        while count > ZERO:
            then = load_u64(row + POINTERS + (count - ONE) * WORD)
            if then > sp or (then == sp and not returned):
                break
            count -= ONE
        if site > ERROR_CODE and count < MOST:
            store_u64(row + SITES + count * WORD, site)
            store_u64(row + POINTERS + count * WORD, sp)
            count += ONE
        store_u64(row + COUNT, count)

    @numba.njit
    def put_row(head, row):
        """Appends the functions under way on a stack to the log, the innermost first. Returns how many."""
        used, count = load_u64(head + USED), load_u64(row + COUNT)
        for n in range(count):
            site = load_u64(row + SITES + (count - ONE - np.uint64(n)) * WORD)
            store_u64(load_u64(head + LOG) + (used + np.uint64(n)) * WORD, site)
        store_u64(head + USED, used + count)
        return count

    @numba.njit
    def put(head, label, sp):
        start = load_u64(head + USED)
        if start + MOST + MOST >= LOG_WORDS:
            return
        store_u64(head + USED, start + ONE + ONE)
        row = task_row(head)
        count = ZERO
        if not load_u64(row + STACK) <= sp <= load_u64(row + STACK) + stack_size:
            count = put_row(head, load_u64(head + OWN))
        count += put_row(head, row)
        store_u64(load_u64(head + LOG) + start * WORD, np.uint64(label) << np.uint64(32) | load_u64(row + WHOLE))
        store_u64(load_u64(head + LOG) + (start + ONE) * WORD, count)

    @numba.cfunc(_signature)
    def x86_block(uc, address, size, head):
        if address < load_u64(head + FIRST):
            return
        sp = load_u64(load_u64(head + ENV) + X86_SP)
        site = _site(head, address)
        if site in (NO_CODE, ERROR_CODE):
            frame = sp + (WORD if site == ERROR_CODE else ZERO)
            interrupted = guest_u64(_host(head, frame))
            if interrupted >= load_u64(head + FIRST):
                step(head, interrupted, guest_u64(_host(head, frame + np.uint64(24))))
        step(head, address, sp)
        if load_u64(head + ON) != ZERO:
            for n in range(LABEL_COUNT):
                if load_u64(head + LABELS + np.uint64(n) * WORD) == address:
                    put(head, n, sp)

    @numba.njit
    def changes_window(kind):
        """Whether a trap type is one about windows, whose handlers call nobody: they have a window that is not the next one."""
        return CLEAN_WINDOW <= kind < CLEAN_WINDOW_END or SPILL <= kind < FILL_END

    @numba.cfunc(_signature)
    def sparc_block(uc, address, size, head):
        env = load_u64(head + ENV)
        level, before = np.uint64(load_u32(env + TL)), load_u64(head + IN_TRAP)
        store_u64(head + IN_TRAP, level)
        if address < load_u64(head + FIRST):
            return
        sp = load_u64(load_u64(env + WINDOW) + SPARC_SP) + BIAS
        if level == ZERO:
            step(head, address, sp)
        elif before == ZERO and not changes_window(load_u32(env + TRAPS + TRAP_SIZE + TRAP_TYPE)):
            step(head, load_u64(env + TRAPS + TRAP_SIZE), sp)
        if load_u64(head + ON) != ZERO:
            for n in range(LABEL_COUNT):
                if load_u64(head + LABELS + np.uint64(n) * WORD) == address:
                    put(head, n, sp)

    return sparc_block if is_sparc else x86_block


@dataclass(frozen=True)
class Stack:
    """The functions under way at an event."""

    label: str  # where it was recorded
    whole: bool  # False: calls around these were under way already when the witness came
    sites: tuple[int, ...]  # the innermost first


# Intel SDM, volume 3, 6.3.1
_WITH_ERROR_CODE = {
    f"asm_exc_{name}"
    for name in (
        "double_fault", "invalid_tss", "segment_not_present", "stack_segment",
        "general_protection", "page_fault", "alignment_check",
    )
}  # fmt: skip


class StackWitness:
    """Follows the calls on every CPU of a machine, and logs them at each event while `on`.

    Args:
        machine: that has booted.
        labels: of .ftrace.text, at which events are recorded.
    """

    def __init__(self, machine: Machine, *labels: str) -> None:
        image, board, memory = machine.kernel.image, machine.board, machine.kernel.memory
        self._labels = labels
        self._map = SiteMap(machine)
        for function in image.functions:
            if function.name.startswith("asm_"):
                self._map.learn({function.address: int(ERROR_CODE if function.name in _WITH_ERROR_CODE else NO_CODE)})
        self._stacks = np.zeros((STACK_LIMIT, ROW), np.uint64)
        offsets = map(image.offset, ("pcpu_hot.current_task", "task_struct.stack", "task_struct.pid"))
        self._hook = _logger(board.arch.name, board.arch.byte_order, *offsets, 4 * board.arch.page_size)
        self._heads, self._logs, self._own = [], [], np.zeros((len(board.cpus), ROW), np.uint64)
        for cpu in board.cpus:
            head, log = Record(WORDS), np.zeros(LOG_WORDS, np.uint64)
            for field, value in (
                (MAP, self._map.address), (FIRST, self._map.first), (LAST, self._map.last),
                (HOT, memory.host_address(machine.kernel.hot_areas[cpu.index])),
                (DIRECT, board.ram_address - board.arch.direct_map), (KERNEL, board.ram_address - board.arch.kernel_map),
                (KERNEL_START, board.arch.kernel_map), (ENV, cpu.env), (STACKS, self._stacks.ctypes.data),
                (OWN, self._own[cpu.index].ctypes.data), (LOG, log.ctypes.data),
            ):  # fmt: skip
                head.set(field, value)
            for n, label in enumerate(labels):
                head.set(LABELS, image.symbol(label), n)
            cpu.watch_blocks(self._hook.address, head.address)
            self._heads.append(head)
            self._logs.append(log)

    @property
    def on(self) -> bool:
        return bool(self._heads[0].get(ON))

    @on.setter
    def on(self, value: bool) -> None:
        for head in self._heads:
            head.set(ON, value)

    def stacks(self, cpu: int) -> list[Stack]:
        """The stacks at the events of a CPU, in order."""
        used = self._heads[cpu].get(USED)
        assert used + 2 * DEEPEST < LOG_WORDS, "the witness's log is full"
        words = self._logs[cpu][:used].tolist()
        found, at = [], 0
        while at < used:
            label, count = words[at], words[at + 1]
            found.append(Stack(self._labels[label >> 32], bool(label & 1), tuple(words[at + 2 : at + 2 + count])))
            at += 2 + count
        return found

    def site_of(self, function: int) -> int:
        """The site of the function that begins at an address; 0: it has none."""
        site = self._map.word(function)
        return site if site > ERROR_CODE else 0
