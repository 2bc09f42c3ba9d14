# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel's BTF says: of structures and their members, of enumerators, of what functions take and return.

Nothing is looked up before it is asked for.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from emu.ftrace.btf_types import BadBtf, Kind, TypeTable

__all__ = ["BadBtf", "BitField", "Btf", "Encoding", "Kind", "Member", "Prototype", "Type"]

_MOST_LEVELS = 64  # of typedefs, modifiers and arrays on each other; no compiler needs so many
_POINTER = 8  # bytes
_SKIPPED = frozenset((Kind.TYPEDEF, Kind.VOLATILE, Kind.CONST, Kind.RESTRICT, Kind.TYPE_TAG))
_AGGREGATES = frozenset((Kind.STRUCT, Kind.UNION))
_ENUMS = frozenset((Kind.ENUM, Kind.ENUM64))
_SIZED = frozenset((Kind.INT, Kind.FLOAT, *_AGGREGATES, *_ENUMS))


class Encoding(enum.IntFlag):
    """How an INT or an enumeration is shown: btf.rst, "BTF_KIND_INT"."""

    NONE = 0
    SIGNED = 1
    CHAR = 2
    BOOL = 4


class Type(NamedTuple):
    """A type without its typedefs and modifiers.

    Attributes:
        kind: none of TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG.
        name: "task_struct", "unsigned long"; "" if it has none.
        size: in bytes; 0 of what has no size: VOID, FWD, FUNC_PROTO.
        number: the type's in its BTF.
    """

    kind: Kind
    name: str
    size: int
    encoding: Encoding
    number: int


class BitField(NamedTuple):
    """Attributes:
    offset: in bits, from the structure's beginning.
    size: in bits.
    """

    offset: int
    size: int


class Member(NamedTuple):
    """A member of a structure, or of one inside it.

    Attributes:
        offset: in bits, from the outer structure's beginning.
        bits: of a bit field; 0 for any other member.
    """

    offset: int
    bits: int
    type: Type


class Prototype(NamedTuple):
    """Attributes:
    parameters: the name and the type of each.
    result: VOID if there is none.
    is_variadic: whether more arguments may follow.
    """

    parameters: list[tuple[str, Type]]
    result: Type
    is_variadic: bool


class Btf:
    """The types of a kernel, or of a module with the kernel's.

    >>> btf = Btf(data)
    >>> btf.offset("task_struct.thread_info.flags"), btf.size("task_struct.comm")
    (0, 16)

    Attributes:
        data: the whole BTF; of a module, its own.

    Raises:
        BadBtf: it is damaged. So may every method, where the damage shows only then.
    """

    def __init__(self, data: bytes | memoryview, base: Btf | None = None) -> None:
        self.data = data
        self._table: TypeTable = TypeTable(data, None if base is None else base._table)
        self._types: dict[str, Type | None] = {}
        self._numbered: dict[int, Type] = {}
        self._members: dict[tuple[int, str], Member | None] = {}

    @classmethod
    def split(cls, base: Btf, data: bytes | memoryview) -> Btf:
        """A module's BTF. It answers what is asked of the module's types, and of the kernel's.

        Raises:
            BadBtf: it is damaged.
        """
        return cls(data, base)

    # Structures

    def offset(self, path: str) -> int:
        """The offset of a member in bytes: "task_struct.pid", "task_struct.thread_info.flags".

        Raises:
            LookupError: there is no such member, or it is a bit field.
        """
        return self._whole_member(path).offset // 8

    def size(self, path: str) -> int:
        """The size of a type or of a member, in bytes.

        Raises:
            LookupError: there is no such type or member, or it is a bit field.
        """
        return (self._whole_member(path).type if "." in path else self.type(path)).size

    def bit_field(self, path: str) -> BitField:
        """The place of a bit field, or of any other member.

        Raises:
            LookupError: there is no such member.
        """
        found = self.member(path)
        return BitField(found.offset, found.bits or 8 * found.type.size)

    def has(self, path: str) -> bool:
        """Whether there is a type, or a member."""
        try:
            return bool(self.member(path) if "." in path else self.type(path))
        except LookupError:
            return False

    def member(self, path: str) -> Member:
        """A member: "task_struct.pid". Structures without a name are looked into.

        Raises:
            LookupError: there is no such member.
        """
        name, _, rest = path.partition(".")
        return self.member_of(self.type(name), rest)

    def member_of(self, aggregate: Type, path: str) -> Member:
        """A member of a structure: "thread_info.flags".

        Raises:
            LookupError: there is no such member.
        """
        offset, found = 0, Member(0, 0, aggregate)
        for name in path.split("."):
            key = found.type.number, name
            if key not in self._members:
                self._members[key] = self._find_member(found.type, name)
            inner = self._members[key]
            if inner is None:
                raise LookupError(f"{_spoken(found.type)} has no member '{_one_line(name)}'")
            offset, found = offset + inner.offset, inner
        return Member(offset, found.bits, found.type)

    # Types

    def type(self, name: str) -> Type:
        """A type by its name: of a structure, a union, an enumeration, an integer; or else of a typedef.

        Raises:
            LookupError: there is none.
        """
        if name not in self._types:
            self._types[name] = self._find_type(name)
        if (found := self._types[name]) is None:
            raise LookupError(f"there is no type '{_one_line(name)}'")
        return found

    def target(self, pointer: Type) -> Type:
        """What a PTR points to; what an ARRAY is made of.

        Raises:
            LookupError: it is of another kind.
        """
        if pointer.kind not in (Kind.PTR, Kind.ARRAY):
            raise LookupError(f"{_spoken(pointer)} is neither a pointer nor an array")
        record = self._table.record(pointer.number)
        return self._type(record.last if pointer.kind == Kind.PTR else record.words[0])

    def enumerator(self, name: str) -> int | None:
        """The value of an enumerator; None if there is none."""
        return next(self._table.enumerators(name), None)

    def prototype(self, function: str) -> Prototype | None:
        """What a function takes and returns; None if it is not known. Of several functions with a name, the first is told.

        It may also be the typedef of a pointer to a function: "btf_trace_sched_switch".
        """
        for kind in (Kind.FUNC, Kind.TYPEDEF):
            if (number := self._table.by_name(kind).get(function)) is not None:
                return self._prototype(number)
        return None

    # By numbers

    def _type(self, number: int, levels: int = _MOST_LEVELS) -> Type:
        """A type without its typedefs and modifiers."""
        if number not in self._numbered:
            self._numbered[number] = self._find_numbered(number, levels)
        return self._numbered[number]

    def _find_numbered(self, number: int, levels: int) -> Type:
        for level in range(levels):
            if not number:
                return Type(Kind.VOID, "", 0, Encoding.NONE, 0)
            record = self._table.record(number)
            if record.kind in _SKIPPED:
                number = record.last
                continue
            size, encoding = record.last if record.kind in _SIZED else 0, 0
            if record.kind == Kind.PTR:
                size = _POINTER
            elif record.kind == Kind.ARRAY:
                size = record.words[2] * self._type(record.words[0], levels - level - 1).size
            elif record.kind == Kind.INT:
                encoding = record.words[0] >> 24 & 7
            elif record.kind in _ENUMS:
                encoding = int(record.is_flagged)
            return Type(record.kind, self._table.text(record.name), size, Encoding(encoding), number)
        raise BadBtf("damaged BTF: a type leads to itself")

    def _find_type(self, name: str) -> Type | None:
        numbers = list(self._table.named(name))
        for wanted in (_AGGREGATES, _SIZED, {Kind.TYPEDEF}):
            for number, kind in numbers:
                if kind in wanted:
                    return self._type(number)
        return None

    def _whole_member(self, path: str) -> Member:
        found = self.member(path)
        if found.bits:
            raise LookupError(f"{path} is a bit field")
        return found

    def _find_member(self, aggregate: Type, name: str) -> Member | None:
        """A member of a structure, or of the structures without names in it. A type is looked into once."""
        sought = name.encode("utf-8", "replace") + b"\0"
        seen, todo = set(), [(aggregate, 0)]
        while name and todo:
            outer, start = todo.pop()
            if outer.kind not in _AGGREGATES or outer.number in seen:
                continue
            seen.add(outer.number)
            record, inner = self._table.record(outer.number), []
            for name_of_member, number, place in record.members():
                offset, bits = (place & 0xFFFFFF, place >> 24) if record.is_flagged else (place, 0)
                if self._table.is_text(name_of_member, sought):
                    return Member(start + offset, bits, self._type(number))
                if self._table.is_text(name_of_member, b"\0"):
                    inner.append((self._type(number), start + offset))
            todo += reversed(inner)
        return None

    def _prototype(self, number: int) -> Prototype | None:
        """The prototype of a FUNC, or of a pointer to a function."""
        found = self._type(number)
        if found.kind in (Kind.FUNC, Kind.PTR):
            found = self._type(self._table.record(found.number).last)
        if found.kind != Kind.FUNC_PROTO:
            return None
        record = self._table.record(found.number)
        parameters = [(name, number) for name, number in record.members()]
        is_variadic = parameters[-1:] == [(0, 0)]
        named = [(self._table.text(name), self._type(number)) for name, number in parameters[: len(parameters) - is_variadic]]
        return Prototype(named, self._type(record.last), is_variadic)


def _spoken(found: Type) -> str:
    kind, name = found.kind.name.lower(), _one_line(found.name)
    if found.kind in _AGGREGATES | _ENUMS and found.name:
        return f"{kind} {name}"
    return name or f"a type of kind {kind}"


def _one_line(name: str) -> str:
    return name if name.isprintable() else repr(name)[1:-1]
