# SPDX-License-Identifier: GPL-2.0-only
"""Code that one CPU of emu's own board changes: the others keep their translations until they are told to forget them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cpu.bare import KERNEL, PD, Bare

FUNCTION, FLAG = 0x140000, 0x60000
ALIAS = 100 << 21  # above KERNEL: the same frames once more
CALL = "mov edi, r12d; mov eax, 33; call f; "


def calls_after(change: str, *, told: bool) -> list[list[int]]:
    """Both CPUs call a function; then CPU 0 changes it; then both call it twice more. What they get."""
    bare = Bare(2)
    bare.word(PD + 100 * 8, 0x83)
    bare.put(FUNCTION, "mov r12d, 1; ret")
    again = f"call {KERNEL + FUNCTION:#x}; {CALL}"
    flag, end = f"mov rbx, {KERNEL + FLAG:#x}; ", "cli; hlt; f: out 0xe0, eax; ret"
    wait = "mov ecx, 2000; l: dec ecx; jnz l; "
    bare.start(f"{again}{wait}{change}mov eax, 35; call f; {flag}inc qword ptr [rbx]; {again}{again}{end}")
    bare.start(f"{again}{flag}l: pause; cmp qword ptr [rbx], 0; je l; {again}{again}{end}", cpu=1)
    found: list[list[int]] = [[], []]

    def on_call(cpu, number, arguments):
        if number == 33:
            found[cpu.index].append(arguments[0])
        elif told:
            bare.board.cpus[1].forget(np.array([[FUNCTION, FUNCTION + 1]], np.uint64))
        cpu.answer(0)

    assert any(not bare.board.run(on_call) for _ in range(100))
    return found


STORES = {
    "a store": f"mov rbx, {KERNEL + FUNCTION:#x}; mov dword ptr [rbx + 2], 2; ",
    "a store at another address": f"mov rbx, {KERNEL + ALIAS + FUNCTION:#x}; mov dword ptr [rbx + 2], 2; ",
    "rep stosb": f"mov rdi, {KERNEL + FUNCTION + 2:#x}; mov al, 2; mov ecx, 1; rep stosb; ",
    "rep stosb at another address": f"mov rdi, {KERNEL + ALIAS + FUNCTION + 2:#x}; mov al, 2; mov ecx, 1; rep stosb; ",
}


@pytest.mark.parametrize("change", STORES)
@pytest.mark.parametrize("told", [False, True])
def test_the_writer_sees_its_change_and_the_others_keep_what_they_have(change: str, told: bool) -> None:
    assert calls_after(STORES[change], told=told) == [[1, 2, 2], [1, 2, 2] if told else [1, 1, 1]]
