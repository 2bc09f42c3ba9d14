# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of every entry of every traceable function, made by a block hook of its own."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numba import carray, cfunc, types

from emu.cpu.arch.x86_64.state import layout
from emu.machine import Machine
from emu.native.pointers import load_u32, load_u64

ENTRIES = 2_000_000
# Words of a log's head: on, entries, address of the site map, its first and last address, of the per-CPU area,
# offsets of current_task and preempt_count there, of pid in a task; what the direct and the kernel map are moved by;
# where the latter starts; of the flags register.
ON, COUNT, MAP, FIRST, LAST, HOT, CURRENT, PREEMPT, PID, DIRECT, KERNEL, KERNEL_START, FLAGS = range(13)
HEAD = 16

_signature = types.void(types.uint64, types.uint64, types.uint32, types.voidptr)


@cfunc(_signature)
def _log(uc, address, size, user):
    head = carray(user, (HEAD + 2 * ENTRIES,), dtype=np.uint64)
    if head[ON] == 0 or address < head[FIRST] or address > head[LAST]:
        return
    if load_u32(head[MAP] + (address - head[FIRST]) * np.uint64(4)) == 0:
        return
    n = head[COUNT]
    if n >= ENTRIES:
        return
    task = load_u64(head[HOT] + head[CURRENT])
    task += head[KERNEL] if task >= head[KERNEL_START] else head[DIRECT]
    pid = np.uint64(load_u32(task + head[PID]))
    count = np.uint64(load_u32(head[HOT] + head[PREEMPT]))
    head[HEAD + 2 * n] = address
    irqs_off = np.uint64(load_u32(head[FLAGS]) & np.uint32(0x200) == 0)
    head[HEAD + 2 * n + 1] = irqs_off << np.uint64(63) | (count & np.uint64(0xFFFFFF)) << np.uint64(32) | pid
    head[COUNT] = n + np.uint64(1)


class Witness:
    """Logs entries on every CPU of a machine while `on`."""

    def __init__(self, machine: Machine) -> None:
        image, board = machine.kernel.image, machine.board
        first, last = int(image.sites[0]), int(image.sites[-1])
        self._map = np.zeros(last - first + 1, np.uint32)
        self._map[(image.sites - np.uint64(first)).astype(int)] = 1
        self._logs = []
        for cpu in board.cpus:
            log = np.zeros(HEAD + 2 * ENTRIES, np.uint64)
            log[:13] = [
                0, 0, self._map.ctypes.data, first, last, machine.kernel.host_address(machine.kernel.hot_areas[cpu.index]),
                image.offset("pcpu_hot.current_task"), image.offset("pcpu_hot.preempt_count"), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map, cpu.env + layout().env_eflags,
            ]  # fmt: skip
            cpu.watch_blocks(_log.address, log.ctypes.data)
            self._logs.append(log)

    @property
    def on(self) -> bool:
        return bool(self._logs[0][ON])

    @on.setter
    def on(self, value: bool) -> None:
        for log in self._logs:
            log[ON] = value

    def entries(self, cpu: int) -> list[Entry]:
        """Every entry, in order."""
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
