# SPDX-License-Identifier: GPL-2.0-only
"""Programs of RISC-V's guest: what is peculiar to it, and for probes, jumps and branches of every form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from emu.port.ladder.assembler import labelled

__all__ = ["PROGRAMS", "probed_program"]

_RIGHT = 42
_END = f"bad: li a0, 1; j out; right: li a0, {_RIGHT}; out: li a7, 94; ecall"
_START = ".globl _start; _start: addi sp, sp, -512; "

# A handler that clears registers of floating point, its flags, and registers of the interrupted code.
_SIGNAL = f"""
{_START} la a1, act; la t0, handler; sd t0, (a1); li a0, 10; li a2, 0; li a3, 8; li a7, 134; ecall; bnez a0, bad; la s0, number
fld fs0, (s0); fld ft0, (s0); li t0, 0x61; fscsr t0; li a7, 172; ecall; li a1, 10; li s1, 0x55; li t3, 0x66; li a7, 129; ecall
li t1, 0x55; bne s1, t1, bad; li t1, 0x66; bne t3, t1, bad; frcsr t0; li t1, 0x61; bne t0, t1, bad; ld t1, (s0)
fmv.x.d t0, fs0; bne t0, t1, bad; fmv.x.d t0, ft0; bne t0, t1, bad; la t0, flag; ld t0, (t0); li t1, 10; beq t0, t1, right
{_END}; handler: fmv.d.x fs0, zero; fmv.d.x ft0, zero; fscsr zero; la t0, flag; sd a0, (t0); li s1, 0; li t3, 0; ret
.data; .balign 8; number: .dword 0x4008000000000000; flag: .dword 0; act: .dword 0, 0, 0, 0
"""
# mmap() of a page for code, and riscv_flush_icache(), which knows one flag.
_CODE = f"""
{_START} li a0, 0; li a1, 4096; li a2, 7; li a3, 0x22; li a4, -1; li a5, 0; li a7, 222; ecall; bltz a0, bad; mv s0, a0
la s1, first; ld t0, (s1); sd t0, (s0); mv a0, s0; addi a1, a0, 64; li a2, 0; li a7, 259; ecall; bnez a0, bad
jalr s0; li t0, 1; bne a0, t0, bad; ld t0, 8(s1); sd t0, (s0); mv a0, s0; addi a1, a0, 64; li a2, 0; li a7, 259; ecall
bnez a0, bad; jalr s0; li t0, 2; bne a0, t0, bad; mv a0, s0; mv a1, s0; li a2, 4; li a7, 259; ecall; li t0, -22; beq a0, t0, right
{_END}; .option norvc; .balign 8; first: li a0, 1; ret; li a0, 2; ret
"""

PROGRAMS: Mapping[str, str] = MappingProxyType({
    "a signal handler that changes registers": _SIGNAL,
    "code that it has written (riscv_flush_icache)": _CODE,
})  # fmt: skip
"""By what they are about; see AssemblerTemplates.programs."""

_TAKEN = {"beq": "e", "bne": "lg", "blt": "l", "bge": "ge", "bltu": "g", "bgeu": "le"}  # of -5 and 7: unsigned, -5 is greater
_PAIRS = {"l": ("a2", "a3"), "g": ("a3", "a2"), "e": ("a2", "a2")}

# Forms that are compressed or not, forwards and backwards; `bad` is reached if one leads elsewhere.
_JUMPS = """
li s2, 0; 70: addi s2, s2, 1; li t0, 3; bne s2, t0, 70b; la a4, word; sd zero, (a4); la t1, 71f; jr t1; ~nop
71: jal ra, 72f; .option push; .option rvc; c.j 73f; 72: c.jr ra; 73: la a5, 74f; c.jalr a5; 74: sub a5, a5, ra; bnez a5, bad
li a5, 0; c.beqz a5, 75f; ~j bad; 75: c.bnez a5, bad; li a5, 2; 76: c.addi a5, -1; c.bnez a5, 76b; c.beqz a5, 77f; ~j bad
77: c.mv a6, s1; c.add a6, a2; li t2, 40; 78: addi t2, t2, -1; c.j 79f; 77: bnez t2, 78b; j further; 79: c.j 77b; .option pop
further: addi s1, s1, 1; ~refused1: lr.d t0, (a4); ~refused2: addi t0, t0, 1; ~refused3: sc.d t1, t0, (a4); bnez t1, bad
amoadd.d t0, t0, (a4); auipc t0, 0; auipc t1, 0; sub t1, t1, t0; li t0, 4; bne t1, t0, bad; la t1, 70f - 8; jalr t0, 8(t1); ~j bad
70: mv a0, s1; la t0, 70b; ~bad: andi a0, a0, 127; li a7, 94; ecall
"""


def probed_program() -> str:
    """See AssemblerTemplates.probed_program."""
    text = []
    for name, taken in _TAKEN.items():
        for relation, (left, right) in _PAIRS.items():
            skipped = "~" * (relation in taken)
            begin = "slli t0, s1, 1; add s1, s1, t0; "
            text.append(f"{begin}{name} {left}, {right}, 70f; {skipped}addi s1, s1, 1; 70: addi s1, s1, 5; ")
    body = labelled(f"li s1, 0; li a2, -5; li a3, 7; {''.join(text)}{_JUMPS}", "probed")
    return (
        f".globl _start; _start: ld a0, (sp); li a1, 1; bne a0, a1, own; {body}; own: ebreak; refused4: ebreak;"
        "refused5: c.ebreak; refused6: .2byte 0; .data; .balign 8; word: .dword 0"
    )
