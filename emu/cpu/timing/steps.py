# SPDX-License-Identifier: GPL-2.0-only
"""The values of registers, as steps of a calculation on a stack that native code can perform when a block begins."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

__all__ = ["MOST_STEPS", "Step", "Steps", "calculation"]

MOST_STEPS = 16  # per calculation
_LARGEST = 1 << 55  # limit of an argument's absolute value


class Step(IntEnum):
    """The operation of a step, which has one argument. Numbers are 64-bit words."""

    REGISTER = 0  # pushes a general register
    CONSTANT = 1  # pushes the argument
    SEGMENT = 2  # adds the base of a segment (`Place.segment`) to the last number
    LOAD = 3  # replaces the last number, an address, by the bytes there; the argument is their number
    ZERO_EXTEND = 4  # keeps the argument's number of low bytes of the last number
    SIGN_EXTEND = 5  # ... and fills the others with the sign
    SHIFT_LEFT = 6  # shifts the last number left by the argument
    SHIFT_RIGHT = 7
    SHIFT_SIGNED = 8
    ADD = 9  # from here on: replaces the last two numbers by one
    SUBTRACT = 10
    AND = 11
    OR = 12
    XOR = 13
    MULTIPLY = 14
    DIVIDE = 15  # unsigned; division by 0 yields 0
    REMAINDER = 16
    OPERAND = 17  # the bytes that an instruction loads from memory; the argument is their number: never in a finished calculation


Steps = tuple[tuple[Step, int], ...]


def calculation(steps: Steps, registers: Mapping[int, Steps], loaded: Steps | None) -> Steps | None:
    """The steps in terms of earlier values of registers. None if a value is unknown, or there would be too many steps.

    Args:
        steps: in terms of the present values of registers.
        registers: the present values of registers, in terms of earlier ones; missing ones are unknown.
        loaded: likewise, the value of OPERAND.
    """
    made: list[tuple[Step, int]] = []
    for step, argument in steps:
        if step is Step.REGISTER:
            known = registers.get(argument)
        elif step is Step.OPERAND:
            known = None if loaded is None else (*loaded, (Step.LOAD, argument))
        else:
            known = ((step, argument),)
        if known is None or not -_LARGEST <= argument < _LARGEST:
            return None
        made += known
    return tuple(made) if len(made) <= MOST_STEPS else None
