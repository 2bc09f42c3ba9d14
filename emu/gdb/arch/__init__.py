# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for a debugger: its registers, by the names and in the order that GDB expects.

GDB manual, appendix G "Target Descriptions": "Standard Target Features" lists the registers that GDB
itself uses. More may follow.
"""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeAlias
from xml.sax.saxutils import quoteattr

from emu.architectures import ARCHITECTURES
from emu.cpu.cpu import Cpu

__all__ = ["Feature", "GdbArch", "Read", "Register", "Saved", "Trap", "load"]

Read: TypeAlias = Callable[[int, int], bytes]  # bytes of memory at a virtual address


class Register(NamedTuple):
    """A register, as a target description names it.

    Attributes:
        name: GDB's name.
        bits: its size.
        type: GDB's type.
        group: as in `info registers GROUP`; "": what GDB chooses by the type.
    """

    name: str
    bits: int = 64
    type: str = "int64"
    group: str = ""


class Feature(NamedTuple):
    """Registers that belong together.

    Attributes:
        name: GDB's name of a standard feature, or one of emu.
        registers: in the order of their numbers.
        types: elements that define types.
    """

    name: str
    registers: Sequence[Register]
    types: str = ""


class Saved(NamedTuple):
    """Memory as the CPU would have it after it has saved registers there.

    Attributes:
        address: virtual.
        data: the bytes.
    """

    address: int
    data: bytes


class Trap(NamedTuple):
    """What a CPU was doing when it took a trap.

    Attributes:
        pc, sp: where it goes on after the trap, and its stack pointer there.
        space: its address space.
        asked: whether an instruction has asked for the trap, as for a system call.
        kind: the architecture's number of such traps.
    """

    pc: int
    sp: int
    space: int
    asked: bool
    kind: int


class GdbArch(ABC):
    """An architecture's registers for a debugger.

    To show registers: name, features, read().
    To set them: write().
    To find callers that GDB does not find: counters, frame, stack_bias, unwound, kernel_names.
    To unwind stacks whose registers the CPU has not saved yet: saved().
    To step over interrupts and faults: asks(), returns(), trap_level(), trap_entries(), jumped_to(), trap(), address_space().
    To stop at traps: traps, entries_of(); at system calls also syscall_number().
    """

    name: ClassVar[str]  # GDB's, as in `set architecture`
    stack_pointer: ClassVar[str] = "sp"
    features: ClassVar[Sequence[Feature]]  # all registers
    osabi: ClassVar[str] = "none"  # a kernel has no ABI of an operating system; "": the one that GDB takes by itself
    linux_feature: ClassVar[str] = ""  # without a feature of this name, GDB does not take the ABI for GNU/Linux's
    counters: ClassVar[Sequence[str]] = ("pc",)  # the program counter, and the next one if there are delay slots
    frame: ClassVar[tuple[str, int]]  # the register, plus bytes, that is `fp` of a call's struct ftrace_ret_stack when it returns
    stack_bias: ClassVar[int] = 0  # how much less the stack pointer is than the address of what is on the stack
    unwound: ClassVar[Sequence[str]]  # registers from which a caller's are found
    kernel_names: ClassVar[Mapping[str, str]]  # the names that KernelArch gives registers, where they differ

    traps: ClassVar[Mapping[str, Collection[int]]]  # the numbers of traps, by the manual's names in lower case

    @abstractmethod
    def read(self, cpu: Cpu, name: str) -> int | None:
        """A register's value, as an unsigned number; None: it is not known."""

    @abstractmethod
    def write(self, cpu: Cpu, name: str, value: int) -> bool:
        """Sets a register. Returns False if it cannot be set."""

    def saved(self, cpu: Cpu) -> Iterator[Saved]:
        """What a CPU will save on stacks before anybody reads it there."""
        return iter(())

    @abstractmethod
    def asks(self, code: bytes) -> bool:
        """Whether an instruction asks for a trap. `code`: its bytes, and more."""

    @abstractmethod
    def returns(self, code: bytes) -> bool:
        """Whether an instruction returns from a trap."""

    def trap_level(self, cpu: Cpu) -> int:
        """How many traps a CPU is in, if it counts them."""
        return 0

    @abstractmethod
    def trap_entries(self, cpu: Cpu, read: Read) -> Iterable[int]:
        """The addresses at which the handlers of traps begin."""

    def jumped_to(self, cpu: Cpu) -> Iterable[int]:
        """Those of `trap_entries` to which a CPU jumps, without a trap that stops it (TakenTrap)."""
        return ()

    def entries_of(self, cpu: Cpu, read: Read, kind: int) -> Iterable[int]:
        """Those of `trap_entries` at which the handlers of traps of a kind begin, and perhaps others."""
        return self.trap_entries(cpu, read)

    @abstractmethod
    def syscall_number(self, cpu: Cpu) -> int:
        """The number of the system call at whose handler's first instruction a CPU is."""

    @abstractmethod
    def trap(self, cpu: Cpu, read: Read) -> Trap | None:
        """The trap that a CPU has taken, which is at one of `trap_entries`; None: it has got there otherwise."""

    @abstractmethod
    def address_space(self, cpu: Cpu) -> int:
        """A number of the address space that a CPU uses."""

    @functools.cached_property
    def registers(self) -> Sequence[Register]:
        """All registers, in the order of their numbers."""
        return [register for feature in self.features for register in feature.registers]

    def description(self, *, of_linux: bool) -> str:
        """The target description, in XML. `of_linux`: whether GDB may take the ABI for GNU/Linux's, as programs' files say."""
        number = 0
        lines = ['<?xml version="1.0"?>', '<!DOCTYPE target SYSTEM "gdb-target.dtd">', '<target version="1.0">']
        osabi = f"<osabi>{self.osabi}</osabi>" if self.osabi else ""
        lines.append(f"<architecture>{self.name}</architecture>{osabi}")
        for feature in self.features:
            name = feature.name if of_linux or feature.name != self.linux_feature else f"org.emu.{feature.name}"
            lines.append(f"<feature name={quoteattr(name)}>{feature.types}")
            for name, bits, kind, group in feature.registers:
                more = f" group={quoteattr(group)}" if group else ""
                lines.append(f'<reg name="{name}" bitsize="{bits}" type="{kind}" regnum="{number}"{more}/>')
                number += 1
            lines.append("</feature>")
        return "\n".join([*lines, "</target>", ""])


def load(name: str) -> GdbArch:
    """The registers of the architecture with a name.

    Raises:
        ValueError: there is no such architecture.
    """
    if name not in ARCHITECTURES:
        raise ValueError(f"unknown architecture '{name}'")
    arch: GdbArch = importlib.import_module(f"emu.gdb.arch.{name}").ARCH
    return arch
