# SPDX-License-Identifier: GPL-2.0-only
"""Compares stacks that are unwound from outside with those that a Linux guest's own unwinder finds at the same moment.

Inside the guest, ftrace takes stack traces: it calls stack_trace_save(), or stack_trace_save_regs() at a probe. At the first
instruction of these functions the host unwinds, too, and when they return it compares. Besides, the host unwinds where functions
begin that ftrace traces: what it finds there must be a part of the stack that ftrace finds in them.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from emu.cpu.cpu import Cpu
from emu.linux.machine import LinuxMachine
from emu.linux.orc import Orc, OrcLayout, OrcText, kernel_texts
from emu.linux.symbols import Symbols
from tests.lib.orc_model import PT_REGS
from tests.lib.orc_unwinder import Call, OrcUnwinder, page_table

__all__ = ["PAGE", "OrcWitness"]

TRACEFS = "/sys/kernel/tracing"
PAGE = 0x1000


class _Asked(NamedTuple):
    """A call of stack_trace_save() under way."""

    store: int
    calls: list[Call]  # those that it must find, with those that it must leave out
    left_out: int
    size: int
    origin: str


class OrcWitness:
    """Watches a machine, which is of no use for other tests afterwards.

    Attributes:
        compared: how many stacks were equal, by the function in which they were taken.
        begun: how often the stack at the beginning of a function was a part of the later one, by the function.
        wrong: the other ones, described.
        modules: the tables of modules that have been loaded since, in that order.
    """

    def __init__(self, machine: LinuxMachine) -> None:
        self.machine, self.board = machine, machine.board
        self.symbols: Symbols = machine._guest.symbols
        self.orc = Orc.of_kernel(machine._kernel, self.symbols)
        self.text, self.init = kernel_texts(self.orc, self.symbols)
        self.unwinder = OrcUnwinder(self.board.ram_address, self.board.memory, self.text, [self.init])
        self.compared, self.begun = Counter[str](), Counter[str]()
        self.wrong: list[str] = []
        self.modules: list[Orc] = []
        self.on_begin: Callable[[Cpu, str], None] = lambda cpu, function: None
        self._asked: dict[tuple[int, int], _Asked] = {}
        self._begun: dict[int, list[Call]] = {}  # by the stack address of the site's return address
        self._pages = Counter[int]()  # in how many stacks an address of a page was
        self._watched: set[int] = set()
        self._compares = False  # ftrace takes stacks also while it is off
        self._watch(self._address("stack_trace_save"), self._on_save)
        self._watch(self._address("stack_trace_save_regs"), self._on_save_regs)
        self.board.callouts.dispatch(self._address("unwind_module_init"), self.board.python_handler(self._on_module))

    # The guest

    def shell(self, *lines: str, stdin: bytes = b"") -> str:
        """Runs lines of the guest's shell, in the folder of its tracefs."""
        done = self.machine.run("\n".join([f"cd {TRACEFS} && set -e", *lines]), stdin=stdin)
        assert done.status == 0, (lines, done)
        return done.output.decode()

    def traces(self, functions: Iterable[str]) -> set[str]:
        """Makes ftrace take a stack at each call of functions, as far as the kernel has them. Returns these.

        Tracing is still off.
        """
        choice = [f"echo {name} >> set_ftrace_filter 2> /dev/null || :" for name in sorted(functions)]
        chosen = set(self.shell("echo 0 > tracing_on", *choice, "cat set_ftrace_filter").split())
        self.shell("echo 1 > options/func_stack_trace", "echo function > current_tracer")
        for name in chosen:
            self._watch(self._address(name), self._on_begin(name))
        self.knows_code()
        return chosen

    def knows_code(self, *others: OrcText) -> None:
        """Reads where ftrace's trampolines are. `others`: other code."""
        trampolines = set(re.findall("tramp: 0x([0-9a-f]+)", self.shell("cat enabled_functions")))
        original = self.orc.text(self._address("ftrace_caller"), PAGE)
        copies = [original.copied_to(int(address, 16)) for address in trampolines]
        self.unwinder.tables.set_others([self.init, *copies, *others])

    def compares(self, *lines: str) -> None:
        """Runs lines of the shell while tracing is on."""
        self._compares = True
        self.shell("echo 1 > tracing_on", *lines, "echo 0 > tracing_on")
        self._compares = False

    def with_address_in(self, start: int, size: int) -> int:
        """In how many stacks an address of some code was."""
        return sum(number for page, number in self._pages.items() if start <= page < start + size)

    # What is called

    def _address(self, name: str) -> int:
        address = self.symbols.address(name)
        assert address is not None, name
        return address

    def _watch(self, address: int, function: Callable[[Cpu, int], None]) -> None:
        """Calls a function at an address."""
        if address in self._watched:
            return
        self._watched.add(address)

        def call(cpu: Cpu, address: int) -> None:
            if self._compares:
                function(cpu, address)

        self.board.callouts.dispatch(address, self.board.python_handler(call))

    def _on_begin(self, name: str) -> Callable[[Cpu, int], None]:
        def begin(cpu: Cpu, address: int) -> None:
            calls = self.unwinder.at_function(cpu)
            self._begun[calls[0].slot] = calls
            self.on_begin(cpu, name)

        return begin

    def _on_save(self, cpu: Cpu, address: int) -> None:
        """stack_trace_save(store, size, skipped)"""
        registers = cpu.registers()
        calls = self.unwinder.at_function(cpu)[1:]
        self._ask(cpu, calls, registers["rdi"], registers["rsi"], registers["rdx"], "")

    def _on_save_regs(self, cpu: Cpu, address: int) -> None:
        """stack_trace_save_regs(regs, store, size, skipped)"""
        registers = cpu.registers()
        words = struct.unpack(f"<{len(PT_REGS)}Q", cpu.read(registers["rdi"], 8 * len(PT_REGS)))
        values = dict(zip(PT_REGS, words, strict=True))
        self.unwinder.array.stage = page_table(cpu)
        calls = self.unwinder.from_registers(values["ip"], values)
        self._ask(cpu, calls, registers["rsi"], registers["rdx"], registers["rcx"], "at a probe")

    def _ask(self, cpu: Cpu, calls: list[Call], store: int, size: int, left_out: int, origin: str) -> None:
        sp = cpu.registers()["rsp"]
        self._asked[cpu.index, sp + 8] = _Asked(store, calls, left_out & 0xFFFF_FFFF, size & 0xFFFF_FFFF, origin)
        self._watch(int.from_bytes(cpu.read(sp, 8), "little"), self._on_return)

    def _on_return(self, cpu: Cpu, address: int) -> None:
        registers = cpu.registers()
        asked = self._asked.pop((cpu.index, registers["rsp"]), None)
        if asked is None:
            return
        count = registers["rax"] & 0xFFFF_FFFF
        theirs = list(struct.unpack(f"<{count}Q", cpu.read(asked.store, 8 * count)))
        ours = [call.address for call in asked.calls][asked.left_out :][: asked.size]
        if ours != theirs:
            self._tell(f"{asked.origin}, {asked.left_out} left out", theirs, asked.calls)
        self._pages.update({address & -PAGE for address in theirs})
        origin = asked.origin
        for n, call in enumerate(asked.calls):
            if (begun := self._begun.pop(call.slot, None)) is not None:
                name = self._name(call.address)
                self.begun[name] += 1
                origin = origin or name
                if begun != asked.calls[n:]:
                    self._tell(f"{name} begins", [one.address for one in asked.calls[n:]], begun)
        self.compared[origin] += 1

    def _on_module(self, cpu: Cpu, address: int) -> None:
        """unwind_module_init(module, ips, bytes of them, entries, bytes of them)"""
        given = cpu.registers()
        ips, entries = (cpu.read(given[place], given[size]) for place, size in (("rsi", "rdx"), ("rcx", "r8")))
        layout = OrcLayout.of({"end"}.__contains__ if self._has_end() else {"signal"}.__contains__)
        self.modules.append(Orc.of(given["rsi"], ips, entries, layout))

    def _has_end(self) -> bool:
        """Whether the kernel is older than 6.4: those of 6.3 are not tested."""
        major, minor = self.machine._kernel.version.split(".")[:2]
        return (int(major), int(minor)) < (6, 4)

    def _tell(self, what: str, theirs: Iterable[int], ours: Iterable[Call]) -> None:
        told = [what, "the kernel:", *(f"  {address:x} {self._name(address)}" for address in theirs)]
        told += ["from outside:", *(f"  {call.address:x} {self._name(call.address)} at {call.slot:x}" for call in ours)]
        self.wrong.append("\n".join(told))

    def _name(self, address: int) -> str:
        return (self.symbols.at(address) or (f"{address:x}", 0))[0]
