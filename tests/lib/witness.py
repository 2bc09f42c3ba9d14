# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of every entry of every traceable function, made by a block hook of its own."""

from __future__ import annotations

import ctypes
import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types

from emu.cpu.arch.sparc64.state import Env, TrapState
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace import events
from emu.kernel.modules import Module, Modules
from emu.machine import Machine
from emu.native.pointers import in_byte_order, load_u32, load_u64
from emu.native.records import HOST

ENTRIES = 2_000_000
# Words of a log's head: on, entries, address of the map from functions to sites, its first and last address, of the per-CPU
# area, offsets of current_task and preempt_count there, of pid in a task; what the direct and the kernel map are moved by;
# where the latter starts; the CPU's state; the block that was logged last, 0 once another one has begun; the CPU's clock.
ON, COUNT, MAP, FIRST, LAST, HOT, CURRENT, PREEMPT, PID, DIRECT, KERNEL, KERNEL_START, ENV, BLOCK, CLOCK = range(15)
HEAD = 16
GRANULE = np.uint64(16)  # functions begin at multiples of that many bytes
ROW = 3  # words of an entry: call site; interrupts off, preempt_count and pid; time

_signature = types.void(types.uint64, types.uint64, types.uint32, types.voidptr)


_TL, _TRAPS, _TRAP_SIZE = np.uint64(Env.tl.offset), np.uint64(Env.ts.offset), np.uint64(ctypes.sizeof(TrapState))


@numba.njit
def _x86_trapped_at(env):
    return np.uint64(0)


@numba.njit
def _sparc_trapped_at(env):
    level = np.uint64(load_u32(env + _TL))
    return load_u64(env + _TRAPS + level * _TRAP_SIZE) if level != 0 else np.uint64(0)


# In a trap handler: the address of the instruction to go back to; else 0. A function whose first instruction traps (a `save` that
# has to spill a window) has not been entered: it will be when the instruction is executed again.
_TRAPPED_AT: dict[str, Callable[..., Any]] = {"x86_64": _x86_trapped_at, "sparc64": _sparc_trapped_at}


@functools.cache
def _logger(arch: str, byte_order: Any, irqs_off: Any) -> Any:
    """The hook, compiled for an architecture."""
    guest = in_byte_order(byte_order)
    guest_u32, guest_u64, trapped_at = guest.load_u32, guest.load_u64, _TRAPPED_AT[arch]

    @numba.cfunc(_signature)
    def log(uc, address, size, user):
        head = carray(user, (HEAD + ROW * ENTRIES,), dtype=np.uint64)
        if head[ON] == 0:
            return
        logged = head[BLOCK]
        head[BLOCK] = 0
        if logged != 0 and trapped_at(head[ENV]) == logged:
            head[COUNT] -= np.uint64(1)
            return
        if address < head[FIRST] or address > head[LAST]:
            return
        place = address - head[FIRST]
        if place % GRANULE != 0:
            return
        site = load_u64(head[MAP] + place // GRANULE * np.uint64(8))
        n = head[COUNT]
        if site == 0 or n >= ENTRIES:
            return
        task = guest_u64(head[HOT] + head[CURRENT])
        task += head[KERNEL] if task >= head[KERNEL_START] else head[DIRECT]
        pid = np.uint64(guest_u32(task + head[PID]))
        count = np.uint64(guest_u32(head[HOT] + head[PREEMPT]))
        head[HEAD + ROW * n] = site
        off = np.uint64(irqs_off(head[ENV]))
        head[HEAD + ROW * n + 2] = load_u64(head[CLOCK])
        head[HEAD + ROW * n + 1] = off << np.uint64(63) | (count & np.uint64(0xFFFFFF)) << np.uint64(32) | pid
        head[COUNT] = n + np.uint64(1)
        head[BLOCK] = address

    return log


class SiteMap:
    """For each place at which a function may begin, its call site; 0: none. Modules that are loaded later are followed.

    Args:
        machine: that has booted.
        only: addresses; if there are any, only those functions of the kernel that begin at them are in it.

    Attributes:
        first: the first address that it is about.
        last: the last one.
        address: of the words, one for each `GRANULE` bytes.
    """

    def __init__(self, machine: Machine, only: Collection[int] = ()) -> None:
        image, board = machine.kernel.image, machine.board
        site_of = {image.function_at(int(site)).address: int(site) for site in image.sites}
        if only:
            site_of = {function: site for function, site in site_of.items() if function in only}
        self.first = board.arch.kernel_map
        self.last = self.first + board.memory - 1  # modules can be anywhere in RAM
        # The host gives memory only to what is used.
        self._map = np.zeros((self.last - self.first) // int(GRANULE) + 1, np.uint64)
        self.address = self._map.ctypes.data
        self.learn(site_of)
        for module in machine.kernel.modules:
            self._learn_module(module)
        self._follow(machine.kernel.modules)

    def learn(self, site_of: Mapping[int, int]) -> None:
        """Adds words, by the addresses that they are about: of functions those of their sites."""
        for function, site in site_of.items():
            assert (function - self.first) % int(GRANULE) == 0
            self._map[(function - self.first) // int(GRANULE)] = site

    def word(self, address: int) -> int:
        """What is known of the function that begins at an address."""
        return int(self._map[(address - self.first) // int(GRANULE)])

    def _learn_module(self, module: Module) -> None:
        """Adds a module's functions, and forgets what was in its memory before."""
        for region in (module.core, module.init):
            if region is not None:
                start, end = ((at - self.first) // int(GRANULE) for at in (region.base, region.base + region.size))
                self._map[start:end] = 0
        functions = {site: module.function_at(site) for site in module.sites}
        self.learn({function.address: site for site, function in functions.items() if function is not None})

    def _follow(self, modules: Modules) -> None:
        """Has modules that are loaded from now on added."""
        add = modules.add

        def added(module: Module) -> None:
            add(module)
            self._learn_module(module)

        modules.add = added  # type: ignore[method-assign]  # who runs the machine need not know of a witness


class Witness:
    """Logs entries on every CPU of a machine while `on`: of the kernel's functions and of modules'.

    Args:
        machine: that has booted.
        only: addresses; if there are any, only those functions of the kernel that begin at them are logged.
    """

    def __init__(self, machine: Machine, only: Collection[int] = ()) -> None:
        image, board = machine.kernel.image, machine.board
        self._map = SiteMap(machine, only)
        self._hook = _logger(board.arch.name, board.arch.byte_order, board.arch.native().irqs_off)
        self._logs = []
        for cpu in board.cpus:
            log = np.zeros(HEAD + ROW * ENTRIES, np.uint64)
            log[:HEAD] = [
                0, 0, self._map.address, self._map.first, self._map.last,
                machine.kernel.memory.host_address(machine.kernel.hot_areas[cpu.index]),
                image.offset("pcpu_hot.current_task"), image.offset("pcpu_hot.preempt_count"), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map, cpu.env, 0, cpu.record.address + HOST.fields(Cpu)["cycles"].offset, 0,
            ]  # fmt: skip
            cpu.watch_blocks(self._hook.address, log.ctypes.data)
            self._logs.append(log)

    @property
    def on(self) -> bool:
        return bool(self._logs[0][ON])

    @on.setter
    def on(self, value: bool) -> None:
        for log in self._logs:
            log[ON] = value

    def clear(self) -> None:
        """Forgets what has been logged."""
        for log in self._logs:
            log[COUNT] = 0

    def entries(self, cpu: int) -> list[Entry]:
        """Every entry, in order. An entry's address is that of the function's call site."""
        log = self._logs[cpu]
        count = int(log[COUNT])
        assert count < ENTRIES, "the witness's log is full"
        rows = log[HEAD : HEAD + ROW * count].reshape(count, ROW).tolist()
        return [Entry(a, c & 0xFFFFFFFF, bool(c >> 63), c >> 32 & 0xFFFFFF, time) for a, c, time in rows]


class Entry(NamedTuple):
    """One call of a traceable function."""

    address: int
    pid: int
    irqs_off: bool
    preempt_count: int  # bits 0 to 23
    time: int


Context = tuple[int, int, bool, int]


def by_context(entries: list[list[Entry]]) -> dict[Context, list[int]]:
    """The addresses of each context, in order, from the entries of every CPU.

    A context is a task (for idle tasks, that of a CPU), interrupts off, preempt_count. An interrupt may come between a
    function's first instruction, which the witness sees, and the record of it: then everything that the interrupt does is
    recorded first, and if it preempts the task, the record may be another CPU's. It does that in other contexts (it comes only
    where interrupts are on, and it preempts with a higher preempt_count); so what one context does is in the same order in both
    logs.
    """
    contexts: dict[Context, list[tuple[int, int]]] = defaultdict(list)
    for cpu, log in enumerate(entries):
        for entry in log:
            context = entry.pid, cpu if entry.pid == 0 else 0, entry.irqs_off, entry.preempt_count
            contexts[context].append((entry.time, entry.address))
    return {context: [address for _, address in sorted(calls, key=itemgetter(0))] for context, calls in contexts.items()}


def recorded(machine: Machine, cpu: int) -> list[Entry]:
    """The function events of a CPU, in the same terms."""
    trace = machine.trace_array.recorder.rings[cpu].unread()
    rows = trace.entries(events.FUNCTION)
    assert (rows["type"] == events.EventType.FUNCTION).all()
    fields = (rows[name].tolist() for name in ("ip", "pid", "flags", "preempt_count"))
    irqs_off = int(events.Flag.IRQS_OFF)
    return [
        Entry(ip, pid, bool(flags & irqs_off), _as_shown(flags, depth), time)
        for ip, pid, flags, depth, time in zip(*fields, trace.time.tolist(), strict=True)
    ]


def in_columns(machine: Machine, cpu: int) -> list[Entry]:
    """The same from the columns of a `Trace`."""
    calls = machine.trace()["ftrace:function"]
    of_cpu = np.flatnonzero(calls["common_cpu"] == cpu)
    names = ("ip", "common_pid", "common_flags", "common_preempt_count", "common_time")
    irqs_off = int(events.Flag.IRQS_OFF)
    return [
        Entry(ip, pid, bool(flags & irqs_off), _as_shown(flags, depth), time)
        for ip, pid, flags, depth, time in zip(*(calls[name][of_cpu].tolist() for name in names), strict=True)
    ]


@functools.cache  # there are few
def _as_shown(flags: int, depth: int) -> int:
    """What an event keeps of preempt_count."""
    return depth | (flags & int(events.Flag.HARDIRQ | events.Flag.SOFTIRQ | events.Flag.NMI | events.Flag.BH_OFF)) << 8


@functools.cache
def _as_event(count: int) -> tuple[int, int]:
    """preempt_count as an event keeps it: (flags, depth)."""
    flags = events.Flag(0)
    for bits, flag in (
        (0xF00000, events.Flag.NMI),
        (0x0F0000, events.Flag.HARDIRQ),
        (0x000100, events.Flag.SOFTIRQ),
        (0x00FE00, events.Flag.BH_OFF),
    ):
        if count & bits:
            flags |= flag
    return int(flags), min(count & 0xFF, 15)


def shown(entry: Entry) -> Entry:
    """What the witness saw, with what an event keeps of it."""
    address, pid, irqs_off, count, time = entry
    return Entry(address, pid, irqs_off, _as_shown(*_as_event(count)), time)
