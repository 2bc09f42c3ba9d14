# SPDX-License-Identifier: GPL-2.0-only
"""What a debugger can ask of emu's own kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from emu.gdb.monitor import Views

if TYPE_CHECKING:
    from emu.machine.machine import Machine

__all__ = ["views_of"]


def views_of(machine: Machine) -> Views:
    """The views of a machine."""

    def tasks() -> Iterator[str]:
        known = machine.kernel.tasks
        running = {task: index for index, task in known.running().items()}
        yield f"{'PID':>6} {'TGID':>6} {'CPU':>4} {'task_struct':18} NAME"
        for task in known:
            cpu = str(running[task]) if task in running else "-"
            yield f"{known.pid(task):6} {known.tgid(task):6} {cpu:>4} {task:#018x} {known.comm(task)}"

    def patching() -> Iterator[str]:
        driver = machine.patching
        yield repr(driver)
        for step in driver.steps:
            yield f"  {step}"
        for cpu in machine.board.cpus:
            if (awaited := driver.waits_for(cpu.index)) is not None:
                yield f"  CPU {cpu.index} {awaited}"

    return Views(machine.tracefs.read_pieces, tasks, patching)
