# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the definition of a histogram to a program for native code (`native.hist_record`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from emu.ftrace.event.filter_parse import Source, source_of
from emu.ftrace.hist.expression import Expression, FieldName, Modifier, Negation, Number, Operation, Reference
from emu.ftrace.hist.fields import CPU, TIME, EventFields
from emu.ftrace.hist.hist_field import HistField, string_room
from emu.ftrace.hist.variables import HistVariable
from emu.ftrace.native import filter_record, hist_record
from emu.ftrace.native.hist_record import Histogram, Step

__all__ = ["ElementLayout", "Program"]

_WORD = 8  # bytes
_MASK = (1 << 64) - 1
_COMM_SIZE = 2  # words
_OPERATORS: Mapping[str, int] = {
    "+": hist_record.ADD,
    "-": hist_record.SUBTRACT,
    "*": hist_record.MULTIPLY,
    "/": hist_record.DIVIDE,
}
_STRINGS = {Source.ARRAY: filter_record.ARRAY, Source.DYNAMIC: filter_record.DATA_LOC}


class ElementLayout(NamedTuple):
    """The layout of an element: indices into the words that it keeps for a key."""

    keys: Sequence[int]
    key_size: int
    values: Sequence[int]  # sums
    variables: Sequence[int]
    kept: Sequence[int]  # for actions
    comm: int  # 0: no task name is kept
    size: int

    @classmethod
    def of(cls, keys: Sequence[HistField], values: int, variables: Sequence[int], kept: Sequence[int]) -> ElementLayout:
        """`values`: the number of values. `variables`, `kept`: the size of each in bytes, a multiple of 8."""
        *at, key_size = np.cumsum([0, *(key.room // _WORD for key in keys)]).tolist()
        rooms = [room // _WORD for room in (*variables, *kept)]
        *places, end = np.cumsum([key_size, *[1] * values, *rooms]).tolist()
        comm = end if any(key.modifier is Modifier.EXECNAME for key in keys) else 0
        sums, places = places[:values], places[values:]
        set_, kept_at = places[: len(variables)], places[len(variables) :]
        return cls(at, key_size, sums, set_, kept_at, comm, end + (_COMM_SIZE if comm else 0))


class Program:
    """A program under construction.

    Its frame begins with the key. Each subexpression has its value in a register, so it is computed once.

    Args:
        fields: the fields of the event.
        layout: the layout of an element.
        in_microseconds: whether all times are in microseconds.

    Attributes:
        steps: the steps so far.
    """

    def __init__(self, fields: EventFields, layout: ElementLayout, *, in_microseconds: bool) -> None:
        self._fields = fields
        self._layout = layout
        self._in_microseconds = in_microseconds
        self.steps: list[Step] = []
        self._frame_size = layout.key_size  # so far
        self._places: dict[Expression, int] = {}

    @property
    def frame_size(self) -> int:
        """The size of the frame in words."""
        return self._frame_size

    @property
    def number(self) -> Step | None:
        """If the program only counts, by one number: the step that loads the number. Otherwise None."""
        only_counts = [step.op for step in self.steps] == [hist_record.FIELD, hist_record.INSERT]
        return self.steps[0] if only_counts and not self._layout.comm else None

    def step(self, operation: int, to: int = 0, a: int = 0, b: int = 0) -> Step:
        """Adds a step, and returns it."""
        step = Step.allocate()
        step.op, step.to, step.a, step.b = operation, to, a, b
        self.steps.append(step)
        return step

    def register(self, size: int = 1) -> int:
        """Allocates room in the frame, and returns its place. `size`: words."""
        self._frame_size += size
        return self._frame_size - size

    def key(self, field: HistField, to: int) -> None:
        """Adds steps that make a part of the key."""
        if field.is_stacktrace:
            self.step(hist_record.STACKTRACE, to)
        elif field.is_string:
            self.string(field.name, to, field.room)
        else:
            self._compute(field.expression, to)

    def string(self, name: str, to: int, room: int) -> None:
        """Adds steps that copy a string of the entry into the frame. `room`: bytes, a multiple of 8."""
        found = self._fields.find(name)
        assert found is not None
        step = self.step(hist_record.STRING, to)
        step.source = filter_record.REL_LOC if found.data_base else _STRINGS[source_of(found)]
        step.offset, step.size, step.room = found.offset, found.size, room

    def insert(self) -> None:
        """Adds a step that finds the key's element."""
        self.step(hist_record.INSERT)

    def sum(self, field: HistField, to: int) -> None:
        """Adds steps that add a value to a sum in the element."""
        self.step(hist_record.SUM, to, self.value(field.expression))

    def set(self, field: HistField, to: int, flags: int) -> None:
        """Adds steps that store a value in the element, and set bits of the element's flags."""
        value = self.value(field.expression)
        step = self.step(hist_record.SET_STRING if field.is_string else hist_record.SET, to, value)
        step.flags, step.room = flags, field.kept_room

    def look_up(self, histogram: Histogram) -> int:
        """Adds steps that find the key's element in another histogram; the program ends if there is none.

        Returns the place in the frame of the element's address.
        """
        to = self.register()
        self.step(hist_record.LOOK_UP, to).histogram = histogram
        return to

    def read(self, references: Iterable[Reference], element: int, variable: HistVariable, *, once: bool) -> None:
        """Adds steps that read a variable from a looked-up element, for `references`; the program ends if it is not set.

        `once`: reading the variable unsets it.
        """
        to, place = self.register(), variable.histogram.definition.layout().variables[variable.number]
        operation = hist_record.READ_STRING if variable.field.is_string else hist_record.READ
        step = self.step(operation, to, element, place)
        step.flags = 1 << variable.number
        step.cleared = step.flags if once else 0
        self._places |= dict.fromkeys(references, to)

    def values(self, expressions: Sequence[Expression]) -> int:
        """The place in the frame of the expressions' values, which are adjacent."""
        places = list(map(self.value, expressions))
        to = self.register(len(places))
        for number, place in enumerate(places):
            self.step(hist_record.COPY, to + number, place)
        return to

    @contextmanager
    def only_if(self, operation: int, to: int, value: int) -> Iterator[None]:
        """The steps added by the body run only if the test ON_MAX or ON_CHANGE succeeds for the value."""
        places = dict(self._places)
        step, first = self.step(operation, to, value), len(self.steps)
        yield
        step.number = len(self.steps) - first
        self._places = places

    def value(self, expression: Expression) -> int:
        """The place in the frame of an expression's value; for a string, of its address."""
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
                self.step(hist_record.CONSTANT, to).number = value & _MASK
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
            self.step(hist_record.BUCKET, to, self.value(FieldName("", named.name))).number = named.buckets
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
                text = self.register(room // _WORD)
                self.string(named.name, text, room)
                self.step(hist_record.ADDRESS, to, text)
                return
            step = self.step(hist_record.FIELD, to)
            step.source = filter_record.SIGNED if field.signed else filter_record.UNSIGNED
            step.offset, step.size = field.offset, field.size


def _without_look(expression: Expression) -> Expression:
    """An expression without the way it is shown, so that the clock, which may count its reads, is read once."""
    if not isinstance(expression, FieldName):
        return expression
    groups = expression.modifier if expression.modifier in (Modifier.LOG2, Modifier.BUCKETS) else None
    return FieldName("", expression.name, groups, expression.buckets)
