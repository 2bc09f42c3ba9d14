# SPDX-License-Identifier: GPL-2.0-only
"""String instructions on a bare board behave as the manual says, with every prefix, wherever elements and pages are."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from tests.cpu.bare import PD_USER, PDPT_LOW
from tests.cpu.strings import (
    DF,
    NAMES,
    PAGE,
    PRESENT_WRITABLE,
    SIZES,
    WINDOW,
    WINDOW_SIZE,
    Bench,
    Instruction,
    Registers,
    Window,
    execute,
    same,
)

RAX = 0x8182_8384_8586_8788
SOURCE, DESTINATION = WINDOW + PAGE + 100, WINDOW + 3 * PAGE + 300
NOISE = random.Random(1).randbytes(WINDOW_SIZE)

Case = tuple[Instruction, Registers, bytes]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def check(bench: Bench, cases: Iterator[Case]) -> None:
    """Fails for the first case in which registers or memory differ from the reference."""
    for instruction, before, data in cases:
        bench.fill(data)
        memory = Window(data)
        expected = execute(instruction, before, memory)
        after = bench.execute(instruction, before)
        assert same(after, expected), (instruction, before)
        assert bench.memory() == memory.data, (instruction, before)


def variants(name: str) -> Iterator[tuple[Instruction, int]]:
    """Every form of an instruction, with the flags for each direction."""
    segments = ("", "fs", "gs") if Instruction(name).reads_source else ("",)
    for size, repeat, bits, segment, flags in itertools.product(SIZES, ("", "rep", "repne"), (64, 32), segments, (2, 2 | DF)):
        yield Instruction(name, size, repeat, bits, segment), flags


def operands(instruction: Instruction, flags: int, element: int, *, equal: bool) -> bytes:
    """Memory with equal, or different, elements, except for one."""
    data = bytearray(NOISE)
    size = instruction.size
    value = RAX.to_bytes(8, "little")[:size]
    other = bytes(range(0x86, 0x86 + size))
    for n in range(6):
        distance = -n * size if flags & DF else n * size
        for address, put in ((SOURCE, value), (DESTINATION, value if equal != (n == element) else other)):
            at = address - WINDOW + distance
            data[at : at + size] = put
    return bytes(data)


def compared(instruction: Instruction, flags: int) -> Iterator[Case]:
    """Comparisons that end at the first element, at the third, or not at all."""
    for count, element, equal in itertools.product((1, 2, 5), (0, 2, 9), (True, False)):
        before = Registers(RAX, count, instruction.pointer(SOURCE), DESTINATION, flags)
        yield instruction, before, operands(instruction, flags, element, equal=equal)


def high_half(instruction: Instruction, value: int) -> int:
    """The register's value; with 32-bit addresses, only its low half is an operand, so the high half gets other bits."""
    return value & 0xFFFF_FFFF | 0xABCD << 32 if instruction.bits == 32 else value


@pytest.mark.parametrize("name", NAMES)
def test_every_form(bench: Bench, name: str) -> None:
    def cases() -> Iterator[Case]:
        for instruction, flags in variants(name):
            for count in (1, 2, 7):
                before = Registers(
                    RAX,
                    high_half(instruction, count),
                    high_half(instruction, instruction.pointer(SOURCE)),
                    high_half(instruction, DESTINATION),
                    flags,
                )
                yield instruction, before, NOISE
            none = high_half(instruction, 0)
            nothing = Registers(RAX, none, instruction.pointer(SOURCE), DESTINATION, flags | 0x895)
            if instruction.repeat:
                yield instruction, nothing, NOISE
            if instruction.compares:
                yield from compared(instruction, flags)

    check(bench, cases())


def test_overlapping_moves_are_element_after_element(bench: Bench) -> None:
    def cases() -> Iterator[Case]:
        for size, flags, distance in itertools.product(SIZES, (2, 2 | DF), [*range(-20, 21), -64, -33, 33, 64]):
            for start, count in ((WINDOW + 2 * PAGE + 500, 40), (WINDOW + 2 * PAGE - 13, 24)):
                yield Instruction("movs", size), Registers(RAX, count, start, start + distance, flags), NOISE

    check(bench, cases())


@pytest.mark.parametrize("name", NAMES)
def test_elements_cross_pages(bench: Bench, name: str) -> None:
    """In the source, in the destination, or in both at once; the pages are not adjacent in RAM."""

    def cases() -> Iterator[Case]:
        equal = bytes(RAX.to_bytes(8, "little")[:1]) * WINDOW_SIZE
        rax = int.from_bytes(equal[:8], "little")
        for size, flags, offset in itertools.product(SIZES, (2, 2 | DF), range(-9, 9)):
            instruction = Instruction(name, size)
            for source, destination in ((PAGE + offset, 3 * PAGE + 64), (PAGE + 64, 3 * PAGE + offset), (2 * PAGE + offset,) * 2):
                yield instruction, Registers(rax, 4, WINDOW + source, WINDOW + destination, flags), equal
                if not instruction.compares:
                    yield instruction, Registers(rax, 4, WINDOW + source, WINDOW + destination, flags), NOISE

    check(bench, cases())


@pytest.mark.parametrize("name", NAMES)
def test_several_pages(bench: Bench, name: str) -> None:
    def cases() -> Iterator[Case]:
        for size, flags in itertools.product(SIZES, (2, 2 | DF)):
            count = (2 * PAGE + PAGE // 2) // size
            start = (count - 1) * size if flags & DF else 0
            before = Registers(0, count, WINDOW + 3 + start, WINDOW + 3 * PAGE + 5 + start, flags)
            yield Instruction(name, size), before, bytes(WINDOW_SIZE)

    check(bench, cases())


@pytest.mark.parametrize("name", ["cmps", "scas"])
def test_a_comparison_ends_an_instruction_of_any_count(bench: Bench, name: str) -> None:
    def cases() -> Iterator[Case]:
        for size, count, where in itertools.product(SIZES, (2**64 - 1, 2**63, 2**32), (0, 1, 1000, 5000)):
            data = bytearray(WINDOW_SIZE)
            at = 3 * PAGE + where // size * size
            data[at : at + size] = b"\x80" * size
            yield Instruction(name, size), Registers(0, count, WINDOW, WINDOW + 3 * PAGE, 2), bytes(data)
            if name == "scas":
                found = Registers(int.from_bytes(b"\x80" * size, "little"), count, 0, WINDOW + 3 * PAGE, 2)
                yield Instruction(name, size, "repne"), found, bytes(data)

    check(bench, cases())


def test_addresses_of_32_bits_wrap(bench: Bench) -> None:
    bare = bench.bare
    directory, tables, frames = 0x60000, (0x61000, 0x62000), (0x300000, 0x301000)
    bare.word(PDPT_LOW + 3 * 8, directory | PRESENT_WRITABLE)
    bare.word(directory + 511 * 8, tables[0] | PRESENT_WRITABLE)
    bare.word(tables[0] + 511 * 8, frames[0] | PRESENT_WRITABLE)  # the last page of 4 GiB
    bare.word(PD_USER, tables[1] | PRESENT_WRITABLE)
    bare.word(tables[1], frames[1] | PRESENT_WRITABLE)  # the first
    for size in SIZES:
        bare.bytes(frames[0], bytes(2 * PAGE))
        start = 2**32 - 3 * size
        after = bench.execute(Instruction("stos", size, "rep", 32), Registers(RAX, 5, 0, start, 2))
        value = RAX.to_bytes(8, "little")[:size]
        assert bytes(bare.board.ram[frames[0] : frames[0] + 2 * PAGE]).strip(b"\0") == value * 5
        assert (after.rcx, after.rdi) == (0, 2 * size)
        bare.bytes(frames[0], bytes(2 * PAGE))
        after = bench.execute(Instruction("stos", size, "rep", 32), Registers(RAX, 5, 0, 2 * size, 2 | DF))
        assert bytes(bare.board.ram[frames[0] : frames[0] + 2 * PAGE]).strip(b"\0") == value * 5
        assert (after.rcx, after.rdi) == (0, 2**32 - 3 * size)
