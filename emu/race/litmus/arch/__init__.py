# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for litmus tests: its assembly language, and a board without a kernel."""

from __future__ import annotations

import functools
import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from typing import ClassVar, NamedTuple

import capstone
import keystone

from emu.architectures import ARCHITECTURES
from emu.cpu import arch as cpu_arch
from emu.cpu.arch import CpuArch
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu

__all__ = [
    "CODE", "CODE_SIZE", "DATA", "HEADS", "MOST_CPUS", "MOST_WORDS", "STACKS", "STACK_SIZE",
    "BadOperand", "Decoded", "LitmusArch", "Order", "Register", "load",
]  # fmt: skip

# The memory of a test, with equal virtual and physical addresses: two pages of 4 KiB, or one of 8.
CODE, CODE_SIZE = 0x10000, 0x1000
DATA, MOST_WORDS = CODE + CODE_SIZE, 128
STACKS, STACK_SIZE, MOST_CPUS = DATA + 8 * MOST_WORDS, 384, 8

HEADS: Mapping[str, str] = {name.upper(): name for name in ARCHITECTURES}
"""The architecture for the first word of a litmus test."""


class Register(NamedTuple):
    """The name of a register, or of its low part.

    Attributes:
        whole: the full register's name in Cpu.registers().
        shift: the number of bits below the part.
        bits: the number of bits of the part.
    """

    whole: str
    shift: int
    bits: int


class Decoded(NamedTuple):
    """One instruction, as decoded by capstone."""

    size: int
    mnemonic: str
    operands: str

    @property
    def text(self) -> str:
        return f"{self.mnemonic} {self.operands}".rstrip()


class Order(Enum):
    """What an instruction waits for, as far as the CPU's own stores before it are concerned."""

    NOTHING = "nothing"  # its stores go into the store buffer, behind those before it
    STORES = "stores"  # all stores before it, so that its own one is done at once: atomic instructions, fences, serialising ones
    LATER_ACCESSES = "later accesses"  # nothing, but later loads and stores wait for the stores before it: MFENCE
    FENCES = "fences"  # what a fence of that kind before it waits for: LFENCE


class BadOperand(ValueError):
    """An operand does not fit, which may be because its labels are not placed yet.

    Attributes:
        size: the number of bytes of the instruction.
    """

    def __init__(self, why: str, size: int) -> None:
        super().__init__(why)
        self.size = size


class LitmusArch(ABC):
    """An architecture's support for litmus tests.

    To assemble: keystone_mode (or assembled()), capstone_mode, registers, words, aliases, padding, encodings().
    To execute: prepare(), start(), settle(), fault().
    To fetch: serialises(), filler, longest; if a CPU's own stores are fetched behind a jump: jumps, linear_addresses().
    To order stores: order().
    For herd7's files: herd_head, from_herd(), for_herd(), for_herd_register(), for_herd_condition().
    """

    name: ClassVar[str]
    language: ClassVar[str]  # the language of a test's lines
    keystone_mode: ClassVar[tuple[int, int] | None]  # None: keystone does not have it
    capstone_mode: ClassVar[tuple[int, int]]
    longest: ClassVar[int]  # maximum length of an instruction
    padding: ClassVar[bytes]  # the shortest instruction that does nothing
    filler: ClassVar[bytes]  # not an instruction: found by a CPU that leaves its text
    registers: ClassVar[Mapping[str, Register]]  # registers that tests can set and read
    words: ClassVar[Set[str]]  # names in operands that are not symbols
    register_prefix: ClassVar[str] = ""
    prefixed: ClassVar[Set[str]] = frozenset()  # names that may follow "%"; for others, keystone prints errors itself
    aliases: ClassVar[Mapping[str, str]]  # names of instructions for which capstone uses others
    jumps: ClassVar[re.Pattern[str] | None] = None  # those behind which a CPU fetches what it has stored itself; None: none are
    herd_head: ClassVar[str] = ""  # the first word of herd7's tests; "": it does not have the architecture
    data_model: ClassVar[str]  # the order of data that the tests have, as a sentence

    @property
    def cpu(self) -> CpuArch:
        return cpu_arch.load(self.name)

    @functools.cached_property
    def _assembler(self) -> keystone.Ks:
        assert self.keystone_mode is not None
        return keystone.Ks(*self.keystone_mode)

    @functools.cached_property
    def _decoder(self) -> capstone.Cs:
        return capstone.Cs(*self.capstone_mode)

    @functools.lru_cache(maxsize=1 << 16)  # noqa: B019  # there are few architectures
    def decode(self, code: bytes, address: int) -> Decoded | None:
        """The instruction at the start of `code`; None if there is none, or it is incomplete."""
        return next(self.readings(code, address), None)

    def readings(self, code: bytes, address: int) -> Iterator[Decoded]:
        """The same instruction, under each of its names."""
        for _, size, mnemonic, operands in self._decoder.disasm_lite(code, address, 1):
            yield Decoded(size, mnemonic, operands)

    def assembled(self, source: str, address: int) -> bytes:
        """The code of an instruction at `address`: keystone's, or an architecture's own.

        Raises:
            keystone.KsError: keystone cannot assemble it.
            BadOperand: an operand of it does not fit, by an architecture's own assembler.
            ValueError: it is no instruction, by either. The text says why.
        """
        return bytes(self._assembler.asm(source, address)[0] or ())

    def encodings(self, source: str, address: int) -> Iterator[bytes]:
        """Possible encodings of an instruction at `address`; the first that decodes to `source` is used. It has no symbols. An
        assembler of the architecture's own is not asked.

        Raises: as `assembled`.
        """
        yield self.assembled(source, address)

    @abstractmethod
    def serialises(self, instruction: Decoded) -> bool:
        """Whether a CPU that has executed the instruction fetches only the present contents of memory."""

    @abstractmethod
    def order(self, instruction: Decoded) -> Order:
        """What the instruction waits for."""

    def from_herd(self, line: str) -> str:
        """An instruction as herd7 has it, in the syntax that the assembler has; others stay as they are."""
        return line

    def for_herd(self, line: str) -> str:
        """An instruction as herd7 has it.

        Raises:
            ValueError: herd7 does not have it.
        """
        return line

    def for_herd_register(self, name: str) -> str:
        """A register's name in herd7."""
        return name

    def for_herd_condition(self, text: str) -> str:
        """A condition as herd7 has it."""
        return text

    def linear_addresses(self, cpu: Cpu, code: bytes, address: int) -> Set[int]:
        """The linear addresses that the operands of the next instruction name; empty if aliases make no difference."""
        return frozenset()

    @abstractmethod
    def prepare(self, board: Board) -> None:
        """Sets up RAM for the CPUs, which can access the memory of a test and nothing else."""

    @abstractmethod
    def start(self, cpu: Cpu, entry: int, registers: Mapping[str, int]) -> None:
        """Switches a CPU on, with a stack and these registers."""

    @abstractmethod
    def settle(self, cpu: Cpu) -> None:
        """Normalises Unicorn's state of a CPU, so that equal CPU states have equal Unicorn states."""

    @abstractmethod
    def fault(self, cpu: Cpu) -> str:
        """The name of the exception that the CPU has just taken; "" if there is none."""

    def ended(self, cpu: Cpu, end: int) -> bool:
        """Whether the CPU has reached the end of its text, at `end`."""
        return cpu.pc == end

    def value(self, cpu: Cpu, register: Register) -> int:
        """The value of a register."""
        return cpu.registers()[register.whole] >> register.shift & (1 << register.bits) - 1


def load(name: str) -> LitmusArch:
    """The architecture called `name`, one of emu.architectures.ARCHITECTURES."""
    arch: LitmusArch = importlib.import_module(f"emu.race.litmus.arch.{name}").ARCH
    return arch
