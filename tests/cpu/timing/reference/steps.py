# SPDX-License-Identifier: GPL-2.0-only
"""Calculations of addresses in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.cpu.timing.steps import Step, Steps

__all__ = ["NotInRam", "calculate"]

_MASK = (1 << 64) - 1


class NotInRam(Exception):
    """A loaded value is not in RAM."""


def calculate(steps: Steps, registers: Sequence[int], segments: Sequence[int], load: Callable[[int, int], int]) -> int:
    """The results of the steps. `load`: load(address, size), which may raise NotInRam."""
    stack: list[int] = []
    for step, argument in steps:
        if step is Step.REGISTER:
            number = registers[argument]
        elif step is Step.CONSTANT:
            number = argument
        elif step < Step.ADD:
            number = _changed(step, argument, stack.pop(), segments, load)
        else:
            second, first = stack.pop(), stack.pop()
            number = _combined(step, first, second)
        stack.append(number & _MASK)
    (number,) = stack
    return number


def _changed(step: Step, argument: int, number: int, segments: Sequence[int], load: Callable[[int, int], int]) -> int:
    low = number & (1 << 8 * argument) - 1
    return {
        Step.SEGMENT: lambda: number + segments[argument - 1],
        Step.LOAD: lambda: load(number, argument),
        Step.ZERO_EXTEND: lambda: low,
        Step.SIGN_EXTEND: lambda: low - (low >> 8 * argument - 1 << 8 * argument),
        Step.SHIFT_LEFT: lambda: number << argument,
        Step.SHIFT_RIGHT: lambda: number >> argument,
        Step.SHIFT_SIGNED: lambda: number - (number >> 63 << 64) >> argument,
    }[step]()


def _combined(step: Step, first: int, second: int) -> int:
    return {
        Step.ADD: lambda: first + second,
        Step.SUBTRACT: lambda: first - second,
        Step.AND: lambda: first & second,
        Step.OR: lambda: first | second,
        Step.XOR: lambda: first ^ second,
        Step.MULTIPLY: lambda: first * second,
        Step.DIVIDE: lambda: first // second if second else 0,
        Step.REMAINDER: lambda: first % second if second else 0,
    }[step]()
