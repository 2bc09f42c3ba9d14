# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of a CPU model: one object for each microarchitecture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from emu.cpu.timing.instructions import Registers

__all__ = ["Cache", "Caches", "Core", "Operation", "Predictor", "Tlb"]


class Operation(NamedTuple):
    """What the scheduler has to do for one class of instructions, beside loads and stores."""

    ports: tuple[int, ...]  # for each micro-operation, the ports that can execute it, as bits
    latency: int  # cycles
    slots: int  # of dispatch


@dataclass(frozen=True)
class Predictor:
    """Branch prediction. Sizes are powers of two, but that of the return stack."""

    bimodal: int  # two-bit counters by address
    tagged: int  # entries of each table by address and history
    histories: tuple[int, int]  # branches that the two tables look at
    targets: int  # of the branch target buffer
    indirect: int  # targets of indirect branches by history
    return_stack: int  # entries
    mispredict: int  # parts of a cycle from the branch's execution to the next dispatch
    resteer: int  # parts of a cycle by which dispatch is late if a target was unknown until decoding
    return_each: int  # parts from a return that was predicted rightly to what is fetched behind it


@dataclass(frozen=True)
class Cache:
    """A cache of lines of 64 bytes. Sets are a power of two."""

    sets: int
    ways: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.sets * self.ways * 64


@dataclass(frozen=True)
class Tlb:
    """A translation look-aside buffer of entries for pages of 4 KiB; sets are a power of two."""

    sets: int
    ways: int


@dataclass(frozen=True)
class Caches:
    """The caches, and cycles that an access takes more than one that hits the L1."""

    l1i: Cache
    l1d: Cache
    l2: Cache  # of each CPU; it holds what its L1s hold
    llc: Cache  # shared, with others, too, than the CPUs of the machine
    llc_kept: int  # cycles for which those leave a line there that is not used
    l2_hit: int
    llc_hit: int
    memory: int
    transfer: int  # another CPU has changed the line
    upgrade: int  # the line is to be written, and other CPUs share it
    itlb: Tlb
    dtlb: Tlb
    l2_tlb: Tlb
    l2_tlb_hit: int
    walk: int  # cycles of a page walk


@dataclass(frozen=True)
class Core:
    """An out-of-order core. Times are in cycles unless they are said to be in parts of one (`CYCLE`)."""

    name: str
    registers: Registers
    measured: bool  # whether calibration/ has measurements of it
    width: int  # dispatch slots a cycle: 2, 3, 4 or 6
    line: int  # parts of a cycle that dispatch loses with each 64 bytes of code
    window: int  # dispatch slots in flight, at most 448
    load: int  # from an address to a general register
    load_complex: int  # more if the address has an index that is scaled, or three parts
    load_vector: int  # from an address to a vector register
    forward: int  # from a store's data to a load of it
    forward_vector: int  # ... to a vector register
    forward_learned: int  # ... if a predictor knows the store: in short loops, for whole words
    forward_failed: int  # ... if it is not all of what is loaded
    renamed: frozenset[int]  # base registers whose places in memory are renamed: a load takes what was stored in no time
    load_busy: int  # parts of a cycle that a load takes of its ports: they are not used evenly
    load_busy_late: int  # ... if its address has been loaded in the same block
    segment: int  # ... and more, if it is in a segment
    load_ports: int  # bits
    load_vector_ports: int
    store_ports: int
    store_block: int  # bytes, aligned: stores in a row into one block of that size leave the store queue two a cycle
    store_room: int  # parts of a cycle of stores that may wait to leave the store queue
    modify_store: int  # cycles until a word can be stored to again of which a part was stored ...
    modify_runs: int  # ... if fewer groups of stores than that leave the store queue meanwhile
    moves_eliminated: bool
    nops_fused: bool  # with the instruction before
    fused_with_jump: frozenset[str]  # instructions that are one with a conditional jump behind them
    taken_loss: int  # parts that a taken branch loses of dispatch
    taken_each: int  # parts from one taken branch to what is fetched behind it
    ahead: int  # parts by which fetching can be ahead of dispatch
    trap: int  # from the instruction that an exception or interrupt ends to its handler
    interrupt: int  # from one CPU to another
    operations: Mapping[str, Operation]
    serialising: Mapping[str, int]  # of instructions that wait until all before them is done
    locked: int  # from one locked addition, or other simple instruction, to the next
    locked_complex: int  # ... of others
    predictor: Predictor
    caches: Caches
