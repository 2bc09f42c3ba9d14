# SPDX-License-Identifier: GPL-2.0-only
"""Instructions as a scheduler sees them: what they read and write, how long they take, where they may execute.

An architecture describes its own so. Registers have numbers: general ones from 0 on, then the flags, then all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from emu.cpu.timing import Ending
from emu.cpu.timing.steps import Steps

__all__ = ["ABSOLUTE", "Effects", "Instruction", "Operations", "Place", "Registers", "Results"]

ABSOLUTE: Final = -1  # as a base or an index: there is none


class Registers(NamedTuple):
    """The registers of an architecture that are not like the others."""

    stack_pointer: int
    flags: int  # those below are the general ones


class Place(NamedTuple):
    """An address in memory: base + scaled * scale + displacement, and the size in bytes of what is accessed there."""

    base: int  # a general register or ABSOLUTE
    scaled: int  # ... or the index register
    scale: int
    displacement: int
    size: int
    segment: int = 0  # the number of the register with the segment's base, from 1 on
    relative: bool = False  # the displacement counts from the instruction's end


Effects = tuple[tuple[int, tuple[int, int] | None], ...]
"""(register, what is written to it) pairs: another register, or ABSOLUTE, plus a constant; None: something else."""


Results = tuple[tuple[int, Steps], ...]
"""(register, what is written to it) pairs, by what registers are before the instruction."""


class Instruction(NamedTuple):
    """One instruction."""

    mnemonic: str  # without prefixes
    size: int  # bytes
    ports: tuple[int, ...]
    latency: int  # cycles
    slots: int
    reads: tuple[int, ...]  # by the operation
    addresses: tuple[int, ...]  # registers read by the address
    writes: tuple[int, ...]
    loads: tuple[Place, ...]
    stores: tuple[Place, ...]
    stack: int  # what the stack engine adds to the stack pointer
    vector: bool  # whether what is loaded goes to a vector register, or what is stored comes from one
    effects: Effects  # on general registers
    results: Results  # ... those that take few steps to calculate
    locked: int  # cycles that other locked ones wait; 0: it is not locked
    repeated: bool
    known: bool  # whether the tables have it
    ending: Ending  # if it is a block's last
    flushes_tlb: bool
    swaps_segments: bool  # the segments of what follows have other bases


class Operations(Protocol):
    """An architecture's instructions on one core.

    Attributes:
        breakpoint: the instruction that debuggers and patchers put over others.
    """

    @property
    def breakpoint(self) -> bytes: ...

    def of(self, code: bytes, address: int) -> Iterator[Instruction]:
        """The instructions in `code`, which begins at virtual `address`, up to what cannot be decoded.

        One instruction can be two here: the first then has a size of 0.
        """
