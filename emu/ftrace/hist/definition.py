# SPDX-License-Identifier: GPL-2.0-only
"""The definition of a histogram: a hist trigger whose fields have been resolved."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.hist.actions import HistActions
from emu.ftrace.hist.expression import FieldName, Reference, parse_expression
from emu.ftrace.hist.fields import TIME, EventFields
from emu.ftrace.hist.hist_field import HistField
from emu.ftrace.hist.parse import HistCommand, SortKey, parse_sort
from emu.ftrace.hist.program import ElementLayout, Program
from emu.ftrace.hist.variables import HistVariables, References

__all__ = ["HistDefinition"]

_MOST_KEYS, _MOST_VALUES = 3, 2  # not counting hitcount
_LARGEST_KEY = 384  # bytes
_HITCOUNT = "hitcount"

_REFERENCE_IN_KEY = "Using variable references in keys not supported"
_DUPLICATE_VARIABLE = "Variable already defined"


class HistDefinition:
    """What is counted, and how it is shown.

    Args:
        call: the event.
        command: the parsed trigger.
        variables: the variables of the array, for references.
        removes: an equal trigger exists and will be removed. Otherwise the names of its variables must be new.

    Attributes:
        references: to variables of other triggers.
        actions: the actions; empty until `HistTriggers` has resolved them.
        keys, values: without hitcount.
        variables: by name, in order.
        sort: the sort keys.
        size: the number of keys for which there is room.

    Raises:
        TraceError: EINVAL, with the report for error_log; EDOM; ENOMEM for a field that is neither a number nor a string.
    """

    def __init__(
        self, call: EventCall, command: HistCommand, variables: HistVariables, *, removes: bool = False
    ) -> None:
        self.call = call
        self.command = command
        self.size = 1 << command.bits
        self.references = References(call, command, variables, removes=removes)
        self.fields = EventFields(call, self.references)
        self.actions = HistActions()
        self.values = self._values()
        self.variables = self._variables(() if removes else variables.names(call))
        self.keys = self._keys()
        named = [None if field.is_stacktrace else field.expression for field in (*self.values, *self.keys)]
        self.sort: Sequence[SortKey] = parse_sort(command.source, command.sort, named)

    def _values(self) -> list[HistField]:
        source = self.command.source
        found: list[HistField] = []
        for text in self.command.values:
            if text != _HITCOUNT:
                if len(found) == _MOST_VALUES:
                    raise source.refusal(f"there are at most {_MOST_VALUES} values besides hitcount")
                found.append(self.fields.value(source, parse_expression(source, text)))
        return found

    def _variables(self, taken: Collection[str]) -> dict[str, HistField]:
        source = self.command.source
        found: dict[str, HistField] = {}
        for name, text in self.command.variables:
            if name in found or name in taken:
                raise source.error(_DUPLICATE_VARIABLE, name)
            found[name] = self.fields.variable(source, parse_expression(source, text))
        return found

    def _keys(self) -> list[HistField]:
        source = self.command.source
        found: list[HistField] = []
        for text in self.command.keys[:_MOST_KEYS]:
            expression = parse_expression(source, text)
            if isinstance(expression, Reference):
                raise source.error(_REFERENCE_IN_KEY, text)
            found.append(self.fields.key(source, expression))
            if sum(key.room for key in found) > _LARGEST_KEY:
                raise source.refusal(f"the keys have more than {_LARGEST_KEY} bytes")
        if len(self.command.keys) > _MOST_KEYS:
            raise source.refusal(f"there are at most {_MOST_KEYS} keys")
        return found

    @property
    def uses_time(self) -> bool:
        """Whether it uses the trace clock."""
        return any(field.uses(TIME) for field in self._all())

    @property
    def in_microseconds(self) -> bool:
        """Whether times are in microseconds: if one is, all are."""
        return any(field.in_microseconds for field in self._all())

    @property
    def has_stack(self) -> bool:
        """Whether a key is a stack trace."""
        return any(key.is_stacktrace for key in self.keys)

    def _all(self) -> Sequence[HistField]:
        return [*self.keys, *self.values, *self.variables.values(), *self.actions.fields]

    def is_same(self, other: HistDefinition) -> bool:
        """Whether two triggers of an event count the same in the same way, so it cannot have both. Sizes are ignored."""
        return self._parts() == other._parts()

    def fits(self, other: HistDefinition) -> bool:
        """Whether two triggers, perhaps of different events, can share a table."""
        return self.is_same(other) and self._sources() == other._sources()

    def _parts(self) -> tuple[object, ...]:
        parts = [list(map(str, fields)) for fields in (self.keys, self.values, self.variables.values(), self.command.actions)]
        return *parts, list(self.variables), list(self.sort)

    def _sources(self) -> list[Field | None]:
        """The event's fields, where there is one."""
        names = [field.expression.name for field in self._all() if isinstance(field.expression, FieldName)]
        return [self.fields.find(name) for name in names]

    def layout(self) -> ElementLayout:
        """The layout of the table's elements."""
        rooms = [variable.kept_room for variable in self.variables.values()]
        return ElementLayout.of(self.keys, len(self.values), rooms, self.actions.rooms)

    def program(self, *, clock_is_ns: bool) -> Program:
        """The program that updates the table, without actions."""
        layout = self.layout()
        program = Program(self.fields, layout, in_microseconds=self.in_microseconds and clock_is_ns)
        for key, to in zip(self.keys, layout.keys, strict=True):
            program.key(key, to)
        for histogram, variables in self.references.by_histogram().items():
            element = program.look_up(histogram.record)
            for referred, references in variables.items():
                program.read(references, element, referred, once=self.references.is_read_once(referred))
        program.insert()
        for value, to in zip(self.values, layout.values, strict=True):
            program.sum(value, to)
        for number, (variable, to) in enumerate(zip(self.variables.values(), layout.variables, strict=True)):
            program.set(variable, to, 1 << number)
        return program

    def __str__(self) -> str:
        """As in the files, without the condition: `keys=pid:vals=hitcount:ts0=common_timestamp:sort=hitcount:size=2048`."""
        parts = [f"name={self.command.name}"] if self.command.name else []
        parts.append(f"keys={','.join(map(str, self.keys))}")
        parts.append(f"vals={','.join([_HITCOUNT, *map(str, self.values)])}")
        if self.variables:
            parts.append(",".join(f"{name}={field}" for name, field in self.variables.items()))
        shown = [_HITCOUNT, *map(str, self.values), *map(str, self.keys)]
        parts.append(f"sort={','.join(shown[key.index] + '.descending' * key.descending for key in self.sort)}")
        parts.append(f"size={self.size}")
        if self.uses_time:
            parts.append(f"clock={self.command.clock}")
        return ":".join([*parts, *map(str, self.command.actions)])
