# SPDX-License-Identifier: GPL-2.0-only
"""A board without a kernel, whose programs are made of an architecture's assembler templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu, CpuFault
from emu.cpu.devices import provide_devices
from emu.cpu.timing import STATIC
from emu.port.ladder import arch as templates_of
from emu.port.ladder.arch import HALT, HANDLER, RELAX, AssemblerTemplates
from emu.port.ladder.assembler import Program
from emu.port.ladder.board_memory import CODE, MEMORY, BoardMemory
from emu.port.ladder.rung import RungFailed, shown
from emu.port.ladder.showing import around

__all__ = ["IPI", "REPORT", "STOP", "TIMER", "BareBoard", "Taken"]

CODE_SIZE = 0x4000  # of each CPU's program, from CODE on
STACK, STACK_SIZE = 0xA0000, 0x4000  # physical: the end of CPU 0's
LOG = 0x200000  # physical, of the handler: the address of the next entry, and entries of three words

REPORT, STOP = 33, 60  # host calls that the ladder answers
TIMER, IPI, STALL = 5, 6, 9  # host calls of the board's devices
_TURNS = 200  # of about a twentieth of a second of host time
_LIMIT = 20_000_000  # cycles


class Taken(NamedTuple):
    """A trap that the handler has seen: its cause, the saved address, and the address that it is about."""

    cause: int
    place: int
    address: int


class Call(NamedTuple):
    """A host call that the ladder has answered."""

    cpu: int
    number: int
    first: int
    second: int


class BareBoard(BoardMemory):
    """A board of `cpus` CPUs that execute programs.

    Attributes:
        text: the templates.
        calls: the host calls REPORT and STOP so far.
    """

    def __init__(
        self,
        arch: str,
        cpus: int = 1,
        *,
        quantum: int = 1000,
        seed: int = 0,
        timing: str = STATIC,
        cpu_model: str | None = None,
    ) -> None:
        of_cpus = cpu_arch.load(arch)
        self.text: AssemblerTemplates = templates_of.load(arch)
        super().__init__(Board(of_cpus, cpus, MEMORY, quantum, seed, 1_000_000_000, timing, cpu_model))
        timer_vector = self.vector(1)
        provide_devices(
            self.board, timer=TIMER, ipi=IPI, stall=STALL, timer_vector=timer_vector, relax=RELAX, halt=HALT
        )
        self.calls: list[Call] = []
        self.programs: dict[int, Program] = {}
        self.text.prepare(self)
        self.word(LOG, self.virtual(LOG + 8))
        self.handler("")

    @property
    def cpu(self) -> Cpu:
        return self.board.cpus[0]

    def vector(self, number: int) -> int:
        """One of the interrupts that the CPUs have, 0 to 3."""
        return self.arch.vectors[-4:-1][number] if len(self.arch.vectors) > 3 else self.arch.vectors[number]

    # Programs

    def start(self, source: str, cpu: int = 0) -> Program:
        """Switches a CPU on at a program. Its registers 0 to 8 are not set."""
        at = CODE + cpu * CODE_SIZE
        begin = self.text.begin(self.virtual(STACK - cpu * STACK_SIZE))
        program = self.programs[cpu] = self.put(at, begin + "\nfirst:\n" + source)
        self.board.cpus[cpu].start(self.virtual(at), 0, 0)
        return program

    def handler(self, repair: str) -> None:
        """Writes the handler of all traps. It remembers the trap, executes `repair`, and returns: to the address in register
        3, which it clears, or, if that is 0, to the saved address.
        """
        text = self.text
        entries = "".join(text.store_word(8, register) + text.add(8, 8) for register in (4, 5, 6))
        self.put(
            HANDLER,
            text.load(7, self.virtual(LOG)) + text.load_word(8, 7) + entries + text.store_word(7, 8) + repair
            + text.jump_if_zero(3, "again") + text.resume_at(3) + text.load(3, 0)
            + "\nagain:\n" + text.return_from_trap(),
        )  # fmt: skip

    @property
    def taken(self) -> list[Taken]:
        """The traps that the handler has seen."""
        count = (self.read(LOG) - self.virtual(LOG + 8)) // 24
        return [Taken(*(self.read(LOG + 8 + n * 24 + field * 8) for field in range(3))) for n in range(count)]

    def report(self, *registers: int) -> str:
        """A host call that tells up to two registers."""
        arguments = "".join(self.text.argument(n, register) for n, register in enumerate(registers))
        return arguments + self.text.host_call(REPORT)

    def stop(self, register: int = 0) -> str:
        """The end of a program: a host call that tells a register, and a loop."""
        text = self.text
        return text.argument(0, register) + text.host_call(STOP) + "\nend:\n" + text.relax() + text.jump("end")

    # Running

    def run(
        self,
        cpus: int = 1,
        on_report: Callable[[Cpu, int], int] | None = None,
        limit: int = _LIMIT,
        why: str = "the program ends",
    ) -> None:
        """Runs until so many CPUs have come to STOP. `on_report`: answers REPORT, called with the CPU and the first argument.

        Raises:
            RungFailed: they do not.
        """

        def answer(cpu: Cpu, number: int, arguments: list[int]) -> None:
            self.calls.append(Call(cpu.index, number, arguments[0], arguments[1]))
            result = on_report(cpu, arguments[0]) if on_report is not None and number == REPORT else 0
            cpu.answer(result)

        self.board.limit = self.board.now + limit
        try:
            for _ in range(_TURNS):
                going = self.board.run(answer)
                if sum(call.number == STOP for call in self.calls) >= cpus:
                    return
                if not going:
                    break
        except CpuFault as fault:
            self.failed(why, str(fault), fault.cpu)
        waits = [cpu for cpu in self.board.cpus if not any(call.number == STOP and call.cpu == cpu.index for call in self.calls)]
        asleep = "sleeps for ever" if waits and waits[0].halted else f"has not ended after {limit:,} cycles"
        self.failed(why, f"CPU {waits[0].index if waits else 0} {asleep}, at {self._where(waits[0] if waits else self.cpu)}",
                    waits[0] if waits else self.cpu)  # fmt: skip

    def reports(self, cpu: int = 0) -> list[int]:
        """What a CPU has told: the first arguments."""
        return [call.first for call in self.calls if call.number == REPORT and call.cpu == cpu]

    @property
    def result(self) -> int:
        """What CPU 0 has told at its end."""
        return next(call.first for call in reversed(self.calls) if call.number == STOP and call.cpu == 0)

    # Failing

    def _where(self, cpu: Cpu) -> str:
        symbols = self.programs[cpu.index].symbols if cpu.index in self.programs else {}
        before = [(address, name) for name, address in symbols.items() if name and address <= cpu.pc]
        return f"{cpu.pc:#x}" + (f", behind the label `{max(before)[1]}`" if before else "")

    def failed(self, expected: str, seen: str, cpu: Cpu | None = None) -> NoReturn:
        """Fails, with a CPU's registers and code."""
        cpu = cpu or self.cpu
        registers, code = around(cpu)
        traps = [f"the handler has seen {len(self.taken)} traps, the last one: cause {self.taken[-1].cause:#x} at "
                 f"{self.taken[-1].place:#x}, about {self.taken[-1].address:#x}"] if self.taken else []  # fmt: skip
        raise RungFailed(expected, "\n".join((seen, *traps)), registers, code)

    def expect(self, what: str, expected: object, seen: object, cpu: Cpu | None = None) -> None:
        """Fails unless the two are equal."""
        if expected != seen:
            self.failed(f"{what}: {shown(expected)}", shown(seen), cpu)
