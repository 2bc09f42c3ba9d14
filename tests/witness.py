# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of every entry of every traceable function, made by a block hook of its own."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numba import carray, cfunc, types

from emu.machine import Machine
from emu.native.pointers import load_u32, load_u64

ENTRIES = 2_000_000
# Words of a log's head: on, entries, address of the site map, its first and last address, of the per-CPU area,
# offsets of current_task and preempt_count there, of pid in a task; what the direct and the kernel map are moved by;
# where the latter starts.
ON, COUNT, MAP, FIRST, LAST, HOT, CURRENT, PREEMPT, PID, DIRECT, KERNEL, KERNEL_START = range(12)
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
    head[HEAD + 2 * n + 1] = (count & np.uint64(0xFFFF00)) << np.uint64(32) | pid
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
            log[:12] = [
                0, 0, self._map.ctypes.data, first, last, machine.kernel.host_address(machine.kernel.hot_areas[cpu.index]),
                image.offset("pcpu_hot.current_task"), image.offset("pcpu_hot.preempt_count"), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map,
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

    def entries(self, cpu: int) -> list[tuple[int, int, int]]:
        """(address, pid, softirq/hardirq/NMI bits of preempt_count) of every entry, in order."""
        log = self._logs[cpu]
        count = int(log[COUNT])
        assert count < ENTRIES, "the witness's log is full"
        rows = log[HEAD : HEAD + 2 * count].reshape(count, 2)
        return [(int(a), int(c) & 0xFFFFFFFF, int(c) >> 32 & 0xFFFF00) for a, c in rows]


def by_context(entries: list[tuple[int, int, int]]) -> dict[tuple[int, int], list[int]]:
    """The addresses of each context (pid, interrupt level), in order.

    An interrupt may come between a function's first instruction, which the witness sees, and the record of it. So
    what one context does is in the same order in both logs, and two contexts may be merged differently.
    """
    contexts: dict[tuple[int, int], list[int]] = defaultdict(list)
    for address, pid, level in entries:
        contexts[pid, level].append(address)
    return dict(contexts)
