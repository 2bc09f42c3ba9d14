# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 4.

Sources: [SOG] "Software Optimization Guide for the AMD Zen4 Microarchitecture", 57647; [M] measured, `calibration/`.
"""

from __future__ import annotations

from emu.cpu.timing.core import Cache, Caches, Core, Operation, Predictor, Tlb

__all__ = ["ZEN4"]


def _ports(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


# Ports: 0 to 3 integer units, 4 to 6 loads, 7 and 8 stores, 9 branches alone, 10 to 13 vector pipes ([SOG] 2.1, figure 1).
_ANY, _SHIFT, _MULTIPLY, _SELECT = _ports(0, 1, 2, 3), _ports(1, 2), _ports(1), _ports(0, 3)
_VECTOR, _ADD, _FMUL, _SHUFFLE, _DIVIDE, _MOVE = (
    _ports(10, 11, 12, 13),
    _ports(12, 13),
    _ports(10, 11),
    _ports(11, 12),
    _ports(11),
    _ports(12),
)

_OPERATIONS = {
    "alu": Operation((_ANY,), 1, 1),
    "move": Operation((_ANY,), 1, 1),
    "nop": Operation((), 0, 1),
    "none": Operation((), 0, 0),
    "shift": Operation((_SHIFT,), 1, 1),
    "double_shift": Operation((_SHIFT,) * 4, 4, 6),
    "rotate_carry": Operation((_SHIFT,), 1, 1),
    "multiply": Operation((_MULTIPLY,), 3, 1),
    "multiply_wide": Operation((_MULTIPLY, _ANY), 3, 2),
    "divide32": Operation((_MULTIPLY,) * 6, 10, 2),
    "divide64": Operation((_MULTIPLY,) * 9, 14, 2),
    "lea": Operation((_ANY,), 1, 1),
    "lea_complex": Operation((_SHIFT,), 2, 1),
    "carry": Operation((_SELECT,), 1, 1),
    "select": Operation((_SELECT,), 1, 1),
    "set": Operation((_SELECT,), 1, 1),
    "bit_test": Operation((_SHIFT,), 1, 1),
    "bit_set": Operation((_SHIFT, _SHIFT), 2, 2),
    "bit_scan": Operation((_SHIFT,), 1, 2),
    "count": Operation((_ANY,), 1, 1),
    "trailing": Operation((_SHIFT, _ANY), 2, 2),
    "swap_bytes": Operation((_ANY,), 1, 1),
    "exchange": Operation((), 0, 2),
    "branch": Operation((_ports(0, 9),), 1, 1),
    "compare_exchange": Operation((_ANY,) * 5, 2, 5),
    "exchange_add": Operation((_ANY,) * 3, 2, 4),
    "vector_move": Operation((), 0, 1),
    "vector_integer": Operation((_VECTOR,), 1, 1),
    "vector_shuffle": Operation((_SHUFFLE,), 1, 1),
    "vector_shift": Operation((_SHUFFLE,), 1, 1),
    "vector_multiply_integer": Operation((_ports(10, 13),), 3, 1),
    "vector_compare": Operation((_FMUL,), 1, 1),
    "vector_add": Operation((_ADD,), 3, 1),
    "vector_multiply": Operation((_FMUL,), 3, 1),
    "vector_fma": Operation((_FMUL,), 4, 1),
    "vector_divide32": Operation((_DIVIDE,) * 5, 11, 1),
    "vector_divide64": Operation((_DIVIDE,) * 5, 13, 1),
    "vector_root": Operation((_DIVIDE,) * 8, 20, 1),
    "to_vector": Operation((_SHUFFLE,), 3, 1),
    "from_vector": Operation((_MOVE,), 3, 1),
    "convert": Operation((_ADD,), 3, 1),
    "integer_to_float": Operation((_ADD, _SHUFFLE), 7, 2),
    "float_to_integer": Operation((_ADD, _MOVE), 7, 2),
    "compare_flags": Operation((_DIVIDE, _MOVE), 4, 2),
}

# Cycles, [M] where calibration/ has an event of that name, otherwise as much as a call of microcode takes.
_SERIALISING = {
    "iretq": 60, "cpuid": 100, "int3": 20, "syscall": 30, "sysretq": 30, "wrmsr": 100, "rdmsr": 60, "invlpg": 100, "lgdt": 50,
    "lidt": 50, "ltr": 50, "mfence": 55, "swapgs": 10, "rdtsc": 20, "rdtscp": 25, "out": 40, "cli": 4, "sti": 4, "hlt": 10,
    "pause": 40, "lfence": 4,
}  # fmt: skip

ZEN4 = Core(
    name="zen4",
    measured=True,
    width=6,  # [SOG] 2.9: macro-operations a cycle
    window=320,  # [SOG] 2.10.1: the retire control unit's entries
    load=4,  # [SOG] 2.12
    load_vector=7,  # [SOG] 2.12
    forward=8,  # [M]
    forward_stack=0,  # [SOG] 2.12: memory file
    load_ports=_ports(4, 5, 6),  # [SOG] 2.12: three loads a cycle
    store_ports=_ports(7, 8),  # [SOG] 2.12: two stores a cycle
    store_pair=True,  # [M]
    moves_eliminated=True,  # [SOG] 2.9.2
    nops_fused=True,  # [SOG] 2.9.3
    fused_with_jump=frozenset({"cmp", "test", "add", "sub", "and", "or", "xor", "inc", "dec"}),  # [SOG] 2.9.3
    taken_loss=4,  # [M]
    taken_each=18,  # [M]
    trap=90,  # between calls of microcode and what Linux's entry measures
    interrupt=500,  # of the order that Linux's `ipi` benchmarks show between cores of one complex
    operations=_OPERATIONS,
    serialising=_SERIALISING,
    locked=8,  # [M]
    predictor=Predictor(
        bimodal=8192,
        tagged=2048,  # [SOG] 2.8.1.4 says TAGE, and no sizes
        histories=(12, 32),
        targets=8192,  # [SOG] 2.8.1.2: 1,536 and 7,168
        indirect=4096,  # [SOG] 2.8.1.4: 3,072
        return_stack=32,  # [SOG] 2.8.1.3
        mispredict=156,  # [M]: 13 cycles; [SOG] 2.8.1: 11 to 18
        resteer=60,
    ),
    caches=Caches(
        l1i=Cache(64, 8),  # [SOG] 2.8.2: 32 KiB
        l1d=Cache(64, 8),  # [SOG] 2.6.2: 32 KiB
        l2=Cache(2048, 8),  # [SOG] 2.6.3: 1 MiB
        llc=Cache(32768, 16),  # [SOG] 2.6.4: 32 MiB
        l2_hit=10,  # [SOG] 2.6.3: 14 and more from the address
        llc_hit=46,  # [SOG] 2.6.4: 50 on average
        memory=330,  # [M]
        transfer=90,  # [M]
        upgrade=46,
        itlb=Tlb(1, 64),  # [SOG] 2.7.1
        dtlb=Tlb(1, 72),  # [SOG] 2.7.2
        l2_tlb=Tlb(256, 12),  # [SOG] 2.7.2: 3,072 entries
        l2_tlb_hit=7,  # [SOG] 2.7.2
        walk=24,
    ),
)
CORE = ZEN4
