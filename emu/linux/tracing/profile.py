# SPDX-License-Identifier: GPL-2.0-only
"""Counts for each function of a Linux guest, and for each program: of the cycles and instructions of all CPUs."""

from __future__ import annotations

import numpy as np

from emu.cpu.native.cpu_records import NEVER
from emu.ftrace.native.guest_records import Guest, Hot, Task
from emu.kernel.profile import Profile
from emu.linux.sites import every_function
from emu.linux.symbols import Symbols
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["LinuxProfile"]


class LinuxProfile(Profile):
    """The profile of a Linux guest. While it counts, every block calls the block hook.

    Args:
        kernel: the guest's kernel.
        symbols: its symbols.
        guest: the layout of its structures.
    """

    def __init__(self, kernel: LinuxKernel, symbols: Symbols, guest: Guest) -> None:
        found = every_function(symbols)
        names = dict(zip(found.begins.tolist(), found.names, strict=True))
        last = int(found.begins[-1])
        end = int(symbols.addresses[np.searchsorted(symbols.addresses, np.uint64(last), "right")])
        offset = guest.layouts.fields(Hot)["current_task"].offset
        tasks = {index: kernel.memory.host_address(area) + offset for index, area in kernel.hot_areas.items()}
        comm = guest.layouts.fields(Task)["comm"].offset
        super().__init__(kernel.board, names, end, comm=comm, current_tasks=tasks, name_of=kernel.symbols.name_of)

    def start(self) -> None:
        super().start()
        self._look(0, int(NEVER))

    def stop(self) -> None:
        super().stop()
        self._look(0, 0)

    def _look(self, start: int, end: int) -> None:
        self._board.callouts.look_at_blocks(start, end)
        for cpu in self._board.cpus:
            cpu.forget_all()
