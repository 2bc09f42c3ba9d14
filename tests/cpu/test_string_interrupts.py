# SPDX-License-Identifier: GPL-2.0-only
"""Interruptions in the middle of a string instruction: an interrupt, the end of a turn, a trap, a step."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from tests.cpu.bare import KERNEL, Bare
from tests.cpu.strings import (
    DF,
    INTERRUPT_HANDLER,
    INTERRUPTED,
    NAMES,
    PAGE,
    WINDOW,
    WINDOW_SIZE,
    Bench,
    Instruction,
    Registers,
    Window,
    execute,
    same,
)

VECTOR = 0x40
DEBUG = 1
IF, TF = 0x200, 0x100
NOISE = random.Random(3).randbytes(WINDOW_SIZE)
LATE = 100  # the most cycles that an interrupt may wait for a string instruction


def prepared(name: str, size: int, flags: int, length: int) -> tuple[Instruction, Registers, bytes]:
    """An instruction on `length` bytes, and memory; comparisons run to the end."""
    instruction = Instruction(name, size)
    start = length - size if flags & DF else 0
    before = Registers(0, length // size, WINDOW + 3 + start, WINDOW + 3 * PAGE + 50 + start, flags)
    return instruction, before, bytes(WINDOW_SIZE) if instruction.compares else NOISE


def how_far(instruction: Instruction, before: Registers, now: Registers, data: bytes, memory: bytes) -> int:
    """The number of executed elements; registers and memory must match it."""
    done = before.rcx - now.rcx
    expected = Window(data)
    assert same(now, execute(instruction, before, expected, done))
    assert memory == expected.data
    return done


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_comes_between_two_elements(name: str) -> None:
    """At any time from the first element to the last, and no later than with other instructions."""
    bench = Bench()
    bench.bare.gate(VECTOR, KERNEL + INTERRUPT_HANDLER)
    (cpu,) = bench.bare.board.cpus
    for size, flags in itertools.product((1, 8), (2 | IF, 2 | IF | DF)):
        instruction, before, data = prepared(name, size, flags, 1024 if name in ("movs", "stos") else 64 * size)
        bench.fill(data)
        final = Window(data)
        after = execute(instruction, before, final)
        bench.handlers[INTERRUPTED] = lambda: None  # the last one may still be active
        began = cpu.cycles
        bench.execute(instruction, before)
        duration = cpu.cycles - began
        due = 0
        seen: list[int] = []

        def look(instruction=instruction, before=before, data=data, final=final, seen=seen) -> None:
            if bench.pushed(2) == bench.address(instruction):
                seen.append(how_far(instruction, before, bench.live(), data, bench.memory()))
                if seen[-1]:
                    assert cpu.cycles - due < LATE  # noqa: B023
            else:
                assert bench.memory() in (data, final.data)

        bench.handlers[INTERRUPTED] = look
        for delay in range(0, duration, max(1, duration // 100)):
            bench.fill(data)
            bench.load(instruction, before)
            due = cpu.cycles + delay
            cpu.raise_interrupt(VECTOR, due)
            assert same(bench.finish(), after)
            assert bench.memory() == final.data
        assert len(set(seen) - {0, before.rcx}) >= 10


@pytest.mark.parametrize("name", ["movs", "stos"])
def test_an_interrupt_does_not_wait_for_pages(name: str) -> None:
    bench = Bench()
    bench.bare.gate(VECTOR, KERNEL + INTERRUPT_HANDLER)
    (cpu,) = bench.bare.board.cpus
    instruction, before, data = prepared(name, 1, 2 | IF, 2 * PAGE + 100)
    began = cpu.cycles
    bench.execute(instruction, before)
    duration = cpu.cycles - began
    late = []
    bench.handlers[INTERRUPTED] = lambda: late.append(cpu.cycles - due)
    for n in range(1, 8):
        bench.fill(data)
        bench.load(instruction, before)
        due = cpu.cycles + n * duration // 8
        cpu.raise_interrupt(VECTOR, due)
        bench.finish()
    assert len(late) == 7 and max(late) < LATE


@pytest.mark.parametrize("quantum", [1, 40, 333])
@pytest.mark.parametrize("name", NAMES)
def test_turns_end_between_two_elements(name: str, quantum: int) -> None:
    """Another CPU, which counts, does not fall behind."""
    bare = Bare(2, quantum=quantum)
    bare.start("l: inc rbx; jmp l", cpu=1)
    bench = Bench(bare)
    mine, other = bare.board.cpus
    for size, flags in itertools.product((1, 8), (2, 2 | DF)):
        instruction, before, data = prepared(name, size, flags, 1024)
        bench.fill(data)
        expected = Window(data)
        after = execute(instruction, before, expected)
        assert same(bench.execute(instruction, before), after)
        assert bench.memory() == expected.data
        assert abs(mine.cycles - other.cycles) <= quantum + LATE


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_one_element(name: str) -> None:
    bench = Bench()
    (cpu,) = bench.bare.board.cpus
    for size, flags in itertools.product((1, 8), (2, 2 | DF)):
        instruction, before, data = prepared(name, size, flags, 20 * size)
        bench.fill(data)
        bench.load(instruction, before)
        while cpu.pc != bench.address(instruction):
            cpu.step()
        for done in range(20):
            values = cpu.registers()
            now = Registers(values["rax"], values["rcx"], values["rsi"], values["rdi"], before.rflags)
            if instruction.compares:
                now = replace(now, rflags=execute(instruction, before, Window(data), done).rflags)
            assert how_far(instruction, before, now, data, bench.memory()) == done
            assert cpu.pc == bench.address(instruction)
            cpu.step()
        if cpu.pc == bench.address(instruction):
            cpu.step()  # finds that no element is left
        assert cpu.pc == bench.address(instruction) + len(instruction.code)
        assert same(bench.finish(), execute(instruction, before, Window(data)))


@pytest.mark.parametrize("name", NAMES)
def test_the_trap_flag_traps_after_each_element(name: str) -> None:
    bench = Bench()
    bench.bare.gate(DEBUG, KERNEL + INTERRUPT_HANDLER)
    for size, flags in itertools.product((1, 8), (2, 2 | DF)):
        instruction, before, data = prepared(name, size, flags | TF, 10 * size)
        bench.fill(data)
        expected = Window(data)
        after = execute(instruction, before, expected)
        seen = []

        def look(instruction=instruction, before=before, data=data, seen=seen) -> None:
            if bench.pushed(2) == bench.address(instruction):
                seen.append(how_far(instruction, before, bench.live(), data, bench.memory()))

        bench.handlers[INTERRUPTED] = look
        assert same(bench.execute(instruction, before), after)
        assert bench.memory() == expected.data
        assert [done for done in seen if done < 10] == list(range(10))
