# SPDX-License-Identifier: GPL-2.0-only
"""Reports of where the guest kernel is: its tasks, registers and backtraces, with function names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, islice

import numpy as np

from emu.cpu.cpu import Cpu
from emu.cpu.disassembly import disassemble
from emu.kernel.arch import KernelArch
from emu.kernel.host_calls import host_call, put, string
from emu.kernel.memory import GuestMemory
from emu.kernel.symbols import Symbols
from emu.kernel.tasks import Tasks
from emu.kernel.tracing import Tracing

__all__ = ["Reports", "cpu_list"]

_HOST_CALL = "hostcall"  # the function that makes host calls (docs/board.md)
_DEEPEST = 4096  # more calls than fit on a stack
_INNERMOST, _OUTERMOST = 64, 24  # how many calls of a longer chain are printed


class Reports:
    """Makes reports of panics and of what CPUs execute, and passes the kernel's warnings to `warn`, one text each.

    In all methods `saved` is the address of a struct pt_regs; 0 means the CPU's own registers.
    """

    def __init__(
        self, arch: KernelArch, memory: GuestMemory, tasks: Tasks, symbols: Symbols, tracing: Tracing, warn: Callable[[str], None]
    ) -> None:
        self._arch = arch
        self._memory = memory
        self._tasks = tasks
        self._symbols = symbols
        self._tracing = tracing
        self._warn = warn

    def cpus(self, cpus: Iterable[Cpu]) -> Iterator[str]:
        """A line for each CPU about what it executes, and where. CPUs with equal text share a line."""
        said: dict[str, list[int]] = {}
        for cpu in cpus:
            said.setdefault(self.activity(cpu), []).append(cpu.index)
        for text, numbers in said.items():
            yield f"{'CPUs' if len(numbers) > 1 else 'CPU'} {cpu_list(numbers)}: {text}"

    def activity(self, cpu: Cpu) -> str:
        """What a CPU executes, and where: `sh-16, kernel, vfs_read+0x12/0x90, interrupts off`."""
        if not cpu.running:
            return "off"
        words = [self._name(cpu), "asleep" if cpu.halted else "user mode" if cpu.in_user_mode else "kernel"]
        words.append(f"{cpu.pc:#x}" if cpu.in_user_mode else self._symbols.describe(self._place(cpu)))
        if cpu.irqs_off:
            words.append("interrupts off")
        if waited_for := self._tracing.waits_for(cpu):
            words.append(waited_for)
        return ", ".join(words)

    def _name(self, cpu: Cpu) -> str:
        """The task on a CPU, named as in traces."""
        try:
            task = self._tasks.find_current(cpu)
            if task is None:
                return "booting"
            pid = self._tasks.pid(task)
            return f"{self._tasks.comm(task)}-{pid}" if pid else "idle"
        except LookupError:
            return "no task"

    def _place(self, cpu: Cpu) -> int:
        """A CPU's program counter in the kernel; during a host call, the place of the call."""
        return next(self._calling(cpu), cpu.pc)

    def _calling(self, cpu: Cpu) -> Iterator[int]:
        """`_chain` of a CPU that may be in a host call, starting at the place of the call."""
        return dropwhile(self._makes_host_call, self._chain(cpu, 0))

    def _makes_host_call(self, address: int) -> bool:
        found = self._symbols.function_at(address)
        return found is not None and found[0].name == _HOST_CALL

    def panic(self, cpu: Cpu, message: str, saved: int) -> str:
        """Why the kernel panicked, with its task, registers and backtrace."""
        head = f"guest panic on CPU {cpu.index}: {message}"
        return "\n".join([head, *self._task(cpu), *self._registers(cpu, saved), "backtrace:", *self._calls(cpu, saved)])

    @host_call
    def bug(self, cpu: Cpu, message: int, saved: int) -> int:
        """Warns of a bug in the kernel, which continues."""
        self._warn("\n".join([f"guest warning on CPU {cpu.index}: {string(cpu, message)}", *self._calls(cpu, saved)]))
        return 0

    @host_call
    def show_regs(self, cpu: Cpu, saved: int, text: int, size: int, oops: int) -> int:
        """Stores lines for the kernel's own report: saved registers, if any, and backtrace. Warns of an oops."""
        lines = [*(self._registers(cpu, saved) if saved else ()), "Call Trace:", *self._calls(cpu, saved)]
        if oops:
            self._warn("\n".join([f"guest oops on CPU {cpu.index}", *self._task(cpu), *lines]))
        return put(cpu, text, "\n".join(lines).encode()[:size])

    @host_call
    def stack_trace_save(self, cpu: Cpu, address: int, most: int) -> int:
        """Stores the place of the host call and the return addresses of the calls under way, innermost first: at most `most`.

        Returns their number.
        """
        calls = list(islice(self._calling(cpu), min(most, _DEEPEST)))
        order = self._memory.image.byte_order
        stored = put(cpu, address, np.array(calls, f"{order}u8").tobytes())
        return stored if stored < 0 else len(calls)

    @host_call
    def disassemble(self, cpu: Cpu, address: int, buffer: int, length: int, size: int) -> int:
        """Replaces an instruction's bytes by its disassembly. `address`: where the instruction would be executed."""
        code = cpu.read(buffer, length)
        return put(cpu, buffer, disassemble(cpu.board.arch, code, address)[0].text.encode()[:size])

    def _task(self, cpu: Cpu) -> Iterator[str]:
        """A line about the task on the CPU; none before the kernel has reported its struct pcpu_hot."""
        task = self._tasks.find_current(cpu)
        if task is not None:
            yield f"  task {self._tasks.comm(task)}, pid {self._tasks.pid(task)}"

    def _registers(self, cpu: Cpu, saved: int) -> Iterator[str]:
        """Lines with the registers, three per line."""
        values = dict(self._arch.registers(self._memory, cpu, saved))
        ip = values.pop("ip")
        yield f"  ip {ip:016x}  {self._symbols.describe(next(self._chain(cpu, saved)))}"
        width = max(map(len, values))
        rest = [f"{register:>{width}} {value:016x}" for register, value in values.items()]
        for n in range(0, len(rest), 3):
            yield " ".join(rest[n : n + 3])

    def _chain(self, cpu: Cpu, saved: int) -> Iterator[int]:
        """The program counter, and the return addresses of the calls under way, innermost first."""
        values = dict(self._arch.registers(self._memory, cpu, saved))
        task = self._tasks.find_current(cpu) or 0
        real = partial(self._tracing.resolve_return, task)
        values["ip"] = real(0, values["ip"])
        yield values["ip"]
        for caller in islice(self._arch.callers(self._memory, cpu, values, real), _DEEPEST):
            if not self._symbols.is_code(caller):
                return
            yield caller

    def _calls(self, cpu: Cpu, saved: int) -> Iterator[str]:
        """The lines of the backtrace, innermost call first; of a very long one, only both ends."""
        chain = list(self._chain(cpu, saved))
        hidden = max(0, len(chain) - _INNERMOST - _OUTERMOST)
        for caller in chain[:_INNERMOST]:
            yield f"  {self._symbols.describe(caller)}"
        if hidden:
            yield f"  ... {hidden} more"
        for caller in chain[_INNERMOST + hidden :]:
            yield f"  {self._symbols.describe(caller)}"


def cpu_list(numbers: Sequence[int]) -> str:
    """Ascending numbers in Linux's format for lists of CPUs: `0,2-5`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)
