# SPDX-License-Identifier: GPL-2.0-only
"""Programs of RISC-V for the ladder's probes: jumps and branches of every form, and sequences that must not be interrupted."""

from __future__ import annotations

from emu.port.ladder.assembler import labelled

__all__ = ["probed_program"]

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
