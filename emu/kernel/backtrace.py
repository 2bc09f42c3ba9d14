# SPDX-License-Identifier: GPL-2.0-only
"""Registers and backtraces of the guest kernel, with names, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu
    from emu.kernel.kernel import Kernel

__all__ = ["ResolveReturn", "lines", "registers", "task"]

# (task, what stands for a call, its return address as it is found) -> the real one, where tracing has replaced it
ResolveReturn = Callable[[int, int, int], int]

_DEEPEST = 4096  # as many calls as a stack has room for, and more
_INNERMOST, _OUTERMOST = 64, 24  # of a longer chain, so many calls are shown


def task(kernel: Kernel, cpu: Cpu) -> Iterator[str]:
    """A line that says which task the CPU runs; none before the kernel has said where it keeps that."""
    if cpu.index in kernel.hot_areas:
        current = kernel.tasks.current(cpu)
        yield f"  task {kernel.tasks.comm(current)}, pid {kernel.tasks.pid(current)}"


def registers(kernel: Kernel, cpu: Cpu, saved: int) -> Iterator[str]:
    """Lines that show the registers, three to a line. `saved`: address of a struct pt_regs; 0: the CPU's own."""
    values = dict(kernel.arch.registers(kernel, cpu, saved))
    ip = values.pop("ip")
    yield f"  ip {ip:016x}  {kernel.describe(ip)}"
    width = max(map(len, values))
    rest = [f"{register:>{width}} {value:016x}" for register, value in values.items()]
    for n in range(0, len(rest), 3):
        yield " ".join(rest[n : n + 3])


def lines(kernel: Kernel, cpu: Cpu, saved: int) -> Iterator[str]:
    """The chain of callers, innermost first; of one that is very long, both ends."""
    values = kernel.arch.registers(kernel, cpu, saved)
    task = kernel.tasks.current(cpu) if cpu.index in kernel.hot_areas else 0
    chain = [values["ip"]]
    for frame, address in islice(kernel.arch.callers(kernel, cpu, values), _DEEPEST):
        caller = kernel.resolve_return(task, frame, address)
        if not kernel.is_code(caller):
            break
        chain.append(caller)
    hidden = max(0, len(chain) - _INNERMOST - _OUTERMOST)
    for caller in chain[:_INNERMOST]:
        yield f"  {kernel.describe(caller)}"
    if hidden:
        yield f"  ... {hidden} more"
    for caller in chain[_INNERMOST + hidden :]:
        yield f"  {kernel.describe(caller)}"
