# SPDX-License-Identifier: GPL-2.0-only
"""What registers hold, as steps of a calculation on a stack that native code can do when a block begins."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

__all__ = ["MOST_STEPS", "Step", "Steps", "calculation"]

MOST_STEPS = 16  # of one calculation
_LARGEST = 1 << 55  # what an argument is less than; negative ones are no less than that below 0


class Step(IntEnum):
    """What a step does, with one argument. Numbers are words of 64 bits."""

    REGISTER = 0  # pushes a general register
    CONSTANT = 1  # pushes the argument
    SEGMENT = 2  # adds the base of a segment (`Place.segment`) to the last number
    LOAD = 3  # the last number is an address: puts the bytes that are there, so many, in its place
    ZERO_EXTEND = 4  # leaves so many low bytes of the last number
    SIGN_EXTEND = 5  # ... and fills the others with their sign
    SHIFT_LEFT = 6  # shifts the last number by so many bits
    SHIFT_RIGHT = 7
    SHIFT_SIGNED = 8
    ADD = 9  # from here on: puts one number in place of the last two
    SUBTRACT = 10
    AND = 11
    OR = 12
    XOR = 13
    MULTIPLY = 14
    DIVIDE = 15  # without sign; by 0 gives 0
    REMAINDER = 16
    OPERAND = 17  # what an instruction loads from memory, so many bytes: never in a finished calculation


Steps = tuple[tuple[Step, int], ...]


def calculation(steps: Steps, registers: Mapping[int, Steps], loaded: Steps | None) -> Steps | None:
    """Steps that begin with what registers were earlier. None: it is not known, or takes too many steps.

    Args:
        steps: that begin with what registers are now.
        registers: what they are, in steps that begin with what they were; those that are not there are not known.
        loaded: the same of what OPERAND stands for.
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
