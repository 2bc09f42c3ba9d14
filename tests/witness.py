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
from emu.native.pointers import in_byte_order, load_u32, load_u64, store_u64

ENTRIES = 2_000_000
# Words of a log's head: on, entries, address of the map from functions to sites, its first and last address, of the per-CPU
# area, offsets of current_task and preempt_count there, of pid in a task; what the direct and the kernel map are moved by;
# where the latter starts; the CPU's state; for each task, which entries are to be seen again, and the row of the idle
# task there; the last block outside entry code, and whether entry code has run since.
(
    ON, COUNT, MAP, FIRST, LAST, HOT, CURRENT, PREEMPT, PID, DIRECT, KERNEL, KERNEL_START, ENV, AGAIN, IDLE, BLOCK, TRAPPED,
) = range(17)  # fmt: skip
HEAD = 17
TASKS, DEPTH = 32769, 8  # a task's words in AGAIN: how many, then the entries

_signature = types.void(types.uint64, types.uint64, types.uint32, types.voidptr)


@numba.njit
def _never_trapped(env):
    return np.uint64(0)


_TL, _TPC = np.uint64(Env.tl.offset), np.uint64(Env.ts.offset + ctypes.sizeof(TrapState) + TrapState.tpc.offset)


@numba.njit
def _sparc_trapped(env):
    return load_u64(env + _TPC) if load_u32(env + _TL) != 0 else np.uint64(0)


# An instruction that traps (a `save` that has to spill a window) is executed again, and its block begins again; interrupts,
# and other tasks, may come in between. Within entry code: the address that it will return to; else 0.
_TRAPPED_AT: dict[str, Callable[..., Any]] = {"x86_64": _never_trapped, "sparc64": _sparc_trapped}


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
        trapped = trapped_at(head[ENV])
        if trapped != 0 and (head[TRAPPED] != 0 or trapped != head[BLOCK]):
            head[TRAPPED] = 1
            return
        if trapped == 0:
            head[TRAPPED] = 0
            head[BLOCK] = address
        else:
            head[TRAPPED] = 1
            address = trapped
        if address < head[FIRST] or address > head[LAST]:
            return
        site = load_u64(head[MAP] + (address - head[FIRST]) * np.uint64(8))
        n = head[COUNT]
        if site == 0 or n >= ENTRIES:
            return
        task = guest_u64(head[HOT] + head[CURRENT])
        task += head[KERNEL] if task >= head[KERNEL_START] else head[DIRECT]
        pid = np.uint64(guest_u32(task + head[PID]))
        again = head[AGAIN] + (pid if pid != 0 else head[IDLE]) * np.uint64(8 * DEPTH)
        depth = load_u64(again)
        if trapped != 0:
            store_u64(again + np.uint64(8) * (depth + np.uint64(1)), address)
            store_u64(again, depth + np.uint64(1))
            return
        if depth != 0 and load_u64(again + np.uint64(8) * depth) == address:
            store_u64(again, depth - np.uint64(1))
            return
        count = np.uint64(guest_u32(head[HOT] + head[PREEMPT]))
        head[HEAD + 2 * n] = site
        off = np.uint64(irqs_off(head[ENV]))
        head[HEAD + 2 * n + 1] = off << np.uint64(63) | (count & np.uint64(0xFFFFFF)) << np.uint64(32) | pid
        head[COUNT] = n + np.uint64(1)

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
        self._again = np.zeros((TASKS + len(board.cpus)) * DEPTH, np.uint64)
        self._logs = []
        for cpu in board.cpus:
            log = np.zeros(HEAD + 2 * ENTRIES, np.uint64)
            log[:15] = [
                0, 0, self._map.ctypes.data, first, last, machine.kernel.host_address(machine.kernel.hot_areas[cpu.index]),
                image.offset("pcpu_hot.current_task"), image.offset("pcpu_hot.preempt_count"), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map, cpu.env, self._again.ctypes.data, TASKS + cpu.index,
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
