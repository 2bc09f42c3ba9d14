# SPDX-License-Identifier: GPL-2.0-only
"""Resolves the names in a hist trigger's actions: variables, fields, synthetic events."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import NamedTuple

from emu.ftrace.dynevent.synthetic import SyntheticEvent
from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.synth_fields import SynthField
from emu.ftrace.hist.actions import HistAction, HistActions
from emu.ftrace.hist.array_hists import ArrayHists
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.expression import FieldName, Number, Reference, parse_expression
from emu.ftrace.hist.hist_field import HistField
from emu.ftrace.hist.parse import Action, ActionKind, Handler
from emu.ftrace.hist.variables import HistVariable

__all__ = ["ActionServices", "find_actions"]

_BAD_EVENT = "Invalid subsystem or event name"
_NOT_VARIABLE = "For onmax(x) or onchange(x), x must be a variable"
_NO_SUBJECT = "Couldn't find onmax or onchange variable"
_NO_SYNTHETIC_EVENT = "Couldn't find synthetic event"
_TYPE_MISMATCH = "Param type doesn't match synthetic event field type"
_COUNT_MISMATCH = "Param count doesn't match synthetic event field count"
_NO_PARAMETER = "Couldn't find param"
_NO_FIELD = "Couldn't find field"
_BAD_FIELD = "Couldn't parse field variable"
_NOT_SAVED = "Couldn't create field variable"
_SAVED_TWICE = "Can't have more than one save() action per hist"
_NO_EVENT = "Event file not found"
_NO_HIST = "Matching event histogram not found"
_HIST_REFUSED = "Couldn't create histogram for field"

_OWN_PREFIX = "synthetic_"  # prefix of the variables that are made for other events' fields


class ActionServices(NamedTuple):
    """What actions do to their trace array.

    Attributes:
        add_hist: sets a hist trigger of another event. Returns a function that removes it. Raises TraceError.
        reserve_snapshot: reserves the snapshot for one action. Returns a function that ends this. TraceError: EBUSY, ENOMEM.
        tell: adds a report to error_log, whether the trigger fails or not.
    """

    add_hist: Callable[[EventCall, str], Callable[[], None]]
    reserve_snapshot: Callable[[], Callable[[], None]]
    tell: Callable[[ErrorReport], None]


def find_actions(definition: HistDefinition, hists: ArrayHists, services: ActionServices) -> HistActions:
    """The actions of a definition.

    Raises:
        TraceError: EINVAL, EEXIST, with the report for error_log; EBUSY, ENOMEM. Nothing has changed.
    """
    finder = _Finder(definition, hists, services)
    try:
        for action in definition.command.actions:
            finder.check_event(action)
        return HistActions([finder.find(action) for action in definition.command.actions], finder.taken)
    except TraceError:
        HistActions([], finder.taken).release()
        raise


class _Finder:
    """Resolves the names in one trigger's actions. `taken`: functions that release what the actions use."""

    def __init__(self, definition: HistDefinition, hists: ArrayHists, services: ActionServices) -> None:
        self.taken: list[Callable[[], None]] = []
        self._definition = definition
        self._hists = hists
        self._services = services
        self._source = definition.command.source
        self._saves = False

    def check_event(self, action: Action) -> None:
        """Raises TraceError: EINVAL if an action's matching event does not exist."""
        if action.handler is Handler.ON_MATCH:
            system, _, event = action.subject.partition(".")
            if self._hists.event(system, event) is None:
                raise self._source.error(_BAD_EVENT, event)

    def find(self, action: Action) -> HistAction:
        """Raises TraceError."""
        subject = None if action.handler is Handler.ON_MATCH else self._subject(action)
        if action.kind is ActionKind.SAVE:
            return HistAction(action, subject, self._saved(action), None)
        if action.kind is ActionKind.SNAPSHOT:
            self.taken.append(self._services.reserve_snapshot())
            return HistAction(action, subject, [], None)
        event = self._hists.synthetic_event(action.synthetic)
        if event is None:
            raise self._source.error(_NO_SYNTHETIC_EVENT, action.synthetic)
        self.taken.append(event.need())
        return HistAction(action, subject, self._parameters(action, event), event)

    def _subject(self, action: Action) -> HistField:
        name = action.subject.removeprefix("$")
        if name == action.subject:
            raise self._source.error(_NOT_VARIABLE, name)
        if name not in self._definition.variables:
            raise self._source.error(_NO_SUBJECT, name, misspelt=(name, self._definition.variables))
        return self._definition.variables[name]

    def _saved(self, action: Action) -> list[HistField]:
        if self._saves:
            raise self._source.error(_SAVED_TWICE, code=errno.EEXIST)
        self._saves = True
        return [self._saved_field(name) for name in action.parameters]

    def _saved_field(self, name: str) -> HistField:
        try:
            return self._own_field(name)
        except TraceError as error:
            raise self._source.then(error, _NOT_SAVED, name) from None

    def _parameters(self, action: Action, event: SyntheticEvent) -> list[HistField]:
        """The values for the fields of a synthetic event."""
        found: list[HistField] = []
        for number, text in enumerate(action.parameters):
            system, of_event, name = self._qualified(text)
            find = self._variable if name.startswith("$") else self._field
            found.append(find(action, system, of_event, name))
            if number >= len(event.fields) or not _fits(event.fields[number], found[-1]):
                raise self._source.error(_TYPE_MISMATCH, name)
        if len(found) != len(event.fields):
            raise self._source.error(_COUNT_MISMATCH, event.call.name)
        return found

    def _qualified(self, text: str) -> tuple[str, str, str]:
        """The system and the event, if they are given, and the name."""
        if "." not in text:
            return "", "", text
        system, event, *name = text.split(".", 2)
        if not name:
            raise self._source.refusal(f"'{text}' is not system.event.name")
        return system, event, name[0]

    def _is_own(self, system: str, event: str) -> bool:
        """Whether a name may belong to the trigger's own event."""
        return not system or (system, event) == (self._definition.call.system, self._definition.call.name)

    def _variable(self, action: Action, system: str, event: str, text: str) -> HistField:
        name = text.removeprefix("$")
        if self._is_own(system, event) and name in self._definition.variables:
            return self._definition.variables[name]
        if not system and action.handler is Handler.ON_MATCH:
            system, _, event = action.subject.partition(".")
        variable = self._definition.references.seek(self._source, name, system, event)
        if variable is None:
            raise self._source.error(_NO_PARAMETER, name)
        return self._refer(variable, system, event)

    def _refer(self, variable: HistVariable, system: str, event: str) -> HistField:
        reference = Reference(f"${variable.name}", variable.name, system, event)
        self._definition.references.add(reference, variable)
        return variable.as_field(reference)

    def _own_field(self, name: str) -> HistField:
        """A field of the trigger's own event. Raises TraceError: EINVAL."""
        try:
            expression = parse_expression(self._source, name)
            if not isinstance(expression, FieldName | Number | Reference):
                raise self._source.error(_NO_FIELD, name)
            return self._definition.fields.field(self._source, expression)
        except TraceError as error:
            raise self._source.then(error, _BAD_FIELD, name) from None

    def _field(self, action: Action, system: str, event: str, name: str) -> HistField:
        """A field of the trigger's own event, or otherwise of the event matched by an action.

        As in Linux, error_log reports that the trigger's own event lacks it, even if the other event has it.
        """
        other_system, other_event = system, event
        if not system and action.handler is Handler.ON_MATCH:
            other_system, _, other_event = action.subject.partition(".")
        if self._is_own(system, event):
            try:
                return self._own_field(name)
            except TraceError as error:
                if not other_event:
                    raise
                if error.logged is not None:
                    self._services.tell(error.logged)
        variable = self._field_variable(other_system, other_event, name)
        return self._refer(variable, other_system, other_event)

    def _field_variable(self, system: str, event: str, name: str) -> HistVariable:
        """A variable for a field of another event. As in Linux, a histogram is made for it."""
        own_name = f"{_OWN_PREFIX}{name}"
        call = self._hists.event(system, event)
        if call is None:
            raise self._source.error(_NO_EVENT, name)
        other = self._hists.compatible(call, self._definition)
        if other is None:
            raise self._source.error(_NO_HIST, name)
        variable = self._hists.variables.of_event(system, event, own_name)
        if variable is None:
            text = f"keys={','.join(key.name for key in other.definition.keys)}:{own_name}={name}"
            condition = f" if {other.condition.text}" if other.condition else ""
            try:
                self.taken.append(self._services.add_hist(call, f"{text}{condition}"))
            except TraceError as error:
                refused = self._source.error(error.logged.text if error.logged else _NO_FIELD, name)
                raise self._source.then(refused, _HIST_REFUSED, name) from None
            variable = self._hists.variables.of_event(system, event, own_name)
            assert variable is not None
        return variable


def _fits(field: SynthField, value: HistField) -> bool:
    """Whether a value has the type of a synthetic event's field."""
    if field.is_string or value.is_string:
        return field.is_string and value.is_string and (not field.size or field.size == value.size)
    return field.type == value.type or (field.size, field.signed) == (value.size, value.signed)
