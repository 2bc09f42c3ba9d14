# SPDX-License-Identifier: GPL-2.0-only
r"""Parses the arguments of probe events: `dfd=%di file=+0(%si):ustring count=$arg3:u32 first=+0($arg1):x8[4]`.

How to use it:

    command = ProbeCommand("trace_kprobe", "p:myopen do_sys_openat2 file=+0(%si):ustring")
    where = ProbeSite(arch.probing().registers, symbol=address_of, at_entry=True)
    arguments = parse_arguments(command, first=2, where=where)      # the words from the third on
    layout = EntryLayout.of(head, arguments)                        # `probe_event`: fields, size, print fmt
    program = FetchProgram(layout, arch.probing().registers)            # `fetch_program`: what native code runs

A kprobe can use registers, symbols and kernel memory; with `at_entry` also `$argN`, with `returns` also `$retval`. A uprobe
(`user`) can use registers, user memory and offsets in its file. An eprobe uses the fields of an event, `$FIELD`, instead of
registers.

A wrong argument raises TraceError with Linux's message and Linux's caret position.
"""

from __future__ import annotations

import errno
import itertools
import re
from collections.abc import Sequence

from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, Bits, Op, ProbeSite, Step
from emu.ftrace.dynevent.c_types import CKind, CType, CTypes
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.dynevent.typed_values import (
    TypedValue,
    auto_name,
    cast,
    cast_parts,
    expanded,
    fetch_type,
    is_character,
    members,
    parameter_step,
    typed_value,
)
from emu.ftrace.dynevent.types import TYPES, FetchType
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import COMMON_FIELDS
from emu.ftrace.numbers import parse_c

__all__ = ["MOST_ARGUMENTS", "is_good_name", "parse_arguments", "parse_long", "split_offset"]

MOST_ARGUMENTS = 128
_MOST_STEPS = 15  # per argument
_MOST_CASTS = 3
_LONGEST = 63  # characters of an argument, not counting its name
_LONGEST_NAME = 32
_LARGEST_ARRAY = 64
_LARGEST_ENTRY = 3072  # bytes of all arguments, not counting the data of strings
_MOST_STACK = 16384 // 8  # words: the largest N of `$stackN`
_MOST_FUNCTION_ARGUMENTS = 16
_LONG_MAX = (1 << 63) - 1
_MASK = (1 << 64) - 1

_DEFAULT_TYPE = "x64"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TYPED = re.compile(r"[A-Za-z_]|\$(retval|arg[1-9][0-9]{0,2})[.-]")  # expressions by the kernel's names
_BITS = re.compile(r"b(?P<width>\w*)@(?P<offset>\w+)/")
_RESERVED = {field.name for field in COMMON_FIELDS} | {"common_tgid", "__probe_ip", "__probe_ret_ip", "__probe_func"}


def parse_arguments(command: ProbeCommand, first: int, where: ProbeSite, end: int | None = None) -> list[Argument]:
    """Parses the words of a command from the index `first` on, up to `end`, as arguments.

    Raises:
        TraceError: EINVAL; E2BIG if they need too much room; ENOENT if a symbol is unknown; with the report for error_log.
    """
    arguments: list[Argument] = []
    words = expanded(command, first, len(command.words) if end is None else end, where)
    for index, word in itertools.islice(words, MOST_ARGUMENTS):
        arguments.append(_Parser(command, index, word, where).argument(arguments))
    return arguments


def is_good_name(name: str) -> bool:
    """Whether a name is a C identifier."""
    return _NAME.fullmatch(name) is not None


def parse_long(text: str) -> int | None:
    """A signed number in C's notation; None if it is not one."""
    digits = text.removeprefix("-")
    value = parse_c(digits, _LONG_MAX + (digits != text))
    return value if value is None or digits == text else -value


class _Parser:
    """Reads one word, which is at an index of the command, or which stands for what is there."""

    def __init__(self, command: ProbeCommand, index: int, word: str, where: ProbeSite) -> None:
        self._command = command
        self._index = index
        self._word = word
        self._where = where
        self._typed: TypedValue | None = None  # the value so far, if its type is known
        self._casts = 0

    def _error(self, what: ProbeError, position: int = 0, code: int = errno.EINVAL) -> TraceError:
        is_given = self._command.words[self._index] == self._word
        return self._command.error(what, self._index, position if is_given else 0, code)

    def argument(self, before: Sequence[Argument]) -> Argument:
        """The argument. `before`: the arguments before it."""
        name, equals, body = self._word.partition("=")
        if not equals:
            found = auto_name(self._word) if self._where.types is not None else None
            name, body = found or f"arg{len(before) + 1}", self._word
        elif len(name) > _LONGEST_NAME:
            raise self._error(ProbeError.ARG_NAME_TOO_LONG)
        elif not name:
            raise self._error(ProbeError.NO_ARG_NAME)
        if not is_good_name(name):
            raise self._error(ProbeError.BAD_ARG_NAME)
        if name in _RESERVED or any(other.name == name for other in before):
            raise self._error(ProbeError.USED_ARG_NAME)
        start = len(self._word) - len(body)
        if len(body) > _LONGEST:
            raise self._error(ProbeError.ARG_TOO_LONG, start)
        if not body:
            raise self._error(ProbeError.NO_ARG_BODY, start)
        made = self._body(name, body, start)
        if sum(argument.size for argument in before) + made.size > _LARGEST_ENTRY:
            raise self._error(ProbeError.EVENT_TOO_BIG, start, errno.E2BIG)
        return made

    def _body(self, name: str, body: str, start: int) -> Argument:
        """Parses the part after the name, which begins at `start`."""
        fetched, colon, type_name = body.partition(":")
        type_start = start + (len(fetched) + 1 if colon else 0)
        type_name, count = self._array(type_name, type_start)
        is_text = self._where.event is None and (fetched in ("$comm", "$COMM") or fetched.startswith('\\"'))
        if is_text:
            if count or (colon and type_name != "string"):
                raise TraceError(errno.EINVAL, f"'{body}': a text can only be a string")
            type_name = "string"
        kind = self._type(type_name if colon or is_text else _DEFAULT_TYPE)
        if kind is None:
            raise self._error(ProbeError.BAD_TYPE, type_start)
        steps, bits = self._fetch(fetched, start), None
        if self._typed is not None and not colon:
            kind, bits = TYPES[fetch_type(self._typed.type) or _DEFAULT_TYPE], self._typed.bits
        if kind.is_string:
            if self._typed is not None and not count:
                steps = self._as_string(self._typed)
            self._check_string(kind, steps[-1], type_start)
        if type_name.startswith("b"):
            bits = self._bits(type_name, kind, type_start)
        if count and not steps[-1].is_dereference:
            raise self._error(ProbeError.BAD_STRING, type_start)
        is_user = self._where.user or kind.name == "ustring" or steps[-1].op is Op.USER_DEREFERENCE
        return Argument(name, body, kind, count, steps, bits, is_user)

    def _array(self, text: str, start: int) -> tuple[str, int]:
        """A type without `[COUNT]`, and the count."""
        base, bracket, rest = text.partition("[")
        if not bracket:
            return text, 0
        digits, closed, suffix = rest.partition("]")
        inside = start + len(base) + 1
        if not closed:
            raise self._error(ProbeError.ARRAY_NO_CLOSE, inside + len(rest))
        if suffix:
            raise self._error(ProbeError.BAD_ARRAY_SUFFIX, inside + len(digits) + 1)
        count = parse_c(digits, (1 << 32) - 1)
        if not count:
            raise self._error(ProbeError.BAD_ARRAY_NUM, inside)
        if count > _LARGEST_ARRAY:
            raise self._error(ProbeError.ARRAY_TOO_BIG, inside)
        return base, count

    def _type(self, name: str) -> FetchType | None:
        if name.startswith("b"):
            _, slash, size = name.partition("/")
            return TYPES.get(f"u{parse_c(size)}") if slash else None
        if self._where.user and name in ("symbol", "symstr"):
            return None
        return TYPES.get(name)

    def _bits(self, text: str, kind: FetchType, start: int) -> Bits:
        found = _BITS.match(text)
        width, offset = (parse_c(found["width"]), parse_c(found["offset"])) if found else (None, None)
        if not width or offset is None or width + offset > 8 * kind.size:
            raise self._error(ProbeError.BAD_BITFIELD, start)
        return Bits(width, offset)

    def _check_string(self, kind: FetchType, last: Step, start: int) -> None:
        """Checks that the last step can fetch a string."""
        if kind.name == "symstr":
            if last.op not in (Op.REGISTER, Op.STACK, Op.DEREFERENCE, Op.FIELD):
                raise self._error(ProbeError.BAD_SYMSTRING, start)
        elif not last.is_dereference and last.op not in (Op.IMMEDIATE, Op.COMM, Op.TEXT, Op.FIELD):
            raise self._error(ProbeError.BAD_STRING, start)

    def _as_string(self, typed: TypedValue) -> list[Step]:
        """The steps that fetch a string of the kernel's type `char *` or `char []`."""
        types = self._where.types
        holds = typed.type.kind in (CKind.POINTER, CKind.ARRAY) and types is not None
        if not holds or types is None or not is_character(types.target(typed.type)):
            raise self._error(ProbeError.BAD_TYPE4STR, typed.position)
        return [*typed.steps, Step(Op.DEREFERENCE)] if typed.type.kind is CKind.POINTER else typed.steps

    # Fetch expressions

    def _fetch(self, text: str, start: int) -> list[Step]:
        """The steps of a fetch expression, without the type. `start`: its position."""
        is_result = text == "$retval" and self._where.returns and self._where.signature is not None
        if self._where.types is not None and (is_result or _TYPED.match(text)):
            return self._named(text, start)
        match text[:1]:
            case "$":
                steps = [self._variable(text[1:], start)]
            case "%":
                steps = [self._register(text[1:], start)]
            case "@":
                steps = self._memory(text[1:], start)
            case "+" | "-":
                steps = self._dereference(text, start)
            case "\\":
                steps = [self._immediate(text[1:], start + 1)]
            case "(" if self._where.types is not None:
                steps = self._cast(self._where.types, text, start)
            case _:
                raise self._error(ProbeError.BAD_FETCH_ARG, start)
        return steps

    def _named(self, text: str, start: int) -> list[Step]:
        """A parameter of the function, what it returns, or a member of what they point to."""
        self._typed = typed = typed_value(text, start, self._where, lambda name: self._value(name, start), self._error)
        if len(typed.steps) > _MOST_STEPS:
            raise self._error(ProbeError.TOO_MANY_OPS, typed.position)
        return typed.steps

    def _cast(self, types: CTypes, text: str, start: int) -> list[Step]:
        """A member of a structure to which a value is said to point: `(file)%di->f_pos`."""
        self._casts += 1
        if self._casts > _MOST_CASTS:
            raise self._error(ProbeError.TOO_MANY_NESTED, start)
        name, at, value, rest = cast_parts(text, start, self._error)
        pointer, before = cast(types, name, at, start + 1, self._error)
        inside = start + text.index(")") + 1
        in_braces = value.startswith("(") and value.endswith(")")
        steps = self._fetch(value[1:-1], inside + 1) if in_braces else self._fetch(value, inside)
        if steps[-1].op in (Op.COMM, Op.TEXT):
            raise self._error(ProbeError.COMM_CANT_DEREF, inside)
        position = start + len(text) - len(rest)
        self._typed = typed = members(types, steps, pointer, rest, position, self._error, before)
        if len(typed.steps) > _MOST_STEPS:
            raise self._error(ProbeError.TOO_MANY_OPS, typed.position)
        return typed.steps

    def _value(self, name: str, start: int) -> tuple[Step, CType]:
        """A parameter, `$argN` or `$retval`, by name: how it is fetched, and its type."""
        where, signature = self._where, self._where.signature
        result = self._variable("retval", start) if name == "$retval" else None
        if not (where.at_entry or where.returns):
            raise self._error(ProbeError.NOSUP_BTFARG, start)
        if signature is None:
            raise self._error(ProbeError.NO_BTF_ENTRY, start, errno.ENOENT)
        if result is not None:
            return result, signature.result
        names = [one for one, _ in signature.parameters]
        index = int(name[4:]) - 1 if name.startswith("$arg") else names.index(name) if name in names else -1
        if not 0 <= index < len(names):
            raise self._command.error(ProbeError.NO_BTFARG, self._index, start, errno.ENOENT, misspelt=(name, names))
        step = parameter_step(signature, index, where)
        if step is None:
            raise self._error(ProbeError.BAD_ARG_NUM, start)
        return step, signature.parameters[index][1]

    def _variable(self, name: str, start: int) -> Step:
        where = self._where
        if where.event is not None:
            return self._field(name)
        registers = where.registers
        assert registers is not None
        if name == "retval":
            if not where.returns:
                raise self._error(ProbeError.RETVAL_ON_PROBE, start)
            if where.signature is not None and where.signature.result.kind is CKind.VOID:
                raise self._error(ProbeError.NO_RETVAL, start, errno.ENOENT)
            return Step(Op.REGISTER, registers.return_value)
        if name.startswith("stack") and not where.has_stack:
            raise self._error(ProbeError.BAD_VAR, start)
        if name == "stack":
            return Step(Op.REGISTER, registers.stack_pointer)
        if name in ("comm", "COMM"):
            return Step(Op.COMM)
        if number := re.fullmatch(r"stack([0-9]+)", name, re.ASCII):
            if len(number[1]) > 5 or (int(number[1]) > _MOST_STACK and not where.user):
                raise self._error(ProbeError.BAD_STACK_NUM, start)
            return Step(Op.STACK, int(number[1]))
        has_arguments = where.at_entry or (where.returns and registers.entry_arguments)
        if has_arguments and not where.user and (number := re.fullmatch(r"arg\+?([0-9]{1,20})", name, re.ASCII)):
            return self._function_argument(int(number[1]), registers, start)
        raise self._error(ProbeError.BAD_VAR, start)

    def _function_argument(self, number: int, registers: ProbeRegisters, start: int) -> Step:
        """$arg1 and so on: a register or a stack word."""
        if not 0 < number <= _MOST_FUNCTION_ARGUMENTS:
            raise self._error(ProbeError.BAD_ARG_NUM, start)
        if self._where.returns:
            if number > len(registers.entry_arguments):
                raise self._error(ProbeError.BAD_ARG_NUM, start)
            return Step(Op.REGISTER, registers.entry_arguments[number - 1])
        if number <= len(registers.arguments):
            return Step(Op.REGISTER, registers.arguments[number - 1])
        if not self._where.has_stack:
            raise self._error(ProbeError.BAD_ARG_NUM, start)
        return Step(Op.STACK, registers.stack_arguments + number - len(registers.arguments) - 1)

    def _field(self, name: str) -> Step:
        event = self._where.event
        assert event is not None
        found = next((one for one in (*event.fields, *COMMON_FIELDS) if one.name == name), None)
        if found is not None:
            return Step(Op.FIELD, field=found)
        if name in ("comm", "COMM"):
            return Step(Op.COMM)
        names = (name, [one.name for one in event.fields])
        raise self._command.error(ProbeError.BAD_ATTACH_ARG, self._index, misspelt=names)

    def _register(self, name: str, start: int) -> Step:
        registers = self._where.registers
        if registers is None or not self._where.has_registers:
            raise self._error(ProbeError.BAD_VAR, start)
        if name not in registers.names:
            raise self._command.error(ProbeError.BAD_REG_NAME, self._index, start, misspelt=(name, registers.names))
        return Step(Op.REGISTER, registers.names[name])

    def _memory(self, text: str, start: int) -> list[Step]:
        """`@ADDRESS`, `@SYMBOL+OFFSET`, `@+FILE_OFFSET`."""
        if "0" <= text[:1] <= "9":
            address = parse_c(text)
            if address is None:
                raise self._error(ProbeError.BAD_MEM_ADDR, start)
            return [Step(Op.IMMEDIATE, address), Step(Op.DEREFERENCE)]
        if text.startswith("+"):
            if not self._where.user:
                raise self._error(ProbeError.FILE_ON_KPROBE, start)
            offset = parse_long(text[1:])
            if offset is None:
                raise self._error(ProbeError.BAD_FILE_OFFS, start)
            return [Step(Op.FILE_OFFSET, offset), Step(Op.DEREFERENCE)]
        if self._where.user:
            raise self._error(ProbeError.SYM_ON_UPROBE, start)
        name, offset = split_offset(text)
        found = self._where.symbol(name)
        if offset is None or found is None:  # as in Linux, noticed only when the probe is registered
            raise self._command.error(ProbeError.BAD_PROBE_ADDR, 1, code=errno.EINVAL if offset is None else errno.ENOENT)
        return [Step(Op.IMMEDIATE, (found + offset) & _MASK), Step(Op.DEREFERENCE)]

    def _dereference(self, text: str, start: int) -> list[Step]:
        """`+OFFSET(ARGUMENT)`, `-uOFFSET(ARGUMENT)`."""
        sign, rest = text[0], text[1:]
        is_user = rest.startswith("u")
        digits, brace, inner = rest[is_user:].partition("(")
        if not brace:
            raise self._error(ProbeError.DEREF_NEED_BRACE, start)
        offset = parse_long(f"{'-' * (sign == '-')}{digits}")
        if offset is None:
            raise self._error(ProbeError.BAD_DEREF_OFFS, start)
        inside = start + 1 + len(digits) + 1
        argument, closed, _ = inner.rpartition(")")
        if not closed:
            raise self._error(ProbeError.DEREF_OPEN_BRACE, inside + len(inner))
        steps = self._fetch(argument, inside)
        self._typed = None
        if steps[-1].op in (Op.COMM, Op.TEXT):
            raise self._error(ProbeError.COMM_CANT_DEREF, inside)
        if len(steps) == _MOST_STEPS:
            raise self._error(ProbeError.TOO_MANY_OPS, inside)
        return [*steps, Step(Op.USER_DEREFERENCE if is_user else Op.DEREFERENCE, offset)]

    def _immediate(self, text: str, start: int) -> Step:
        if text.startswith('"'):
            if len(text) < 2 or not text.endswith('"'):
                raise self._error(ProbeError.IMMSTR_NO_CLOSE, start + len(text))
            return Step(Op.TEXT, text=text[1:-1])
        value = parse_long(text) if text.startswith("-") else parse_c(text)
        if value is None:
            raise self._error(ProbeError.BAD_IMM, start)
        return Step(Op.IMMEDIATE, value & _MASK)


def split_offset(text: str) -> tuple[str, int | None]:
    """Splits `SYMBOL+0x10` into the name and the offset, which is None if it is not a number."""
    found = re.search(r"[+-]", text)
    if found is None:
        return text, 0
    return text[: found.start()], parse_long(text[found.start() :])
