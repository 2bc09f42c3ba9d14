# SPDX-License-Identifier: GPL-2.0-only
"""What a debugger can ask of emu's own kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from emu.ftrace.guest.reports import GuestReports
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.gdb.callers import Callers
from emu.gdb.monitor import Views
from emu.gdb.task_threads import Waiting, WaitingTask
from emu.kernel.kernel import Kernel
from emu.machine.module_symbols import ModuleSymbols

__all__ = ["views_of"]

_TRAMPOLINES = "return_to_handler", "arch_rethook_trampoline"


def views_of(
    kernel: Kernel, ftrace: PatchedFtrace, reports: GuestReports, trace: Callable[[str], Iterator[bytes]]
) -> Views:
    """The views of a machine. `ftrace`: patches its call sites. `reports`: handles what it reports. `trace`: as Views.trace."""
    driver = ftrace.driver

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

    def waiting() -> Iterator[WaitingTask]:
        known = kernel.tasks
        running = set(known.running().values())
        for task in known:
            if task not in running and (pid := known.pid(task)):  # the idle tasks have no number of their own
                yield WaitingTask(pid, known.comm(task), task)

    def saved(task: WaitingTask) -> Mapping[str, int]:
        return kernel.arch.switched_out(kernel.memory, task.address)

    callers = _callers(kernel, reports, ftrace.arch.return_offset)
    return Views(trace, tasks, patching, ModuleSymbols(kernel), callers, waiting=Waiting(waiting, saved))


def _callers(kernel: Kernel, reports: GuestReports, before: int) -> Callers:
    """`before`: see FtraceArch.return_offset."""

    def real_return(frame: int, pc: int) -> int:
        address = pc - before
        running = kernel.tasks.running().values()
        for task in (*running, *(task for task in kernel.tasks if task not in running)):
            if (real := reports.resolve_return(task, frame, address)) != address:
                return real + before
        return pc

    def caller(registers: Mapping[str, int]) -> Mapping[str, int] | None:
        with suppress(LookupError):
            found = kernel.arch.caller(kernel.memory, registers)
            function = kernel.image.function_at(registers["ip"])
            if found and function in trampolines and function is not None and found["ip"] == function.address:
                ip = real_return(found["sp"], found["ip"])  # nothing has called a trampoline that has made its frame
                return {**found, "ip": ip, "npc": ip + 4}
            return found
        return None

    trampolines = [kernel.image.function_at(kernel.image.symbol(name)) for name in _TRAMPOLINES]
    # Behind the first instruction, a trampoline that returns with an offset is in a register window of its own.
    places = [range(one.address, one.address + (1 if before else one.size)) for one in trampolines if one is not None]
    return Callers(places, real_return, caller)
