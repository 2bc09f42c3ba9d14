# SPDX-License-Identifier: GPL-2.0-only
"""Calculates addresses when a block begins (`emu.cpu.timing.steps`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native import board_record, cpu_record
from emu.cpu.native.timing import record, summary_record
from emu.cpu.timing.steps import Step
from emu.native import njit
from emu.native.pointers import load_u8, load_u16, load_u32, load_u64, store_u64

__all__ = ["build"]

ZERO, ONE, THREE, WORD = (np.uint64(n) for n in (0, 1, 3, 8))
LAST_OF_PAGE, LOW8, WORD_BITS = np.uint64(4095), np.uint64(0xFF), np.uint64(64)
ARGUMENT_SHIFT = np.int64(summary_record.ARGUMENT_SHIFT)
REGISTER, CONSTANT, SEGMENT, LOAD, ZERO_EXTEND, SIGN_EXTEND, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_SIGNED = (
    np.uint64(step) for step in range(Step.REGISTER, Step.ADD)
)
ADD, SUBTRACT, AND, OR, XOR, MULTIPLY, DIVIDE = (np.uint64(step) for step in range(Step.ADD, Step.REMAINDER))
STACK = record.FRESH  # as nothing is composed meanwhile


@njit
def combine(step, first, second):
    """What a step with two numbers gives."""
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
    if second == ZERO:
        return ZERO
    return first // second if step == DIVIDE else first % second


@njit
def extend(step, number, size):
    """The low bytes of a number, with zeros or their sign before them."""
    unused = WORD_BITS - (size << THREE)
    number <<= unused
    return number >> unused if step == ZERO_EXTEND else np.uint64(np.int64(number) >> np.int64(unused))


@njit
def shift(step, number, bits):
    if step == SHIFT_LEFT:
        return number << bits
    return number >> bits if step == SHIFT_RIGHT else np.uint64(np.int64(number) >> np.int64(bits))


def build(segments: tuple[np.uint64, np.uint64], find: Any) -> Any:
    """calculate(cpu, timing, board, at, count), compiled -> (the address that so many steps give, whether all that they load is
    in RAM).

    Args:
        segments: offsets in the CPU's state of the bases that SEGMENT can name.
        find: find(cpu, timing, board, address), compiled -> the RAM address behind a virtual one, or NEVER.
    """
    first_base, second_base = segments

    @njit
    def load(cpu, timing, board, address, size):
        place = find(cpu, timing, board, address)
        if place >= load_u64(board + board_record.RAM_SIZE) or (address & LAST_OF_PAGE) + size > LAST_OF_PAGE + ONE:
            return ZERO, False
        place += load_u64(board + board_record.RAM)
        if size == WORD:
            return load_u64(place), True
        if size == np.uint64(4):
            return np.uint64(load_u32(place)), True
        if size == np.uint64(2):
            return np.uint64(load_u16(place)), True
        return np.uint64(load_u8(place)), True

    @njit
    def calculate(cpu, timing, board, at, count):
        env = load_u64(cpu + cpu_record.ENV)
        stack, top = timing + STACK, ZERO  # the last number is not in memory
        end = at + count * WORD
        while at < end:
            word = load_u64(at)
            at += WORD
            step, argument = word & LOW8, np.uint64(np.int64(word) >> ARGUMENT_SHIFT)
            if step <= CONSTANT:
                store_u64(stack, top)
                stack += WORD
                top = load_u64(env + argument * WORD) if step == REGISTER else argument
            elif step >= ADD:
                stack -= WORD
                top = combine(step, load_u64(stack), top)
            elif step == LOAD:
                top, known = load(cpu, timing, board, top, argument)
                if not known:
                    return ZERO, False
            elif step == SEGMENT:
                top += load_u64(env + (first_base if argument == ONE else second_base))
            elif step <= SIGN_EXTEND:
                top = extend(step, top, argument)
            else:
                top = shift(step, top, argument)
        return top, True

    return calculate
