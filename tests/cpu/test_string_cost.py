# SPDX-License-Identifier: GPL-2.0-only
"""The cost of a string instruction: a start and bytes per cycle, or cycles per element."""

from __future__ import annotations

import pytest

from tests.cpu.bare import KERNEL, Bare
from tests.cpu.strings import DF, NAMES, PAGE, SIZES, WINDOW, Bench, Instruction, Registers

# The model's constants: change them together with the model.
STARTS = range(10, 60)  # cycles of `rep movs` and `rep stos` before the first byte
BYTES_PER_CYCLE = 32  # of `rep movs` and `rep stos`, forwards
CYCLES_PER_ELEMENT = {"lods": 2, "scas": 2, "cmps": 3, "movs": 1, "stos": 1}  # the last two: backwards
AROUND = 10  # the tolerance of a measurement in cycles


def measured(bench: Bench, instruction: Instruction, length: int, flags: int = 2) -> tuple[int, int]:
    """Cycles and instructions for `length` bytes, less those for no element."""
    (cpu,) = bench.bare.board.cpus
    start = length - instruction.size if flags & DF else 0
    results = []
    for count in (0, length // instruction.size):
        before = Registers(0, count, WINDOW + start, WINDOW + 3 * PAGE + start, flags)
        bench.execute(instruction, before)  # computes the cost
        began = cpu.cycles, cpu.instructions
        bench.execute(instruction, before)
        results.append((cpu.cycles - began[0], cpu.instructions - began[1]))
    return results[1][0] - results[0][0], results[1][1] - results[0][1]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_one_instruction(name: str) -> None:
    for size in SIZES:
        assert measured(Bench(), Instruction(name, size), PAGE)[1] == 0


@pytest.mark.parametrize("name", ["movs", "stos"])
def test_moves_and_fills_are_charged_by_the_byte(name: str) -> None:
    bench = Bench()
    for size in SIZES:
        one, four = (measured(bench, Instruction(name, size), pages * PAGE // 2)[0] for pages in (1, 4))
        assert abs(four - one - 3 * PAGE // 2 // BYTES_PER_CYCLE) <= AROUND
        assert one < PAGE // 2 // BYTES_PER_CYCLE + STARTS.stop


@pytest.mark.parametrize("name", ["lods", "scas", "cmps"])
def test_what_reads_is_charged_by_the_element(name: str) -> None:
    bench = Bench()
    for size in SIZES:
        one, four = (measured(bench, Instruction(name, size), pages * PAGE // 2)[0] for pages in (1, 4))
        assert abs(four - one - 3 * PAGE // 2 // size * CYCLES_PER_ELEMENT[name]) <= AROUND


@pytest.mark.parametrize("name", ["movs", "stos"])
def test_backwards_is_charged_by_the_element(name: str) -> None:
    bench = Bench()
    for size in SIZES:
        one, four = (measured(bench, Instruction(name, size), pages * PAGE // 2, 2 | DF)[0] for pages in (1, 4))
        assert abs(four - one - 3 * PAGE // 2 // size * CYCLES_PER_ELEMENT[name]) <= AROUND


def test_a_page_is_filled_within_a_thousand_cycles() -> None:
    bare = Bare()
    bare.start(f"mov rdi, {KERNEL + 0x100000:#x}; mov ecx, 4096; mov al, 7; rep stosb; cli; hlt")
    assert bare.run()
    assert bytes(bare.board.ram[0x100000:0x101000]) == b"\x07" * PAGE
    assert PAGE // BYTES_PER_CYCLE + STARTS.start < bare.board.cpus[0].cycles < 1000


def test_a_cost_does_not_depend_on_turns() -> None:
    """Interrupting the instruction adds no second start."""
    clocks = []
    for quantum in (20, 100_000):
        bare = Bare(2, quantum=quantum)
        bare.start("l: inc rbx; jmp l", cpu=1)
        bare.start(f"mov rdi, {KERNEL + 0x100000:#x}; mov ecx, 40960; mov al, 7; rep stosb; cli; hlt")
        while not bare.board.cpus[0].halted:
            bare.run(1)
        clocks.append(bare.board.cpus[0].cycles)
    assert abs(clocks[0] - clocks[1]) <= AROUND
    assert max(clocks) < 40960 // BYTES_PER_CYCLE + 500
