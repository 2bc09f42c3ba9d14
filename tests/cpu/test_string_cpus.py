# SPDX-License-Identifier: GPL-2.0-only
"""String instructions of four CPUs on the same pages."""

from __future__ import annotations

import hashlib

import pytest

from tests.cpu.bare import KERNEL, Bare

CPUS = 4
SHARED, SOURCE, LOCK, COUNTS = 0x100000, 0x110000, 0x120000, 0x121000  # physical
STRIPE = 61  # bytes: the stripes of different CPUs share words, lines and pages
STRIPES = 200
ROUNDS = 30


def four(source: str, quantum: int, seed: int) -> Bare:
    """Four CPUs that have executed `source`, in which {n} is the CPU's number."""
    bare = Bare(CPUS, quantum=quantum, seed=seed)
    for n in range(CPUS):
        bare.start(source.format(n=n), cpu=n)
    assert bare.run()
    return bare


@pytest.mark.parametrize("quantum", [37, 1000])
def test_each_writes_its_own_stripes(quantum: int) -> None:
    """First by a fill, then by a copy from what the CPU has written before."""
    bare = four(
        f"mov rbx, {KERNEL + SHARED:#x}; add rbx, {{n}} * {STRIPE}; mov edx, {STRIPES}; "
        f"fill: mov rdi, rbx; mov ecx, {STRIPE}; lea eax, [rdx + {{n}} * 50]; rep stosb; "
        f"mov rsi, rbx; mov rdi, rbx; add rdi, 20; mov ecx, {STRIPE - 20}; not byte ptr [rsi]; rep movsb; "
        f"add rbx, {CPUS * STRIPE}; dec edx; jnz fill; cli; hlt",
        quantum,
        seed=1,
    )
    expected = bytearray()
    for stripe in range(STRIPES):
        for n in range(CPUS):
            data = bytearray([STRIPES - stripe + n * 50 & 0xFF]) * STRIPE
            data[0] ^= 0xFF
            for at in range(STRIPE - 20):
                data[20 + at] = data[at]
            expected += data
    assert bytes(bare.board.ram[SHARED : SHARED + len(expected)]) == expected


@pytest.mark.parametrize("quantum", [37, 1000])
def test_a_buffer_behind_a_lock_is_always_whole(quantum: int) -> None:
    """The holder of the lock finds a single value in the buffer, and an equal copy; then it writes its own value."""
    length = 3000
    bare = four(
        f"mov r8, {KERNEL + SHARED:#x}; mov r9, {KERNEL + SOURCE:#x}; mov r10, {KERNEL + LOCK:#x}; xor r15, r15; mov r14, 0; "
        f"again: mov eax, 1; xchg [r10], eax; test eax, eax; jz got; wait: pause; cmp dword ptr [r10], 0; jne wait; jmp again; "
        f"got: mov rdi, r8; mov al, [r8]; mov ecx, {length}; repe scasb; setne bl; movzx ebx, bl; add r15, rbx; "
        f"mov rsi, r8; mov rdi, r9; mov ecx, {length}; repe cmpsb; setne bl; movzx ebx, bl; add r15, rbx; "
        f"lea eax, [r14 * 4 + {{n}} + 1]; mov rdi, r8; mov ecx, {length}; rep stosb; "
        f"mov rsi, r8; mov rdi, r9; mov ecx, {length}; rep movsb; inc qword ptr [r10 + 8]; "
        f"mov dword ptr [r10], 0; inc r14; cmp r14, {ROUNDS}; jne again; cli; hlt",
        quantum,
        seed=2,
    )
    assert [cpu.registers()["r15"] for cpu in bare.board.cpus] == [0] * CPUS
    assert bare.read(LOCK + 8) == CPUS * ROUNDS


def race(seed: int) -> tuple[list[int], list[int], str]:
    """All fill, copy and search the same bytes. Returns the clocks, sums of the results, and a digest of RAM."""
    bare = four(
        f"mov r8, {KERNEL + SHARED:#x}; xor r15, r15; mov r14, 20; again: lea eax, [r14 + {{n}} * 60]; "
        "mov rdi, r8; mov ecx, 900; rep stosb; lea rsi, [r8 + {n} * 100]; lea rdi, [r8 + 333]; mov ecx, 600; rep movsb; "
        "mov rdi, r8; mov ecx, 1000; repe scasb; add r15, rcx; "
        "mov rsi, r8; lea rdi, [r8 + 400]; mov ecx, 500; repne cmpsb; "
        "imul r15, r15, 3; add r15, rcx; dec r14; jnz again; cli; hlt",
        97,
        seed,
    )
    digest = hashlib.sha256(bytes(bare.board.ram[SHARED : SHARED + 0x1000])).hexdigest()
    return [cpu.cycles for cpu in bare.board.cpus], [cpu.registers()["r15"] for cpu in bare.board.cpus], digest


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert race(5) == race(5)


def test_the_order_of_turns_decides_what_is_found() -> None:
    assert len({tuple(race(seed)[1]) for seed in range(3)}) > 1


def test_a_copy_sees_what_another_cpu_has_written_before() -> None:
    """One fills a buffer and then sets a flag; the others copy it when they see the flag, and compare."""
    bare = Bare(CPUS, quantum=50, seed=3)
    length = 2000
    bare.start(
        f"mov rbx, {KERNEL + LOCK:#x}; mov edx, 1; "
        f"next: mov rdi, {KERNEL + SHARED:#x}; mov ecx, {length}; mov eax, edx; rep stosb; "
        "mov [rbx], rdx; all: pause; mov rax, [rbx + 8]; lea rsi, [rdx + rdx * 2]; cmp rax, rsi; jb all; "
        f"inc edx; cmp edx, {ROUNDS}; jne next; cli; hlt"
    )
    for n in range(1, CPUS):
        own = KERNEL + COUNTS + n * 0x1000
        bare.start(
            f"mov rbx, {KERNEL + LOCK:#x}; mov edx, 1; xor r15, r15; next: pause; cmp [rbx], rdx; jb next; "
            f"mov rsi, {KERNEL + SHARED:#x}; mov rdi, {own:#x}; mov ecx, {length // 8}; rep movsq; "
            f"mov rdi, {own:#x}; mov ecx, {length}; mov eax, edx; repe scasb; setne al; movzx eax, al; add r15, rax; "
            f"lock inc qword ptr [rbx + 8]; inc edx; cmp edx, {ROUNDS}; jne next; cli; hlt",
            cpu=n,
        )
    assert bare.run(1000)
    assert [bare.registers(n)["r15"] for n in range(1, CPUS)] == [0] * (CPUS - 1)
