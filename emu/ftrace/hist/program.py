# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the definition of a histogram to a program for native code (`native.hist_record`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.filter_parse import Source, source_of
from emu.ftrace.hist.expression import Expression, FieldName, Modifier, Negation, Number, Operation, Reference
from emu.ftrace.hist.fields import CPU, TIME, EventFields
from emu.ftrace.hist.hist_field import HistField, string_room
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
    kept: Sequence[int]  # by actions
    comm: int  # 0: it is not kept
    size: int

    @classmethod
    def of(cls, keys: Sequence[HistField], values: int, variables: Sequence[int], kept: Sequence[int]) -> ElementLayout:
        """`values`: how many there are. `variables`, `kept`: the bytes of each, a multiple of 8."""
        *at, hitcount = np.cumsum([0, *(key.room for key in keys)]).tolist()
        flags = hitcount + _WORD
        *places, end = np.cumsum([flags + _WORD, *[_WORD] * values, *variables, *kept]).tolist()
        comm = end if any(key.modifier is Modifier.EXECNAME for key in keys) else 0
        sums, places = places[:values], places[values:]
        set_, kept_at = places[: len(variables)], places[len(variables) :]
        return cls(at, hitcount, flags, sums, set_, kept_at, comm, end + (_COMM_SIZE if comm else 0))


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
    def number(self) -> int:
        """What native code needs to know to do the same sooner (`hist_record.NUMBER`); 0: it has to run the program."""
        operations = self._steps[:: hist_record.STEP_WORDS]
        if operations != [hist_record.FIELD, hist_record.INSERT] or self._layout.comm:
            return 0
        _, _, offset, kind = self._steps[: hist_record.STEP_WORDS]
        return offset << int(hist_record.NUMBER_OFFSET) | kind

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
            self.string(field.name, to, field.room)
        else:
            self._compute(field.expression, to)

    def string(self, name: str, to: int, room: int) -> None:
        """Has it copy a string of the entry into the frame. `room`: bytes, a multiple of 8."""
        found = self._fields.find(name)
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

    def set(self, field: HistField, to: int, flags: int) -> None:
        """Has it store a value in the element, and set bits of the element's flags."""
        value = self.value(field.expression)
        if field.is_string:
            self.step(hist_record.SET_STRING, to, value, field.kept_room << int(hist_record.ROOM) | flags)
        else:
            self.step(hist_record.SET, to, value, flags)

    def look_up(self, histogram: int) -> int:
        """Has it find the element of the key in another histogram, whose record is at an address; ends if there is none.

        Returns where the frame has the element's address.
        """
        to = self.register()
        self.step(hist_record.LOOK_UP, to, histogram)
        return to

    def read(self, references: Iterable[Reference], element: int, which: int) -> None:
        """Has it read what references mean, a variable of an element that was looked up; ends if it is not set.

        `which`: as `hist_record` says.
        """
        to = self.register()
        self.step(hist_record.READ, to, element, which)
        self._places |= dict.fromkeys(references, to)

    def values(self, expressions: Sequence[Expression]) -> int:
        """Where the frame has the values of expressions, one after the other."""
        places = list(map(self.value, expressions))
        to = self.register(len(places) * _WORD)
        for number, place in enumerate(places):
            self.step(hist_record.COPY, to + number * _WORD, place)
        return to

    @contextmanager
    def only_if(self, operation: np.uint64, to: int, value: int) -> Iterator[None]:
        """What the body adds happens only if ON_MAX or ON_CHANGE finds the value so."""
        places = dict(self._places)
        self.step(operation, to, value)
        first = len(self._steps)
        yield
        self._steps[first - 1] = (len(self._steps) - first) * _WORD
        self._places = places

    def value(self, expression: Expression) -> int:
        """Where the frame has the value of an expression; of a string, its address."""
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
            if source_of(field) in _STRINGS:
                room = string_room(field)
                text = self.register(room)
                self.string(named.name, text, room)
                self.step(hist_record.ADDRESS, to, text)
                return
            self.step(hist_record.FIELD, to, field.offset, field.size | (int(hist_record.SIGNED) if field.signed else 0))


def _without_look(expression: Expression) -> Expression:
    """What is computed, however it is shown: the clock, which may count how often it is read, is read once."""
    if not isinstance(expression, FieldName):
        return expression
    groups = expression.modifier if expression.modifier in (Modifier.LOG2, Modifier.BUCKETS) else None
    return FieldName("", expression.name, groups, expression.buckets)
