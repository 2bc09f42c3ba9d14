# SPDX-License-Identifier: GPL-2.0-only
"""What a debugger can ask of emu's own kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from emu.ftrace.sites.patching_driver import Driver
from emu.gdb.monitor import Views
from emu.kernel.kernel import Kernel

__all__ = ["views_of"]


def views_of(kernel: Kernel, driver: Driver, trace: Callable[[str], Iterator[bytes]]) -> Views:
    """The views of a machine. `driver`: patches its call sites. `trace`: as Views.trace."""

    def tasks() -> Iterator[str]:
        known = kernel.tasks
        running = {task: index for index, task in known.running().items()}
        yield f"{'PID':>6} {'TGID':>6} {'CPU':>4} {'task_struct':18} NAME"
        for task in known:
            cpu = str(running[task]) if task in running else "-"
            yield f"{known.pid(task):6} {known.tgid(task):6} {cpu:>4} {task:#018x} {known.comm(task)}"

    def patching() -> Iterator[str]:
        yield repr(driver)
        for step in driver.steps:
            yield f"  {step}"
        for cpu in kernel.board.cpus:
            if (awaited := driver.waits_for(cpu.index)) is not None:
                yield f"  CPU {cpu.index} {awaited}"

    return Views(trace, tasks, patching)
