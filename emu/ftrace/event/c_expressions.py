# SPDX-License-Identifier: GPL-2.0-only
"""The C expressions of a print fmt as Python code: what they may name and call, and how its parts are converted."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from emu.ftrace.event import conversions, print_fmt_calls
from emu.ftrace.event.c_numbers import (
    INT,
    U64,
    CType,
    CTypes,
    Number,
    alike,
    arithmetic,
    computed,
    constant,
    fit,
    promoted,
    shift,
)
from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.known_function import KnownFunction
from emu.ftrace.event.print_fmt_calls import flags

__all__ = ["Expressions", "Memory", "PrintFmtError", "Text", "Value"]

Node = Any  # of pycparser, which has no types

_ARGUMENT = CType(8, False)  # of a KnownFunction, and what it gives: numbers of 64 bits


class PrintFmtError(ValueError):
    """The print fmt is no C, or asks for something that only the kernel knows."""


@dataclass(frozen=True)
class Text:
    """`code` gives a str. `literal`: the text itself, if it is always the same."""

    code: str
    literal: str | None = None


@dataclass(frozen=True)
class Memory:
    """`code` gives the bytes that a pointer points to; `at`: where in the entry they lie, if that is always the same."""

    code: str
    element: CType
    at: range | None = None


Value = Number | Text | Memory


class Expressions:
    """Makes Python code of pycparser's nodes.

    Args: as of `compile_arguments`.

    Attributes:
        loads: the variables that the code reads, which hold numbers of the entry: by offset, size, and whether it is signed.
        scope: what else the code may name.
    """

    def __init__(
        self,
        call: EventCall,
        symbols: Container[str],
        constants: Mapping[str, int],
        functions: Mapping[str, KnownFunction],
        types: CTypes,
    ) -> None:
        self.loads: dict[tuple[int, int, bool], str] = {}
        self.scope: dict[str, Node] = dict(_HELPERS)
        self._symbols = symbols
        self._constants = constants
        self._types = types
        self._functions = functions
        self._fields = {field.name: field for field in call.fields}
        self._kinds: Mapping[str, Callable[[Node], Value]] = {
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

    def kept(self, value: object) -> str:
        """A name for a value in the function's code."""
        name = f"k{len(self.scope)}"
        self.scope[name] = value
        return name

    # Values

    def of(self, node: Node) -> Value:
        """An expression.

        Raises:
            PrintFmtError: it is none that can be printed.
        """
        kind = type(node).__name__
        if kind not in self._kinds:
            raise PrintFmtError(f"a {kind} is no value")
        return self._kinds[kind](node)

    def _number(self, node: Node) -> Number:
        return self._as_number(self.of(node))

    @staticmethod
    def _as_number(value: Value) -> Number:
        if not isinstance(value, Number):
            raise PrintFmtError("a number is needed where a text or an array is")
        return value

    def _memory(self, node: Node) -> Memory:
        value = self.of(node)
        if not isinstance(value, Memory):
            raise PrintFmtError("an array is needed")
        return value

    def text(self, value: Value) -> str:
        """The code of what %s prints."""
        match value:
            case Text():
                return value.code
            case Memory():
                return f"c_string({value.code})"
            case _:
                return f"guest.string({fit(value, self._types.pointer).code})"

    @staticmethod
    def _truth(value: Value) -> str:
        """What is false if the value is 0. No text and no array is."""
        return value.code if isinstance(value, Number) else "1"

    def converted(self, value: Value, type_: CType) -> str:
        """The code of a number in a type."""
        return fit(self._as_number(value), type_).code

    def _fitted(self, node: Node, type_: CType) -> str:
        return self.converted(self.of(node), type_)

    # Constants, fields

    def _constant(self, node: Node) -> Value:
        if node.type == "string":
            text = ast.literal_eval(node.value)
            return Text(repr(text), text)
        if node.type == "char":
            return fit(constant(ord(ast.literal_eval(node.value)), CType(1, True)), INT)
        if node.type in ("float", "double", "long double"):
            raise PrintFmtError(f"{node.value} is no integer")
        digits = node.value.rstrip("uUlL")
        return self._types.literal(digits, node.value[len(digits) :])

    def _identifier(self, node: Node) -> Value:
        return self._kernel_value(node.name)

    def _kernel_value(self, name: str) -> Number:
        if name in self._constants:
            return constant(self._constants[name], self._types.long)
        if name not in self._symbols:
            raise PrintFmtError(f"it asks for {name}")
        type_ = self._types.unsigned_long
        return Number(f"guest.values[{name!r}]", type_, 0, type_.high)

    def _field(self, name: str) -> Field:
        if name not in self._fields:
            raise PrintFmtError(f"there is no field {name}")
        return self._fields[name]

    def _load(self, offset: int, type_: CType) -> Number:
        name = self.loads.setdefault((offset, type_.size, type_.signed), f"v{len(self.loads)}")
        return Number(name, type_, type_.low, type_.high)

    def _struct_ref(self, node: Node) -> Value:
        if type(node.name).__name__ != "ID" or node.name.name != "REC":
            raise PrintFmtError("it asks for a structure other than the entry")
        field = self._field(node.field.name)
        if field.type.endswith("]") or field.size not in (1, 2, 4, 8):
            return self._bytes_of(field)
        return self._load(field.offset, CType(field.size, field.signed, "*" in field.type))

    def _bytes_of(self, field: Field) -> Memory:
        at = range(field.offset, field.offset + field.size)
        if not field.size:  # it goes on to the end of the entry
            return Memory(f"entry[{field.offset}:]", CType(field.element or 1, field.signed))
        length = re.search(r"\[(\d+)\]$", field.type)
        size = field.element or (field.size // max(int(length[1]), 1) if length else 1)
        return Memory(f"entry[{at.start}:{at.stop}]", CType(size, field.signed), at)

    def _located(self, node: Node) -> tuple[Field, Number]:
        """A dynamic field, and the word that tells where its data is."""
        if type(node).__name__ != "ID":
            raise PrintFmtError("a field's name is needed")
        field = self._field(node.name)
        if not field.is_dynamic:
            raise PrintFmtError(f"{field.name} is not dynamic")
        return field, self._load(field.offset, CType(4, False))

    def _dynamic(self, node: Node) -> Memory:
        field, word = self._located(node)
        element = self._types.named(field.type.removesuffix("[]").split()[1:]) or CType(1, field.signed)
        element = element._replace(size=field.element or element.size)
        return Memory(f"dynamic_data(entry, {word.code}, {field.data_base})", element)

    # Types

    def _type(self, node: Node) -> CType:
        """Of a Typename in a cast or a sizeof; of a pointer, the type that it points to is not told."""
        kind = type(node.type).__name__
        if kind in ("Typename", "TypeDecl"):
            return self._type(node.type)
        if kind == "PtrDecl":
            return self._types.pointer
        if kind == "Enum":
            return INT
        found = self._types.named(node.type.names) if kind == "IdentifierType" else None
        if found is None:
            raise PrintFmtError("a type is not known")
        return found

    def _cast(self, node: Node) -> Value:
        value, type_ = self.of(node.expr), self._type(node.to_type)
        if isinstance(value, Number):
            return fit(value, type_)
        if not type_.pointer:
            raise PrintFmtError("the address of a text or an array is not known")
        if isinstance(value, Text):
            return value
        try:
            return replace(value, element=self._type(node.to_type.type.type), at=None)
        except PrintFmtError:
            return value  # void *, or a structure

    # Operators

    def _array_ref(self, node: Node) -> Value:
        return self._element(self._memory(node.name), self._number(node.subscript))

    def _element(self, memory: Memory, index: Number) -> Number:
        type_ = memory.element
        if memory.at and index.is_constant and 0 <= index.low < len(memory.at) // type_.size:
            return self._load(memory.at.start + index.low * type_.size, type_)
        return Number(
            f"element({memory.code}, {index.code}, {type_.size}, {type_.signed})", type_, type_.low, type_.high
        )  # fmt: skip

    def _unary_op(self, node: Node) -> Value:
        if node.op == "sizeof":
            return constant(self._size_of(node.expr), self._types.unsigned_long)
        if node.op == "&":
            if type(node.expr).__name__ != "StructRef":
                raise PrintFmtError("the address of a value that is no field")
            return self._bytes_of(self._field(node.expr.field.name))
        if node.op == "*":
            return self._element(self._memory(node.expr), constant(0, INT))
        if node.op == "!":
            return Number(f"(0 if {self._truth(self.of(node.expr))} else 1)", INT, 0, 1)
        number = promoted(self._number(node.expr))
        match node.op:
            case "+":
                return number
            case "-":
                return computed(f"(-{number.code})", number.type, -number.high, -number.low)
            case "~":
                return computed(f"(~{number.code})", number.type, ~number.high, ~number.low)
        raise PrintFmtError(f"the operator {node.op}")

    def _size_of(self, node: Node) -> int:
        if type(node).__name__ == "Typename":
            return self._type(node).size
        value = self.of(node)
        if isinstance(value, Memory) and value.at:
            return len(value.at)
        return self._as_number(value).type.size

    def _binary_op(self, node: Node) -> Value:
        left, right = self.of(node.left), self.of(node.right)
        if node.op in ("&&", "||"):
            word = "and" if node.op == "&&" else "or"
            return Number(f"(1 if {self._truth(left)} {word} {self._truth(right)} else 0)", INT, 0, 1)
        one, other = self._as_number(left), self._as_number(right)
        if node.op in ("<<", ">>"):
            return shift(node.op, one, other)
        if node.op in ("+", "-") and (one.type.pointer or other.type.pointer):
            return self._pointer_sum(node, one, other)
        if node.op in ("==", "!=", "<", ">", "<=", ">="):
            one, other = alike(one, other)
            return Number(f"(1 if {one.code} {node.op} {other.code} else 0)", INT, 0, 1)
        return arithmetic(node.op, one, other)

    def _pointer_sum(self, node: Node, pointer: Number, elements: Number) -> Value:
        """`(struct page *)address + elements`, where the size of the structure is known."""
        if not pointer.type.pointer or elements.type.pointer or type(node.left).__name__ != "Cast":
            raise PrintFmtError("it calculates with a pointer")
        target = node.left.to_type.type.type.type
        if type(target).__name__ != "Struct":
            raise PrintFmtError("it calculates with a pointer")
        size = self._kernel_value(f"sizeof(struct {target.name})")
        address = arithmetic(node.op, fit(pointer, self._types.unsigned_long), arithmetic("*", elements, size))
        return fit(address, pointer.type)

    def _ternary_op(self, node: Node) -> Value:
        condition = self._truth(self.of(node.cond))
        yes, no = self.of(node.iftrue), self.of(node.iffalse)
        if isinstance(yes, Number) and isinstance(no, Number):
            pointer = yes.type.pointer or no.type.pointer
            yes, no = alike(yes, no)
            type_ = self._types.pointer if pointer else yes.type
            code = f"({yes.code} if {condition} else {no.code})"
            return Number(code, type_, min(yes.low, no.low), max(yes.high, no.high))
        return Text(f"({self.text(yes)} if {condition} else {self.text(no)})")

    # Functions

    def _function_call(self, node: Node) -> Value:
        name = getattr(node.name, "name", "")
        arguments: Sequence[Node] = node.args.exprs if node.args else ()
        if name in self._functions:
            return self._known_function(name, arguments)
        if name not in _FUNCTIONS:
            raise PrintFmtError(f"it calls {name}()")
        try:
            call = inspect.signature(_FUNCTIONS[name]).bind(self, *arguments)
        except TypeError as error:
            raise PrintFmtError(f"{name}(): {error}") from error
        return _FUNCTIONS[name](*call.args)

    def _known_function(self, name: str, nodes: Sequence[Node]) -> Value:
        function = self._functions[name]
        if len(nodes) != len(function.parameters):
            raise PrintFmtError(f"{name}() has {len(function.parameters)} arguments, not {len(nodes)}")
        given = [
            self._memory(node).code if parameter == "m" else self._fitted(node, _ARGUMENT)
            for node, parameter in zip(nodes, function.parameters, strict=True) if parameter != "-"
        ]  # fmt: skip
        code = f"{self.kept(function.call)}({', '.join(given)})"
        return Text(code) if function.is_text else Number(code, _ARGUMENT, 0, _ARGUMENT.high)

    def _get_str(self, name: Node) -> Value:
        return Text(f"c_string({self._dynamic(name).code})")

    def _get_dynamic_array_len(self, name: Node) -> Value:
        word = self._located(name)[1]
        return Number(f"({word.code} >> 16)", INT, 0, 0xFFFF)

    def _get_bitmask(self, name: Node) -> Value:
        return Text(f"bitmap({self._dynamic(name).code})")

    def _pairs(self, nodes: Sequence[Node], type_: CType) -> list[tuple[int, str]]:
        """The constants, in a type, of a list of `{ number, "text" }`, which may end in `{ -1, NULL }`."""
        pairs = []
        for node in nodes:
            pair = [self.of(part) for part in node.init.exprs] if type(node).__name__ == "CompoundLiteral" else []
            match pair:
                case [Number(is_constant=True) as number, Text(literal=str(name))]:
                    pairs.append((fit(number, type_).low, name))
                case [Number(), Number(low=0, high=0)]:
                    break
                case _:
                    raise PrintFmtError("what it chooses from is no list of numbers with their names")
        return pairs

    def _print_flags(self, value: Node, separator: Node, *pairs: Node) -> Value:
        return self._flags(self._types.unsigned_long, value, separator, pairs)

    def _print_flags_u64(self, value: Node, separator: Node, *pairs: Node) -> Value:
        return self._flags(U64, value, separator, pairs)

    def _flags(self, type_: CType, value: Node, separator: Node, pairs: Sequence[Node]) -> Value:
        between = self.of(separator)
        if not isinstance(between, Text) or between.literal is None:
            raise PrintFmtError("what stands between flags is no string")
        text = lru_cache(maxsize=1024)(partial(flags, separator=between.literal, names=self._pairs(pairs, type_)))
        return Text(f"{self.kept(text)}({self._fitted(value, type_)})")

    def _print_symbolic(self, value: Node, *pairs: Node) -> Value:
        return self._symbolic(self._types.unsigned_long, value, pairs)

    def _print_symbolic_u64(self, value: Node, *pairs: Node) -> Value:
        return self._symbolic(U64, value, pairs)

    def _symbolic(self, type_: CType, value: Node, pairs: Sequence[Node]) -> Value:
        names = dict(reversed(self._pairs(pairs, type_)))  # the first of a number counts
        return Text(f"symbolic({self._fitted(value, type_)}, {self.kept(names)})")

    def _print_hex(self, memory: Node, length: Node) -> Value:
        return self._hex_dump(memory, length, " ")

    def _print_hex_str(self, memory: Node, length: Node) -> Value:
        return self._hex_dump(memory, length, "")

    def _hex_dump(self, memory: Node, length: Node, separator: str) -> Value:
        return Text(f"hex_dump({self._memory(memory).code}[:max({self._fitted(length, INT)}, 0)], {separator!r})")

    def _print_array(self, memory: Node, count: Node, size: Node) -> Value:
        return Text(f"array({self._memory(memory).code}, {self._fitted(count, INT)}, {self._fitted(size, INT)})")

    def _print_ns_to_secs(self, value: Node) -> Value:
        return arithmetic("/", fit(self._number(value), U64), constant(10**9, U64))

    def _print_ns_without_secs(self, value: Node) -> Value:
        rest = arithmetic("%", fit(self._number(value), U64), constant(10**9, U64))
        return fit(rest, CType(4, False))

    def _builtin_expect(self, value: Node, _expected: Node) -> Value:
        return fit(self._number(value), self._types.long)


# What a print fmt may call.
_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "__get_str": Expressions._get_str,
    "__get_rel_str": Expressions._get_str,
    "__get_dynamic_array": Expressions._dynamic,
    "__get_rel_dynamic_array": Expressions._dynamic,
    "__get_dynamic_array_len": Expressions._get_dynamic_array_len,
    "__get_rel_dynamic_array_len": Expressions._get_dynamic_array_len,
    "__get_bitmask": Expressions._get_bitmask,
    "__get_rel_bitmask": Expressions._get_bitmask,
    "__get_cpumask": Expressions._get_bitmask,
    "__get_rel_cpumask": Expressions._get_bitmask,
    "__get_sockaddr": Expressions._dynamic,
    "__get_rel_sockaddr": Expressions._dynamic,
    "__print_flags": Expressions._print_flags,
    "__print_flags_u64": Expressions._print_flags_u64,
    "__print_symbolic": Expressions._print_symbolic,
    "__print_symbolic_u64": Expressions._print_symbolic_u64,
    "__print_hex": Expressions._print_hex,
    "__print_hex_str": Expressions._print_hex_str,
    "__print_array": Expressions._print_array,
    "__print_ns_to_secs": Expressions._print_ns_to_secs,
    "__print_ns_without_secs": Expressions._print_ns_without_secs,
    "__builtin_expect": Expressions._builtin_expect,
}

_HELPERS = {name: getattr(module, name) for module in (conversions, print_fmt_calls) for name in module.__all__}
