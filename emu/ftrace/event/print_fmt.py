# SPDX-License-Identifier: GPL-2.0-only
"""The print fmt of an event, compiled to a Python function that prints an entry.

A print fmt is the argument list of a call of printf in C. Each argument becomes a Python expression, of which are known the
C type and the least and greatest value (`c_numbers`).
"""

from __future__ import annotations

import ast
import inspect
import re
import struct
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

from emu.ftrace.event import conversions, print_fmt_calls
from emu.ftrace.event.c_numbers import (
    INT,
    LONG,
    NAMED_TYPES,
    POINTER,
    UNSIGNED_LONG,
    CType,
    Number,
    alike,
    arithmetic,
    computed,
    constant,
    fit,
    literal,
    named_type,
    promoted,
    shift,
)
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.conversions import Conversion

__all__ = ["Guest", "PrintFmtError", "compile_print_fmt"]


class PrintFmtError(ValueError):
    """The print fmt is no C, or asks for something that only the kernel knows."""


class Guest(Protocol):
    """What the text of an entry needs besides the entry."""

    values: Mapping[str, int]  # of the kernel's variables that a print fmt may name

    def symbol(self, address: int, *, offset: bool) -> str:
        """%pS, and without the offset %ps"""

    def string(self, address: int) -> str:
        """The text that a pointer points to."""

    def pointer(self, address: int) -> str:
        """%p"""


@dataclass(frozen=True)
class _Text:
    """`code` gives a str. `literal`: the text itself, if it is always the same."""

    code: str
    literal: str | None = None


@dataclass(frozen=True)
class _Memory:
    """`code` gives the bytes that a pointer points to; `at`: where in the entry they lie, if that is always the same."""

    code: str
    element: CType
    at: range | None = None


_Value = Number | _Text | _Memory


def compile_print_fmt(
    call: EventCall, symbols: Container[str], constants: Mapping[str, int] = MappingProxyType({})
) -> Callable[[bytes, Guest], str]:
    """The function that prints an entry of the event.

    An entry that is shorter than the event's fixed part is an error; what lies outside of the entry is never read.

    Args:
        call: the event.
        symbols: names of the kernel's variables whose values will be known.
        constants: names of the kernel's constants, and `sizeof(struct page)`.

    Raises:
        PrintFmtError: the print fmt cannot be compiled.
    """
    try:
        format_node, *arguments = _parse(call.print_fmt)
        return _Compiler(call, symbols, constants).function(format_node, arguments)
    except PrintFmtError:
        raise
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:  # the latter two: it is nested too deeply
        raise PrintFmtError(f"it cannot be read: {error}") from error


def _parse(print_fmt: str) -> Sequence[Any]:
    """The arguments, as pycparser's nodes. A list in braces is no expression: it becomes a compound literal."""
    from pycparser.c_parser import CParser, ParseError  # not before the first event is printed

    def as_expression(found: re.Match[str]) -> str:
        return "(struct pair){" if found[0] == "{" else found[0].replace("\n", r"\n")

    literals = r'"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*'"
    arguments = re.sub(rf"{literals}|\{{", as_expression, print_fmt)
    types = "".join(f"typedef int {name};" for name in NAMED_TYPES if name in arguments)
    try:
        unit = CParser().parse(f"{types} struct pair; void f(void) {{ print({arguments}); }}")
        call = unit.ext[-1].body.block_items[0]
        nodes: Sequence[Any] = call.args.exprs
    except (ParseError, AttributeError, AssertionError) as error:
        raise PrintFmtError("it is not the argument list of a printf") from error
    return nodes


class _Compiler:
    def __init__(self, call: EventCall, symbols: Container[str], constants: Mapping[str, int]) -> None:
        self._call = call
        self._symbols = symbols
        self._constants = constants
        self._fields = {field.name: field for field in call.fields}
        self._loads: dict[tuple[int, int, bool], str] = {}  # offset, size, signed: the variable of a number in the entry
        self._scope: dict[str, Any] = dict(_HELPERS)  # what the function's code may name
        self._expressions: Mapping[str, Callable[[Any], _Value]] = {
            "ArrayRef": self._array_ref,
            "BinaryOp": self._binary_op,
            "Cast": self._cast,
            "Constant": self._constant,
            "FuncCall": self._function_call,
            "ID": self._identifier,
            "StructRef": self._struct_ref,
            "TernaryOp": self._ternary_op,
            "UnaryOp": self._unary_op,
        }

    def function(self, format_node: Any, arguments: Sequence[Any]) -> Callable[[bytes, Guest], str]:
        text = self._of(format_node)
        if not isinstance(text, _Text) or text.literal is None:
            raise PrintFmtError("its format is no string")
        remaining = iter(arguments)
        pieces, values = [], []
        for part in conversions.conversions(text.literal):
            if isinstance(part, str):
                pieces.append(part.replace("%", "%%"))
                continue
            try:
                piece, codes = self._conversion(part, remaining)
            except StopIteration:
                raise PrintFmtError("it has more conversions than arguments") from None
            pieces.append(piece)
            values += codes
        loads, layout = self._layout()
        self._scope["fixed_part"] = layout.unpack_from
        source = (
            f"def text(entry, guest):\n"
            f"    {loads}fixed_part(entry)\n"
            f"    return {''.join(pieces)!r} % ({''.join(f'{value}, ' for value in values)})\n"
        )
        exec(compile(source, f"<print fmt of {self._call.path}>", "exec"), self._scope)
        found: Callable[[bytes, Guest], str] = self._scope["text"]
        return found

    def _layout(self) -> tuple[str, struct.Struct]:
        """The variables of the numbers that are used, as the left side of an assignment, and where they lie."""
        layout, end = "=", 0
        loads = sorted(self._loads.items())
        for (offset, size, signed), _ in loads:
            layout += f"{offset - end}x{_LETTERS[size][signed]}"
            end = offset + size
        return ("".join(f"{name}, " for _, name in loads) + "= " if loads else "", struct.Struct(layout))

    # Conversions

    def _conversion(self, conversion: Conversion, arguments: Any) -> tuple[str, list[str]]:
        """The conversion in Python's terms, and the code of what it prints."""
        stars = [
            f"star({self._fitted(next(arguments), INT)})"
            for part in (conversion.width, conversion.precision) if part == "*"
        ]  # fmt: skip
        value = self._of(next(arguments))
        if conversion.kind == "p":
            return self._pointer(conversion, value, stars)
        if conversion.kind in "sc":
            precision = f".{conversion.precision}" if conversion.precision is not None and conversion.kind == "s" else ""
            code = self._text(value) if conversion.kind == "s" else f"character({fit(self._a_number(value), INT).code})"
            return f"%{'-' if '-' in conversion.flags else ''}{conversion.width}{precision}s", [*stars, code]
        type_ = CType(conversion.size, conversion.kind == "d")
        code = fit(self._a_number(value), type_).code
        flags = conversion.flags if conversion.kind == "d" else re.sub("[+ ]", "", conversion.flags)
        if conversion.precision is not None or ("#" in flags and conversion.kind == "o"):
            width, precision = (
                stars.pop(0) if part == "*" else part or "0" for part in (conversion.width, conversion.precision or "")
            )  # fmt: skip
            return "%s", [f"number({code}, {self._kept(conversion)}, {width}, {precision})"]
        kind = "d" if conversion.kind == "u" else conversion.kind
        if kind == "d" and not flags and not conversion.width:
            return "%s", [code]  # the same text, sooner
        return f"%{flags}{conversion.width}{kind}", [*stars, code]

    def _pointer(self, conversion: Conversion, value: _Value, stars: list[str]) -> tuple[str, list[str]]:
        extension = conversion.extension
        width = f"%{'-' if '-' in conversion.flags else ''}{conversion.width}s"
        if extension in ("", "K", "x", "S", "s"):
            address = fit(self._a_number(value), POINTER).code
            if extension == "x":
                digits = f"%{conversion.flags}{conversion.width}x" if conversion.width else "%016x"
                return digits, [*stars, address]
            by = {"S": "symbol({}, offset=True)", "s": "symbol({}, offset=False)"}.get(extension, "pointer({})")
            return width, [*stars, "guest." + by.format(address)]
        if not isinstance(value, _Memory):
            raise PrintFmtError(f"%p{extension} prints what the entry does not hold")
        if extension in _MEASURED:
            length = stars[0] if stars else conversion.width or "1"
            return "%s", [_MEASURED[extension].format(memory=value.code, length=length)]
        if extension not in conversions.POINTED:
            raise PrintFmtError(f"%p{extension} is not known")
        size, text = conversions.POINTED[extension]
        return width, [*stars, f"{self._kept(text)}({value.code}.ljust({size}, b'\\0'))"]

    def _kept(self, value: object) -> str:
        """A name for a value in the function's code."""
        name = f"k{len(self._scope)}"
        self._scope[name] = value
        return name

    # Values

    def _of(self, node: Any) -> _Value:
        kind = type(node).__name__
        if kind not in self._expressions:
            raise PrintFmtError(f"a {kind} is no value")
        return self._expressions[kind](node)

    def _number(self, node: Any) -> Number:
        return self._a_number(self._of(node))

    @staticmethod
    def _a_number(value: _Value) -> Number:
        if not isinstance(value, Number):
            raise PrintFmtError("a number is needed where a text or an array is")
        return value

    def _memory(self, node: Any) -> _Memory:
        value = self._of(node)
        if not isinstance(value, _Memory):
            raise PrintFmtError("an array is needed")
        return value

    def _text(self, value: _Value) -> str:
        match value:
            case _Text():
                return value.code
            case _Memory():
                return f"c_string({value.code})"
            case _:
                return f"guest.string({fit(value, POINTER).code})"

    @staticmethod
    def _truth(value: _Value) -> str:
        """What is false if the value is 0. No text and no array is."""
        return value.code if isinstance(value, Number) else "1"

    def _fitted(self, node: Any, type_: CType) -> str:
        return fit(self._number(node), type_).code

    # Constants, fields

    @staticmethod
    def _constant(node: Any) -> _Value:
        if node.type == "string":
            text = ast.literal_eval(node.value)
            return _Text(repr(text), text)
        if node.type == "char":
            return constant(ord(ast.literal_eval(node.value)), INT)
        if node.type in ("float", "double", "long double"):
            raise PrintFmtError(f"{node.value} is no integer")
        digits = node.value.rstrip("uUlL")
        return literal(digits, node.value[len(digits) :])

    def _identifier(self, node: Any) -> _Value:
        return self._kernel_value(node.name)

    def _kernel_value(self, name: str) -> Number:
        if name in self._constants:
            return constant(self._constants[name], LONG)
        if name not in self._symbols:
            raise PrintFmtError(f"it asks for {name}")
        return Number(f"guest.values[{name!r}]", UNSIGNED_LONG, 0, UNSIGNED_LONG.high)

    def _field(self, name: str) -> Field:
        if name not in self._fields:
            raise PrintFmtError(f"there is no field {name}")
        return self._fields[name]

    def _load(self, offset: int, type_: CType) -> Number:
        name = self._loads.setdefault((offset, type_.size, type_.signed), f"v{len(self._loads)}")
        return Number(name, type_, type_.low, type_.high)

    def _struct_ref(self, node: Any) -> _Value:
        if type(node.name).__name__ != "ID" or node.name.name != "REC":
            raise PrintFmtError("it asks for a structure other than the entry")
        field = self._field(node.field.name)
        if field.type.endswith("]") or field.size not in _LETTERS:
            return self._bytes_of(field)
        return self._load(field.offset, CType(field.size, field.signed, "*" in field.type))

    def _bytes_of(self, field: Field) -> _Memory:
        at = range(field.offset, field.offset + field.size)
        length = re.search(r"\[(\d+)\]$", field.type)
        size = field.element or (field.size // max(int(length[1]), 1) if length else 1)
        return _Memory(f"entry[{at.start}:{at.stop}]", CType(size, field.signed), at)

    def _located(self, node: Any) -> tuple[Field, Number]:
        """A dynamic field, and the word that tells where its data is."""
        if type(node).__name__ != "ID":
            raise PrintFmtError("a field's name is needed")
        field = self._field(node.name)
        if not field.is_dynamic:
            raise PrintFmtError(f"{field.name} is not dynamic")
        return field, self._load(field.offset, CType(4, False))

    def _dynamic(self, node: Any) -> _Memory:
        field, word = self._located(node)
        base = field.offset + field.size if field.type.startswith("__rel_loc") else 0
        element = named_type(field.type.removesuffix("[]").split()[1:]) or CType(field.element or 1, field.signed)
        return _Memory(f"dynamic_data(entry, {word.code}, {base})", element)

    # Types

    def _type(self, node: Any) -> CType:
        """Of a Typename in a cast or a sizeof; of a pointer, the type that it points to is not told."""
        kind = type(node.type).__name__
        if kind in ("Typename", "TypeDecl"):
            return self._type(node.type)
        if kind == "PtrDecl":
            return POINTER
        if kind == "Enum":
            return INT
        found = named_type(node.type.names) if kind == "IdentifierType" else None
        if found is None:
            raise PrintFmtError("a type is not known")
        return found

    def _cast(self, node: Any) -> _Value:
        value, type_ = self._of(node.expr), self._type(node.to_type)
        if isinstance(value, Number):
            return fit(value, type_)
        if not type_.pointer:
            raise PrintFmtError("the address of a text or an array is not known")
        if isinstance(value, _Text):
            return value
        try:
            return replace(value, element=self._type(node.to_type.type.type), at=None)
        except PrintFmtError:
            return value  # void *, or a structure

    # Operators

    def _array_ref(self, node: Any) -> _Value:
        return self._element(self._memory(node.name), self._number(node.subscript))

    def _element(self, memory: _Memory, index: Number) -> Number:
        type_ = memory.element
        if memory.at and index.is_constant and 0 <= index.low < len(memory.at) // type_.size:
            return self._load(memory.at.start + index.low * type_.size, type_)
        return Number(
            f"element({memory.code}, {index.code}, {type_.size}, {type_.signed})", type_, type_.low, type_.high
        )  # fmt: skip

    def _unary_op(self, node: Any) -> _Value:
        if node.op == "sizeof":
            return constant(self._size_of(node.expr), UNSIGNED_LONG)
        if node.op == "&":
            if type(node.expr).__name__ != "StructRef":
                raise PrintFmtError("the address of a value that is no field")
            return self._bytes_of(self._field(node.expr.field.name))
        if node.op == "*":
            return self._element(self._memory(node.expr), constant(0, INT))
        if node.op == "!":
            return Number(f"(0 if {self._truth(self._of(node.expr))} else 1)", INT, 0, 1)
        number = promoted(self._number(node.expr))
        match node.op:
            case "+":
                return number
            case "-":
                return computed(f"(-{number.code})", number.type, -number.high, -number.low)
            case "~":
                return computed(f"(~{number.code})", number.type, ~number.high, ~number.low)
        raise PrintFmtError(f"the operator {node.op}")

    def _size_of(self, node: Any) -> int:
        if type(node).__name__ == "Typename":
            return self._type(node).size
        value = self._of(node)
        if isinstance(value, _Memory) and value.at:
            return len(value.at)
        return self._a_number(value).type.size

    def _binary_op(self, node: Any) -> _Value:
        left, right = self._of(node.left), self._of(node.right)
        if node.op in ("&&", "||"):
            word = "and" if node.op == "&&" else "or"
            return Number(f"(1 if {self._truth(left)} {word} {self._truth(right)} else 0)", INT, 0, 1)
        one, other = self._a_number(left), self._a_number(right)
        if node.op in ("<<", ">>"):
            return shift(node.op, one, other)
        if node.op in ("+", "-") and (one.type.pointer or other.type.pointer):
            return self._pointer_sum(node, one, other)
        if node.op in ("==", "!=", "<", ">", "<=", ">="):
            one, other = alike(one, other)
            return Number(f"(1 if {one.code} {node.op} {other.code} else 0)", INT, 0, 1)
        return arithmetic(node.op, one, other)

    def _pointer_sum(self, node: Any, pointer: Number, elements: Number) -> _Value:
        """`(struct page *)address + elements`, where the size of the structure is known."""
        if not pointer.type.pointer or elements.type.pointer or type(node.left).__name__ != "Cast":
            raise PrintFmtError("it calculates with a pointer")
        target = node.left.to_type.type.type.type
        if type(target).__name__ != "Struct":
            raise PrintFmtError("it calculates with a pointer")
        size = self._kernel_value(f"sizeof(struct {target.name})")
        address = arithmetic(node.op, fit(pointer, UNSIGNED_LONG), arithmetic("*", elements, size))
        return fit(address, pointer.type)

    def _ternary_op(self, node: Any) -> _Value:
        condition = self._truth(self._of(node.cond))
        yes, no = self._of(node.iftrue), self._of(node.iffalse)
        if isinstance(yes, Number) and isinstance(no, Number):
            pointer = yes.type.pointer or no.type.pointer
            yes, no = alike(yes, no)
            type_ = POINTER if pointer else yes.type
            code = f"({yes.code} if {condition} else {no.code})"
            return Number(code, type_, min(yes.low, no.low), max(yes.high, no.high))
        return _Text(f"({self._text(yes)} if {condition} else {self._text(no)})")

    # Functions

    def _function_call(self, node: Any) -> _Value:
        name = getattr(node.name, "name", "")
        arguments: Sequence[Any] = node.args.exprs if node.args else ()
        if name not in _FUNCTIONS:
            raise PrintFmtError(f"it calls {name}()")
        try:
            call = inspect.signature(_FUNCTIONS[name]).bind(self, *arguments)
        except TypeError as error:
            raise PrintFmtError(f"{name}(): {error}") from error
        return _FUNCTIONS[name](*call.args)

    def _get_str(self, name: Any) -> _Value:
        return _Text(f"c_string({self._dynamic(name).code})")

    def _get_dynamic_array_len(self, name: Any) -> _Value:
        word = self._located(name)[1]
        return Number(f"({word.code} >> 16)", INT, 0, 0xFFFF)

    def _get_bitmask(self, name: Any) -> _Value:
        return _Text(f"bitmap({self._dynamic(name).code})")

    def _pairs(self, nodes: Sequence[Any]) -> list[tuple[int, str]]:
        """The constants of a list of `{ number, "text" }`, which may end in `{ -1, NULL }`."""
        pairs = []
        for node in nodes:
            pair = [self._of(part) for part in node.init.exprs] if type(node).__name__ == "CompoundLiteral" else []
            match pair:
                case [Number(is_constant=True) as number, _Text(literal=str(name))]:
                    pairs.append((fit(number, UNSIGNED_LONG).low, name))
                case [Number(), Number(low=0, high=0)]:
                    break
                case _:
                    raise PrintFmtError("what it chooses from is no list of numbers with their names")
        return pairs

    def _print_flags(self, value: Any, separator: Any, *pairs: Any) -> _Value:
        between = self._text(self._of(separator))
        return _Text(f"flags({self._fitted(value, UNSIGNED_LONG)}, {between}, {self._kept(self._pairs(pairs))})")

    def _print_symbolic(self, value: Any, *pairs: Any) -> _Value:
        names = dict(reversed(self._pairs(pairs)))  # the first of a number counts
        return _Text(f"symbolic({self._fitted(value, UNSIGNED_LONG)}, {self._kept(names)})")

    def _print_hex(self, memory: Any, length: Any) -> _Value:
        return self._hex_dump(memory, length, " ")

    def _print_hex_str(self, memory: Any, length: Any) -> _Value:
        return self._hex_dump(memory, length, "")

    def _hex_dump(self, memory: Any, length: Any, separator: str) -> _Value:
        return _Text(f"hex_dump({self._memory(memory).code}[:max({self._fitted(length, INT)}, 0)], {separator!r})")

    def _print_array(self, memory: Any, count: Any, size: Any) -> _Value:
        return _Text(f"array({self._memory(memory).code}, {self._fitted(count, INT)}, {self._fitted(size, INT)})")

    def _print_ns_to_secs(self, value: Any) -> _Value:
        return arithmetic("/", fit(self._number(value), UNSIGNED_LONG), constant(10**9, UNSIGNED_LONG))

    def _print_ns_without_secs(self, value: Any) -> _Value:
        rest = arithmetic("%", fit(self._number(value), UNSIGNED_LONG), constant(10**9, UNSIGNED_LONG))
        return fit(rest, CType(4, False))

    def _builtin_expect(self, value: Any, _expected: Any) -> _Value:
        return fit(self._number(value), LONG)


# What a print fmt may call.
_FUNCTIONS: Mapping[str, Callable[..., _Value]] = {
    "__get_str": _Compiler._get_str,
    "__get_rel_str": _Compiler._get_str,
    "__get_dynamic_array": _Compiler._dynamic,
    "__get_rel_dynamic_array": _Compiler._dynamic,
    "__get_dynamic_array_len": _Compiler._get_dynamic_array_len,
    "__get_rel_dynamic_array_len": _Compiler._get_dynamic_array_len,
    "__get_bitmask": _Compiler._get_bitmask,
    "__get_rel_bitmask": _Compiler._get_bitmask,
    "__get_cpumask": _Compiler._get_bitmask,
    "__get_rel_cpumask": _Compiler._get_bitmask,
    "__get_sockaddr": _Compiler._dynamic,
    "__get_rel_sockaddr": _Compiler._dynamic,
    "__print_flags": _Compiler._print_flags,
    "__print_flags_u64": _Compiler._print_flags,
    "__print_symbolic": _Compiler._print_symbolic,
    "__print_symbolic_u64": _Compiler._print_symbolic,
    "__print_hex": _Compiler._print_hex,
    "__print_hex_str": _Compiler._print_hex_str,
    "__print_array": _Compiler._print_array,
    "__print_ns_to_secs": _Compiler._print_ns_to_secs,
    "__print_ns_without_secs": _Compiler._print_ns_without_secs,
    "__builtin_expect": _Compiler._builtin_expect,
}

_LETTERS = {1: "Bb", 2: "Hh", 4: "Ii", 8: "Qq"}  # of struct: unsigned, signed
_MEASURED = {
    "h": "hex_dump({memory}[:min(max({length}, 0), 64)], ' ')",
    "hC": "hex_dump({memory}[:min(max({length}, 0), 64)], ':')",
    "hD": "hex_dump({memory}[:min(max({length}, 0), 64)], '-')",
    "hN": "hex_dump({memory}[:min(max({length}, 0), 64)], '')",
    "b": "bitmap({memory}, {length})",
    "bl": "bitmap_list({memory}, {length})",
}
_HELPERS = {name: getattr(module, name) for module in (conversions, print_fmt_calls) for name in module.__all__}
