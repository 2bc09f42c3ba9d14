# SPDX-License-Identifier: GPL-2.0-only
"""Code that changes: a CPU executes its translation until it is told to forget it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cpu.bare import KERNEL, Bare

FUNCTION = 0x40000
RETURN_TWO = bytes.fromhex("41bc02000000c3")  # mov r12d, 2; ret


def caller() -> Bare:
    bare = Bare()
    bare.put(FUNCTION, "mov r12d, 1; ret")
    bare.start(f"again: call {KERNEL + FUNCTION:#x}; mov rdi, r12; mov eax, 33; call f; jmp again; f: out 0xe0, eax; ret")
    return bare


def results(bare: Bare, change) -> list[int]:
    seen: list[int] = []

    def on_call(cpu, number, arguments):
        seen.append(arguments[0])
        if len(seen) == 2:
            change(cpu)
        cpu.answer(0)

    while len(seen) < 4:
        bare.board.run(on_call)
    return seen


def test_a_cpu_that_is_not_told_runs_stale_code() -> None:
    bare = caller()
    assert results(bare, lambda cpu: bare.board.write_code(FUNCTION, RETURN_TWO)) == [1, 1, 1, 1]


def test_a_cpu_that_fetches_anew_runs_what_is_in_memory() -> None:
    bare = caller()

    def change(cpu):
        bare.board.write_code(FUNCTION, RETURN_TWO)
        cpu.fetch_anew(np.array([[FUNCTION, FUNCTION + 4]], np.uint64))

    assert results(bare, change) == [1, 1, 2, 2]


def test_a_flushed_page_is_fetched_anew_by_every_cpu() -> None:
    bare = caller()

    def change(cpu):
        bare.bytes(FUNCTION, RETURN_TWO)
        bare.board.flush_page(FUNCTION + 123)

    assert results(bare, change) == [1, 1, 2, 2]


def test_code_of_the_same_length_is_charged_anew() -> None:
    bare = Bare()
    slow = bytes.fromhex("48f7f1" "c3")  # div rcx; ret
    bare.put(FUNCTION, "nop; nop; nop; ret")
    bare.start(f"xor edx, edx; mov ecx, 1; call {KERNEL + FUNCTION:#x}; mov eax, 33; call f; "
               f"call {KERNEL + FUNCTION:#x}; mov eax, 33; call f; cli; hlt; f: out 0xe0, eax; ret")  # fmt: skip
    times: list[int] = []

    def on_call(cpu, number, arguments):
        times.append(cpu.cycles)
        if len(times) == 1:
            bare.board.write_code(FUNCTION, slow)
            cpu.fetch_anew(np.array([[FUNCTION, FUNCTION + 4]], np.uint64))
        cpu.answer(0)

    while bare.board.run(on_call):
        pass
    assert times[1] - times[0] > 26


def test_an_exception_in_a_python_handler_comes_out_of_the_run() -> None:
    bare = caller()
    board = bare.board
    board.callouts.look_at_blocks(KERNEL + FUNCTION, KERNEL + FUNCTION + 16)
    calls = 0

    def handler(cpu, address):
        nonlocal calls
        calls += 1
        if calls == 3:
            raise ZeroDivisionError("from the callback")

    board.callouts.dispatch(KERNEL + FUNCTION, board.python_handler(handler))
    with pytest.raises(ZeroDivisionError, match="from the callback"):
        bare.run()
    assert calls == 3
