# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests of x86-64 for the ladder: parts of registers, absolute addresses, hints, other names, exceptions, flags."""

from __future__ import annotations

from collections.abc import Mapping

from emu.port.ladder.arch import LitmusTest

__all__ = ["NOT_LITMUS", "litmus"]

NOT_LITMUS = (
    "mov eax", "movq rax, rbx", "nonesuch", "mov rax, rbx, rcx", "add eax, bl", "mov al, 300", "mov rax, qword ptr [nowhere]",
)  # fmt: skip
_JUMPS = [
    "mov rbx, qword ptr [flag]", "test rbx, rbx", "jne other", "cmp ecx, ecx", "jmp join", "other: xor ebx, ebx",
    "join: sete al", "nop", "nop",
]  # fmt: skip


def _one(instructions: str, finals: str, states: int, shown: str = "0:fault", initial: str = "") -> LitmusTest:
    return LitmusTest([instructions.split("; ")], initial, shown, finals, states)


def litmus() -> Mapping[str, LitmusTest]:
    """See AssemblerTemplates.litmus."""
    parts = (
        "mov rax, 5; mov ah, 2; mov bl, 3; mov r9d, 7; mov r10w, 9; mov sil, 4; mov ecx, dword ptr [count]; lea rdx, [count]; "
        "mov qword ptr [0x11008], rcx"
    )
    others = "jz over; nop; over: cmovnae ecx, eax; sal ebx, 2; movabs rsi, 0x1234567890; sete al"
    nops = "nop dword ptr [rax]; nop word ptr [rax + 8]; nop dword ptr [rax + 0x1234]; nop"
    columns = [["mov qword ptr [flag], 1"], _JUMPS]
    return {
        "parts of registers, and absolute addresses": _one(
            parts, "0:ah=2; 0:bl=3; 0:ecx=7; 0:r10w=9; 0:r9=7; 0:rax=0x205; 0:sil=4; other=7;", 11,
            r"0:rax = 1 \/ 0:ah = 2 \/ 0:bl = 3 \/ 0:r9 = 7 \/ 0:r10w = 9 \/ 0:sil = 4 \/ 0:ecx = 7 \/ other = 7",
            "count = 7; other = 0;",
        ),
        "other names of instructions": _one(others, "0:rbx=0xc; 0:rsi=0x1234567890;", 7,
                                            r"0:rsi = 1 \/ 0:rbx = 12", "0:rbx = 3;"),
        "nops with operands": _one(nops, "0:rax=0;", 5, "0:rax = 0"),
        "an undefined instruction": _one("ud2", "0:fault=#UD;", 2),
        "a breakpoint": _one("int3", "0:fault=#BP;", 2),
        "a division by zero": _one("xor ecx, ecx; div ecx", "0:fault=#DE;", 3),
        "a page that is not mapped": _one("mov rax, qword ptr [0x900000]", "0:fault=#PF;", 2),
        "a CPU that halts": _one("hlt; nop", "0:fault=halted;", 2),
        "an instruction that changes itself": _one("mov byte ptr [next + 1], 7; cpuid; next: mov edx, 5", "0:rdx=7;", 5,
                                                   "0:rdx = 7"),
        "flags that are the same by two ways": LitmusTest(columns, "flag = 0;", "1:rax = 1", "1:rax=1;", 30),
    }  # fmt: skip
