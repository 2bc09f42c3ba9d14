# SPDX-License-Identifier: GPL-2.0-only
"""Virtual time depends on nothing of the host's: neither on the buffer of translations, nor on stops for Python, nor on hooks."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from emu.cpu import cpu as cpu_module
from tests.cpu.pc.bare_pc import (
    DIVIDE,
    INITIAL,
    LVT_TIMER,
    SCRATCH,
    BarePc,
    send,
    write,
)

CPUS, FUNCTIONS, SIZE, SHARED, FUNCTION_CODE = 3, 1200, 0x140, 0x180000, 0x200000
ROUNDS, MORE_ROUNDS = 100, 400
PERIODIC = 1 << 17
OTHERS = 3 << 18


def functions() -> bytes:
    """Many functions, which change registers and a word that the CPUs race for."""
    source, code = random.Random(1), bytearray()
    for n in range(FUNCTIONS):
        one = bytearray()
        for m in range(36):
            one += b"\x03\x04\x25" + (SHARED + 8 * source.randrange(9)).to_bytes(4, "little")  # add eax, [SHARED + ...]
            if m % 4 == 0:
                one += bytes([source.choice([0x05, 0x35, 0x2D])]) + source.randbytes(4)  # add, xor, sub eax, number
        if n % 3 == 0:
            one += b"\x01\x04\x25" + SHARED.to_bytes(4, "little")  # add [SHARED], eax
        one += b"\xc3"
        code += one.ljust(SIZE, b"\x90")
    return bytes(code)


PROGRAM = f"""
    mov edi, {{seed}}; mov ebx, {{rounds}}
    again: imul edi, edi, 1103515245; add edi, 12345; mov eax, edi; shr eax, 8; xor edx, edx; mov ecx, {FUNCTIONS}; div ecx
    imul edx, edx, {SIZE}; add edx, {FUNCTION_CODE:#x}; mov eax, [{SHARED:#x}]; call rdx
    test bl, 63; jnz next; {send(OTHERS | 0x70)}
    next: dec ebx; jnz again
""".strip().replace("\n", ";")


def busy(*, rounds: int = ROUNDS, hooks: Callable[[BarePc], None] = lambda _: None) -> tuple[list[int], list[Any], str]:
    """Three CPUs race, with timers and messages. Returns their clocks, their registers and a digest of RAM."""
    pc = BarePc(CPUS, quantum=300, seed=5)
    pc.bytes(FUNCTION_CODE, functions())
    for n in range(CPUS):
        timer = write(DIVIDE, 0xB) + write(LVT_TIMER, PERIODIC | 0x80) + write(INITIAL, 17 + n)
        pc.load("sti; " + timer + PROGRAM.format(seed=n + 1, rounds=rounds), n)
    hooks(pc)
    for n in range(CPUS):
        pc.begin(n)
    while pc.moment():
        pass
    assert pc.count(0x80) > 5
    assert pc.count(0x70) > 0
    registers = [dict(cpu.registers()) for cpu in pc.board.cpus]
    extra = [(cpu.instructions, cpu.record.taken, cpu.record.slept) for cpu in pc.board.cpus]
    return pc.clocks(), [registers, extra], hashlib.sha256(pc.board.ram).hexdigest()


@pytest.fixture(scope="module")
def usual() -> tuple[list[int], list[Any], str]:
    return busy()


def test_a_full_buffer_of_translations_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design 3.5: a flush does not end a turn."""
    usual = busy(rounds=MORE_ROUNDS)
    monkeypatch.setattr(cpu_module, "TRANSLATION_BUFFER", 1 << 20)
    used: list[list[int]] = [[] for _ in range(CPUS)]

    def watch(pc: BarePc) -> None:
        def look(cpu: Any, address: int) -> None:
            used[cpu.index].append(cpu.record.blocks_used)

        pc.board.callouts.look_at_blocks(FUNCTION_CODE, FUNCTION_CODE + FUNCTIONS * SIZE)
        handler = pc.board.python_handler(look)
        for n in range(FUNCTIONS):
            pc.board.callouts.dispatch(FUNCTION_CODE + n * SIZE, handler)

    assert busy(rounds=MORE_ROUNDS, hooks=watch) == usual
    assert any(later < earlier for counts in used for earlier, later in pairwise(counts))


@pytest.mark.parametrize("every", [1, 7])
def test_stops_for_python_change_nothing(usual: object, every: int) -> None:
    """A turn that was stopped goes on."""
    stops = 0

    def stop(pc: BarePc) -> None:
        def act(cpu: Any, address: int) -> None:
            nonlocal stops
            stops += 1
            if stops % every == 0:
                pc.board.stop(cpu)

        pc.board.callouts.look_at_blocks(FUNCTION_CODE, FUNCTION_CODE + FUNCTIONS * SIZE)
        handler = pc.board.python_handler(act)
        for n in range(FUNCTIONS):
            pc.board.callouts.dispatch(FUNCTION_CODE + n * SIZE, handler)

    assert busy(hooks=stop) == usual
    assert stops == CPUS * ROUNDS


@pytest.mark.parametrize(
    ("first", "last"), [(SCRATCH, SCRATCH + 1), (FUNCTION_CODE + 64 * SIZE, FUNCTION_CODE + 640 * SIZE), (0, 16 << 20)],
        ids=["none", "some", "all"],
)
def test_hooks_change_nothing(usual: object, first: int, last: int) -> None:
    """Blocks that may have a host function, with a function at a few of them."""
    calls = 0

    def hook(pc: BarePc) -> None:
        def act(cpu: Any, address: int) -> None:
            nonlocal calls
            calls += 1

        pc.board.callouts.look_at_blocks(first, last)
        handler = pc.board.python_handler(act)
        for address in range(max(first, FUNCTION_CODE), last, 32 * SIZE):
            pc.board.callouts.dispatch(address, handler)

    assert busy(hooks=hook) == usual
    assert (calls > 0) == (first != SCRATCH)


# Kinds of instructions, by how many operations of TCG they take
LONG = {
    "nop": "90",
    "addition": "0500010000",
    "memory": "f00104250000" "1000",  # lock add [0x100000], eax
    "shift": "c1c805",
    "bits": "0fa50425" "00001000",  # shld [0x100000], eax, cl
    "exchange": "f0480fc70c2500001000",  # lock cmpxchg8b: 16 bytes
    "decimal rotation": "d3d0",
    "bytes": "660f38000425" "00001000",  # pshufb xmm0, [0x100000]
    "far from simple": "c8000001",  # enter 0, 1
}


def boundaries(code: bytes, hook: tuple[int, int] | None) -> list[tuple[int, int, int]]:
    """The blocks that a CPU makes of code: address, size, instructions."""
    pc = BarePc()
    pc.load("mov rax, cr4; or eax, 0x200; mov cr4, rax; xor eax, eax; mov rsp, 0x700000; mov rbp, 0x600000; "
        + f"mov ebx, {FUNCTION_CODE:#x}; jmp rbx")
    pc.bytes(FUNCTION_CODE, code + bytes.fromhex("faf4"))
    if hook is not None:
        pc.board.callouts.look_at_blocks(*hook)
    pc.begin()
    while pc.moment():
        pass
    record = pc.board.cpus[0].record
    blocks = [record.blocks[n] for n in range(record.blocks_used)]
    return [(block.place, block.size, block.instructions) for block in blocks if block.place >= FUNCTION_CODE]


@pytest.mark.parametrize("kind", LONG)
def test_long_blocks_end_at_the_same_instruction(kind: str) -> None:
    """Whatever is emitted for their beginnings."""
    one = bytes.fromhex(LONG[kind])
    code = one * 300
    plain = boundaries(code, None)
    assert sum(size for _, size, _ in plain) == len(code) + 2
    assert max(count for _, _, count in plain) <= 128
    everywhere, somewhere = (0, 16 << 20), (FUNCTION_CODE + len(code) // 2, 16 << 20)
    assert boundaries(code, everywhere) == plain
    assert boundaries(code, somewhere) == plain
