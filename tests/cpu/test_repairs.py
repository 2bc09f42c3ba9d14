# SPDX-License-Identifier: GPL-2.0-only
"""Instructions that Unicorn gets wrong: the CPU has neither AVX nor RDRAND, and reports that."""

from __future__ import annotations

import pytest

from tests.cpu.bare import HANDLERS, KERNEL, PT_USER, USER, USER_FRAME, Bare

INVALID_OPCODE, BREAKPOINT = 6, 3
WITH_SSE = "mov rax, cr4; or rax, 0x200; mov cr4, rax"
TO_USER = "push 0x23; push 0x401f00; push 0x202; push 0x2b; push 0x400000; iretq"


def run(program: str | bytes) -> tuple[int, dict[str, int]]:
    """Runs a program up to its first trap. Returns the vector and the registers."""
    bare = Bare()
    bare.word(PT_USER, USER_FRAME | 7)
    bare.put(USER_FRAME, program, USER)
    for vector in (BREAKPOINT, INVALID_OPCODE):
        bare.put(HANDLERS + vector * 0x100, f"mov r15, {vector}; cli; hlt")
        bare.gate(vector, KERNEL + HANDLERS + vector * 0x100, dpl=3)
    bare.start(f"{WITH_SSE}; {TO_USER}")
    assert bare.run()
    registers = dict(bare.registers())
    return registers["r15"], registers


@pytest.mark.parametrize(
    "instruction",
    [
        "vpaddd xmm2, xmm1, xmm0",
        "vpaddd ymm2, ymm1, ymm0",
        "vaddsd xmm2, xmm1, xmm0",
        "vmovq xmm8, rax",
        "vmovdqu xmm0, [rsp]",
        "vpshufb xmm2, xmm1, xmm0",
        "vpextrd eax, xmm0, 1",
        "vaesenc xmm2, xmm1, xmm0",
        "vzeroupper",
    ],
)
def test_avx_is_an_invalid_opcode(instruction: str) -> None:
    """Unicorn executes the SSE instruction with the same opcode instead, which has one source less."""
    assert run(f"nop; {instruction}; int3")[0] == INVALID_OPCODE


def test_nothing_gives_numbers_that_differ_from_run_to_run() -> None:
    assert run("rdrand rax; int3")[0] == INVALID_OPCODE
    assert run("rdseed rax; int3")[0] == INVALID_OPCODE
    vector, registers = run("mov eax, 1; cpuid; int3")
    assert (vector, registers["rcx"] >> 30 & 1) == (BREAKPOINT, 0)


def test_sse_is_executed() -> None:
    vector, registers = run("mov rax, 5; movq xmm0, rax; paddd xmm0, xmm0; pshufd xmm0, xmm0, 0; movq rbx, xmm0; int3")
    assert (vector, registers["rbx"]) == (BREAKPOINT, 0xA_0000_000A)


@pytest.mark.parametrize(
    ("instruction", "result"),
    [
        ("andn rbx, rax, rcx", 0x0FF0 & ~0x00FF),
        ("shlx rbx, rcx, rdx", 0x0FF0 << 4),
        ("pext rbx, rcx, rax", 0xF0),
        ("rorx rbx, rcx, 4", 0xFF),
        ("bzhi rbx, rcx, rdx", 0x0FF0 & 0xF),
        ("mulx rbx, rsi, rcx", 0),
    ],
)
def test_bmi_is_executed(instruction: str, result: int) -> None:
    """Its instructions have a VEX prefix, too."""
    vector, registers = run(f"mov rax, 0xff; mov rcx, 0xff0; mov rdx, 4; {instruction}; int3")
    assert (vector, registers["rbx"]) == (BREAKPOINT, result)
