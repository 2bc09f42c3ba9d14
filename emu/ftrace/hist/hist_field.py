# SPDX-License-Identifier: GPL-2.0-only
"""A key, a value, or a variable of a histogram."""

from __future__ import annotations

from dataclasses import dataclass

from emu.ftrace.event.call import Field
from emu.ftrace.hist.expression import Expression, FieldName, Modifier, Negation, Operation
from emu.ftrace.native.hist_record import STACK_DEPTH

__all__ = ["LONGEST_STRING", "STACKTRACE", "HistField", "string_room"]

STACKTRACE = "stacktrace"
LONGEST_STRING = 256  # bytes, with its NUL, of a string that is kept or that has a variable length
_WORD = 8


@dataclass(frozen=True)
class HistField:
    """A key, a value, or the value of a variable.

    Attributes:
        expression: the computed expression; its `str()` is what files show.
        type: the C type; for a string, the type in the event's `format`.
        size: bytes; for a string, the maximum including its NUL.
        signed: whether keys are sorted as signed numbers.
        is_string: whether it is a string.
        in_microseconds: whether it is a time in microseconds.
    """

    expression: Expression
    type: str
    size: int
    signed: bool = False
    is_string: bool = False
    in_microseconds: bool = False

    def __str__(self) -> str:
        return str(self.expression)

    @property
    def name(self) -> str:
        """The name printed before its values; "" if it has none."""
        return self.expression.name if isinstance(self.expression, FieldName) else str(self.expression)

    @property
    def modifier(self) -> Modifier | None:
        return self.expression.modifier if isinstance(self.expression, FieldName) else None

    @property
    def is_stacktrace(self) -> bool:
        return self.name == STACKTRACE and self.size == STACK_DEPTH * _WORD

    @property
    def room(self) -> int:
        """The bytes that it takes in a key, a multiple of 8."""
        return -(-self.size // _WORD) * _WORD

    @property
    def kept_room(self) -> int:
        """The bytes that it takes when kept for a key, a multiple of 8."""
        return min(self.room, LONGEST_STRING) if self.is_string else _WORD

    def uses(self, name: str) -> bool:
        """Whether it uses a field of that name."""
        return _uses(self.expression, name)


def string_room(field: Field) -> int:
    """The bytes reserved for a string of an entry, a multiple of 8."""
    size = LONGEST_STRING if field.is_dynamic else min(field.size, LONGEST_STRING)
    return -(-size // _WORD) * _WORD


def _uses(expression: Expression, name: str) -> bool:
    match expression:
        case FieldName():
            return expression.name == name
        case Negation(operand=operand):
            return _uses(operand, name)
        case Operation(left=left, right=right):
            return _uses(left, name) or _uses(right, name)
    return False
