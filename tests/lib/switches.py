# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of task switches: a block hook of its own notes when another task is the CPU's current one."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types

from emu.cpu.native.cpu_records import Cpu
from emu.machine import Machine
from emu.native.pointers import in_byte_order, load_u64
from emu.native.records import HOST
from tests.lib.event_entries import Entry

__all__ = ["Switch", "SwitchLog", "told"]

_ENTRIES = 100_000
# Words of a log's head: on, entries, the current task and its pid, the address of the CPU's pointer to that task, offset of pid
# in a task, what the direct and the kernel map are moved by, where the latter starts, the CPU's clock.
_ON, _COUNT, _TASK, _PID, _CURRENT, _PID_OFFSET, _DIRECT, _KERNEL, _KERNEL_START, _CLOCK = range(10)
_HEAD = 10
_ROW = 3  # words of an entry: those of a Switch

_signature = types.void(types.uint64, types.uint64, types.uint32, types.voidptr)


class Switch(NamedTuple):
    """Another task has become a CPU's current one."""

    time: int  # in cycles, of the first block that the task executes
    before: int  # pid
    after: int


def told(recorded: list[Entry]) -> list[tuple[int, int]]:
    """What sched_switch says of a CPU's switches: pids before and after each."""
    return [(int(e.fields["prev_pid"]), int(e.fields["next_pid"])) for e in recorded if e.name == "sched_switch"]


@functools.cache
def _logger(byte_order: Any) -> Any:
    guest = in_byte_order(byte_order)
    guest_u32, guest_u64 = guest.load_u32, guest.load_u64

    @numba.cfunc(_signature)
    def log(uc, address, size, user):
        head = carray(user, (_HEAD + _ROW * _ENTRIES,), dtype=np.uint64)
        task = guest_u64(head[_CURRENT])
        if task == head[_TASK]:
            return
        place = task + (head[_KERNEL] if task >= head[_KERNEL_START] else head[_DIRECT])
        pid = np.uint64(guest_u32(place + head[_PID_OFFSET]))
        n = head[_COUNT]
        if head[_ON] != 0 and n < _ENTRIES:
            row = _HEAD + _ROW * n
            head[row], head[row + 1], head[row + 2] = load_u64(head[_CLOCK]), head[_PID], pid
            head[_COUNT] = n + np.uint64(1)
        head[_TASK], head[_PID] = task, pid

    return log


class SwitchLog:
    """The switches on every CPU of a machine while `on`."""

    def __init__(self, machine: Machine) -> None:
        kernel, board, image = machine.kernel, machine.board, machine.kernel.image
        self._hook = _logger(board.arch.byte_order)
        self._logs = []
        for cpu in board.cpus:
            hot = kernel.hot_areas[cpu.index]
            task = kernel.memory.member(hot, "pcpu_hot.current_task")
            log = np.zeros(_HEAD + _ROW * _ENTRIES, np.uint64)
            log[:_HEAD] = [
                0, 0, task, kernel.memory.member(task, "task_struct.pid"),
                kernel.memory.host_address(hot + image.offset("pcpu_hot.current_task")), image.offset("task_struct.pid"),
                (board.ram_address - board.arch.direct_map) % 2**64, (board.ram_address - board.arch.kernel_map) % 2**64,
                board.arch.kernel_map, cpu.record.address + HOST.fields(Cpu)["cycles"].offset,
            ]  # fmt: skip
            cpu.watch_blocks(self._hook.address, log.ctypes.data)
            self._logs.append(log)

    @property
    def on(self) -> bool:
        return bool(self._logs[0][_ON])

    @on.setter
    def on(self, value: bool) -> None:
        for log in self._logs:
            log[_ON] = value

    def clear(self) -> None:
        """Forgets what has been logged."""
        for log in self._logs:
            log[_COUNT] = 0

    def switches(self, cpu: int) -> list[Switch]:
        """Every switch, in order."""
        log = self._logs[cpu]
        count = int(log[_COUNT])
        assert count < _ENTRIES, "the log is full"
        return [Switch(*row) for row in log[_HEAD : _HEAD + _ROW * count].reshape(count, _ROW).tolist()]
