# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of a CPU model: one object per microarchitecture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from emu.cpu.timing.instructions import Registers

__all__ = ["Cache", "Caches", "Core", "Operation", "Predictor", "Tlb"]


class Operation(NamedTuple):
    """The scheduler's data about a class of instructions, apart from loads and stores."""

    ports: tuple[int, ...]  # for each micro-operation, the ports that can execute it, as bits
    latency: int  # cycles
    slots: int  # of dispatch


@dataclass(frozen=True)
class Predictor:
    """Branch prediction. Sizes are powers of two, except the return stack's."""

    bimodal: int  # two-bit counters by address
    tagged: int  # entries of each table by address and history
    histories: tuple[int, int]  # history lengths of the two tables, in branches
    targets: int  # of the branch target buffer
    indirect: int  # targets of indirect branches, by history
    return_stack: int  # entries
    mispredict: int  # parts of a cycle from the branch's execution to the next dispatch
    resteer: int  # parts of a cycle of dispatch delay if a target was unknown until decoding
    return_each: int  # parts of a cycle from a correctly predicted return to the fetch of its target


@dataclass(frozen=True)
class Cache:
    """A cache with lines of 64 bytes. The number of sets is a power of two."""

    sets: int
    ways: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.sets * self.ways * 64


@dataclass(frozen=True)
class Tlb:
    """A translation look-aside buffer with entries for 4 KiB pages. The number of sets is a power of two."""

    sets: int
    ways: int


@dataclass(frozen=True)
class Caches:
    """The caches. Latencies are cycles beyond an L1 hit."""

    l1i: Cache
    l1d: Cache
    l2: Cache  # per CPU; includes its L1s
    llc: Cache  # shared, also with others outside the machine's CPUs
    llc_kept: int  # cycles after which an unused line has been evicted by those others
    l2_hit: int
    llc_hit: int
    memory: int
    transfer: int  # another CPU has modified the line
    upgrade: int  # write to a line that other CPUs share
    itlb: Tlb
    dtlb: Tlb
    l2_tlb: Tlb
    l2_tlb_hit: int
    walk: int  # cycles of a page walk


@dataclass(frozen=True)
class Core:
    """An out-of-order core. Times are in cycles, unless they are said to be in parts of a cycle (`CYCLE`)."""

    name: str
    registers: Registers
    measured: bool  # whether calibration/ has measurements for it
    width: int  # dispatch slots a cycle: 2, 3, 4 or 6
    line: int  # parts of a cycle of dispatch lost per 64 bytes of code
    window: int  # dispatch slots in flight, at most 448
    load: int  # latency to a general register
    load_complex: int  # additional latency if the address has a scaled index, or three components
    load_vector: int  # latency to a vector register
    forward: int  # from a store's data to a load of it
    forward_vector: int  # ... to a vector register
    forward_learned: int  # ... if a predictor knows the store: in short loops, for full words
    forward_failed: int  # ... if the store does not cover the load
    renamed: frozenset[int]  # base registers whose stack slots are renamed: a load gets the stored value at once
    load_busy: int  # parts of a cycle that a load occupies its ports, which are not used evenly
    load_busy_late: int  # ... if its address was loaded in the same block
    segment: int  # ... and additionally, if it uses a segment
    load_ports: int  # bits
    load_vector_ports: int
    store_ports: int
    store_block: int  # bytes, aligned: consecutive stores to one such block leave the store queue at two per cycle
    store_room: int  # parts of a cycle of stores that may wait to leave the store queue
    modify_store: int  # cycles until a partially stored word can be stored to again ...
    modify_runs: int  # ... if fewer groups of stores than this leave the store queue in between
    moves_eliminated: bool
    nops_fused: bool  # with the instruction before
    fused_with_jump: frozenset[str]  # instructions that fuse with a following conditional jump
    taken_loss: int  # parts of a cycle of dispatch that a taken branch loses
    taken_each: int  # parts of a cycle from a taken branch to the fetch of its target
    ahead: int  # parts of a cycle by which fetching can be ahead of dispatch
    trap: int  # cycles from the instruction that an exception or interrupt ends to the handler
    interrupt: int  # from one CPU to another
    operations: Mapping[str, Operation]
    serialising: Mapping[str, int]  # cycles, for instructions that wait until everything before them is done
    locked: int  # cycles between locked additions and other simple instructions
    locked_complex: int  # ... other instructions
    predictor: Predictor
    caches: Caches
