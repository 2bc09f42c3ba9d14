# SPDX-License-Identifier: GPL-2.0-only
"""The static model: every instruction has one cost, whatever came before it."""

from __future__ import annotations

from collections.abc import Mapping

import capstone

from emu.cpu.timing import BlockCost

__all__ = ["SPARC64_CYCLES", "X86_64_CYCLES", "StaticModel"]

# Cycles of x86-64 instructions that cost more than one, by capstone's mnemonic without prefixes. Rounded latencies from
# Agner Fog's "Instruction tables" (Skylake) for arithmetic; system instructions from Intel's optimisation manual, appendix C.
X86_64_CYCLES: Mapping[str, int] = {
    "imul": 3, "mul": 3, "div": 26, "idiv": 26,
    "xchg": 20, "cmpxchg": 18, "xadd": 18,  # implied or usual lock prefix
    "mfence": 33, "lfence": 4, "sfence": 2, "pause": 40,
    "syscall": 50, "sysretq": 50, "iretq": 80, "int3": 60,
    "swapgs": 20, "wrmsr": 100, "rdmsr": 60, "cpuid": 100, "rdtsc": 20, "rdtscp": 25,
    "invlpg": 120, "lgdt": 50, "lidt": 50, "ltr": 50, "cli": 4, "sti": 4, "out": 40, "hlt": 10,
    "rep stosq": 30, "rep stosb": 30, "rep movsq": 40, "rep movsb": 40,
}  # fmt: skip

# Cycles of SPARC V9 instructions that cost more than one (UltraSPARC-II User's Manual, 17).
SPARC64_CYCLES: Mapping[str, int] = {
    "mulx": 20, "sdivx": 70, "udivx": 70, "ta": 20, "cas": 20, "casx": 20, "ldstub": 20, "membar": 10, "flush": 20,
}  # fmt: skip


class StaticModel:
    """Adds up what each instruction costs on its own: one cycle unless a table says otherwise."""

    def __init__(self, disassembler: capstone.Cs, cycles: Mapping[str, int]) -> None:
        self._disassembler = disassembler
        self._cycles = cycles

    def block(self, code: bytes, address: int) -> BlockCost:
        instructions = cycles = 0
        for _, _, mnemonic, _ in self._disassembler.disasm_lite(code, address):
            instructions += 1
            cycles += self._cycles.get(mnemonic.removeprefix("lock "), 1)
        return BlockCost(max(instructions, 1), max(cycles, 1))
