# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of every call of every traceable function, made by a block hook of its own."""

from __future__ import annotations

import ctypes
import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np

from emu.cpu.arch.sparc64 import state
from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers import entries
from emu.kernel.modules import Module, Modules
from emu.machine import Machine
from emu.native.functions import Compiled, Native
from emu.native.records import GuestRecord, Layouts, Record, Records, Shape, Values, Words, inline, u32, u64
from tests.lib.cpu_logs import CpuLogs

ENTRIES = 2_000_000
GRANULE = 16  # functions begin at multiples of this many bytes
ROW = 3  # words of an entry


class Hot(GuestRecord):
    """struct pcpu_hot"""

    current_task: u64
    preempt_count: u32


class Task(GuestRecord):
    """struct task_struct"""

    pid: u32


class TrapState(Record):
    """The saved state of a SPARC V9 trap."""

    tpc: u64
    tnpc: u64
    tstate: u64
    tt: u32


class Env(GuestRecord):
    """Unicorn's state of a SPARC V9 CPU."""

    ts: Records[TrapState] = inline(8)
    tl: u32


ENV: Mapping[type[Record], Shape] = {
    TrapState: Shape(size=ctypes.sizeof(state.TrapState)),
    Env: Shape({name: getattr(state.Env, name).offset for name in Env.__annotations__}),
}


class Row(Record):
    """A call of a function."""

    site: u64
    context: u64  # from bit 63 down: interrupts off, 24 bits of preempt_count, the pid
    time: u64


class Log(Record):
    """The log of a CPU."""

    on: bool
    count: u64
    rows: Records[Row]
    sites: Values[u64]  # of a SiteMap, with its first and last address
    first: u64
    last: u64
    hot: Hot
    direct: u64  # host address minus guest address, in the direct map and in the kernel map
    kernel: u64
    kernel_start: u64
    env: u64
    cpu: Cpu
    block: u64  # the one that was logged last; 0 once another one has begun


IRQS_OFF = u64(1 << 63)


@functools.cache
def _logger(
    arch: str,
    byte_order: Literal["little", "big"],
    irqs_off: Callable[[u64], bool],
    current_task: int,
    preempt_count: int,
    pid: int,
) -> Compiled[[u64, u64, u32, Log], None]:
    """The hook, compiled for an architecture and for the offsets in the guest's structures."""
    is_sparc = arch == "sparc64"
    hot = Shape({"current_task": current_task, "preempt_count": preempt_count}, byte_order=byte_order)
    native = Native(Layouts({Hot: hot, Task: Shape({"pid": pid}, byte_order=byte_order), **ENV}))

    @native.njit
    def trapped_at(env: u64) -> u64:
        """In a trap handler, the address to return to; otherwise 0. A function whose first instruction traps (a `save` that
        has to spill a window) has not been entered: it is entered when the instruction is executed again.
        """
        if not is_sparc:
            return 0
        level = Env(env).tl
        return Env(env).ts[level].tpc if level != 0 else 0

    @native.callback
    def log(uc: u64, address: u64, size: u32, log: Log) -> None:
        if not log.on:
            return
        logged = log.block
        log.block = 0
        if logged != 0 and trapped_at(log.env) == logged:
            log.count -= 1
            return
        place = address - log.first
        if address < log.first or address > log.last or place % GRANULE != 0:
            return
        site = log.sites[place // GRANULE]
        if site == 0 or log.count >= ENTRIES:
            return
        task = log.hot.current_task
        task += log.kernel if task >= log.kernel_start else log.direct
        row = log.rows[log.count]
        row.site = site
        off = IRQS_OFF if irqs_off(log.env) else 0
        row.context = off | (log.hot.preempt_count & 0xFFFFFF) << 32 | Task(task).pid
        row.time = log.cpu.cycles
        log.count += 1
        log.block = address

    return log


class SiteMap:
    """The call site of the function that begins at each address; 0: none. Modules loaded later are added.

    Args:
        machine: that has booted.
        only: addresses; if there are any, the map contains only the functions of the kernel that begin at them.

    Attributes:
        first: the first address in the map.
        last: the last address.
        address: of the words, one for each `GRANULE` bytes.
    """

    def __init__(self, machine: Machine, only: Collection[int] = ()) -> None:
        image, board = machine.kernel.image, machine.board
        site_of = {image.function_at(int(site)).address: int(site) for site in image.sites}
        if only:
            site_of = {function: site for function, site in site_of.items() if function in only}
        self.first = board.arch.kernel_map
        self.last = self.first + board.memory - 1  # modules can be anywhere in RAM
        # The host allocates memory only for pages that are used.
        self._map = np.zeros((self.last - self.first) // GRANULE + 1, np.uint64)
        self.address = self._map.ctypes.data
        self.learn(site_of)
        for module in machine.kernel.modules:
            self._learn_module(module)
        self._follow(machine.kernel.modules)

    def learn(self, site_of: Mapping[int, int]) -> None:
        """Adds words, by the address they belong to: for functions, their sites."""
        for function, site in site_of.items():
            assert (function - self.first) % GRANULE == 0
            self._map[(function - self.first) // GRANULE] = site

    def word(self, address: int) -> int:
        """The word for the function that begins at an address."""
        return int(self._map[(address - self.first) // GRANULE])

    def _learn_module(self, module: Module) -> None:
        """Adds a module's functions, and clears the words for its memory before."""
        for region in (module.core, module.init):
            if region is not None:
                start, end = ((at - self.first) // GRANULE for at in (region.base, region.base + region.size))
                self._map[start:end] = 0
        functions = {site: module.function_at(site) for site in module.sites}
        self.learn({function.address: site for site, function in functions.items() if function is not None})

    def _follow(self, modules: Modules) -> None:
        """Adds every module that is loaded from now on."""
        add = modules.add

        def added(module: Module) -> None:
            add(module)
            self._learn_module(module)

        modules.add = added  # type: ignore[method-assign]  # the machine need not know of a witness


class Witness(CpuLogs):
    """Logs calls on every CPU of a machine while `on`: of the kernel's functions and of modules' functions.

    Args:
        machine: that has booted.
        only: addresses; if there are any, only the functions of the kernel that begin at them are logged.
    """

    def __init__(self, machine: Machine, only: Collection[int] = ()) -> None:
        image, board = machine.kernel.image, machine.board
        self._map = SiteMap(machine, only)
        offsets = map(image.offset, ("pcpu_hot.current_task", "pcpu_hot.preempt_count", "task_struct.pid"))
        self._hook = _logger(board.arch.name, board.arch.byte_order, board.arch.native().irqs_off, *offsets)
        self._logs, self._rows = [], np.zeros((len(board.cpus), ENTRIES, ROW), np.uint64)
        for cpu, rows in zip(board.cpus, self._rows, strict=True):
            log = Log.allocate()
            log.rows, log.sites = Records[Row](rows.ctypes.data), Words(self._map.address)
            log.first, log.last, log.kernel_start = self._map.first, self._map.last, board.arch.kernel_map
            log.hot = Hot(machine.kernel.memory.host_address(machine.kernel.hot_areas[cpu.index]))
            log.direct = (board.ram_address - board.arch.direct_map) % 2**64
            log.kernel = (board.ram_address - board.arch.kernel_map) % 2**64
            log.env, log.cpu = cpu.env, cpu.record
            cpu.watch_blocks(self._hook.address, log.address)
            self._logs.append(log)

    def entries(self, cpu: int) -> list[Entry]:
        """All calls, in order. The address of an `Entry` is that of the function's call site."""
        count = self._logs[cpu].count
        assert count < ENTRIES, "the witness's log is full"
        rows = self._rows[cpu, :count].tolist()
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
    """The addresses in each context, in order, from the logs of all CPUs.

    A context is a task (for idle tasks: one CPU's), whether interrupts are off, and preempt_count. An interrupt may come between
    a function's first instruction, which the witness sees, and the recording: then everything that the interrupt does is recorded
    first, and if it preempts the task, another CPU may record the call. The interrupt does so in other contexts: it comes only
    while interrupts are on, and preempts with a higher preempt_count. So the calls in one context have the same order in both
    logs.
    """
    contexts: dict[Context, list[tuple[int, int]]] = defaultdict(list)
    for cpu, log in enumerate(entries):
        for entry in log:
            context = entry.pid, cpu if entry.pid == 0 else 0, entry.irqs_off, entry.preempt_count
            contexts[context].append((entry.time, entry.address))
    return {context: [address for _, address in sorted(calls, key=itemgetter(0))] for context, calls in contexts.items()}


def recorded(machine: Machine, cpu: int) -> list[Entry]:
    """The function events of a CPU, as `Entry`s."""
    trace = machine.trace_array.recorder.rings[cpu].unread()
    rows = trace.entries(entries.FUNCTION)
    assert (rows["type"] == entries.EventType.FUNCTION).all()
    fields = (rows[name].tolist() for name in ("ip", "pid", "flags", "preempt_count"))
    irqs_off = int(entries.Flag.IRQS_OFF)
    return [
        Entry(ip, pid, bool(flags & irqs_off), _as_shown(flags, depth), time)
        for ip, pid, flags, depth, time in zip(*fields, trace.time.tolist(), strict=True)
    ]


def in_columns(machine: Machine, cpu: int) -> list[Entry]:
    """The same, from the columns of a `Trace`."""
    calls = machine.trace()["ftrace:function"]
    of_cpu = np.flatnonzero(calls["common_cpu"] == cpu)
    names = ("ip", "common_pid", "common_flags", "common_preempt_count", "common_time")
    irqs_off = int(entries.Flag.IRQS_OFF)
    return [
        Entry(ip, pid, bool(flags & irqs_off), _as_shown(flags, depth), time)
        for ip, pid, flags, depth, time in zip(*(calls[name][of_cpu].tolist() for name in names), strict=True)
    ]


@functools.cache  # there are few
def _as_shown(flags: int, depth: int) -> int:
    """The part of preempt_count that an event keeps."""
    return depth | (flags & int(entries.Flag.HARDIRQ | entries.Flag.SOFTIRQ | entries.Flag.NMI | entries.Flag.BH_OFF)) << 8


@functools.cache
def _as_event(count: int) -> tuple[int, int]:
    """preempt_count in the form of an event: (flags, depth)."""
    flags = entries.Flag(0)
    for bits, flag in (
        (0xF00000, entries.Flag.NMI),
        (0x0F0000, entries.Flag.HARDIRQ),
        (0x000100, entries.Flag.SOFTIRQ),
        (0x00FE00, entries.Flag.BH_OFF),
    ):
        if count & bits:
            flags |= flag
    return int(flags), min(count & 0xFF, 15)


def shown(entry: Entry) -> Entry:
    """A logged call, reduced to what an event keeps of it."""
    address, pid, irqs_off, count, time = entry
    return Entry(address, pid, irqs_off, _as_shown(*_as_event(count)), time)
