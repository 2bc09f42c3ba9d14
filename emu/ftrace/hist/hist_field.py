# SPDX-License-Identifier: GPL-2.0-only
"""A key, a value, or a variable of a histogram."""

from __future__ import annotations

from dataclasses import dataclass

from emu.ftrace.event.call import Field
from emu.ftrace.hist.expression import Expression, FieldName, Modifier, Negation, Operation
from emu.ftrace.native.hist_record import STACK_DEPTH

__all__ = ["LONGEST_STRING", "STACKTRACE", "HistField", "string_room"]

STACKTRACE = "stacktrace"
LONGEST_STRING = 256  # bytes, with its NUL, of a string that is kept, or that has a variable length
_WORD = 8


@dataclass(frozen=True)
class HistField:
    """A key, a value, or what a variable is.

    Attributes:
        expression: what is computed; `str()` of it is what files show.
        type: in C; of a string as the event's `format` shows it.
        size: bytes; of a string the most that it has with its NUL.
        signed: whether keys are sorted as signed numbers.
        is_string: whether it is text.
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
        """What stands before its values; "" if it has no name."""
        return self.expression.name if isinstance(self.expression, FieldName) else str(self.expression)

    @property
    def modifier(self) -> Modifier | None:
        return self.expression.modifier if isinstance(self.expression, FieldName) else None

    @property
    def is_stacktrace(self) -> bool:
        return self.name == STACKTRACE and self.size == STACK_DEPTH * _WORD

    @property
    def room(self) -> int:
        """Bytes of a key that it takes, a multiple of 8."""
        return -(-self.size // _WORD) * _WORD

    @property
    def kept_room(self) -> int:
        """Bytes that it takes where it is kept for a key, a multiple of 8."""
        return min(self.room, LONGEST_STRING) if self.is_string else _WORD

    def uses(self, name: str) -> bool:
        """Whether a field of that name is part of it."""
        return _uses(self.expression, name)


def string_room(field: Field) -> int:
    """Bytes to which a string of an entry is copied, a multiple of 8."""
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
