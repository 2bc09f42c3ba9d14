# SPDX-License-Identifier: GPL-2.0-only
"""Parses hist triggers.

    keys=prev_comm,next_pid.execname:vals=hitcount,prev_prio:sort=hitcount.descending:size=4096 if prev_pid != 0
    keys=pid:ts0=common_timestamp.usecs
    keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).wakeup($lat,next_pid):onmax($lat).save(prev_comm)
    keys=prev_comm:pause

`parse_hist` splits a trigger into its parts; `parse_expression` (`emu.ftrace.hist.expression`) parses a part. The steps are
Linux's, in its order, and so are the messages and the position of the caret: below the first occurrence of the wrong text in
the command.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from emu.ftrace.hist.expression import Expression, FieldName
from emu.ftrace.hist.hist_source import HistSource
from emu.ftrace.numbers import parse_c

__all__ = [
    "MOST_ACTIONS", "MOST_PARAMETERS", "MOST_VARIABLES",
    "Action", "ActionKind", "Handler", "HistCommand", "SortKey", "parse_hist", "parse_sort",
]  # fmt: skip

MOST_VARIABLES = 16
MOST_ACTIONS = 8
MOST_PARAMETERS = 64  # per action
_MOST_SORT_KEYS = 2
_DEFAULT_BITS, _LEAST_BITS, _MOST_BITS = 11, 7, 17  # of the map's size, which is 2 to this power

_EMPTY_ASSIGNMENT = "Empty assignment"
_MALFORMED_ASSIGNMENT = "Malformed assignment"
_TOO_MANY_VARIABLES = "Too many variables defined"
_BAD_SORT_MODIFIER = "Invalid sort modifier"
_EMPTY_SORT_FIELD = "Empty sort field"
_TOO_MANY_SORT_FIELDS = f"Too many sort fields (Max = {_MOST_SORT_KEYS})"
_BAD_SORT_FIELD = "Sort field must be a key or a val"
_NO_CLOSING_PAREN = "No closing paren found"
_NO_SUBSYSTEM = "Missing subsystem"
_NO_ACTION = "No action found"
_ACTION_MISMATCH = "Handler doesn't support action"
_TOO_MANY_PARAMETERS = "Too many action params"
_BAD_PARAMETER = "Invalid action param"


# The sort key of the table


@dataclass(frozen=True)
class SortKey:
    """`index`: 0 is hitcount, followed by the values, then the keys, in order."""

    index: int
    descending: bool


def parse_sort(source: HistSource, text: str | None, fields: Sequence[Expression | None]) -> Sequence[SortKey]:
    """Parses `sort=`.

    Args:
        source: the whole trigger.
        text: the text after `sort=`; None if it is missing.
        fields: the values without hitcount, and the keys. None: a field without a name.

    Raises:
        TraceError: EINVAL.
    """
    if text is None:
        return [SortKey(0, False)]
    found: list[SortKey] = []
    words = text.split(",")
    for word in words[:_MOST_SORT_KEYS]:
        if word.partition(".")[0] == "":
            raise source.error(_EMPTY_SORT_FIELD, "sort=")
        if found and len(words) > _MOST_SORT_KEYS:
            raise source.error(_TOO_MANY_SORT_FIELDS, "sort=")
        found.append(_sort_key(source, word, fields))
    return found


def _sort_key(source: HistSource, word: str, fields: Sequence[Expression | None]) -> SortKey:
    """The first field with a name, or a field as files show it. A direction may follow."""
    names = {"hitcount": 0}
    for index, field in enumerate(fields, 1):
        if isinstance(field, FieldName):
            names.setdefault(field.name, index)
        for direction in ("", ".ascending", ".descending"):
            if word == f"{field}{direction}" and field is not None and word not in names:
                return SortKey(index, _descends(source, direction))
    name = word.partition(".")[0]
    if name not in names:
        raise source.error(_BAD_SORT_FIELD, name, misspelt=(name, names))
    return SortKey(names[name], _descends(source, word.removeprefix(name)))


def _descends(source: HistSource, modifier: str) -> bool:
    """`modifier`: the text after the name: "", or a direction after a dot."""
    if modifier in ("", ".ascending"):
        return False
    if modifier == ".descending":
        return True
    raise source.error(_BAD_SORT_MODIFIER, modifier.removeprefix("."), misspelt=(modifier[1:], ("ascending", "descending")))


# Actions


class Handler(enum.Enum):
    """When an action is done."""

    ON_MATCH = "onmatch"  # when a variable of the other event is set for the same key
    ON_MAX = "onmax"  # when a variable exceeds its maximum for the key
    ON_CHANGE = "onchange"  # when a variable differs from its last value for the key


class ActionKind(enum.Enum):
    """What an action does."""

    SAVE = "save"
    SNAPSHOT = "snapshot"
    TRACE = "trace"


@dataclass(frozen=True)
class Action:
    """`handler(subject).name(parameters)`.

    Attributes:
        handler: when the action is done.
        subject: the text in the handler's parentheses: `sched.sched_waking`, or `$lat`.
        kind: what the action does.
        name: `save`, `snapshot`, `trace`, or the name of a synthetic event.
        parameters: for `trace`, only those of the synthetic event.
        synthetic: the name of the synthetic event, for ActionKind.TRACE; otherwise "".
    """

    handler: Handler
    subject: str
    kind: ActionKind
    name: str
    parameters: Sequence[str]
    synthetic: str

    @property
    def by_keyword(self) -> bool:
        """Whether the synthetic event is the first argument of `trace`, instead of the function's name."""
        return self.kind is ActionKind.TRACE and self.name.startswith(ActionKind.TRACE.value)

    def __str__(self) -> str:
        given = [self.synthetic, *self.parameters] if self.by_keyword else self.parameters
        return f"{self.handler.value}({self.subject}).{self.name}({','.join(given)})"


def _parse_action(source: HistSource, text: str) -> Action:
    """Raises TraceError: EINVAL."""
    word, _, rest = text.partition("(")
    handler = Handler(word)
    subject, closing, rest = rest.partition(")")
    if handler is Handler.ON_MATCH:
        if not closing:
            raise source.error(_NO_CLOSING_PAREN, subject)
        if "." not in subject:
            raise source.error(_NO_SUBSYSTEM, subject)
    elif not closing:
        raise source.refusal(f"'{subject}' lacks a closing parenthesis")
    _, dot, rest = rest.partition(".")
    name, opening, rest = rest.partition("(")
    if not dot or not opening:
        raise source.error(_NO_ACTION)
    inner, closing, _ = rest.partition(")")
    kind = next((kind for kind in (ActionKind.SAVE, ActionKind.SNAPSHOT) if name.startswith(kind.value)), ActionKind.TRACE)
    if kind is ActionKind.SNAPSHOT and not closing:
        raise source.error(_NO_CLOSING_PAREN, inner)
    parameters = [] if kind is ActionKind.SNAPSHOT else _parameters(source, inner)
    if kind is not ActionKind.TRACE and handler is Handler.ON_MATCH:
        raise source.error(_ACTION_MISMATCH, name)
    synthetic = name if kind is ActionKind.TRACE else ""
    if kind is ActionKind.TRACE and name.startswith(kind.value):
        synthetic, *parameters = parameters
    if len(parameters) > MOST_PARAMETERS:
        raise source.error(_TOO_MANY_PARAMETERS)
    return Action(handler, subject, kind, name, tuple(parameters), synthetic)


def _parameters(source: HistSource, text: str) -> list[str]:
    """The parameters, at least one."""
    parameters = [parameter.strip() for parameter in text.split(",")]
    for parameter in parameters:
        if len(parameter) < 2:
            raise source.error(_BAD_PARAMETER, parameter)
    return parameters


# The whole trigger


@dataclass(frozen=True)
class HistCommand:
    """A hist trigger, or a change of an existing one.

    Attributes:
        source: the text.
        keys: the key expressions' texts, at least one. Whether there are too many is checked later.
        values: the value expressions' texts.
        variables: names, and the texts of the defining expressions, in order.
        sort: the text after `sort=`; None if it is missing.
        bits: the map has room for 2 to the power of that many keys.
        name: triggers with the same name share a map; "": none.
        clock: the trace clock to set if times are used.
        pause: it starts paused, or pauses.
        resume: it continues counting: `cont` or `continue`.
        clear: empties the table.
        actions: the actions.
        condition: a filter of the event's entries; None if there is none.
    """

    source: HistSource
    keys: Sequence[str]
    values: Sequence[str]
    variables: Sequence[tuple[str, str]]
    sort: str | None
    bits: int
    name: str
    clock: str
    pause: bool
    resume: bool
    clear: bool
    actions: Sequence[Action]
    condition: str | None


def parse_hist(event: str, text: str) -> HistCommand:
    """Splits a trigger into its parts.

    Args:
        event: the event whose file was written, as SYSTEM:EVENT.
        text: the text after `hist:`.

    Raises:
        TraceError: EINVAL.
    """
    source = HistSource(event, text)
    definition, condition = _split_condition(source, text.strip())
    assigned: dict[str, str] = {}
    assignments: list[str] = []
    flags: set[str] = set()
    actions: list[str] = []
    for part in definition.split(":"):
        word, equals, value = part.partition("=")
        if equals:
            if not value:
                raise source.error(_EMPTY_ASSIGNMENT, part)
            if word in _ASSIGNABLE:
                assigned[_ASSIGNABLE[word]] = value
                if word == "size":
                    _parse_bits(source, value)
            elif len(assignments) == MOST_VARIABLES:
                raise source.error(_TOO_MANY_VARIABLES, part)
            else:
                assignments.append(part)
        elif part in _FLAGS:
            flags.add(_FLAGS[part])
        elif part.startswith(_HANDLERS) and len(actions) < MOST_ACTIONS:
            actions.append(part)
        elif part.startswith(_HANDLERS):
            raise source.refusal(f"there are at most {MOST_ACTIONS} actions")
        else:
            raise source.refusal(f"'{part}' is neither an assignment nor an action")
    if "keys" not in assigned:
        raise source.refusal("keys= is needed")
    return HistCommand(
        source=source,
        actions=[_parse_action(source, action) for action in actions],
        variables=list(_definitions(source, assignments)),
        keys=assigned["keys"].split(","),
        values=assigned["values"].split(",") if "values" in assigned else [],
        sort=assigned.get("sort"),
        bits=_parse_bits(source, assigned["size"]) if "size" in assigned else _DEFAULT_BITS,
        name=assigned.get("name", ""),
        clock=assigned.get("clock", "global").strip(),
        pause="pause" in flags,
        resume="resume" in flags,
        clear="clear" in flags,
        condition=condition,
    )


_ASSIGNABLE = {
    **dict.fromkeys(("key", "keys"), "keys"),
    **dict.fromkeys(("val", "vals", "values"), "values"),
    **{name: name for name in ("sort", "name", "clock", "size")},
}
_FLAGS = {"pause": "pause", "cont": "resume", "continue": "resume", "clear": "clear"}
_HANDLERS = tuple(f"{handler.value}(" for handler in Handler)


def _split_condition(source: HistSource, text: str) -> tuple[str, str | None]:
    """The definition, and the filter after `if`. Raises TraceError: EINVAL."""
    start = 0
    while (at := text.find("if", start)) >= 0:
        if at == 0:
            raise source.refusal("keys= is needed")
        if text[at - 1] in " \t":
            if at >= len(text) - 3:
                raise source.refusal("a filter is needed after 'if'")
            if text[at + 2] in " \t":
                return text[: at - 1].strip(), text[at + 3 :].strip()
        start = at + 1
    return text, None


def _parse_bits(source: HistSource, text: str) -> int:
    """Raises TraceError: EINVAL."""
    size = parse_c(text)
    bits = (size - 1).bit_length() if size else 0
    if not _LEAST_BITS <= bits <= _MOST_BITS:
        raise source.refusal(f"size: a number up to {1 << _MOST_BITS} is needed, more than {1 << _LEAST_BITS - 1}")
    return bits


def _definitions(source: HistSource, assignments: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Names of variables, and their definitions. Raises TraceError: EINVAL."""
    count = 0
    for assignment in assignments:
        for definition in assignment.split(","):
            name, equals, expression = definition.partition("=")
            if not equals:
                raise source.error(_MALFORMED_ASSIGNMENT, name)
            if count == MOST_VARIABLES:
                raise source.error(_TOO_MANY_VARIABLES, name)
            count += 1
            yield name, expression
