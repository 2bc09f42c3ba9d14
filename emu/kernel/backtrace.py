# SPDX-License-Identifier: GPL-2.0-only
"""Registers and backtraces of the guest kernel, with names, for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu
    from emu.kernel.kernel import Kernel

__all__ = ["ResolveReturn", "lines", "name", "registers"]

# (task, address of the stack slot, what it holds) -> the real return address, where tracing has replaced it
ResolveReturn = Callable[[int, int, int], int]

_DEEPEST = 64
_SHOWN = ("ip", "sp", "flags", "ax", "bx", "cx", "dx", "si", "di", "bp", *(f"r{n}" for n in range(8, 16)))


def name(kernel: Kernel, address: int) -> str:
    """`function+0xoffset/0xsize`, or the bare address."""
    function = kernel.image.function_at(address)
    if function is None:
        return f"{address:#x}"
    return f"{function.name}+{address - function.address:#x}/{function.size:#x}"


def _values(kernel: Kernel, cpu: Cpu, saved: int) -> dict[str, int]:
    """Register values: a saved struct pt_regs, or the CPU's own if `saved` is 0."""
    if saved == 0:
        return dict(cpu.registers())
    return {register: kernel.member(saved, f"pt_regs.{register}") for register in _SHOWN}


def registers(kernel: Kernel, cpu: Cpu, saved: int) -> Iterator[str]:
    """Lines that show the registers, three to a line."""
    values = _values(kernel, cpu, saved)
    yield f"  ip {values['ip']:016x}  {name(kernel, values['ip'])}"
    rest = [f"{register:>5} {values[register]:016x}" for register in _SHOWN[1:]]
    for n in range(0, len(rest), 3):
        yield " ".join(rest[n : n + 3])


def lines(kernel: Kernel, cpu: Cpu, saved: int) -> Iterator[str]:
    """The chain of callers by frame pointers, innermost first."""
    values = _values(kernel, cpu, saved)
    task = kernel.tasks.current(cpu) if cpu.index in kernel.hot_areas else 0
    yield f"  {name(kernel, values['ip'])}"
    frame, last = values["bp"], 0
    for _ in range(_DEEPEST):
        if frame <= last or frame % 8:
            return
        try:
            following, caller = kernel.read_word(frame), kernel.read_word(frame + 8)
        except LookupError:
            return
        caller = kernel.resolve_return(task, frame + 8, caller)
        if kernel.image.function_at(caller) is None:
            return
        yield f"  {name(kernel, caller)}"
        frame, last = following, frame
