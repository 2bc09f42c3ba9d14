# SPDX-License-Identifier: GPL-2.0-only
"""The cost of blocks of instructions. A model is asked once per block; native code caches its answer."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, Protocol

from emu.cpu.timing.steps import Steps

STATIC, PIPELINE, CACHES = TIMING_MODELS = ("static", "pipeline", "caches")

__all__ = [
    "CACHES", "CYCLE", "NO_REGISTER", "PIPELINE", "STATIC", "TIMING_MODELS", "Access", "BlockCost", "BlockSummary",
    "CalculatedAccess", "Ending", "Output", "TimingModel", "TimingNames",
]  # fmt: skip


class TimingNames(NamedTuple):
    """The names of a timing model, and of the CPU model that it uses; "" for none."""

    timing: str
    cpu_model: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class BlockCost(NamedTuple):
    """One block's static cost."""

    instructions: int
    cycles: int
    last: int = 0  # offset of the last instruction, in bytes
    stored: int = 0  # the cost as a block's record stores it: the cycles, or a StringCost


class TimingModel(Protocol):
    """The costs of blocks of one architecture."""

    def block(self, code: bytes, address: int) -> BlockCost:
        """The cost of the instructions in `code`, which begins at virtual `address`."""


class Ending(IntEnum):
    """The kind of instruction that ends a block."""

    FALLS = 0
    CONDITIONAL = 1
    JUMP = 2
    CALL = 3
    INDIRECT_CALL = 4
    INDIRECT_JUMP = 5
    RETURN = 6
    TRAPS = 7  # the continuation is not predicted: `syscall`, `iretq`, `int3`, `hlt`


class Access(NamedTuple):
    """A data access: its address is `segment` + `base` + (`scaled` << `shift`) + `displacement`, modulo 2**64."""

    base: int  # 0 to 15, or NO_REGISTER
    scaled: int
    shift: int
    displacement: int
    size: int  # bytes
    write: bool
    segment: int = 0  # 1: FS, 2: GS
    locked: bool = False  # users of its result wait until it is done, even if it is a store


class CalculatedAccess(NamedTuple):
    """A data access whose address must be calculated when the block begins."""

    address: Steps
    size: int  # bytes
    write: bool
    locked: bool


class Output(NamedTuple):
    """A register written by a block, and when it is ready: at least `base` after dispatch, and each input's latency after it."""

    register: int  # 0 to 32, RETIRED or BRANCHED
    base: int  # parts of a cycle
    inputs: tuple[tuple[int, int], ...]  # (register, parts of a cycle)
    loads: bool  # whether it waits for the block's data


class BlockSummary(NamedTuple):
    """A timing model's data about a block of code."""

    instructions: int
    ending: Ending
    dispatch: int  # parts of a cycle to dispatch and execute it if nothing has to wait
    slots: int  # of the dispatch window
    serialising: int  # cycles of instructions that wait until all earlier ones are done; 0: there are none
    flushes_tlb: bool
    outputs: tuple[Output, ...]
    at_entry: tuple[Access, ...]  # addresses use the registers at the block's beginning
    at_exit: tuple[Access, ...]  # addresses use the registers at the block's end
    calculated: tuple[CalculatedAccess, ...]  # addresses use neither, but can be calculated
    unknown: int  # number of all others
    last: int = 0  # offset of the last instruction, in bytes
    static: bool = False  # it could not be decoded, and is charged as in the static model


NO_REGISTER = 16  # as base or index: always 0
CYCLE = 48
"""Parts of a cycle, the unit of models: a micro-operation on a core of width 2, 3, 4, 6 or 8 takes a whole number."""
