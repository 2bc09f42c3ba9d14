# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to litmus tests: its assembly language, and a board without a kernel."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Set
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
    "Decoded", "LitmusArch", "Register", "load",
]  # fmt: skip

# The memory that a test has, at the same virtual and physical addresses. It takes two pages of 4 KiB, or one of 8.
CODE, CODE_SIZE = 0x10000, 0x1000
DATA, MOST_WORDS = CODE + CODE_SIZE, 128
STACKS, STACK_SIZE, MOST_CPUS = DATA + 8 * MOST_WORDS, 384, 8

HEADS: Mapping[str, str] = {name.upper(): name for name in ARCHITECTURES}
"""The first word of a litmus test, and which architecture it means."""


class Register(NamedTuple):
    """A name of a register, or of its low part.

    Attributes:
        whole: the name of the register, as Cpu.registers() has it.
        shift: the number of bits below the part.
        bits: of the part.
    """

    whole: str
    shift: int
    bits: int


class Decoded(NamedTuple):
    """One instruction as capstone reads it."""

    size: int
    mnemonic: str
    operands: str

    @property
    def text(self) -> str:
        return f"{self.mnemonic} {self.operands}".rstrip()


class LitmusArch(ABC):
    """One architecture.

    To assemble: keystone_mode, capstone_mode, registers, words, aliases, encodings().
    To execute: prepare(), start(), settle(), fault().
    To fetch: serialises(), filler, longest.
    """

    name: ClassVar[str]
    language: ClassVar[str]  # what a line of a test is written in
    keystone_mode: ClassVar[tuple[int, int]]
    capstone_mode: ClassVar[tuple[int, int]]
    longest: ClassVar[int]  # bytes of an instruction
    filler: ClassVar[bytes]  # no instruction: what a CPU finds that leaves its text
    registers: ClassVar[Mapping[str, Register]]  # that tests can set and ask for
    words: ClassVar[Set[str]]  # names in operands that are no symbols
    register_prefix: ClassVar[str] = ""
    prefixed: ClassVar[Set[str]] = frozenset()  # names that may follow "%"; of others keystone prints what it thinks
    aliases: ClassVar[Mapping[str, str]]  # names of instructions that capstone calls otherwise

    @property
    def cpu(self) -> CpuArch:
        return cpu_arch.load(self.name)

    @functools.cached_property
    def _assembler(self) -> keystone.Ks:
        return keystone.Ks(*self.keystone_mode)

    @functools.cached_property
    def _decoder(self) -> capstone.Cs:
        return capstone.Cs(*self.capstone_mode)

    @functools.lru_cache(maxsize=1 << 16)  # noqa: B019  # there are two architectures, for ever
    def decode(self, code: bytes, address: int) -> Decoded | None:
        """The instruction with which `code` begins; None: there is none, or it is not complete."""
        return next(self.readings(code, address), None)

    def readings(self, code: bytes, address: int) -> Iterator[Decoded]:
        """The same by each of its names."""
        for _, size, mnemonic, operands in self._decoder.disasm_lite(code, address, 1):
            yield Decoded(size, mnemonic, operands)

    def assembled(self, source: str, address: int) -> bytes:
        """What keystone makes of an instruction at `address`.

        Raises:
            keystone.KsError, ValueError: nothing.
        """
        return bytes(self._assembler.asm(source, address)[0] or ())

    @abstractmethod
    def encodings(self, source: str, address: int) -> Iterator[bytes]:
        """What may be the code of an instruction at `address`; the first that reads as `source` is. It has no symbols.

        Raises: as `assembled`.
        """

    @abstractmethod
    def serialises(self, instruction: Decoded) -> bool:
        """Whether a CPU that has executed it fetches only what is in memory."""

    @abstractmethod
    def prepare(self, board: Board) -> None:
        """Puts into RAM what CPUs need: they have the memory of a test and no other."""

    @abstractmethod
    def start(self, cpu: Cpu, entry: int, registers: Mapping[str, int]) -> None:
        """Switches a CPU on that has a stack, and these registers."""

    @abstractmethod
    def settle(self, cpu: Cpu) -> None:
        """Makes Unicorn's state of a CPU the same wherever the CPU's state is the same."""

    @abstractmethod
    def fault(self, cpu: Cpu) -> str:
        """The name of the exception that the CPU has just taken; "": none."""

    def ended(self, cpu: Cpu, end: int) -> bool:
        """Whether the CPU has come to the end of its text, which is at `end`."""
        return cpu.pc == end

    def value(self, cpu: Cpu, register: Register) -> int:
        """What a register holds."""
        return cpu.registers()[register.whole] >> register.shift & (1 << register.bits) - 1


def load(name: str) -> LitmusArch:
    """The architecture called `name`, one of emu.architectures.ARCHITECTURES."""
    arch: LitmusArch = importlib.import_module(f"emu.race.litmus.arch.{name}").ARCH
    return arch
