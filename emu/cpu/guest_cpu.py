# SPDX-License-Identifier: GPL-2.0-only
"""A CPU of a booted machine, with a debugger's view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from emu.cpu.cpu import Cpu
from emu.cpu.disassembly import Instruction, disassemble

__all__ = ["CpuView", "GuestCpu"]

_AROUND = 5  # instructions printed before and after the program counter
_LONGEST = 16  # bytes of an instruction, of any architecture


class CpuView(Protocol):
    """What is known of the kernel that runs on a CPU."""

    def activity(self, cpu: Cpu) -> str:
        """One line that says what the CPU does."""

    def describe(self, address: int) -> str:
        """An address of the kernel, as `function+0xoffset/0xsize`."""

    def function_at(self, address: int) -> int | None:
        """The address of the function that contains an address of the kernel; None: none is known."""

    def read(self, cpu: Cpu, address: int, size: int) -> bytes:
        """Memory of the kernel, or of a program as the CPU sees it.

        Raises:
            LookupError: it is not mapped.
        """


class GuestCpu:
    """What a CPU is doing, in terms of the kernel. All attributes are looked up when they are read.

    >>> machine.cpus[1]
    <CPU 1: busy-17, kernel, upcall_stop_machine+0x12/0x1c, interrupts off>

    Args:
        cpu: the CPU.
        view: what is known of the kernel that runs on it.
        step: executes one instruction of the CPU, as Kernel.step.
        check: raises if the machine is closed.

    Attributes:
        index: the CPU's number.

    Raises, from everything except `index`:
        ValueError: the machine is closed.
    """

    def __init__(self, cpu: Cpu, view: CpuView, step: Callable[[Cpu], bool], check: Callable[[], None]) -> None:
        self.index = cpu.index
        self._open_cpu = cpu
        self._view = view
        self._step = step
        self._check = check

    def __repr__(self) -> str:
        return f"<CPU {self.index}: {self.activity}>"

    @property
    def _cpu(self) -> Cpu:
        """The CPU, whose registers are in memory that a closed machine has freed."""
        self._check()
        return self._open_cpu

    @property
    def activity(self) -> str:
        """One line: the task, `kernel`, `user mode`, `asleep` or `off`, the place, and what patching awaits from the CPU."""
        return self._view.activity(self._cpu)

    @property
    def registers(self) -> Mapping[str, int]:
        """The integer registers, by the disassembler's names, then those of the CPU's state: flags, modes, windows."""
        return self._cpu.registers()

    @property
    def pc(self) -> int:
        """The address of the next instruction."""
        return self._cpu.pc

    @property
    def symbol(self) -> str:
        """`pc` as `function+0xoffset/0xsize`; the plain address in a program."""
        return f"{self.pc:#x}" if self._cpu.in_user_mode else self._view.describe(self.pc)

    @property
    def cycles(self) -> int:
        """The CPU's clock."""
        return self._cpu.cycles

    def step(self) -> bool:
        """Executes one instruction, while the other CPUs and their clocks stand still.

        A pending interrupt comes first: the instruction is then the first one of its handler. A sleeping CPU first sleeps until
        its next interrupt. For an instruction with a `rep` prefix, one repetition is executed. The instruction is the one in
        memory, even where a running CPU would use an old translation.

        Returns:
            False if the CPU is off, or sleeps and nothing will wake it. Then nothing has happened.

        Raises:
            GuestPanic, PoweredOff: as Machine.run.
        """
        return self._step(self._cpu)

    @property
    def disassembly(self) -> str:
        """The instructions around `pc`, which is marked, in lines like objdump's."""
        pc = self.pc
        instructions = list(self._around(pc))
        width = max((len(one.code) for one in instructions), default=0) * 3
        lines = [f"{self.symbol}:"]
        for one in instructions:
            mark = "=>" if one.address == pc else "  "
            lines.append(f"{mark} {one.address:>16x}:  {one.code.hex(' '):<{width}} {one.text}")
        return "\n".join(lines)

    def _around(self, pc: int) -> Iterator[Instruction]:
        """The instructions around `pc`. Earlier ones are known only in a function of the kernel."""
        arch = self._cpu.board.arch
        start = None if self._cpu.in_user_mode else self._view.function_at(pc)
        if start is not None:
            yield from disassemble(arch, self._read(start, pc - start), start)[-_AROUND:]
        yield from disassemble(arch, self._read(pc, (_AROUND + 1) * _LONGEST), pc)[: _AROUND + 1]

    def _read(self, address: int, size: int) -> bytes:
        """Up to `size` bytes of the kernel, or of a program as the CPU sees it; fewer where memory is not mapped."""
        page = self._cpu.board.arch.page_size
        found = b""
        while len(found) < size:
            at = address + len(found)
            try:
                found += self._view.read(self._cpu, at, min(size - len(found), page - at % page))
            except LookupError:
                break
        return found
