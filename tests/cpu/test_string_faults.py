# SPDX-License-Identifier: GPL-2.0-only
"""A page fault in the middle of a string instruction: everything before it is done, nothing after it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from tests.cpu.strings import (
    DF,
    FAULTED,
    NAMES,
    PAGE,
    PRESENT_WRITABLE,
    SIZES,
    WINDOW,
    WINDOW_SIZE,
    Bench,
    Fault,
    Instruction,
    Registers,
    Window,
    execute,
    same,
)

NOISE = random.Random(2).randbytes(WINDOW_SIZE)
RAX = int.from_bytes(b"Z" * 8, "little")
READ_ONLY = PRESENT_WRITABLE & ~2
COUNT = 6


@pytest.fixture
def bench() -> Bench:
    return Bench()


def accesses(name: str) -> Iterator[tuple[Instruction, Registers, bytes]]:
    """Instructions around the beginning of the window's page 2, of its page 4, and of both, in both directions.

    `cmps` not for both: which operand comes first differs between real CPUs, and between sizes on one of them.
    """
    equal = b"Z" * WINDOW_SIZE
    for size, flags, offset in itertools.product(SIZES, (2, 2 | DF), range(-COUNT, COUNT + 1)):
        instruction = Instruction(name, size)
        edges = 2 * PAGE + offset * size - size // 2, 4 * PAGE + offset * size - size // 2
        quiet = PAGE // 2, 5 * PAGE + PAGE // 2
        for source, destination in ((edges[0], quiet[1]), (quiet[0], edges[1]), edges)[: 2 if name == "cmps" else 3]:
            before = Registers(RAX, COUNT, WINDOW + source, WINDOW + destination, flags)
            yield instruction, before, equal if instruction.compares else NOISE


def lifted(bench: Bench, memory: Window, instruction: Instruction, before: Registers) -> int:
    """Executes an instruction; compares each fault with the reference, and repairs it. Returns the number of faults."""
    faults = 0
    now = before

    def repair() -> None:
        nonlocal faults, now
        faults += 1
        with pytest.raises(Fault) as caught:
            execute(instruction, now, memory)
        fault = caught.value
        page = (fault.address - WINDOW) // PAGE
        assert bench.bare.registers()["cr2"] == fault.address
        assert bench.pushed(1) == (page in memory.read_only) | fault.write << 1  # the error code
        assert bench.pushed(2) == bench.address(instruction)
        assert same(bench.live(), fault.registers)
        assert bench.memory() == memory.data
        now = fault.registers
        memory.missing.discard(page)
        memory.read_only.discard(page)
        bench.map(page, PRESENT_WRITABLE)

    bench.handlers[FAULTED] = repair
    after = bench.execute(instruction, before)
    assert same(after, execute(instruction, now, memory))
    assert bench.memory() == memory.data
    return faults


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_shows_how_far_the_instruction_is_and_it_goes_on_when_the_page_is_there(bench: Bench, name: str) -> None:
    seen = set()
    for instruction, before, data in accesses(name):
        bench.fill(data)
        memory = Window(data)
        for page in (2, 4) if not before.rflags & DF else (1, 3):
            memory.missing.add(page)
            bench.map(page, 0)
        seen.add(lifted(bench, memory, instruction, before))
        for page in (1, 2, 3, 4):
            bench.map(page, PRESENT_WRITABLE)
    assert seen == ({0, 1, 2} if name == "movs" else {0, 1})


@pytest.mark.parametrize("name", ["movs", "stos"])
def test_a_page_that_is_read_only_is_copied_on_write(bench: Bench, name: str) -> None:
    seen = set()
    for instruction, before, _ in accesses(name):
        bench.fill(NOISE)
        memory = Window(NOISE)
        for page in (1, 2, 3, 4):
            memory.read_only.add(page)
            bench.map(page, READ_ONLY)
        seen.add(lifted(bench, memory, instruction, before))
        for page in (1, 2, 3, 4):
            bench.map(page, PRESENT_WRITABLE)
    assert seen == {0, 1, 2}


def test_every_page_of_a_long_instruction_may_be_missing(bench: Bench) -> None:
    for name, size in itertools.product(("movs", "stos", "lods", "scas"), SIZES):
        data = b"Z" * WINDOW_SIZE if name == "scas" else NOISE
        bench.fill(data)
        memory = Window(data)
        for page in range(WINDOW_SIZE // PAGE):
            memory.missing.add(page)
            bench.map(page, 0)
        count = (2 * PAGE + 100) // size
        faults = lifted(bench, memory, Instruction(name, size), Registers(RAX, count, WINDOW + 3, WINDOW + 3 * PAGE + 3))
        assert faults == (6 if name == "movs" else 3)
        for page in range(WINDOW_SIZE // PAGE):
            bench.map(page, PRESENT_WRITABLE)


@pytest.mark.parametrize("size", SIZES)
def test_a_copy_that_is_given_up_knows_what_is_left(bench: Bench, size: int) -> None:
    """Like a kernel's copy to a program: the fault handler continues behind the instruction."""
    instruction = Instruction("movs", size)
    bench.handlers[FAULTED] = lambda: bench.skip(instruction)
    for page, left in itertools.product((2, 4), range(20)):
        bench.fill(NOISE)
        bench.map(page, 0)
        start = page * PAGE - (20 - left) * size - size // 3
        source, destination = (start, 5 * PAGE) if page == 2 else (PAGE, start)
        after = bench.execute(instruction, Registers(0, 20, WINDOW + source, WINDOW + destination))
        bench.map(page, PRESENT_WRITABLE)
        memory = Window(NOISE)
        done = execute(instruction, Registers(0, 20, WINDOW + source, WINDOW + destination), memory, 20 - left)
        assert same(after, done) and after.rcx == left
        assert bench.memory() == memory.data


def test_nothing_is_read_or_written_for_no_elements(bench: Bench) -> None:
    for name, size, repeat in itertools.product(NAMES, SIZES, ("rep", "repne")):
        before = Registers(RAX, 0, WINDOW + WINDOW_SIZE, WINDOW + WINDOW_SIZE)  # nothing is mapped there
        assert same(bench.execute(Instruction(name, size, repeat), before), before)
