# SPDX-License-Identifier: GPL-2.0-only
"""An independent log of task switches: a block hook of its own notes when the CPU's current task changes."""

from __future__ import annotations

import functools
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.machine import Machine
from emu.native.functions import Compiled, Native
from emu.native.records import GuestRecord, Layouts, Record, Records, Shape, inline, u32, u64
from tests.lib.cpu_logs import CpuLogs
from tests.lib.event_entries import Entry

__all__ = ["Switch", "SwitchLog", "told"]

_ENTRIES = 100_000


class Hot(GuestRecord):
    """struct pcpu_hot"""

    current_task: u64


class Task(GuestRecord):
    """struct task_struct"""

    pid: u32


class Row(Record):
    """A switch, with the fields of `Switch`."""

    time: u64
    before: u64
    after: u64


class Log(Record):
    """The log of a CPU."""

    on: bool
    count: u64
    task: u64  # the current one, and its pid
    pid: u64
    cpu: Cpu
    hot: Hot
    direct: u64  # host address minus guest address, in the direct map and in the kernel map
    kernel: u64
    kernel_start: u64
    rows: Records[Row] = inline(_ENTRIES)


class Switch(NamedTuple):
    """A change of a CPU's current task."""

    time: int  # in cycles, of the first block that the new task executes
    before: int  # pid
    after: int


def told(recorded: list[Entry]) -> list[tuple[int, int]]:
    """The switches of a CPU according to sched_switch: the pids before and after each."""
    return [(int(e.fields["prev_pid"]), int(e.fields["next_pid"])) for e in recorded if e.name == "sched_switch"]


@functools.cache
def _logger(byte_order: str, current_task: int, pid: int) -> Compiled[[u64, u64, u32, Log], None]:
    shapes = {Hot: Shape({"current_task": current_task}, byte_order=byte_order), Task: Shape({"pid": pid}, byte_order=byte_order)}

    @Native(Layouts(shapes)).callback
    def log(uc: u64, address: u64, size: u32, log: Log) -> None:
        task = log.hot.current_task
        if task == log.task:
            return
        pid = Task(task + (log.kernel if task >= log.kernel_start else log.direct)).pid
        if log.on and log.count < _ENTRIES:
            row = log.rows[log.count]
            row.time, row.before, row.after = log.cpu.cycles, log.pid, pid
            log.count += 1
        log.task, log.pid = task, pid

    return log


class SwitchLog(CpuLogs):
    """The switches on every CPU of a machine, logged while `on`."""

    def __init__(self, machine: Machine) -> None:
        kernel, board, image = machine.kernel, machine.board, machine.kernel.image
        self._hook = _logger(board.arch.byte_order, image.offset("pcpu_hot.current_task"), image.offset("task_struct.pid"))
        self._logs = []
        for cpu in board.cpus:
            hot, log = kernel.hot_areas[cpu.index], Log.allocate()
            log.cpu, log.hot = cpu.record, Hot(kernel.memory.host_address(hot))
            log.task = kernel.memory.member(hot, "pcpu_hot.current_task")
            log.pid = kernel.memory.member(log.task, "task_struct.pid")
            log.direct = board.ram_address - board.arch.direct_map
            log.kernel, log.kernel_start = board.ram_address - board.arch.kernel_map, board.arch.kernel_map
            cpu.watch_blocks(self._hook.address, log.address)
            self._logs.append(log)

    def switches(self, cpu: int) -> list[Switch]:
        """All switches, in order."""
        log = self._logs[cpu]
        assert log.count < _ENTRIES, "the log is full"
        rows = (log.rows[n] for n in range(log.count))
        return [Switch(row.time, row.before, row.after) for row in rows]
