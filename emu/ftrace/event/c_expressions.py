# SPDX-License-Identifier: GPL-2.0-only
"""Translates C expressions to Python code: the names they may use, and the conversions of their parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any

from emu.ftrace.event import conversions, print_fmt_calls
from emu.ftrace.event.c_numbers import (
    INT,
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
from emu.ftrace.event.constants import Constants

__all__ = ["Expressions", "Memory", "PrintFmtError", "Text", "Value"]

Node = Any  # a node of pycparser, which has no types


class PrintFmtError(ValueError):
    """The print fmt is not valid C, or needs something that only the kernel knows."""


@dataclass(frozen=True)
class Text:
    """`code` evaluates to a str. `literal`: the text itself, if it is constant."""

    code: str
    literal: str | None = None


@dataclass(frozen=True)
class Memory:
    """`code` evaluates to the bytes behind a pointer. `at`: their place in the entry, if it is constant."""

    code: str
    element: CType
    at: range | None = None


Value = Number | Text | Memory


class Expressions:
    """Translates pycparser's nodes to Python code.

    Args: as for `compile_arguments`. No calls are translated: `PrintFmtExpressions` does that.

    Attributes:
        loads: the variables used by the code for the entry's numbers, by offset, size and signedness.
        scope: all other names used by the code.
    """

    def __init__(
        self,
        call: EventCall,
        symbols: Container[str],
        constants: Constants,
        types: CTypes,
    ) -> None:
        self.loads: dict[tuple[int, int, bool], str] = {}
        self.scope: dict[str, Node] = dict(_HELPERS)
        self._symbols = symbols
        self._constants = constants
        self._types = types
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
        """Makes a value available to the function's code, and returns its name there."""
        name = f"k{len(self.scope)}"
        self.scope[name] = value
        return name

    # Values

    def of(self, node: Node) -> Value:
        """Translates an expression.

        Raises:
            PrintFmtError: it cannot be printed.
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
        """The code of the text that %s prints."""
        match value:
            case Text():
                return value.code
            case Memory():
                return f"c_string({value.code})"
            case _:
                return f"guest.string({fit(value, self._types.pointer).code})"

    @staticmethod
    def _truth(value: Value) -> str:
        """Code that is false if the value is 0. Texts and arrays are always true."""
        return value.code if isinstance(value, Number) else "1"

    def converted(self, value: Value, type_: CType) -> str:
        """The code of a number converted to a type."""
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
        if not field.size:  # it extends to the end of the entry
            return Memory(f"entry[{field.offset}:]", CType(field.element or 1, field.signed))
        length = re.search(r"\[(\d+)\]$", field.type)
        size = field.element or (field.size // max(int(length[1]), 1) if length else 1)
        return Memory(f"entry[{at.start}:{at.stop}]", CType(size, field.signed), at)

    def _located(self, node: Node) -> tuple[Field, Number]:
        """A dynamic field, and the word with its data's location."""
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
        """The type of a Typename in a cast or a sizeof. A pointer's target type is not returned."""
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
            return value  # void *, or a pointer to a structure

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
        """`(struct page *)address + elements`, if the size of the structure is known."""
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

    def _function_call(self, node: Node) -> Value:
        raise PrintFmtError(f"it calls {getattr(node.name, 'name', '')}()")



_HELPERS = {name: getattr(module, name) for module in (conversions, print_fmt_calls) for name in module.__all__}
