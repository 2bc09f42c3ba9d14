# SPDX-License-Identifier: GPL-2.0-only
"""Hist triggers as they are written.

    keys=prev_comm,next_pid.execname:vals=hitcount,prev_prio:sort=hitcount.descending:size=4096 if prev_pid != 0
    keys=pid:ts0=common_timestamp.usecs
    keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).wakeup($lat,next_pid):onmax($lat).save(prev_comm)
    keys=prev_comm:pause

`parse_hist` takes the parts of a trigger apart, `parse_expression` what stands in one of them. The steps are Linux's, in its
order, and so are the texts of errors and the place of the caret: below the first place in the command where the text stands that
is wrong.
"""

from __future__ import annotations

import enum
import errno
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.numbers import parse_c

__all__ = [
    "MOST_ACTIONS", "MOST_PARAMETERS", "MOST_VARIABLES",
    "Action", "ActionKind", "Expression", "FieldName", "Handler", "HistCommand", "HistSource",
    "Modifier", "Negation", "Number", "Operation", "Reference", "SortKey",
    "parse_expression", "parse_hist", "parse_sort",
]  # fmt: skip

MOST_VARIABLES = 16
MOST_ACTIONS = 8
MOST_PARAMETERS = 64  # of an action
_MOST_SUBEXPRESSIONS = 3
_MOST_SORT_KEYS = 2
_DEFAULT_BITS, _LEAST_BITS, _MOST_BITS = 11, 7, 17  # of a map's size, which is a power of two
_U64 = (1 << 64) - 1

_BAD_MODIFIER = "Invalid field modifier"
_EMPTY_ASSIGNMENT = "Empty assignment"
_MALFORMED_ASSIGNMENT = "Malformed assignment"
_TOO_MANY_VARIABLES = "Too many variables defined"
_TOO_MANY_SUBEXPRESSIONS = f"Too many subexpressions ({_MOST_SUBEXPRESSIONS} max)"
_NEGATED_PART = "Unary minus not supported in sub-expressions"
_EXPECT_NUMBER = "Expecting numeric literal"
_DIVISION_BY_ZERO = "Division by zero"
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

_SYM_OFFSET, _HIDDEN_SYM_OFFSET = ".sym-offset", ".sym\0offset"  # its "-" is no minus


class HistSource:
    """The text of a hist trigger, and the event to whose file it was written.

    Args:
        event: as SYSTEM:EVENT.
        text: what follows `hist:`.
    """

    def __init__(self, event: str, text: str) -> None:
        self.event = event
        self.command = f"hist:{text}"

    def error(
        self,
        why: str,
        wrong: str | None = None,
        code: int = errno.EINVAL,
        misspelt: tuple[str, Iterable[str]] | None = None,
    ) -> TraceError:
        """The error that the trigger is refused with, which error_log keeps.

        Args:
            why: one of Linux's texts.
            wrong: the part of the text that is wrong; the caret is below its first place, or below the first character.
            code: the errno.
            misspelt: as in `TraceError`.
        """
        report = self._report(why, wrong)
        return TraceError(code, f"'{self.command}', position {report.position}: {why}", misspelt, logged=report)

    def then(self, error: TraceError, why: str, wrong: str | None = None) -> TraceError:
        """The error, of which error_log tells something else, too, as `error` says."""
        error.logged = self._report(why, wrong, error.logged)
        return error

    def _report(self, why: str, wrong: str | None, before: ErrorReport | None = None) -> ErrorReport:
        position = max(self.command.find(wrong), 0) if wrong is not None else 0
        return ErrorReport(f"hist:{self.event}", why, self.command, position, before)

    def refusal(self, why: str) -> TraceError:
        """An error of which Linux's error_log says nothing: EINVAL, and a sentence."""
        return TraceError(errno.EINVAL, f"'{self.command}': {why}")


# Expressions


class Modifier(enum.Enum):
    """How a field is looked at or shown."""

    HEX = "hex"
    SYM = "sym"
    SYM_OFFSET = "sym-offset"
    EXECNAME = "execname"
    SYSCALL = "syscall"
    LOG2 = "log2"
    BUCKETS = "buckets"
    USECS = "usecs"


@dataclass(frozen=True)
class Number:
    """A number. As in the other nodes, `text` is what was written; `str()` gives what files show."""

    text: str
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class FieldName:
    """A field of the event, common_timestamp, common_cpu, or stacktrace. `buckets`: the size of each, of Modifier.BUCKETS."""

    text: str
    name: str
    modifier: Modifier | None = None
    buckets: int = 0

    def __str__(self) -> str:
        modifier = f".{self.modifier.value}" if self.modifier else ""
        return f"{self.name}{modifier}{f'={self.buckets}' if self.buckets else ''}"


@dataclass(frozen=True)
class Reference:
    """A variable: `$name`, or `system.event.$name`; then `system` and `event` are not empty."""

    text: str
    name: str
    system: str = ""
    event: str = ""

    def __str__(self) -> str:
        return f"{self.system}.{self.event}.${self.name}" if self.system else f"${self.name}"


@dataclass(frozen=True)
class Negation:
    """`-(operand)`. It is no part of another expression."""

    text: str
    operand: Expression

    def __str__(self) -> str:
        return f"-({self.operand})"


@dataclass(frozen=True)
class Operation:
    """Two operands, and `+`, `-`, `*` or `/` between them. There are no parentheses in operands."""

    text: str
    operator: str
    left: Expression
    right: Expression

    def __str__(self) -> str:
        return f"{self.left}{self.operator}{self.right}"


Expression = Number | FieldName | Reference | Negation | Operation

_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


def parse_expression(source: HistSource, text: str) -> Expression:
    """What a key, a value, a variable's definition, or an action's parameter says. Operations on numbers alone are done.

    Raises:
        TraceError: EINVAL; EDOM for a division by the number 0.

    >>> parse_expression(HistSource("sched:sched_switch", "x=1+2*prev_prio"), "1+2*prev_prio").right.operator
    '*'
    """
    return _ExpressionParser(source).parse(text.replace(_SYM_OFFSET, _HIDDEN_SYM_OFFSET))


class _ExpressionParser:
    """The parser of one expression. Linux divides the text at its last operator of the lowest precedence."""

    def __init__(self, source: HistSource) -> None:
        self._source = source
        self._subexpressions = 0

    def parse(self, text: str) -> Expression:
        if self._subexpressions > _MOST_SUBEXPRESSIONS:
            raise self._source.error(_TOO_MANY_SUBEXPRESSIONS, _shown(text))
        last_minus, last_plus = text.rfind("-"), text.rfind("+")
        if last_minus == 0:
            return self._negation(text)
        at = max(last_minus, last_plus)
        if at < 0:
            at = max(text.rfind("/"), text.rfind("*"))
        return self._atom(_shown(text)) if at < 0 else self._operation(text, at)

    def _operation(self, text: str, at: int) -> Expression:
        self._subexpressions += 1
        left_text, sign, right_text = text[:at], text[at], text[at + 1 :]
        if not left_text or not right_text:
            raise self._source.refusal(f"'{_shown(text)}' lacks an operand")
        left, right = self.parse(left_text), self.parse(right_text)
        if sign == "/" and isinstance(right, Number) and right.value == 0:
            raise self._source.error(_DIVISION_BY_ZERO, _shown(right_text), errno.EDOM)
        if isinstance(left, Number) and isinstance(right, Number):
            return Number(_shown(text), _OPERATORS[sign](left.value, right.value) & _U64)
        return Operation(_shown(text), sign, left, right)

    def _negation(self, text: str) -> Expression:
        self._subexpressions += 1
        if self._subexpressions > _MOST_SUBEXPRESSIONS:
            raise self._source.error(_TOO_MANY_SUBEXPRESSIONS, _shown(text))
        inner = text[2:] if "(" in text else text[1:]
        operand, parenthesis, rest = inner.rpartition(")")
        if rest and parenthesis:
            raise self._source.error(_NEGATED_PART, _shown(inner))
        return Negation(_shown(text), self.parse(operand if parenthesis else inner))

    def _atom(self, text: str) -> Expression:
        if "0" <= text[:1] <= "9":
            value = parse_c(text)
            if value is None:
                raise self._source.error(_EXPECT_NUMBER, text)
            return Number(text, value)
        system, event, name = text.split(".", 2) if text.count(".") > 1 else ("", "", text)
        if name.startswith("$") and len(name) > 1:
            return Reference(text, name[1:], system, event)
        return self._field(text, name)

    def _field(self, text: str, field: str) -> FieldName:
        name, dot, modifier = field.partition(".")
        if not dot:
            return FieldName(text, name)
        word, assigned, size = modifier.partition("=")
        if assigned:
            buckets = parse_c(size) if word in ("bucket", "buckets") else None
            if not buckets:
                raise self._source.error(_BAD_MODIFIER, size if word in ("bucket", "buckets") else modifier)
            return FieldName(text, name, Modifier.BUCKETS, buckets)
        known = {found.value: found for found in Modifier if found is not Modifier.BUCKETS}
        if modifier not in known or (known[modifier] is Modifier.EXECNAME and name != "common_pid"):
            raise self._source.error(_BAD_MODIFIER, modifier, misspelt=(modifier, known))
        return FieldName(text, name, known[modifier])


def _shown(text: str) -> str:
    """A part of an expression as it was written."""
    return text.replace(_HIDDEN_SYM_OFFSET, _SYM_OFFSET)


# What the table is sorted by


@dataclass(frozen=True)
class SortKey:
    """`index`: 0 is hitcount, then come the values, then the keys, in their order."""

    index: int
    descending: bool


def parse_sort(source: HistSource, text: str | None, fields: Sequence[Expression | None]) -> Sequence[SortKey]:
    """What `sort=` says.

    Args:
        source: the whole trigger.
        text: what follows `sort=`; None: it is not there.
        fields: the values but hitcount, and the keys. None: one that has no name.

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
    """A field's name, and of several the first that has it; or a field as files show it. A direction may follow."""
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
    """`modifier`: what follows the name: "", or a direction after a dot."""
    if modifier in ("", ".ascending"):
        return False
    if modifier == ".descending":
        return True
    raise source.error(_BAD_SORT_MODIFIER, modifier.removeprefix("."), misspelt=(modifier[1:], ("ascending", "descending")))


# Actions


class Handler(enum.Enum):
    """When an action is done."""

    ON_MATCH = "onmatch"  # a variable of the other event is set for the same key
    ON_MAX = "onmax"  # a variable is greater than it ever was for the key
    ON_CHANGE = "onchange"  # a variable is not what it was for the key


class ActionKind(enum.Enum):
    """What an action does."""

    SAVE = "save"
    SNAPSHOT = "snapshot"
    TRACE = "trace"


@dataclass(frozen=True)
class Action:
    """`handler(subject).name(parameters)`.

    Attributes:
        handler: when it is done.
        subject: what stands in the handler's parentheses: `sched.sched_waking`, or `$lat`.
        kind: what it does.
        name: `save`, `snapshot`, `trace`, or the name of a synthetic event.
        parameters: of `trace`: those of the synthetic event only.
        synthetic: the name of the synthetic event, of ActionKind.TRACE; else "".
    """

    handler: Handler
    subject: str
    kind: ActionKind
    name: str
    parameters: Sequence[str]
    synthetic: str

    @property
    def by_keyword(self) -> bool:
        """Whether the synthetic event is the first argument of `trace`, not the function itself."""
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
    """At least one."""
    parameters = [parameter.strip() for parameter in text.split(",")]
    for parameter in parameters:
        if len(parameter) < 2:
            raise source.error(_BAD_PARAMETER, parameter)
    return parameters


# The whole trigger


@dataclass(frozen=True)
class HistCommand:
    """A hist trigger, or a change to one that is there.

    Attributes:
        source: the text.
        keys: the texts of the key expressions, at least one; of which a hist has at most three.
        values: those of the values, as they were written.
        variables: names, and the texts of the expressions that define them, in their order.
        sort: what follows `sort=`; None: it is not there.
        bits: the map has room for 2 to the power of that many keys.
        name: by which triggers share one map; "": there is none.
        clock: the trace clock that is set if times are used.
        pause: it begins, or goes on, without counting.
        resume: it counts again. `cont` and `continue` say so.
        clear: its table is emptied.
        actions: what else happens.
        condition: a filter of the event's entries; None: there is none.
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
    """Takes a trigger apart.

    Args:
        event: to whose file it was written, as SYSTEM:EVENT.
        text: what follows `hist:`.

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
    """The definition, and the filter that follows `if`. Raises TraceError: EINVAL."""
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
    """Names of variables, and what defines them. Raises TraceError: EINVAL."""
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
