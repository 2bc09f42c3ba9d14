# SPDX-License-Identifier: GPL-2.0-only
"""Calculates addresses when a block begins (`emu.cpu.timing.steps`)."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Board, Cpu
from emu.cpu.native.timing.record import Timing
from emu.cpu.native.timing.summary_record import argument_of, kind_of
from emu.cpu.timing.steps import Step
from emu.native.functions import Native, njit
from emu.native.records import Bytes, Ints, Shorts, Values, Words, i64, u64

__all__ = ["build"]

PAGE_SIZE, PAGE_OFFSET = 4096, 4095
WORD_BITS, BYTE_SHIFT = 64, 3
REGISTER, CONSTANT, SEGMENT, LOAD, ZERO_EXTEND, SIGN_EXTEND, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_SIGNED = (
    u64(step) for step in range(Step.REGISTER, Step.ADD)
)
ADD, SUBTRACT, AND, OR, XOR, MULTIPLY, DIVIDE = (u64(step) for step in range(Step.ADD, Step.REMAINDER))


@njit
def combine(step: u64, first: u64, second: u64) -> u64:
    """The result of a step with two operands."""
    if step == ADD:
        return first + second
    if step == SUBTRACT:
        return first - second
    if step == AND:
        return first & second
    if step == OR:
        return first | second
    if step == XOR:
        return first ^ second
    if step == MULTIPLY:
        return first * second
    if second == 0:
        return u64(0)
    return first // second if step == DIVIDE else first % second


@njit
def extend(step: u64, number: u64, size: u64) -> u64:
    """The low bytes of a number, zero- or sign-extended."""
    unused = WORD_BITS - (size << BYTE_SHIFT)
    number <<= unused
    return number >> unused if step == ZERO_EXTEND else u64(i64(number) >> i64(unused))


@njit
def shift(step: u64, number: u64, bits: u64) -> u64:
    if step == SHIFT_LEFT:
        return number << bits
    return number >> bits if step == SHIFT_RIGHT else u64(i64(number) >> i64(bits))


def build(
    native: Native, segments: tuple[int, int], find: Callable[[Cpu, Timing, Board, u64], u64]
) -> Callable[[Cpu, Timing, Board, Values[i64], u64], tuple[u64, bool]]:
    """calculate(cpu, timing, board, steps, count), compiled -> (the address calculated by the steps, whether everything that they
    load is in RAM).

    Args:
        native: compiles for the core's layouts.
        segments: the indices in the CPU's state of the segment bases for SEGMENT.
        find: find(cpu, timing, board, address), compiled -> the RAM address behind a virtual one, or NEVER.
    """
    njit = native.njit
    first_base, second_base = segments

    @njit
    def load(cpu: Cpu, timing: Timing, board: Board, address: u64, size: u64) -> tuple[u64, bool]:
        place = find(cpu, timing, board, address)
        if place >= board.ram_size or (address & PAGE_OFFSET) + size > PAGE_SIZE:
            return u64(0), False
        place += board.ram
        if size == 8:
            return Words(place)[0], True
        if size == 4:
            return Ints(place)[0], True
        return Shorts(place)[0] if size == 2 else Bytes(place)[0], True

    @njit
    def calculate(cpu: Cpu, timing: Timing, board: Board, steps: Values[i64], count: u64) -> tuple[u64, bool]:
        state = Words(cpu.env)
        stack, depth = Words(timing.fresh.address), u64(0)  # free to use, because nothing is being composed
        top = u64(0)  # the last number is not in memory
        for n in range(count):
            step, argument = kind_of(steps[n]), argument_of(steps[n])
            if step <= CONSTANT:
                stack[depth] = top
                depth += 1
                top = state[argument] if step == REGISTER else argument
            elif step >= ADD:
                depth -= 1
                top = combine(step, stack[depth], top)
            elif step == LOAD:
                top, known = load(cpu, timing, board, top, argument)
                if not known:
                    return u64(0), False
            elif step == SEGMENT:
                top += state[first_base if argument == 1 else second_base]
            elif step <= SIGN_EXTEND:
                top = extend(step, top, argument)
            else:
                top = shift(step, top, argument)
        return top, True

    return calculate
