# SPDX-License-Identifier: GPL-2.0-only
"""Arguments of probes that are named as in the kernel's source: `count`, `file->f_path.dentry->d_name.name`, `$retval->name`.

As in Linux (fprobetrace.rst, "BTF arguments"), with an index of an array besides: `current->signal->rlim[3].rlim_cur`. A word
`$arg*` stands for all parameters of the function, and `$arg3` for the third one, if they are known. As in later versions, any
value can be taken as a pointer to a structure, `(file)%di->f_pos`, or to a member of one, `(task_struct,tasks)%ax->pid`.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from emu.ftrace.dynevent.argument import Bits, Op, ProbeSite, Step
from emu.ftrace.dynevent.c_types import CKind, CType, CTypes, Signature
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.errors import TraceError

__all__ = [
    "TypedValue", "auto_name", "cast", "cast_parts", "expanded", "fetch_type", "is_character", "members", "parameter_step",
    "typed_value",
]  # fmt: skip

_ALL = "$arg*"
_LONGEST_LIST = 128  # characters of the names for which `$arg*` and the like stand
_WORD = re.compile(r"\$arg(?P<number>[0-9]+)(?P<type>:.*)?")
_MEMBER = re.compile(r"(?P<name>[^\[\]]*)(\[(?P<index>[0-9]{1,9})\])?")
_LAST_NAME = re.compile(r"(?:.*[.>])?([A-Za-z_]\w*)(?:\[\d+\])?", re.DOTALL | re.ASCII)
_SIZES = (1, 2, 4, 8)

Refuse = Callable[[ProbeError, int, int], TraceError]
"""refuse(error, position, code): the error for the word."""

Value = Callable[[str], tuple[Step, CType]]
"""value(name): the step that fetches a parameter or the like, and its type. Raises TraceError."""


class TypedValue(NamedTuple):
    """Attributes:
    type: of the value.
    bits: of a bit field: those of the number that the steps fetch.
    position: in the word, of what was found last.
    """

    steps: list[Step]
    type: CType
    bits: Bits | None
    position: int


def expanded(command: ProbeCommand, first: int, end: int, where: ProbeSite) -> Iterator[tuple[int, str]]:
    """The words of a command from one index up to another, with the names of parameters instead of `$arg*` and `$argN`.

    Yields: of each, its index in the command, and the word.

    Raises:
        TraceError: with the report for error_log.
    """
    length, seen = 0, False
    for index in range(first, end):
        word, names = command.words[index], [command.words[index]]
        if where.types is not None and _ALL in word:
            if word != _ALL:
                raise command.error(ProbeError.BAD_VAR_ARGS, index)
            if not (where.at_entry or where.returns):
                raise command.error(ProbeError.NOFENTRY_ARGS, index)
            if seen:
                raise command.error(ProbeError.DOUBLE_ARGS, index)
            if where.signature is None:
                raise command.error(ProbeError.NOSUP_BTFARG, index, code=errno.ENOENT)
            seen, names = True, [name for name, _ in where.signature.parameters]
        elif where.signature is not None and (found := _WORD.fullmatch(word)):
            parameters, number = where.signature.parameters, int(found["number"])
            if number > len(parameters):
                raise command.error(ProbeError.NO_BTFARG, index, code=errno.ENOENT)
            if number and parameters[number - 1][0]:
                names = [parameters[number - 1][0] + (found["type"] or "")]
        if names != [word]:
            length += sum(len(name) + 1 for name in names)
            if length > _LONGEST_LIST:
                raise command.error(ProbeError.ARGS_2LONG, index, code=errno.E2BIG)
        for name in names:
            yield index, name


def auto_name(body: str) -> str | None:
    """The name of an argument that has none of its own: that of the parameter, or of the last member."""
    found = _LAST_NAME.fullmatch(body.partition(":")[0])
    return found[1] if found and not body.startswith("$") else None


def fetch_type(of: CType) -> str | None:
    """The name of the type with which a value is recorded; None: the default."""
    if of.kind is CKind.POINTER:
        return "x64"
    if of.kind is CKind.ENUMERATION and of.size in _SIZES:
        return f"s{8 * of.size}"
    if of.kind is CKind.NUMBER and of.size in _SIZES:
        return f"{'s' if of.signed else 'u'}{8 * of.size}"
    return None


def is_character(of: CType | None) -> bool:
    return of is not None and of.kind is CKind.NUMBER and of.size == 1


def typed_value(text: str, start: int, where: ProbeSite, value: Value, refuse: Refuse) -> TypedValue:
    """The steps that fetch a parameter, or a member that is reached through it.

    Args:
        text: the expression, without the type.
        start: its position in the word.
        value: see `Value`.
        refuse: makes errors.
    """
    name, arrow, rest = _split(text, start, refuse)
    position = start + len(text) - len(rest)
    if rest and not arrow:
        raise refuse(ProbeError.NOSUP_DAT_ARG, position, errno.EINVAL)
    step, kind = value(name)
    if not arrow:
        return TypedValue([step], kind, None, start)
    types = where.types
    assert types is not None
    return members(types, [step], kind, rest, position, refuse)


def cast_parts(text: str, start: int, refuse: Refuse) -> tuple[str, str, str, str]:
    """The parts of `(STRUCT)VALUE->MEMBERS` or `(STRUCT,MEMBER)VALUE->MEMBERS`.

    Returns: the structure; the member at which the value points, or ""; the value; and what follows the arrow.
    """
    inside, closed, rest = text[1:].partition(")")
    if not closed:
        raise refuse(ProbeError.DEREF_OPEN_BRACE, start + len(text), errno.EINVAL)
    name, _, at = inside.partition(",")
    depth, end = 0, -1
    for place, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0 and rest.startswith("->", place):
            end = place
            break
    if end < 0:
        raise refuse(ProbeError.TYPECAST_REQ_FIELD, start + len(text), errno.EINVAL)
    value, behind = rest[:end], rest[end + 2 :]
    return name, at, value, behind


def cast(types: CTypes, name: str, at: str, position: int, refuse: Refuse) -> tuple[CType, int]:
    """The type of a pointer to a structure, and how many bytes of it are before one of its members (container_of).

    Args:
        name, at: the structure, and the member or "".
        position: of the name in the word.
    """
    found = types.aggregate(name)
    if found is None:
        raise refuse(ProbeError.NO_PTR_STRCT, position, errno.EINVAL)
    pointer = CType(CKind.POINTER, 8, False, found)
    if not at:
        return pointer, 0
    position += len(name) + 1
    offset, kind = 0, found
    for part in at.split("."):
        if "-" in part:
            raise refuse(ProbeError.TYPECAST_BAD_ARROW, position + part.index("-"), errno.EINVAL)
        more, width, kind = _member(types, kind, part, position, refuse)
        if width:
            raise refuse(ProbeError.TYPECAST_NOT_ALIGNED, position, errno.EINVAL)
        offset, position = offset + more, position + len(part) + 1
    return pointer, offset // 8


def members(
    types: CTypes, steps: list[Step], kind: CType, rest: str, position: int, refuse: Refuse, before: int = 0
) -> TypedValue:
    """The steps that fetch a member of what a value points to: all that follows the first arrow.

    Args:
        steps, kind: the value's. A type that is known by another one is a pointer to that.
        position: of `rest` in the word.
        before: bytes of the structure before the place to which the value points.
    """
    arrow, bits = True, None
    while arrow:
        if kind.kind is not CKind.POINTER:
            raise refuse(ProbeError.NO_PTR_STRCT, position, errno.EINVAL)
        target = kind.known_by if isinstance(kind.known_by, CType) else types.target(kind)
        if target is None:
            raise refuse(ProbeError.BAD_BTF_TID, position, errno.EINVAL)
        offset, kind, arrow = 0, target, False
        while True:
            name, arrow, after = _split(rest, position, refuse)
            more, width, kind = _member(types, kind, name, position, refuse)
            offset += more
            if not after and not arrow:
                break
            position, rest = position + len(rest) - len(after), after
            if arrow:
                break
        unit = 8 * kind.size if width else 8
        steps = [*steps, Step(Op.DEREFERENCE, offset // unit * unit // 8 - before)]
        bits, before = Bits(width, offset % unit) if width else None, 0
    return TypedValue(steps, kind, bits, position)


def _split(text: str, start: int, refuse: Refuse) -> tuple[str, bool, str]:
    """The first name of an expression, whether an arrow follows it, and what follows that, or a dot."""
    found = re.search(r"->|[.-]", text)
    if found is None:
        return text, False, ""
    if found[0] == "-":
        raise refuse(ProbeError.BAD_HYPHEN, start + found.start(), errno.EINVAL)
    return text[: found.start()], found[0] == "->", text[found.end() :]


def _member(types: CTypes, of: CType, text: str, position: int, refuse: Refuse) -> tuple[int, int, CType]:
    """A member, perhaps with an index: its offset in bits, its width if it is a bit field, and its type."""
    if of.kind is not CKind.AGGREGATE:
        raise refuse(ProbeError.BAD_BTF_TID, position, errno.EINVAL)
    parts = _MEMBER.fullmatch(text)
    found = types.member(of, parts["name"]) if parts and parts["name"] else None
    if parts is None or found is None:
        raise refuse(ProbeError.NO_BTF_FIELD, position, errno.ENOENT)
    if parts["index"] is None:
        return found
    element = types.target(found.type) if found.type.kind is CKind.ARRAY else None
    if element is None or int(parts["index"]) * element.size >= max(found.type.size, 1):
        raise refuse(ProbeError.NO_BTF_FIELD, position + len(parts["name"]), errno.ENOENT)
    return found.offset + 8 * element.size * int(parts["index"]), 0, element


def parameter_step(signature: Signature, index: int, where: ProbeSite) -> Step | None:
    """The step that fetches a parameter; None if it is nowhere."""
    registers = where.registers
    assert registers is not None
    place = signature.place(index, len(registers.arguments))
    if place is None:
        return None
    stacked, number = place
    if where.returns:
        known = registers.entry_arguments
        return None if stacked or number >= len(known) else Step(Op.REGISTER, known[number])
    if stacked and not where.has_stack:
        return None
    if stacked:
        return Step(Op.STACK, registers.stack_arguments + number)
    return Step(Op.REGISTER, registers.arguments[number])
