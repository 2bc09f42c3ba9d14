# SPDX-License-Identifier: GPL-2.0-only
"""Resolves keys, values and variables of a histogram: their types, and their places in an event's entry."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from functools import cached_property

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.event.filter_parse import Source, source_of
from emu.ftrace.hist.expression import Expression, FieldName, Modifier, Negation, Number, Operation, Reference, parse_expression
from emu.ftrace.hist.hist_field import LONGEST_STRING, STACKTRACE, HistField
from emu.ftrace.hist.hist_source import HistSource
from emu.ftrace.hist.variables import References
from emu.ftrace.native.hist_record import STACK_DEPTH

__all__ = ["CPU", "TIME", "EventFields"]

TIME, CPU = "common_timestamp", "common_cpu"
_CPU_ALIASES = ("cpu", "CPU")  # unless the event has a field of this name

_NO_FIELD = "Couldn't find field"
_STRING_OPERAND = "String type can not be an operand in expression"
_MIXED_TIMES = "Timestamp units in expression don't match"
_BAD_MODIFIER = "Invalid field modifier"

_WORD = 8
_ADDRESSES = frozenset({Modifier.SYM, Modifier.SYM_OFFSET, Modifier.SYSCALL})
_GROUPS = frozenset({Modifier.LOG2, Modifier.BUCKETS})


class EventFields:
    """The fields of the event, by their names in hist triggers.

    Args:
        call: the event.
        references: the variables to which the trigger refers.
    """

    def __init__(self, call: EventCall, references: References) -> None:
        self.call = call
        self._references = references

    @cached_property
    def _named(self) -> Mapping[str, Field]:
        return {field.name: field for field in (*COMMON_FIELDS, *self.call.fields) if field.size}

    def find(self, name: str) -> Field | None:
        return self._named.get(name)

    def key(self, source: HistSource, expression: Expression) -> HistField:
        """Resolves a key. Raises TraceError, as `value`."""
        if isinstance(expression, FieldName) and expression.text == STACKTRACE:
            return HistField(expression, "unsigned long[]", STACK_DEPTH * _WORD)
        return self.field(source, expression)

    def value(self, source: HistSource, expression: Expression) -> HistField:
        """Resolves a value, which will be summed up.

        Raises:
            TraceError: EINVAL, with the report for error_log; ENOMEM for a field that is neither a number nor a string.
        """
        found = self.field(source, expression)
        if found.modifier in _ADDRESSES | _GROUPS:
            raise source.error(_BAD_MODIFIER, str(expression))
        if found.is_string:
            raise source.error(_STRING_OPERAND, str(expression))
        return found

    def variable(self, source: HistSource, expression: Expression) -> HistField:
        """Resolves a variable's definition. Raises TraceError, as `value`."""
        found = self.field(source, expression)
        if found.modifier in _GROUPS:
            raise source.error(_BAD_MODIFIER, str(expression))
        return found

    def field(self, source: HistSource, expression: Expression) -> HistField:
        """Raises TraceError, as `value`."""
        match expression:
            case Number():
                return HistField(expression, "u64", _WORD)
            case FieldName():
                return self._field(source, expression)
            case Negation(operand=operand):
                inner = self._operand(source, operand)
                shown: Expression = Negation(expression.text, inner.expression)
                return HistField(shown, inner.type, inner.size, inner.signed, in_microseconds=inner.in_microseconds)
            case Operation():
                left, right = (self._operand(source, operand) for operand in (expression.left, expression.right))
                if left.in_microseconds != right.in_microseconds:
                    raise source.error(_MIXED_TIMES)
                shown = Operation(expression.text, expression.operator, left.expression, right.expression)
                return HistField(shown, left.type, left.size, left.signed, in_microseconds=left.in_microseconds)
            case Reference():
                return self._reference(source, expression, once=False)

    def _reference(self, source: HistSource, reference: Reference, *, once: bool) -> HistField:
        """Resolves a reference. `once`: reading the variable unsets it."""
        if (text := self._references.own(reference)) is not None:
            meant = parse_expression(source, text)
            if isinstance(meant, Reference):
                raise source.error(_NO_FIELD, text)
            return self.field(source, meant)
        return self._references.find(source, reference, once=once).as_field(reference)

    def _operand(self, source: HistSource, expression: Expression) -> HistField:
        if isinstance(expression, Reference):
            found = self._reference(source, expression, once=True)
        else:
            found = self.field(source, expression)
        if found.is_string:
            raise source.error(_STRING_OPERAND, expression.text)
        return found

    def _field(self, source: HistSource, named: FieldName) -> HistField:
        if named.name == TIME:
            return HistField(named, "u64", _WORD, in_microseconds=named.modifier is Modifier.USECS)
        field = self.find(named.name)
        if named.name == CPU or (field is None and named.name in _CPU_ALIASES):
            return HistField(FieldName(named.text, CPU, named.modifier, named.buckets), "unsigned int", 4)
        if field is None:
            raise source.error(_NO_FIELD, named.name, misspelt=(named.name, [*self._named, TIME, CPU]))
        kind = source_of(field)
        if kind in (Source.ARRAY, Source.DYNAMIC):
            if named.modifier is not None:
                raise source.error(_BAD_MODIFIER, named.modifier.value)
            return HistField(named, field.type, field.size if kind is Source.ARRAY else LONGEST_STRING, is_string=True)
        if field.size not in (1, 2, 4, 8):
            raise TraceError(errno.ENOMEM, f"'{source.command}': {field.declaration} is neither a number nor a string")
        return HistField(named, field.type, field.size, field.signed and named.modifier not in _GROUPS)
