# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of the stack trace at each event, derived from what the CPUs execute: the addresses of blocks and the stack
pointer. It uses no frame pointers, register windows or return addresses.

A function is active from its first block until the stack pointer is back at its caller's value. Whatever interrupts a function
is called below it on the same stack. On RISC-V a function may have no stack of its own; it is then active until a block begins
outside it. But it is known only at the beginning of the next block that a function was entered or has
returned, and an interrupt may come before; so when a handler begins, the interrupted address counts as a block. Only x86-64 has
another stack: that of NMIs.
"""

from __future__ import annotations

import ctypes
import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from emu.cpu.arch.riscv64 import state as riscv
from emu.cpu.arch.sparc64 import state
from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.machine import Machine
from emu.native.functions import Compiled, Native
from emu.native.records import HOST, GuestRecord, Layouts, Record, Records, Shape, Values, Words, inline, u32, u64
from tests.lib.witness import GRANULE, SiteMap

__all__ = ["Stack", "StackWitness"]

LABEL_COUNT = 3
LOG_WORDS = 6_000_000
DEEPEST = 150
STACK_LIMIT = 2048  # rows of the table of stacks
PAGE = 12  # bits
IDLE = 1  # in Row.pid: idle tasks, which started before the witness
NO_CODE, ERROR_CODE = 1, 2  # words of the SiteMap: an exception's entry, without and with an error code on the stack
CLEAN_WINDOW, CLEAN_WINDOW_END, SPILL, FILL_END = 0x24, 0x28, 0x80, 0x100
BIAS = 2047
SPARC_SP = state.WINDOW_REGISTERS.index("o6")
X86_SP = GENERAL_REGISTERS.index("sp")
RISCV_SP, RISCV_SEPC = riscv.REGISTERS.index("sp"), riscv.Env.sepc.offset // 8  # words of the state
OUTERMOST = {"x86_64": 168 + 8, "sparc64": 192 + 160, "riscv64": 288}


# The cache tracks changes only of the module with compiled code and of emu, so these are not in another module of tests.


class Hot(GuestRecord):
    """struct pcpu_hot"""

    current_task: u64


class Task(GuestRecord):
    """struct task_struct"""

    stack: u64
    pid: u32


class Interrupted(GuestRecord):
    """The words that an x86-64 exception has put on the stack, from %rip on."""

    ip: u64
    sp: u64


class TrapState(Record):
    """The saved state of a SPARC V9 trap."""

    tpc: u64
    tnpc: u64
    tstate: u64
    tt: u32


class Env(GuestRecord):
    """Unicorn's state of a SPARC V9 CPU."""

    regwptr: Values[u64]  # the current window
    ts: Records[TrapState] = inline(8)
    tl: u32


class Row(Record):
    """The state of a stack."""

    stack: u64  # the task's
    pid: u64  # of the task, plus one
    whole: bool  # known from its outermost call on
    count: u64  # of active functions: their sites, and the stack pointers at their first instructions
    sites: Values[u64] = inline(DEEPEST)
    pointers: Values[u64] = inline(DEEPEST)


class Head(Record):
    """The state of a CPU."""

    on: bool  # events are logged; active functions are followed in any case
    used: u64  # words of the log
    sites: Values[u64]  # of a SiteMap, with its first and last address
    first: u64
    last: u64
    hot: Hot
    direct: u64  # host address minus guest address in the direct map and the kernel map, and where the latter begins
    kernel: u64
    kernel_start: u64
    env: u64  # the CPU's state
    # RISC-V: the first instruction of all traps, which is the first of entry code, and the functions that sites call
    trap: u64
    trap_end: u64
    called: u64
    called_by_graph: u64
    in_trap: u64  # the trap level at the previous block
    stacks: Records[Row]  # the table of stacks
    own: Row  # of the CPU's stack for NMIs
    log: Values[u64]
    labels: Values[u64] = inline(LABEL_COUNT)  # where events are recorded


ROW = HOST.size(Row) // 8


@functools.cache
def _logger(
    arch: str, byte_order: Literal["little", "big"], current_task: int, task_stack: int, task_pid: int, size: int
) -> Compiled[[u64, u64, u32, Head], None]:
    """The hook, compiled for an architecture.

    Args:
        arch: its name.
        byte_order: its byte order.
        current_task: offset in struct pcpu_hot.
        task_stack: offset in struct task_struct.
        task_pid: likewise.
        size: of a task's stack.
    """
    is_sparc, is_x86, is_riscv = (arch == name for name in ("sparc64", "x86_64", "riscv64"))
    native = Native(
        Layouts(
            {
                Hot: Shape({"current_task": current_task}, byte_order=byte_order),
                Task: Shape({"stack": task_stack, "pid": task_pid}, byte_order=byte_order),
                Interrupted: Shape({"ip": 0, "sp": 24}, byte_order=byte_order),
                TrapState: Shape(size=ctypes.sizeof(state.TrapState)),
                Env: Shape({name: getattr(state.Env, name).offset for name in Env.__annotations__}),
            }
        )
    )
    njit, callback = native.njit, native.callback
    stack_size, granule = u64(size), u64(GRANULE)
    # The stack pointer in entry code after it has saved a program's registers: all active functions are below.
    outermost = u64(OUTERMOST[arch])

    @njit
    def host(head: Head, address: u64) -> u64:
        """The host address for an address of the kernel."""
        return address + (head.kernel if address >= head.kernel_start else head.direct)

    @njit
    def site_at(head: Head, address: u64) -> u64:
        """The word of the SiteMap for an address."""
        place = address - head.first
        if address < head.first or address > head.last or place % granule != 0:
            return 0
        return head.sites[place // granule]

    @njit
    def row_of(head: Head, stack: u64) -> Row:
        """The table's row for a task's stack."""
        n = (stack >> PAGE) % STACK_LIMIT
        while True:
            row = head.stacks[n]
            if row.stack == 0:
                row.stack = stack
            if row.stack == stack:
                return row
            n = (n + 1) % STACK_LIMIT

    @njit
    def task_row(head: Head) -> Row:
        """The row for the stack of the current task."""
        task = Task(host(head, head.hot.current_task))
        row = row_of(head, task.stack)
        now = task.pid + 1
        if row.pid != now:
            row.whole = row.pid != 0  # a new task has taken it over
            row.pid = now
            row.count = 0
        return row

    @njit
    def inside(head: Head, site: u64, address: u64) -> bool:
        """Whether an address is in a function, or in code that sites or traps lead to: sites are first instructions."""
        if address in (head.called, head.called_by_graph) or head.trap <= address < head.trap_end:
            return True
        place = (address - head.first) // granule
        while head.sites[place] == 0 and place > 0:
            place -= 1
        return head.sites[place] == site

    @njit
    def step(head: Head, address: u64, sp: u64) -> None:
        """A block begins, or an interrupted function would have continued, at `address`."""
        site = site_at(head, address)
        row = task_row(head)
        bottom = row.stack
        if not bottom <= sp <= bottom + stack_size:
            if not is_x86 or sp >> 63 == 0:  # the stack of a program
                return
            row = head.own
        elif sp >= bottom + stack_size - outermost and row.pid != IDLE:
            row.whole = True
        count = row.count
        returned = is_sparc or site > ERROR_CODE  # whether a function with an equal stack pointer has returned or tail-called
        while count > 0:
            then = row.pointers[count - 1]
            within = then == sp and not returned and (not is_riscv or inside(head, row.sites[count - 1], address))
            if then > sp or within:
                break
            count -= 1
        if site > ERROR_CODE and count < DEEPEST:
            row.sites[count] = site
            row.pointers[count] = sp
            count += 1
        row.count = count

    @njit
    def put_row(head: Head, row: Row) -> u64:
        """Appends the active functions of a stack to the log, innermost first. Returns their number."""
        for n in range(row.count):
            head.log[head.used + n] = row.sites[row.count - 1 - n]
        head.used += row.count
        return row.count

    @njit
    def put(head: Head, label: u64, sp: u64) -> None:
        start = head.used
        if start + DEEPEST + DEEPEST >= LOG_WORDS:
            return
        head.used = start + 2
        row = task_row(head)
        count = u64(0)
        if not row.stack <= sp <= row.stack + stack_size:
            count = put_row(head, head.own)
        count += put_row(head, row)
        head.log[start] = label << 32 | u64(row.whole)
        head.log[start + 1] = count

    @njit
    def put_if_on(head: Head, address: u64, sp: u64) -> None:
        if head.on:
            for n in range(u64(LABEL_COUNT)):
                if head.labels[n] == address:
                    put(head, n, sp)

    @callback
    def x86_block(uc: u64, address: u64, size: u32, head: Head) -> None:
        if address < head.first:
            return
        sp = Words(head.env)[X86_SP]
        site = site_at(head, address)
        if site in (NO_CODE, ERROR_CODE):
            interrupted = Interrupted(host(head, sp + 8 if site == ERROR_CODE else sp))
            if interrupted.ip >= head.first:
                step(head, interrupted.ip, interrupted.sp)
        step(head, address, sp)
        put_if_on(head, address, sp)

    @njit
    def changes_window(kind: u64) -> bool:
        """Whether a trap type is a window trap, whose handlers call nothing: they run in a window that is not the next one."""
        return CLEAN_WINDOW <= kind < CLEAN_WINDOW_END or SPILL <= kind < FILL_END

    @callback
    def sparc_block(uc: u64, address: u64, size: u32, head: Head) -> None:
        env, before = Env(head.env), head.in_trap
        level, trap = env.tl, env.ts[1]
        head.in_trap = level
        if address < head.first:
            return
        sp = env.regwptr[SPARC_SP] + BIAS
        if level == 0:
            step(head, address, sp)
        elif before == 0 and not changes_window(trap.tt):
            step(head, trap.tpc, sp)
        put_if_on(head, address, sp)

    @callback
    def riscv_block(uc: u64, address: u64, size: u32, head: Head) -> None:
        if address < head.first:
            return
        registers = Words(head.env)
        sp = registers[RISCV_SP]
        if address == head.trap:
            interrupted = registers[RISCV_SEPC]
            if interrupted >= head.first:
                step(head, interrupted, sp)
        step(head, address, sp)
        put_if_on(head, address, sp)

    return {"x86_64": x86_block, "sparc64": sparc_block, "riscv64": riscv_block}[arch]


@dataclass(frozen=True)
class Stack:
    """The stack trace at an event."""

    label: str  # where the event was recorded
    whole: bool  # False: the outermost calls began before the witness
    sites: tuple[int, ...]  # innermost first


# Intel SDM, volume 3, 6.3.1
_WITH_ERROR_CODE = {
    f"asm_exc_{name}"
    for name in (
        "double_fault", "invalid_tss", "segment_not_present", "stack_segment",
        "general_protection", "page_fault", "alignment_check",
    )
}  # fmt: skip


class StackWitness:
    """Follows the calls on every CPU of a machine, and logs the stack trace at each event while `on`.

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
                self._map.learn({function.address: ERROR_CODE if function.name in _WITH_ERROR_CODE else NO_CODE})
        trap = trap_end = called = called_by_graph = 0
        if board.arch.name == "riscv64":
            names = ("handle_exception", "__entry_text_end", "ftrace_caller", "ftrace_graph_caller")
            trap, trap_end, called, called_by_graph = map(image.symbol, names)
            sites = set(image.sites.tolist())
            others = [function.address for function in image.functions if function.address not in sites]
            self._map.learn({address: NO_CODE for address in others if address % GRANULE == 0})
        self._stacks = np.zeros((STACK_LIMIT, ROW), np.uint64)
        offsets = map(image.offset, ("pcpu_hot.current_task", "task_struct.stack", "task_struct.pid"))
        self._hook = _logger(board.arch.name, board.arch.byte_order, *offsets, 4 * board.arch.page_size)
        self._heads, self._logs, self._own = [], [], np.zeros((len(board.cpus), ROW), np.uint64)
        for cpu, own in zip(board.cpus, self._own, strict=True):
            head, log = Head.allocate(), np.zeros(LOG_WORDS, np.uint64)
            head.sites, head.first, head.last = Words(self._map.address), self._map.first, self._map.last
            head.hot = Hot(memory.host_address(machine.kernel.hot_areas[cpu.index]))
            head.direct = (board.ram_address - board.arch.direct_map) % 2**64
            head.kernel = (board.ram_address - board.arch.kernel_map) % 2**64
            head.kernel_start, head.env = board.arch.kernel_map, cpu.env
            head.trap, head.trap_end, head.called, head.called_by_graph = trap, trap_end, called, called_by_graph
            head.stacks, head.own = Records[Row](self._stacks.ctypes.data), Row(own.ctypes.data)
            head.log = Words(log.ctypes.data)
            for n, label in enumerate(labels):
                head.labels[n] = image.symbol(label)
            cpu.watch_blocks(self._hook.address, head.address)
            self._heads.append(head)
            self._logs.append(log)

    @property
    def on(self) -> bool:
        return self._heads[0].on

    @on.setter
    def on(self, value: bool) -> None:
        for head in self._heads:
            head.on = value

    def stacks(self, cpu: int) -> list[Stack]:
        """The stacks at the events of a CPU, in order."""
        used = self._heads[cpu].used
        assert used + 2 * DEEPEST < LOG_WORDS, "the witness's log is full"
        words = self._logs[cpu][:used].tolist()
        found, at = [], 0
        while at < used:
            label, count = words[at], words[at + 1]
            found.append(Stack(self._labels[label >> 32], bool(label & 1), tuple(words[at + 2 : at + 2 + count])))
            at += 2 + count
        return found

    def site_of(self, function: int) -> int:
        """The call site of the function that begins at an address; 0: none."""
        site = self._map.word(function)
        return site if site > ERROR_CODE else 0
