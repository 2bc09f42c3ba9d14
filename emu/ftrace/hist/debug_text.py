# SPDX-License-Identifier: GPL-2.0-only
"""The text of an event's file `hist_debug`: the internals of its hist triggers, in terms of Linux's structures.

Linux's histogram-design document explains it (CONFIG_HIST_TRIGGERS_DEBUG).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emu.ftrace.hist.actions import HistAction
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.expression import FieldName, Number, Reference
from emu.ftrace.hist.hist_field import LONGEST_STRING, HistField
from emu.ftrace.hist.parse import ActionKind, Handler

__all__ = ["hist_debug_text"]

_KEPT = {Handler.ON_MAX: "__max", Handler.ON_CHANGE: "__change"}  # the names of Linux's variables for the last seen value
_HITCOUNT = ["VAL: HIST_FIELD_FL_HITCOUNT"], ["type: u64", "size: 8", "is_signed: 0"]


@dataclass(frozen=True)
class _Variable:
    """A variable of a histogram, perhaps another histogram's. `shape`: the printed type, size and signedness."""

    histogram: int
    name: str
    index: int
    shape: tuple[str, ...]

    @property
    def place(self) -> list[str]:
        return [f"var.name: {self.name}", f"var.idx (into tracing_map_elt.vars[]): {self.index}"]


def hist_debug_text(shown: str, number: int, definition: HistDefinition) -> Iterator[str]:
    """The text about one trigger.

    Args:
        shown: the trigger's line in the file `trigger`.
        number: the histogram's number, printed in place of an address.
        definition: the histogram's.
    """
    parts = _Parts(number, definition)
    sums = 1 + len(definition.values) + len(definition.variables)
    yield f"# event histogram\n#\n# trigger info: {shown}\n#\n\nhist_data: {number:016x}\n\n"
    yield f"  n_vals: {sums}\n  n_keys: {len(definition.keys)}\n  n_fields: {sums + len(definition.keys)}\n\n  val fields:\n"
    values = [(["VAL: normal u64 value", *_special(field)], parts.source(field)) for field in definition.values]
    variables = [
        (["HIST_FIELD_FL_VAR", *_special(field)], parts.source(field, parts.own[name]))
        for name, field in definition.variables.items()
    ]
    for index, (flags, attributes) in enumerate([_HITCOUNT, *values, *variables]):
        yield f"\n    hist_data->fields[{index}]:\n{_lines(flags, attributes)}"
    yield "\n  key fields:\n"
    for index, key in enumerate(definition.keys, sums):
        yield f"\n    hist_data->fields[{index}]:\n{_lines(['HIST_FIELD_FL_KEY'], parts.source(key, room=key.room))}"
    if parts.references:
        yield "\n  variable reference fields:\n"
    for index, variable in enumerate(parts.references):
        yield f"\n    hist_data->var_refs[{index}]:\n{parts.reference(variable)}"
    yield from parts.kept("field variables", "field_vars", parts.fields)
    if parts.actions:
        yield "\n  action tracking variables (for onmax()/onchange()/onmatch()):\n"
    for index, (action, variable_kept) in enumerate(parts.actions):
        yield from parts.action(f"    hist_data->actions[{index}]", action, variable_kept)
    yield from parts.kept("save action variables (save() params)", "save_vars", parts.saved)


class _Parts:
    """The variables that a trigger has in Linux: first those that it defines, then those of its actions, in order.

    Attributes:
        own: the variables that it defines, by name.
        references: referenced variables, each once.
        actions: the actions, each with the variable that keeps the value seen by onmax or onchange.
        fields, saved: the variables that keep a field of the event for synthetic events, or for save().
    """

    def __init__(self, number: int, definition: HistDefinition) -> None:
        self._number = number
        self._definition = definition
        self._variables = 0
        self.own = {name: self._new(name, _shape(field)) for name, field in definition.variables.items()}
        self.references = [
            _Variable(one.histogram.number, one.name, one.number, _shape(one.field)) for one in definition.references
        ]
        self.fields: list[tuple[_Variable, HistField]] = []
        self.saved: list[tuple[_Variable, HistField]] = []
        self.actions = [(action, self._act(action)) for action in definition.actions]

    def _new(self, name: str, shape: tuple[str, ...]) -> _Variable:
        self._variables += 1
        return _Variable(self._number, name, self._variables - 1, shape)

    def _refer(self, variable: _Variable) -> None:
        if variable not in self.references:
            self.references.append(variable)

    def named(self, field: HistField) -> _Variable | None:
        """The trigger's own variable with a field as its value; None if there is none."""
        return next((self.own[name] for name, own in self._definition.variables.items() if own is field), None)

    def _act(self, action: HistAction) -> _Variable | None:
        """Makes the variables of an action. Returns the one that keeps the seen value."""
        kept = None
        if action.subject is not None and (subject := self.named(action.subject)) is not None:
            self._refer(subject)
            kept = self._new(_KEPT[action.action.handler], ("type: u64", "size: 8", "is_signed: 0"))
        for field in action.values:
            variable = self.named(field)
            if variable is None and not isinstance(field.expression, Reference):
                variable = self._new(field.name, (*_shape(field)[:2], "is_signed: 0"))
                if action.action.kind is ActionKind.SAVE:
                    self.saved.append((variable, field))
                    continue
                self.fields.append((variable, field))
            if variable is not None:
                self._refer(variable)
        return kept

    def source(self, field: HistField, variable: _Variable | None = None, room: int | None = None) -> list[str]:
        """The source and the shape of a key, a value or a variable. `room`: its size, if that differs."""
        found: list[str] = []
        if isinstance(field.expression, FieldName) and self._definition.fields.find(field.name) is not None:
            found.append(f"ftrace_event_field name: {field.name}")
        found += variable.place if variable else []
        match field.expression:
            case Number(value=value):
                found.append(f"constant: {value}")
            case Reference() as meant:
                index = next((at for at, one in enumerate(self.references) if one.name == meant.name), 0)
                found.append(f"var_ref_idx (into hist_data->var_refs[]): {index}")
        return [*found, *_shape(field, room)]

    def reference(self, variable: _Variable) -> str:
        name, index = f"name: {variable.name}", self.references.index(variable)
        place = [name, variable.place[1], f"var.hist_data: {variable.histogram:016x}"]
        return _lines(
            ["HIST_FIELD_FL_VAR_REF"], [*place, f"var_ref_idx (into hist_data->var_refs[]): {index}", *variable.shape]
        )

    def kept(self, title: str, array: str, variables: Sequence[tuple[_Variable, HistField]]) -> Iterator[str]:
        """A table of fields kept by variables."""
        if variables:
            yield f"\n  {title}:\n"
        for index, (variable, field) in enumerate(variables):
            yield f"\n    hist_data->{array}[{index}]:\n\n      {array}[{index}].var:\n"
            yield _lines(["HIST_FIELD_FL_VAR"], variable.place)
            yield f"\n      {array}[{index}].val:\n{_attributes(self.source(field))}"

    def action(self, place: str, action: HistAction, kept: _Variable | None) -> Iterator[str]:
        """The condition under which an action is done."""
        if action.subject is None:
            system, _, event = action.action.subject.partition(".")
            yield f"\n{place}.match_data.event_system: {system}\n{place}.match_data.event: {event}\n"
            return
        subject = self.named(action.subject)
        if subject is not None and kept is not None:
            yield f"\n{place}.track_data.var_ref:\n{self.reference(subject)}"
            yield f"\n{place}.track_data.track_var:\n{_lines(['HIST_FIELD_FL_VAR'], [*kept.place, *kept.shape])}"


def _special(field: HistField) -> list[str]:
    """The flag of a field that is a constant or an alias."""
    match field.expression:
        case Number():
            return ["HIST_FIELD_FL_CONST"]
        case Reference():
            return ["HIST_FIELD_FL_ALIAS"]
    return []


def _shape(field: HistField, room: int | None = None) -> tuple[str, ...]:
    size = room if room is not None else LONGEST_STRING if field.is_string else field.size
    return f"type: {field.type}", f"size: {size}", f"is_signed: {int(field.signed)}"


def _attributes(attributes: Sequence[str]) -> str:
    return "".join(f"      {attribute}\n" for attribute in attributes)


def _lines(flags: Sequence[str], attributes: Sequence[str]) -> str:
    return "      flags:\n" + "".join(f"        {flag}\n" for flag in flags) + _attributes(attributes)
