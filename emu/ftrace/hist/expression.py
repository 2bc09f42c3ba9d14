# SPDX-License-Identifier: GPL-2.0-only
"""Expressions in hist triggers: keys, values, definitions of variables, and parameters of actions.

Parsing follows Linux's steps in their order, so that the messages and the caret's position are Linux's.
"""

from __future__ import annotations

import enum
import errno
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emu.ftrace.hist.hist_source import HistSource
from emu.ftrace.numbers import parse_c

__all__ = ["Expression", "FieldName", "Modifier", "Negation", "Number", "Operation", "Reference", "parse_expression"]

_MOST_SUBEXPRESSIONS = 3
_U64 = (1 << 64) - 1

_BAD_MODIFIER = "Invalid field modifier"
_TOO_MANY_SUBEXPRESSIONS = f"Too many subexpressions ({_MOST_SUBEXPRESSIONS} max)"
_NEGATED_PART = "Unary minus not supported in sub-expressions"
_EXPECT_NUMBER = "Expecting numeric literal"
_DIVISION_BY_ZERO = "Division by zero"

_SYM_OFFSET, _HIDDEN_SYM_OFFSET = ".sym-offset", ".sym\0offset"  # its "-" is not a minus sign


class Modifier(enum.Enum):
    """How a field is interpreted or printed."""

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
    """A number. In all nodes, `text` is the text as written, and `str()` the text that files show."""

    text: str
    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class FieldName:
    """A field of the event, common_timestamp, common_cpu or stacktrace. `buckets`: the bucket size of Modifier.BUCKETS."""

    text: str
    name: str
    modifier: Modifier | None = None
    buckets: int = 0

    def __str__(self) -> str:
        modifier = f".{self.modifier.value}" if self.modifier else ""
        return f"{self.name}{modifier}{f'={self.buckets}' if self.buckets else ''}"


@dataclass(frozen=True)
class Reference:
    """A variable: `$name`, or `system.event.$name`, for which `system` and `event` are not empty."""

    text: str
    name: str
    system: str = ""
    event: str = ""

    def __str__(self) -> str:
        return f"{self.system}.{self.event}.${self.name}" if self.system else f"${self.name}"


@dataclass(frozen=True)
class Negation:
    """`-(operand)`. It cannot be part of another expression."""

    text: str
    operand: Expression

    def __str__(self) -> str:
        return f"-({self.operand})"


@dataclass(frozen=True)
class Operation:
    """Two operands with `+`, `-`, `*` or `/` between them. Operands have no parentheses."""

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
    """Parses a key, a value, a variable's definition or an action's parameter. Constant operations are evaluated.

    Raises:
        TraceError: EINVAL; EDOM for a division by the constant 0.

    >>> parse_expression(HistSource("sched:sched_switch", "x=1+2*prev_prio"), "1+2*prev_prio").right.operator
    '*'
    """
    return _ExpressionParser(source).parse(text.replace(_SYM_OFFSET, _HIDDEN_SYM_OFFSET))


class _ExpressionParser:
    """The parser of one expression. Like Linux, it splits the text at the last operator of the lowest precedence."""

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
