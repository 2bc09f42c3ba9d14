# SPDX-License-Identifier: GPL-2.0-only
"""String instructions that write code: a CPU that overwrites code it has executed before executes the new code."""

from __future__ import annotations

import itertools

import pytest

from tests.cpu.bare import CODE, KERNEL, PDPT_HIGH, Bare
from tests.cpu.strings import SIZES, Instruction

FUNCTION = 0x40000
OTHER = 0x48000
FIRST, SECOND = "mov r12d, 1; ret", "mov r12d, 2; ret"
LENGTH = 7  # bytes of each
DIRECTORY = 0x60000
ALIAS = KERNEL + (1 << 30)  # another mapping of the first 2 MiB of RAM


def board() -> Bare:
    bare = Bare()
    bare.put(FUNCTION, FIRST)
    bare.put(OTHER, SECOND)
    bare.word(PDPT_HIGH + 511 * 8, DIRECTORY | 3)
    bare.word(DIRECTORY, 0x83)
    return bare


def copying(size: int, *, backwards: bool, target: int) -> str:
    """Instructions that copy the second function over the first one."""
    count = -(-LENGTH // size)
    last = (count - 1) * size if backwards else 0
    code = ", ".join(f"{byte:#x}" for byte in Instruction("movs", size).code)
    return (
        f"mov rsi, {KERNEL + OTHER + last:#x}; mov rdi, {target + last:#x}; mov ecx, {count}; "
        f"{'std; ' if backwards else ''}.byte {code}; cld; "
    )


@pytest.mark.parametrize("target", [KERNEL + FUNCTION, ALIAS + FUNCTION], ids=["its address", "another address"])
def test_a_function_that_is_copied_over_is_new(target: int) -> None:
    for size, backwards in itertools.product(SIZES, (False, True)):
        bare = board()
        call = f"call {KERNEL + FUNCTION:#x}; "
        bare.start(f"{call} {call} mov r13, r12; {copying(size, backwards=backwards, target=target)} {call} cli; hlt")
        assert bare.run()
        assert (bare.registers()["r13"], bare.registers()["r12"]) == (1, 2), (size, backwards)


def test_a_function_that_is_filled_is_new() -> None:
    bare = board()
    bare.put(FUNCTION, "inc r12d; nop; ret")
    bare.start(
        f"xor r12, r12; mov rbx, {KERNEL + FUNCTION:#x}; call rbx; call rbx; mov r13, r12; "
        "mov al, 0x90; mov rdi, rbx; mov ecx, 3; rep stosb; call rbx; cli; hlt"
    )
    assert bare.run()
    assert (bare.registers()["r13"], bare.registers()["r12"]) == (2, 2)


@pytest.mark.parametrize("warm", [False, True])
def test_the_instruction_behind_is_overwritten(warm: bool) -> None:
    """The new instruction is executed, even if the old one was executed before."""
    bare = board()
    bare.start(
        f"mov rbp, {KERNEL + OTHER + 0x800:#x}; mov ebx, {1 + warm}; lea rdx, [rip + behind]; xor r12, r12; "
        "again: cmp ebx, 1; cmove rbp, rdx; mov rdi, rbp; mov ecx, 3; mov al, 0x90; rep stosb; "
        "behind: inc r12d; dec ebx; jnz again; cli; hlt"
    )
    assert bare.run()
    assert bare.registers()["r12"] == warm


def test_code_around_the_instruction_is_overwritten() -> None:
    """Code before it and more than a block behind it; then all of it is executed again."""
    bare = board()
    bare.start(
        "xor r12, r12; xor r13, r13; mov ebx, 2; lea rdx, [rip + before]; lea rbp, [rip + later]; "
        "again: before: inc r12d; mov al, 0x90; mov rdi, rdx; mov ecx, 3; rep stosb; mov rdi, rbp; mov ecx, 3; rep stosb; "
        "jmp later; nop; later: inc r13d; dec ebx; jnz again; cli; hlt"
    )
    assert bare.run()
    assert (bare.registers()["r12"], bare.registers()["r13"]) == (1, 0)


def test_data_on_the_page_of_the_instruction() -> None:
    bare = board()
    bare.start(
        "xor r12, r12; mov ebx, 50; again: inc r12d; lea rdi, [rip + data]; mov ecx, 100; mov eax, ebx; rep stosb; "
        "lea rsi, [rip + data]; lea rdi, [rip + data + 200]; mov ecx, 100; rep movsb; dec ebx; jnz again; cli; hlt; data: nop"
    )
    assert bare.run()
    data = bytes(bare.board.ram[CODE : CODE + 0x1000])
    assert b"\x01" * 100 + bytes(100) + b"\x01" * 100 in data
    assert bare.registers()["r12"] == 50


@pytest.mark.parametrize("size", SIZES)
def test_an_instruction_that_overwrites_itself_goes_on_to_its_end(size: int) -> None:
    """As on real CPUs (measured: AMD, family 25)."""
    code = ", ".join(f"{byte:#x}" for byte in Instruction("stos", size).code)
    bare = Bare()
    bare.start(
        f"mov rax, 0x9090909090909090; lea rdi, [rip + self]; mov ecx, {48 // size}; self: .byte {code}; "
        + "inc r12d; " * 20
        + "cli; hlt"
    )
    assert bare.run()
    assert bare.registers()["rcx"] == 0
