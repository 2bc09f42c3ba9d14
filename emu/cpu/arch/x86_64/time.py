# SPDX-License-Identifier: GPL-2.0-only
"""The costs of x86-64 instructions in the static model."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "BACKWARD_ELEMENT", "COMPARE_ELEMENT", "CYCLES", "LOAD_ELEMENT", "REPEATED_CYCLES", "SCAN_ELEMENT", "STRING_BYTES_PER_CYCLE",
]  # fmt: skip

# String instructions with a repeat prefix: cycles before the first element, and the cost of elements.
_STRING_START = 35
STRING_BYTES_PER_CYCLE = 32  # of movs and stos
BACKWARD_ELEMENT, LOAD_ELEMENT, SCAN_ELEMENT, COMPARE_ELEMENT = 1, 2, 2, 3  # cycles; movs and stos go backwards

_REPEATED = [
    f"{prefix} {name}{size}"
    for prefix in ("rep", "repe", "repne") for name in ("movs", "stos", "lods", "scas", "cmps") for size in "bwdq"
]  # fmt: skip

REPEATED_CYCLES: Mapping[str, int] = dict.fromkeys(_REPEATED, _STRING_START)

# The cycles of x86-64 instructions that take more than one, by capstone's mnemonic without prefixes. Rounded latencies from
# Agner Fog's "Instruction tables" (Skylake) for arithmetic; system instructions from Intel's optimisation manual, appendix C.
CYCLES: Mapping[str, int] = {
    "imul": 3, "mul": 3, "div": 26, "idiv": 26,
    "xchg": 20, "cmpxchg": 18, "xadd": 18,  # implied or usual lock prefix
    "mfence": 33, "lfence": 4, "sfence": 2, "pause": 40,
    "syscall": 50, "sysretq": 50, "iretq": 80, "int3": 60,
    "swapgs": 20, "wrmsr": 100, "rdmsr": 60, "cpuid": 100, "rdtsc": 20, "rdtscp": 25,
    "invlpg": 120, "lgdt": 50, "lidt": 50, "ltr": 50, "cli": 4, "sti": 4, "out": 40, "hlt": 10,
    **REPEATED_CYCLES,
}  # fmt: skip
