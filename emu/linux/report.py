# SPDX-License-Identifier: GPL-2.0-only
"""What a Linux guest's CPUs do, in terms of its kernel: for errors and for a debugger's view.

Without the kernel's unwinding tables, a backtrace has every word on the stack that may be a return address, which Linux marks
with `?`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from emu.cpu.cpu import Cpu
from emu.linux import arch
from emu.linux.symbols import NoSymbols, Symbols

__all__ = ["Report"]

_STACK = 16 << 10  # bytes of a task's stack
_MOST_CALLS = 32


class Report:
    """Describes CPUs.

    Args:
        symbols: finds the kernel's symbols, when they are needed first.
    """

    def __init__(self, symbols: Callable[[], Symbols]) -> None:
        self._find = symbols

    @cached_property
    def _symbols(self) -> Symbols | None:
        try:
            return self._find()
        except (NoSymbols, OSError, ValueError):
            return None

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, or the plain address."""
        return f"{address:#x}" if self._symbols is None else self._symbols.lookup(address)

    def function_at(self, address: int) -> int | None:
        """Where the function at an address begins."""
        found = None if self._symbols is None else self._symbols.at(address)
        return None if found is None else address - found[1]

    def read(self, cpu: Cpu, address: int, size: int) -> bytes:
        """Memory as a CPU sees it.

        Raises:
            LookupError: it is not mapped.
        """
        return cpu.read(address, size)

    def activity(self, cpu: Cpu) -> str:
        """One line: `kernel`, `user mode`, `asleep` or `off`, and the place."""
        if not cpu.running:
            return "off"
        if cpu.in_user_mode:
            return f"user mode, {cpu.pc:#x}"
        mode = "asleep" if cpu.halted else "kernel"
        return f"{mode}, {self.describe(cpu.pc)}{', interrupts off' * cpu.irqs_off}"

    def where(self, why: str, cpus: Sequence[Cpu]) -> str:
        """A sentence, followed by what each CPU does."""
        return "\n".join([why, *(f"CPU {cpu.index}: {self.activity(cpu)}" for cpu in cpus)])

    def panic(self, cpu: Cpu) -> list[str]:
        """The registers of a CPU that panics, three per line, and its backtrace."""
        values = {name: value for name, value in cpu.registers().items() if name not in ("rip", "rflags")}
        width = max(map(len, values))
        rest = [f"{register:>{width}} {value:016x}" for register, value in values.items()]
        lines = [f"  ip {cpu.pc:016x}  {self.describe(cpu.pc)}"]
        lines += [" ".join(rest[n : n + 3]) for n in range(0, len(rest), 3)]
        return [*lines, "backtrace:", f"  {self.describe(cpu.pc)}", *(f"  {call}" for call in self._calls(cpu))]

    def _calls(self, cpu: Cpu) -> Iterator[str]:
        """The words on the stack that are return addresses in the kernel, innermost first."""
        if self._symbols is None:
            return
        stack = cpu.registers()["rsp"]
        found = 0
        for place in range(stack, -(-(stack + 1) // _STACK) * _STACK, 8):
            try:
                value = int.from_bytes(cpu.read(place, 8), "little")
            except LookupError:
                return
            if found < _MOST_CALLS and self._returns_there(cpu, value):
                found += 1
                yield f"{'' if found == 1 else '? '}{self.describe(value)}"

    def _returns_there(self, cpu: Cpu, address: int) -> bool:
        """Whether a call comes before an address of the kernel's text."""
        assert self._symbols is not None
        where = self._symbols.at(address)
        if where is None or where[1] == 0:
            return False
        try:
            return arch.ends_with_call(cpu.read(address - arch.LONGEST_CALL, arch.LONGEST_CALL))
        except LookupError:
            return False
