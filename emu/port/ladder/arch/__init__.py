# SPDX-License-Identifier: GPL-2.0-only
"""The assembler text from which the ladder makes programs for bare boards: what an architecture has to write."""

from __future__ import annotations

import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar, NamedTuple

from emu.port.ladder.board_memory import BoardMemory

__all__ = ["HALT", "HANDLER", "RELAX", "AssemblerTemplates", "LitmusTest", "Summarised", "Trap", "load"]

HANDLER = 0x30000  # physical address of the program that handles all traps
RELAX, HALT = 18, 19  # host calls that the board answers; see docs/board.md


class Trap(Enum):
    """The traps that the ladder causes."""

    UNDEFINED = "an undefined instruction"
    BREAKPOINT = "a breakpoint"
    SYSTEM_CALL = "a system call"
    PRIVILEGED = "a privileged instruction in user mode"
    READ = "a load from a page that is not mapped"
    WRITE = "a store to a page that is not mapped"
    FETCH = "a jump to a page that is not mapped"
    PROTECTION = "a store to a read-only page"


class Summarised(NamedTuple):
    """A block of code, and what a timing model can know of it (`BlockSummary`)."""

    before: str  # what registers have to hold
    text: str
    accesses: tuple[int, int, int, int]  # how many are known at its beginning, at its end, calculated, and unknown
    ending: str = "FALLS"
    flushes: bool = False
    inverted: str = ""  # a register which holds the inverted address of one of the accesses at the end


class LitmusTest(NamedTuple):
    """A litmus test without its head."""

    columns: list[list[str]]  # instructions with their labels, for each CPU
    initial: str  # between the braces
    shown: str  # between the parentheses of `exists`
    finals: str  # the final states
    states: int  # how many states there are with the fetch model `coherent`, if no order is left out


class AssemblerTemplates(ABC):
    """Fragments of assembler text, in the syntax of the port's own assembler; statements are separated by ';' or newlines.

    A fragment takes registers by number, 0 to 8: `registers` names them. 0 to 3 belong to the programs, 4 to 6 tell the trap
    handler what has happened, 7 and 8 are the handler's own. A fragment changes the registers that it is given, those of
    host calls, and other registers that are not in `registers`. Its labels are numbers from 70 on.

    To say hello: registers, arguments, begin, load, host_call, argument, result, add, store_word, load_word, count_down, jump.
    To trap: prepare, causes, undefined, breakpoint, after_breakpoint, resume_at, return_from_trap, interrupts, interrupt_cause.
    For user mode: map_page, unmap_page, enter_user, system_call, after_system_call, privileged.
    For several CPUs: atomic_add, function, call.
    """

    name: ClassVar[str]
    registers: ClassVar[Sequence[str]]  # nine, named as CpuArch.registers() does
    arguments: ClassVar[Sequence[str]]  # those of a host call's first two arguments, likewise
    causes: ClassVar[Mapping[Trap, int]]  # the contents of register 4 in the handler
    after_breakpoint: ClassVar[int] = 0  # bytes from a breakpoint to the address that its trap saves
    after_system_call: ClassVar[int] = 0  # the same of a system call
    nmi_cause: ClassVar[int | None] = None  # the contents of register 4 in the handler of an NMI; None: there is none here
    counts_traps: ClassVar[bool] = False  # whether the port counts traps that come while interrupts are on
    unused_vector: ClassVar[int | None] = None  # an interrupt that the guest's kernel has no use for
    probe_argument: ClassVar[str]  # what a probe at a program's function calls the register of its first argument: "%di"
    held_argument: ClassVar[str] = ""  # the register with a function's first argument behind its call site; "": not known
    returns_42: ClassVar[str | None] = None  # a function's code, as Machine.patch takes it; None: keystone has no such language
    not_litmus: ClassVar[Sequence[str]] = ()  # lines that a litmus test must not have
    numbered: ClassVar[Sequence[str]] = ()  # general registers in the order of their numbers in timing models
    repaired: ClassVar[Sequence[str]] = ()  # undefined instructions that Unicorn executes unless CpuArch.repair() mends it

    @property
    def peculiar(self) -> Mapping[str, tuple[str, int]]:
        """Programs of what is peculiar to the architecture: (text, what register 0 holds at its end), by what they are about."""
        return {}

    @property
    def floating_point(self) -> str:
        """A program that begins at _start and sums numbers in floating point, with a system call (sched_yield) in each round.
        It checks that a register of floating point is 0 at first, sets it, and executes itself once, with one argument more. It
        ends with status 42 if all is right. "": programs have no floating point.
        """
        return ""

    @property
    def probed_program(self) -> str:
        """A program that begins at _start and executes instructions of each kind that a probe of programs treats in its own way,
        at labels that begin with `probed`. Its status depends on what they do. If it has an argument, it executes a breakpoint.
        Labels that begin with `refused` are at instructions that cannot be probed, which it does not execute. "": none.
        """
        return ""

    @property
    def timed(self) -> Mapping[str, tuple[str, float, float]]:
        """Programs for a timing model that follows a CPU: (text, the least and the most cycles it takes when it is repeated)."""
        return {}

    @property
    def programs(self) -> Mapping[str, str]:
        """Programs of the guest about what is peculiar to the architecture. They begin at _start, and end with status 42."""
        return {}

    @property
    def probed(self) -> Mapping[str, tuple[str, int]]:
        """Programs with an instruction at the label `probed`, of each kind that a copy of it has to treat in its own way: (text,
        what register 0 holds at the end). They do not use register 3.
        """
        return {}

    @property
    def not_probed(self) -> Mapping[str, str]:
        """Texts whose instruction at the label `probed` cannot be probed in the kernel, by what it is."""
        return {}

    @property
    def entries(self) -> Mapping[str, tuple[str, bool, bool]]:
        """Functions with a call site, which does nothing, at the label `site`: (text, whether they can be replaced there, whether
        their arguments are unchanged there)."""
        return {}

    @property
    def summarised(self) -> Mapping[str, Summarised]:
        """Blocks for timing models that follow a CPU, of each kind that the port tells apart."""
        return {}

    @property
    def litmus(self) -> Mapping[str, LitmusTest]:
        """Tests of each thing in which the port's assembly language, exceptions and CPU states are its own, by what it is."""
        return {}

    # To say hello

    @abstractmethod
    def prepare(self, board: BoardMemory) -> None:
        """Writes tables and code to RAM below HANDLER (board.word, board.put). All of RAM is mapped at the kernel mapping.

        Each trap and interrupt jumps to HANDLER with its cause in register 4, the saved address in 5, and in 6 the address
        that a page fault is about.
        """

    @abstractmethod
    def begin(self, stack: int) -> str:
        """A CPU's first instructions: set the stack pointer, and let traps come to what `prepare` has written."""

    @abstractmethod
    def load(self, register: int, value: int | str) -> str:
        """Loads a number of 64 bits, or the address of a label."""

    @abstractmethod
    def load_word(self, register: int, base: int) -> str:
        """Loads the 64-bit word at the address in `base`."""

    @abstractmethod
    def store_word(self, base: int, register: int) -> str:
        """Stores a register to the 64-bit word at the address in `base`."""

    @abstractmethod
    def add(self, register: int, value: int) -> str:
        """Adds a small number, with one instruction that costs one cycle."""

    @abstractmethod
    def count_down(self, register: int, label: str) -> str:
        """Subtracts 1, and jumps unless the result is 0."""

    @abstractmethod
    def jump_if_zero(self, register: int, label: str) -> str:
        """Jumps if the register is 0."""

    @abstractmethod
    def jump(self, label: str) -> str:
        """Jumps."""

    @abstractmethod
    def host_call(self, number: int) -> str:
        """A host call, whose arguments `argument` has set."""

    @abstractmethod
    def argument(self, number: int, register: int) -> str:
        """Moves a register to a host call's argument 0 or 1."""

    @abstractmethod
    def result(self, register: int) -> str:
        """Moves a host call's result to a register."""

    @abstractmethod
    def cycle_counter(self, register: int) -> str:
        """Reads the CPU's cycle counter."""

    def relax(self) -> str:
        """Ends the CPU's turn."""
        return self.host_call(RELAX)

    def sleep(self) -> str:
        """Sleeps until an interrupt is pending."""
        return self.host_call(HALT)

    # To trap

    @abstractmethod
    def undefined(self) -> str:
        """One undefined instruction."""

    @abstractmethod
    def breakpoint(self) -> str:
        """One instruction that traps into a debugger."""

    @abstractmethod
    def resume_at(self, register: int) -> str:
        """In the handler: `return_from_trap` goes to the address in this register."""

    @abstractmethod
    def return_from_trap(self) -> str:
        """In the handler: continues at the saved address."""

    @abstractmethod
    def interrupts(self, on: bool) -> str:
        """Switches interrupts on or off. One can come directly behind the text that switches them on, not before."""

    def without_vector(self) -> str:
        """Lets traps come to an address at which nothing is mapped; "" if there is no such thing."""
        return ""

    @abstractmethod
    def interrupt_cause(self, vector: int) -> int:
        """The contents of register 4 in the handler of an interrupt."""

    # User mode

    @abstractmethod
    def map_page(self, virtual: int, physical: int, writable: bool) -> str:
        """Maps a page of user mode, whose code and data may be used. It also runs in the trap handler."""

    @abstractmethod
    def unmap_page(self, virtual: int) -> str:
        """Unmaps the page again, and drops what the TLB has of it."""

    @abstractmethod
    def enter_user(self, address: int, stack: int) -> str:
        """Goes to user mode, with interrupts on."""

    @abstractmethod
    def system_call(self) -> str:
        """One instruction: a system call."""

    @abstractmethod
    def privileged(self) -> str:
        """One instruction that is forbidden in user mode."""

    # Several CPUs

    @abstractmethod
    def atomic_add(self, base: int, register: int) -> str:
        """Adds a register to the word at the address in `base`, atomically. It may change register 8."""

    @abstractmethod
    def function(self, value: int) -> str:
        """A function that sets register 0 to a number below 128, and returns. Its length does not depend on the number."""

    @abstractmethod
    def call(self, address: int) -> str:
        """Calls a function that needs no stack frame."""

    def synchronise(self, base: int) -> str:
        """Makes the CPU execute what it has stored at the address in `base`; "" if it does so anyway."""
        return ""


def load(name: str) -> AssemblerTemplates:
    """The templates of an architecture.

    Raises:
        LookupError: there are none.
    """
    module = f"emu.port.ladder.arch.{name}"
    if importlib.util.find_spec(module) is None:
        raise LookupError(f"there are no assembler templates: write emu/port/ladder/arch/{name}.py")
    templates: AssemblerTemplates = importlib.import_module(module).TEMPLATES
    return templates
