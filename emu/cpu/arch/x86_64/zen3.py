# SPDX-License-Identifier: GPL-2.0-only
"""AMD Zen 3.

Sources: [SOG] "Software Optimization Guide for AMD Family 19h Processors", 56665; [LLVM] X86ScheduleZnver3.td, which cites it
by section; [M] measured, `calibration/`; [m] measured like its blocks: one instruction among many, or a chain of it.
"""

from __future__ import annotations

from emu.cpu.arch.x86_64.register_names import REGISTERS
from emu.cpu.timing.core import Cache, Caches, Core, Operation, Predictor, Tlb

__all__ = ["ZEN3"]


def _ports(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


# Ports: 0 to 3 integer units, 4 to 6 addresses of loads and stores, 9 branches alone, 10 to 13 vector pipes, 14 from
# vector registers to others ([SOG] 2.10.2, 2.11, 2.12). 15 stands for what one such instruction does at a time.
_ANY, _SHIFT, _MULTIPLY, _SELECT, _DIVISION = _ports(0, 1, 2, 3), _ports(1, 2), _ports(1), _ports(0, 3), _ports(2)
_VECTOR, _ADD, _FMUL, _SHUFFLE = _ports(10, 11, 12, 13), _ports(12, 13), _ports(10, 11), _ports(11, 12)
_DIVIDE, _TO, _FROM = _ports(11), _ports(11), _ports(14)
_X87 = _ports(10)
_ADDRESS, _MICROCODE = _ports(4, 5, 6), _ports(15)

# By the names of emu.cpu.arch.x86_64.operation_classes. Latencies and slots are [m]. Microcode takes whole cycles of dispatch.
_OPERATIONS = {
    "alu": Operation((_ANY,), 1, 1),
    "move": Operation((_ANY,), 1, 1),
    "nop": Operation((), 0, 1),
    "none": Operation((), 0, 1),
    "sign": Operation((_SHIFT,), 1, 1),
    "lowest_bit": Operation((_SHIFT, _SHIFT), 2, 2),
    "shift": Operation((_SHIFT,), 1, 1),
    "double_shift": Operation((_SHIFT,) * 3, 2, 6),
    "rotate_carry": Operation((_SHIFT,), 1, 1),
    "rotate_carry_far": Operation((_SHIFT,) * 6, 4, 18),
    "multiply": Operation((_MULTIPLY,), 3, 1),
    "multiply_short": Operation((_MULTIPLY, _ANY), 4, 6),
    "multiply_wide": Operation((_MULTIPLY, _ANY), 3, 2),
    "divide32": Operation((_DIVISION,) * 6, 10, 2),
    "divide64": Operation((_DIVISION,) * 7, 10, 2),
    "lea": Operation((_ANY,), 1, 1),
    "lea_complex": Operation((_ANY, _ANY), 2, 2),
    "carry": Operation((_SELECT,), 1, 1),
    "select": Operation((_SELECT,), 1, 1),
    "select_memory": Operation((_SELECT,), 1, 2),
    "set": Operation((_SELECT,), 1, 1),
    "bit_test": Operation((_SHIFT,), 1, 1),
    "bit_test_memory": Operation((_SHIFT,), 1, 2),
    "bit_set": Operation((_SHIFT, _SHIFT), 2, 2),
    "bit_set_memory": Operation((_SHIFT, _SHIFT, _ANY), 2, 6),
    "bit_forward": Operation((_SHIFT,) * 4, 3, 12),
    "bit_reverse": Operation((_SHIFT,) * 4, 4, 18),
    "count": Operation((_ANY,), 1, 1),
    "trailing": Operation((_SHIFT, _ANY), 2, 2),
    "swap_bytes": Operation((_ANY,), 1, 1),
    "exchange": Operation((), 0, 2),
    "exchange_memory": Operation((_ANY,) * 2, 1, 2),
    "branch": Operation((_ports(0, 9),), 1, 1),
    "compare_exchange": Operation((_ANY,) * 5, 3, 12),
    "compare_exchange_wide": Operation((_MICROCODE,) * 12, 8, 30),
    "exchange_add": Operation((_ANY,) * 2, 1, 2),
    "exchange_add_memory": Operation((_ANY,) * 2, 1, 6),
    "direction": Operation((_ANY,) * 4, 4, 12),
    "flags_push": Operation((_MICROCODE,) * 9, 3, 18),
    "flags_pop": Operation((_MICROCODE,) * 20, 20, 60),
    "string": Operation((_ANY,) * 2, 1, 6),
    "movs_repeated": Operation((_MICROCODE,) * 18, 1, 107),  # [M] "rep movsq, 8 bytes" less what elements take; and the next
    "stos_repeated": Operation((_MICROCODE,) * 26, 1, 156),
    "control": Operation((_ANY,) * 8, 8, 12),
    "state": Operation((_MICROCODE,) * 100, 100, 300),
    "time_stamp": Operation((_MICROCODE,) * 36, 36, 2),
    "vector_move": Operation((), 0, 1),
    "vector_integer": Operation((_VECTOR,), 1, 1),
    "vector_shuffle": Operation((_SHUFFLE,), 1, 1),
    "vector_shift": Operation((_SHUFFLE,), 1, 1),
    "vector_multiply_integer": Operation((_ports(10, 13),), 3, 1),
    "vector_compare": Operation((_FMUL,), 1, 1),
    "vector_add": Operation((_ADD,), 3, 1),
    "vector_multiply": Operation((_FMUL,), 3, 1),
    "vector_fma": Operation((_FMUL,), 4, 1),
    "vector_divide32": Operation((_DIVIDE,) * 3, 10, 1),
    "vector_divide64": Operation((_DIVIDE,) * 5, 13, 1),
    "vector_root32": Operation((_DIVIDE,) * 5, 14, 1),
    "vector_root64": Operation((_DIVIDE,) * 9, 20, 1),
    "to_vector": Operation((_TO,), 3, 1),
    "from_vector": Operation((_FROM,), 3, 1),
    "insert": Operation((_TO, _SHUFFLE), 4, 2),
    "extract": Operation((_SHUFFLE, _FROM), 4, 2),
    "convert": Operation((_ADD,), 3, 1),
    "integer_to_float": Operation((_TO, _ADD), 7, 2),
    "float_to_integer": Operation((_ADD, _FROM), 6, 2),
    "compare_flags": Operation((_FMUL, _FROM), 4, 2),
    "x87_load": Operation((_X87,), 1, 1),
    "x87_load_memory": Operation((), 0, 1),
    "x87_load_extended_memory": Operation((_MICROCODE,) * 4, 4, 2),
    "x87_store": Operation((), 0, 1),
    "x87_store_extended_memory": Operation((_MICROCODE,) * 5, 5, 3),
    "x87_exchange": Operation((), 0, 1),
    "x87_sign": Operation((_X87,), 1, 1),
    "x87_add": Operation((_X87,), 6, 1),
    "x87_divide": Operation((_X87,) * 6, 15, 1),
    "x87_root": Operation((_X87,) * 9, 22, 1),
    "x87_compare": Operation((_X87, _FROM), 4, 2),
    "x87_select": Operation((_X87,), 3, 2),
    "x87_status": Operation((_MICROCODE,) * 18, 18, 2),
    "x87_control": Operation((_MICROCODE,) * 2, 2, 2),
    "x87_round": Operation((_X87,), 5, 1),
    "x87_scale": Operation((_MICROCODE,) * 11, 11, 10),
    "x87_rest": Operation((_MICROCODE,) * 23, 23, 20),
    "x87_function": Operation((_MICROCODE,) * 85, 85, 60),
}

# Cycles. [m], but those of privileged instructions: as much as a call of microcode takes.
_SERIALISING = {
    "lfence": 10, "mfence": 58, "pause": 76, "rdtscp": 68,
    "iretq": 60, "retfq": 60, "cpuid": 100, "int3": 20, "syscall": 30, "sysretq": 30, "wrmsr": 100, "rdmsr": 60, "invlpg": 100,
    "lgdt": 50, "lidt": 50, "ltr": 50, "swapgs": 10, "out": 40, "in": 40, "cli": 4, "sti": 4, "hlt": 10, "ud2": 20,
}  # fmt: skip

ZEN3 = Core(
    name="zen3",
    registers=REGISTERS,
    measured=True,
    width=6,  # [SOG] 2.9.6: macro-operations a cycle
    line=11,  # [M]: the op cache does not always give six
    window=160,  # [M]: of the retire control unit's 256 entries, [SOG] 2.10.3, as the schedulers have fewer
    load=4,  # [SOG] 2.12
    load_complex=1,  # [m]; [SOG] 2.12: "simple address generation modes" are faster
    load_vector=7,  # [SOG] 2.12
    forward=6,  # [m]: 5 to 7, and 1 for the operation between
    forward_vector=9,  # [m]
    forward_learned=0,  # [M] "add to memory": predictive store forwarding; for about 16 loads
    forward_failed=18,  # [m]
    renamed=frozenset({4}),  # [m]: the stack pointer
    load_busy=52,  # [M]
    load_busy_late=56,  # [M]
    segment=4,  # [m]
    load_ports=_ADDRESS,  # [SOG] 2.12: three memory operations a cycle
    load_vector_ports=_ports(4, 5),  # [m]
    store_ports=_ADDRESS,  # [m]: with loads, three a cycle
    store_block=32,  # [m]
    store_room=96,  # [M]: of what has 64 entries, [SOG] 2.12, this much helps; more does not
    modify_store=4,  # [m]
    modify_runs=4,  # [m]
    moves_eliminated=True,  # [SOG] 2.9.2; [m]
    nops_fused=False,  # [m]
    fused_with_jump=frozenset({"cmp", "test", "add", "sub", "and", "or", "xor", "inc", "dec"}),  # [m]; [SOG] 2.9.3
    taken_loss=8,  # [m]: a run of instructions is fetched by eight
    taken_each=48,  # [M]: "16 jumps over 16 bytes"
    ahead=120,  # [M]: so programs that are looked at are neither too fast nor too slow, taken together
    trap=90,  # between calls of microcode and what Linux's entry measures
    interrupt=500,  # of the order that Linux's `ipi` benchmarks show between cores of one complex
    operations=_OPERATIONS,
    serialising=_SERIALISING,
    locked=6,  # [m]
    locked_complex=8,  # [m]
    predictor=Predictor(
        bimodal=8192,
        tagged=2048,  # [SOG] 2.8.1.4 says TAGE, and no sizes
        histories=(12, 32),
        targets=8192,  # [SOG] 2.8.1.2: 1,024 and 6,656
        indirect=2048,  # [SOG] 2.8.1.4: 1,536
        return_stack=32,  # [SOG] 2.8.1.3; [M]
        mispredict=624,  # [SOG] 2.8: 13 cycles, 11 to 18
        resteer=512,  # [M] "a jump among many"
        return_each=144,  # [M] "call and return"
    ),
    caches=Caches(
        l1i=Cache(64, 8),  # [SOG] 2.6.1: 32 KiB
        l1d=Cache(64, 8),  # [SOG] 2.6.2: 32 KiB
        l2=Cache(1024, 8),  # [SOG] 2.6.3: 512 KiB
        llc=Cache(32768, 16),  # [SOG] 2.6.4: 32 MiB
        llc_kept=5_000_000,  # [M] "lines in random order": found again after 3.5 million cycles, not after 7
        l2_hit=8,  # [SOG] 2.6.3: 12 from the address; [M]
        llc_hit=42,  # [SOG] 2.6.4: 46 on average; [M]
        memory=455,  # [M] "lines in random order, huge pages"
        transfer=90,
        upgrade=46,
        itlb=Tlb(1, 64),  # [SOG] 2.7.1
        dtlb=Tlb(1, 64),  # [SOG] 2.7.2
        l2_tlb=Tlb(128, 16),  # [SOG] 2.7.2: 2,048 entries for data
        l2_tlb_hit=7,  # [SOG] 2.7.2; [M]
        walk=50,  # [M] "a line of each page": a guest's walk, which is of two tables
    ),
)
CORE = ZEN3
