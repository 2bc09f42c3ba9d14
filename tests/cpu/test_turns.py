# SPDX-License-Identifier: GPL-2.0-only
"""CPUs take turns: how far they drift apart, and that only the seed decides."""

from __future__ import annotations

from itertools import pairwise

import pytest

from emu.cpu import arch
from emu.cpu import cpu as cpu_module
from emu.cpu.board import Board
from tests.cpu.bare import KERNEL, MEMORY, Bare

SHARED = 0x60000
FUNCTIONS, FUNCTION_CODE, FUNCTION_SIZE = 600, 0x200000, 0x200


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


def busy(stop_every: int = 0) -> tuple[list[int], list[dict[str, int]], bytes, list[int]]:
    """Three CPUs race through many functions. Returns clocks, registers and RAM; and how many blocks CPU 0 had at each call."""
    bare = Bare(3, quantum=300, seed=5)
    body = (b"\x48\x03\x03\x48\x01\x43\x08" * 60)[:400]  # add rax, [rbx]; add [rbx + 8], rax
    for n in range(FUNCTIONS):
        bare.bytes(FUNCTION_CODE + n * FUNCTION_SIZE, body[: 7 * (40 + n % 16)] + b"\xc3")
    for n in range(3):
        bare.start(
            f"mov rbx, {KERNEL + SHARED:#x}; mov rbp, {KERNEL + FUNCTION_CODE:#x}; mov r12d, 300; mov edi, {n + 1}; "
            f"again: imul edi, edi, 1103515245; add edi, 12345; mov eax, edi; shr eax, 8; xor edx, edx; "
            f"mov ecx, {FUNCTIONS}; div ecx; "
            f"imul rdx, rdx, {FUNCTION_SIZE}; add rdx, rbp; call rdx; dec r12d; jnz again; cli; hlt",
            cpu=n,
        )
    blocks: list[int] = []

    def act(cpu, address):
        if cpu.index == 0:
            blocks.append(cpu.record.blocks_used)
        if stop_every and len(blocks) % stop_every == 0:
            bare.board.stop(cpu)

    start = KERNEL + FUNCTION_CODE
    bare.board.callouts.look_at_blocks(start, start + FUNCTIONS * FUNCTION_SIZE)
    handler = bare.board.python_handler(act)
    for n in range(FUNCTIONS):
        bare.board.callouts.dispatch(start + n * FUNCTION_SIZE, handler)
    assert bare.run(2000)
    clocks, registers = [cpu.cycles for cpu in bare.board.cpus], [dict(bare.registers(n)) for n in range(3)]
    return clocks, registers, bytes(bare.board.ram), blocks


def test_a_full_buffer_of_translations_changes_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = busy()
    monkeypatch.setattr(cpu_module, "TRANSLATION_BUFFER", 1 << 20)
    *found, blocks = busy()
    assert (found[0], found[1], found[2]) == usual[:3]
    assert any(later < earlier for earlier, later in pairwise(blocks))  # it was emptied


def test_stops_for_python_change_no_clock() -> None:
    usual = busy()
    for every in (1, 5):
        assert busy(every)[:3] == usual[:3]
