# SPDX-License-Identifier: GPL-2.0-only
"""Blocks with instructions that are judged separately, each preceded by what makes their operands valid."""

from __future__ import annotations

from collections.abc import Iterator

import keystone

__all__ = ["special_blocks"]

_DIVISIONS = [
    f"{setup}; mov {a}, {dividend:#x}; mov {c}, {divisor:#x}; {sign}; {name} {c}{extra}"
    for setup, a, c, dividend, divisor in (
        ("nop", "eax", "ecx", 7, 9), ("nop", "eax", "ecx", 1000, 10), ("nop", "eax", "ecx", 123456789, 10),
        ("nop", "eax", "ecx", 123456789, 12345), ("nop", "rax", "rcx", 7, 9), ("nop", "rax", "rcx", 4096, 24),
        ("nop", "rax", "rcx", 0x123456789ABC, 1000), ("nop", "rax", "rcx", 0x123456789ABCDE, 10),
        ("nop", "rax", "rcx", 0x123456789ABC, 0x12345678),
    )
    for name, sign in (("div", "xor edx, edx"), ("idiv", "cqo" if a == "rax" else "cdq"))
    for extra in ("", "; add rbx, rax", "; mov qword ptr [rdi], rax; mov rsi, rdx")
]  # fmt: skip
_OTHERS = [
    *(
        f"{before}{one}{after}"
        for one in (
            "lock add dword ptr [rdi], 1", "lock inc qword ptr [rdi]", "lock or byte ptr [rdi + 8], 4",
            "lock dec dword ptr [rdi + 4]",
            "lock xadd dword ptr [rdi], eax", "lock xadd qword ptr [rdi], rax", "xadd qword ptr [rdi], rax",
            "xchg dword ptr [rdi], eax", "xchg qword ptr [rdi], rax", "lock cmpxchg dword ptr [rdi], ecx",
            "lock cmpxchg qword ptr [rdi], rcx", "cmpxchg dword ptr [rdi], ecx", "lock bts qword ptr [rdi], 3",
            "lock cmpxchg16b [rdi]", "mfence", "lfence", "sfence", "pause", "rdtsc", "rdtscp",
        )
        for before, after in (
            ("", ""), ("", "; mov rdx, qword ptr [rsi]; add rdx, 1; mov rbx, rdx; and ebx, 7"),
            ("mov qword ptr [rsi], rbp; ", "; mov rdx, qword ptr [rsi + 64]; add rdx, 1"),
            ("push rbx; mov r8, qword ptr [rsi]; add r8, 1; mov qword ptr [rsi], r8; ", "; pop rbx"),
        )
    ),
    "cmpxchg qword ptr [rdi], rcx; add rbx, rax", "xadd rax, rcx; xadd ecx, eax", "xchg rax, rcx", "xchg eax, ecx; add eax, 1",
    "pushfq; pop rax", "lfence; rdtsc; shl rdx, 32; or rax, rdx", "cmpxchg rcx, rdx",
]  # fmt: skip


def special_blocks() -> Iterator[bytes]:
    """The code of the blocks."""
    assembler = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)
    for text in _DIVISIONS + _OTHERS:
        code, _ = assembler.asm(text, as_bytes=True)
        yield code
