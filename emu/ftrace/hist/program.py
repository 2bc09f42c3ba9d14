# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the definition of a histogram to a program for native code (`native.hist_record`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.filter_parse import Source, source_of
from emu.ftrace.hist.fields import CPU, TIME, EventFields, HistField
from emu.ftrace.hist.parse import Expression, FieldName, Modifier, Negation, Number, Operation
from emu.ftrace.native import filter_program, hist_record

__all__ = ["ElementLayout", "Program"]

_WORD = 8  # bytes
_MASK = (1 << 64) - 1
_COMM_SIZE = 16
_OPERATORS: Mapping[str, np.uint64] = {
    "+": hist_record.ADD,
    "-": hist_record.SUBTRACT,
    "*": hist_record.MULTIPLY,
    "/": hist_record.DIVIDE,
}
_STRINGS = {Source.ARRAY: filter_program.ARRAY, Source.DYNAMIC: filter_program.DATA_LOC}


class ElementLayout(NamedTuple):
    """Where an element has what is kept for a key: offsets in bytes."""

    keys: Sequence[int]
    hitcount: int
    flags: int  # bit n: variable n has been set
    values: Sequence[int]  # sums
    variables: Sequence[int]
    comm: int  # 0: it is not kept
    size: int

    @classmethod
    def of(cls, keys: Sequence[HistField], values: int, variables: int) -> ElementLayout:
        """`values`, `variables`: how many there are."""
        *at, hitcount = np.cumsum([0, *(key.room for key in keys)]).tolist()
        flags = hitcount + _WORD
        sums = [flags + _WORD + n * _WORD for n in range(values + variables)]
        end = flags + _WORD + len(sums) * _WORD
        comm = end if any(key.modifier is Modifier.EXECNAME for key in keys) else 0
        return cls(at, hitcount, flags, sums[:values], sums[values:], comm, end + (_COMM_SIZE if comm else 0))


class Program:
    """A program that is being written.

    Its frame begins with the key. Each part of an expression has its value in a register, and so is computed once.

    Args:
        fields: those of the event.
        layout: of an element.
        in_microseconds: whether all times are in microseconds.
    """

    def __init__(self, fields: EventFields, layout: ElementLayout, *, in_microseconds: bool) -> None:
        self._fields = fields
        self._layout = layout
        self._in_microseconds = in_microseconds
        self._steps: list[int] = []
        self._frame_size = layout.hitcount  # so far: the key
        self._places: dict[Expression, int] = {}

    @property
    def frame_size(self) -> int:
        """Bytes."""
        return self._frame_size

    @property
    def words(self) -> NDArray[np.uint64]:
        return np.array(self._steps, np.uint64)

    def step(self, operation: np.uint64, to: int = 0, a: int = 0, b: int = 0) -> None:
        """Adds a step."""
        self._steps += [int(operation), to, a, b]

    def register(self, size: int = _WORD) -> int:
        """Room in the frame: its offset."""
        self._frame_size += size
        return self._frame_size - size

    def key(self, field: HistField, to: int) -> None:
        """Has the program make a part of the key."""
        if field.is_stacktrace:
            self.step(hist_record.STACKTRACE, to)
        elif field.is_string:
            self.string(field, to, field.room)
        else:
            self._compute(field.expression, to)

    def string(self, field: HistField, to: int, room: int) -> None:
        """Has it copy a string of the entry into the frame. `room`: bytes, a multiple of 8."""
        found = self._fields.find(field.name)
        assert found is not None
        source = filter_program.REL_LOC if found.data_base else _STRINGS[source_of(found)]
        what = found.offset << int(filter_program.OFFSET) | found.size << int(filter_program.SIZE)
        self.step(hist_record.STRING, to, what | int(source) << int(filter_program.SOURCE), room)

    def insert(self) -> None:
        """Has it find the element of the key."""
        self.step(hist_record.INSERT)

    def sum(self, field: HistField, to: int) -> None:
        """Has it add a value in the element."""
        self.step(hist_record.SUM, to, self.value(field.expression))

    def set(self, field: HistField, to: int, number: int) -> None:
        """Has it set variable `number` in the element."""
        self.step(hist_record.SET, to, self.value(field.expression), 1 << number)

    def value(self, expression: Expression) -> int:
        """Where the frame has the value of an expression."""
        expression = _without_look(expression)
        if expression not in self._places:
            self._compute(expression, self.register())
        return self._places[expression]

    def _compute(self, expression: Expression, to: int) -> None:
        expression = _without_look(expression)
        if expression in self._places:
            self.step(hist_record.COPY, to, self._places[expression])
            return
        match expression:
            case Number(value=value):
                self.step(hist_record.CONSTANT, to, value & _MASK)
            case FieldName():
                self._load(expression, to)
            case Negation(operand=operand):
                self.step(hist_record.NEGATE, to, self.value(operand))
            case Operation(operator=operator, left=left, right=right):
                self.step(_OPERATORS[operator], to, self.value(left), self.value(right))
        self._places[expression] = to

    def _load(self, named: FieldName, to: int) -> None:
        field = self._fields.find(named.name)
        if named.modifier is Modifier.LOG2:
            self.step(hist_record.LOG2, to, self.value(FieldName("", named.name)))
        elif named.modifier is Modifier.BUCKETS:
            self.step(hist_record.BUCKET, to, self.value(FieldName("", named.name)), named.buckets)
        elif named.name == TIME:
            self.step(hist_record.TIME, to)
            if self._in_microseconds:
                self.step(hist_record.MICROSECONDS, to, to)
        elif named.name == CPU:
            self.step(hist_record.CPU, to)
        else:
            assert field is not None
            self.step(hist_record.FIELD, to, field.offset, field.size | (int(hist_record.SIGNED) if field.signed else 0))


def _without_look(expression: Expression) -> Expression:
    """What is computed, however it is shown: the clock, which may count how often it is read, is read once."""
    if not isinstance(expression, FieldName):
        return expression
    groups = expression.modifier if expression.modifier in (Modifier.LOG2, Modifier.BUCKETS) else None
    return FieldName("", expression.name, groups, expression.buckets)
