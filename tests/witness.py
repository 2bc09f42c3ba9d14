# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of every entry of every traceable function, made by a block hook of its own."""

from __future__ import annotations

import ctypes
import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types

from emu.cpu.arch.sparc64.state import Env, TrapState
from emu.machine import Machine
from emu.native.pointers import in_byte_order, load_u32, load_u64

ENTRIES = 2_000_000
# Words of a log's head: on, entries, address of the map from functions to sites, its first and last address, of the per-CPU
# area, offsets of current_task and preempt_count there, of pid in a task; what the direct and the kernel map are moved by;
# where the latter starts; the CPU's state; the block that was logged last, 0 once another one has begun.
ON, COUNT, MAP, FIRST, LAST, HOT, CURRENT, PREEMPT, PID, DIRECT, KERNEL, KERNEL_START, ENV, BLOCK = range(14)
HEAD = 16

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
        head = carray(user, (HEAD + 2 * ENTRIES,), dtype=np.uint64)
        if head[ON] == 0:
            return
        logged = head[BLOCK]
        head[BLOCK] = 0
        if logged != 0 and trapped_at(head[ENV]) == logged:
            head[COUNT] -= np.uint64(1)
            return
        if address < head[FIRST] or address > head[LAST]:
            return
        site = load_u64(head[MAP] + (address - head[FIRST]) * np.uint64(8))
        n = head[COUNT]
        if site == 0 or n >= ENTRIES:
            return
        task = guest_u64(head[HOT] + head[CURRENT])
        task += head[KERNEL] if task >= head[KERNEL_START] else head[DIRECT]
        pid = np.uint64(guest_u32(task + head[PID]))
        count = np.uint64(guest_u32(head[HOT] + head[PREEMPT]))
        head[HEAD + 2 * n] = site
        off = np.uint64(irqs_off(head[ENV]))
        head[HEAD + 2 * n + 1] = off << np.uint64(63) | (count & np.uint64(0xFFFFFF)) << np.uint64(32) | pid
        head[COUNT] = n + np.uint64(1)
        head[BLOCK] = address

    return log


class Witness:
    """Logs entries on every CPU of a machine while `on`."""

    def __init__(self, machine: Machine) -> None:
        image, board = machine.kernel.image, machine.board
        site_of = {image.function_at(int(site)).address: int(site) for site in image.sites}
        first, last = min(site_of), max(site_of)
        self._map = np.zeros(last - first + 1, np.uint64)
        for function, site in site_of.items():
            self._map[function - first] = site
        self._hook = _logger(board.arch.name, board.arch.byte_order, board.arch.native().irqs_off)
        self._logs = []
        for cpu in board.cpus:
            log = np.zeros(HEAD + 2 * ENTRIES, np.uint64)
            log[:13] = [
                0, 0, self._map.ctypes.data, first, last, machine.kernel.host_address(machine.kernel.hot_areas[cpu.index]),
                image.offset("pcpu_hot.current_task"), image.offset("pcpu_hot.preempt_count"), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map, cpu.env,
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

    def entries(self, cpu: int) -> list[Entry]:
        """Every entry, in order. An entry's address is that of the function's call site."""
        log = self._logs[cpu]
        count = int(log[COUNT])
        assert count < ENTRIES, "the witness's log is full"
        rows = log[HEAD : HEAD + 2 * count].reshape(count, 2)
        return [Entry(int(a), int(c) & 0xFFFFFFFF, bool(int(c) >> 63), int(c) >> 32 & 0xFFFFFF) for a, c in rows]


class Entry(NamedTuple):
    """One call of a traceable function."""

    address: int
    pid: int
    irqs_off: bool
    preempt_count: int  # bits 0 to 23


def by_context(entries: list[Entry]) -> dict[tuple[int, bool, int], list[int]]:
    """The addresses of each context (pid, interrupts off, preempt_count), in order.

    An interrupt may come between a function's first instruction, which the witness sees, and the record of it: then
    everything that the interrupt does is recorded first. It does that in other contexts (it comes only where interrupts are
    on, and it preempts with a higher preempt_count); so what one context does is in the same order in both logs.
    """
    contexts: dict[tuple[int, bool, int], list[int]] = defaultdict(list)
    for entry in entries:
        contexts[entry[1:]].append(entry.address)
    return dict(contexts)
