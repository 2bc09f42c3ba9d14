# SPDX-License-Identifier: GPL-2.0-only
"""CPUs take turns: how far they drift apart, and that only the seed decides."""

from __future__ import annotations

import pytest

from emu.cpu import arch
from emu.cpu.board import Board
from tests.cpu.bare import KERNEL, MEMORY, Bare

SHARED = 0x60000


def race(seed: int) -> tuple[list[int], int]:
    """Four CPUs change a shared word, with a result that depends on their order. Returns their clocks and the word."""
    bare = Bare(4, quantum=500, seed=seed)
    for n in range(4):
        bare.start(
            f"mov rbx, {KERNEL + SHARED:#x}; mov rcx, {3000 + n}; l: mov rax, [rbx]; imul rax, rax, 31; add rax, {n + 1}; "
            "mov [rbx], rax; dec rcx; jnz l; cli; hlt",
            cpu=n,
        )
    assert bare.run()
    return [cpu.cycles for cpu in bare.board.cpus], bare.read(SHARED)


def test_the_same_seed_gives_the_same_run() -> None:
    assert race(3) == race(3)


def test_another_seed_gives_another_interleaving() -> None:
    assert len({race(seed)[1] for seed in range(4)}) == 4


@pytest.mark.parametrize("quantum", [200, 1000, 10_000])
def test_clocks_differ_by_at_most_the_quantum_and_a_block(quantum: int) -> None:
    bare = Bare(4, quantum=quantum)
    for n in range(4):
        bare.start(
            f"mov rdx, 200; again: mov rcx, {100 + 37 * n}; l: dec rcx; jnz l; mov eax, 33; call f; dec rdx; jnz again; "
            "cli; hlt; f: out 0xe0, eax; ret",
            cpu=n,
        )
    widest = 0

    def on_call(cpu, number, arguments):
        nonlocal widest
        clocks = [c.cycles for c in bare.board.cpus if c.registers()["rdx"]]
        widest = max(widest, max(clocks) - min(clocks))
        cpu.answer(0)

    while bare.board.run(on_call):
        pass
    assert widest <= quantum + 100


def test_a_spinning_cpu_gives_up_its_turn_with_pause() -> None:
    bare = Bare(2, quantum=100_000)
    bare.start(f"mov rbx, {KERNEL + SHARED:#x}; l: pause; cmp qword ptr [rbx], 0; je l; cli; hlt", cpu=0)
    bare.start(f"mov rbx, {KERNEL + SHARED:#x}; mov qword ptr [rbx], 1; cli; hlt", cpu=1)
    assert bare.run()
    assert bare.board.cpus[0].cycles < 1000


@pytest.mark.parametrize(("cpus", "quantum"), [(0, 1000), (9, 1000), (2, 0)])
def test_a_board_that_cannot_be_is_refused(cpus: int, quantum: int) -> None:
    with pytest.raises(ValueError, match=r"CPUs|quantum"):
        Board(arch.load("x86_64"), cpus, MEMORY, quantum, 0, 10**9)
