# SPDX-License-Identifier: GPL-2.0-only
"""Records in memory as classes with typed fields: for native code, for Python, and for type checkers.

    class ArrayCpu(Record):
        array: TraceArray  # another record: the word is its address
        next: ArrayCpu | None  # the same; 0 is None
        check: Callable[[Cpu, ArrayCpu], None]  # a compiled function: the word is its address
        calls: Values[u64] = inline(4)  # four words, stored here; without `inline`, the word is their address
        flags: u8  # a number has the size that it says; a bool has a word

    of_cpu = ArrayCpu.allocate()  # zeros, freed with this object
    of_cpu.calls[3] = 7

In native code `array_cpu.array.asks_each` is two loads (`native.access`). A loaded number is a u64 or an i64, whatever
the size of its field. As in C, addresses and indices are not checked.

Fields are stored in the order of their declarations, aligned as their types require. A layout that is only known at run time,
such as that of guest structures, is given by a `Shape`; functions are then compiled for the resulting `Layouts`.
"""

from __future__ import annotations

import functools
import hashlib
import mmap
import sys
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)  # fmt: skip

import numpy as np
import numpy.typing as npt

__all__ = [
    "HOST", "WORD", "Accesses", "Bytes", "Field", "GuestRecord", "Ints", "Layouts", "Record", "RecordClass", "Records", "Shape",
    "Shorts", "Values", "Words",
    "i8", "i16", "i32", "i64", "inline", "origin_of", "u8", "u16", "u32", "u64", "without_none", "zeros",
]  # fmt: skip

if TYPE_CHECKING:
    from builtins import int as i8
    from builtins import int as i16
    from builtins import int as i32
    from builtins import int as i64
    from builtins import int as u8
    from builtins import int as u16
    from builtins import int as u32
    from builtins import int as u64
else:
    from numpy import int8 as i8
    from numpy import int16 as i16
    from numpy import int32 as i32
    from numpy import int64 as i64
    from numpy import uint8 as u8
    from numpy import uint16 as u16
    from numpy import uint32 as u32
    from numpy import uint64 as u64

Declared = Any  # the declared type of a field, an argument or a result: a class, a union, Values[u64], ...

T = TypeVar("T")
R_co = TypeVar("R_co", bound="Record", covariant=True)

WORD = 8  # bytes
_LARGE = 1 << 20  # bytes


class RecordClass(type):
    """The metaclass of records, by which native code recognises them: calling such a class with an address makes a record."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> RecordClass:
        namespace.setdefault("__slots__", ())
        if bases:
            if "address" in namespace.get("__annotations__", ()):
                raise TypeError(f"a field of {name} is called address, as its own address is")
            namespace |= {field: _Attribute(field, namespace.get(field)) for field in namespace.get("__annotations__", ())}
        return super().__new__(mcs, name, bases, namespace)


class Record(metaclass=RecordClass):
    """A record of host memory. Its class declares its fields.

    Attributes:
        address: the record's address.
    """

    __slots__ = ("_fields", "_words", "address")
    address: u64
    _fields: Accesses
    _words: npt.NDArray[np.uint64] | None

    def __init__(self, address: int, layouts: Layouts | None = None) -> None:
        """The record at an address, in memory that somebody else owns. `layouts`: for records that have a `Shape`."""
        self.address = int(address)
        self._fields = (layouts or HOST).accesses(type(self))
        self._words = None

    @classmethod
    def allocate(cls, layouts: Layouts | None = None) -> Self:
        """A record of zeros, whose memory is freed with this object."""
        words = zeros(-(-(layouts or HOST).size(cls) // WORD))
        record = cls(words.ctypes.data, layouts)
        record._words = words
        return record

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The memory of an allocated record, uint64[n]."""
        assert self._words is not None
        return self._words

    def clear(self) -> None:
        """Sets it to zeros."""
        self.words[:] = 0


class GuestRecord(Record):
    """A structure of the guest or of Unicorn, in host memory. It has the fields for which its `Shape` has an offset."""


class Values(Generic[T]):
    """Adjacent numbers, addresses or functions: `Values[u32](address)` are those from an address on."""

    def __init__(self, address: int) -> None:
        self.address = int(address)

    def __getitem__(self, index: int) -> T:
        size, access = _element_of(self)
        return cast(T, access.read(self.address + index * size))

    def __setitem__(self, index: int, value: T) -> None:
        size, access = _element_of(self)
        access.write(self.address + index * size, value)


class Records(Generic[R_co]):
    """Adjacent records: `Records[Block](address)` are those from an address on."""

    def __init__(self, address: int) -> None:
        self.address = int(address)

    def __getitem__(self, index: int) -> R_co:
        size, access = _element_of(self)
        return cast(R_co, access.read(self.address + index * size))


Bytes: TypeAlias = Values[u8]
Shorts: TypeAlias = Values[u16]
Ints: TypeAlias = Values[u32]
Words: TypeAlias = Values[u64]


class _Inline(NamedTuple):
    elements: int


def inline(count: int = 0) -> Any:  # a field's default has the field's type
    """A field that is stored in the record, instead of its address. `count`: elements; 0: the number in the `Shape`."""
    return _Inline(count)


class Shape(NamedTuple):
    """The part of a record's layout that is known only at run time."""

    offsets: Mapping[str, int] = {}  # of fields, in bytes; a field without one follows the previous field
    counts: Mapping[str, int] = {}  # of elements
    size: int = 0  # of the record; 0: up to the end of its last field
    byte_order: str = sys.byteorder


class Field(NamedTuple):
    """The place and type of a field in its record.

    Attributes:
        declared: the declared type, without None.
        is_inline: whether the value itself is stored there, rather than its address.
        swapped: whether its byte order is not the host's.
        offset: in bytes from the record's address.
        size: bytes; 0: unknown, and nothing follows it.
    """

    declared: Declared
    is_inline: bool
    swapped: bool
    offset: int
    size: int

    @property
    def stored(self) -> np.dtype[np.generic]:
        """The type of number in which it is stored, unless it is inline."""
        return _stored(self.declared)

    def access(self, layouts: Layouts) -> _Access:
        """Python reads an int, a bool, a record or None, elements, a function's address or None. It stores an int, anything with
        an address (records, elements, compiled functions), or None."""
        at, declared, load = self.offset, self.declared, _c_type(self.declared).from_address

        def write(address: int, value: Any) -> None:
            assert not self.is_inline
            load(address + at).value = value if isinstance(value, int) else int(getattr(value, "address", value or 0))

        if isinstance(declared, RecordClass):
            if self.is_inline:
                return _Access(lambda address: declared(address + at, layouts), write)
            return _Access(lambda address: declared(place, layouts) if (place := load(address + at).value) else None, write)
        if origin_of(declared) in (Values, Records):
            if self.is_inline:
                return _Access(lambda address: declared(address + at), write)
            return _Access(lambda address: declared(load(address + at).value), write)
        if origin_of(declared) is Callable:
            return _Access(lambda address: load(address + at).value or None, write)
        if declared is bool:
            return _Access(lambda address: load(address + at).value != 0, write)
        return _Access(lambda address: load(address + at).value, write)


class _Access(NamedTuple):
    """Python's access to a field, given the record's address."""

    read: Callable[[int], object]
    write: Callable[[int, Any], None]


class Accesses(dict[str, _Access]):
    """The accesses to a record's fields, by name. They never change."""


class _Attribute:
    """A field as a Python attribute."""

    def __init__(self, name: str, inline: _Inline | None) -> None:
        self.name, self.inline = name, inline

    def __get__(self, record: Record | None, owner: type[Record]) -> object:
        return self if record is None else record._fields[self.name].read(record.address)

    def __set__(self, record: Record, value: object) -> None:
        record._fields[self.name].write(record.address, value)


class Layouts:
    """The layouts of all records.

    Args:
        shapes: the shapes of the records that have one.

    Attributes:
        key: identifies the layouts, identically in every process; "" if there are no shapes.
    """

    def __init__(self, shapes: Mapping[type[Record], Shape]) -> None:
        self._shapes, self._known = shapes, dict[type[Record], tuple[dict[str, Field], int]]()
        self._accesses: dict[type[Record], Accesses] = {}
        described = sorted((record.__qualname__, shape) for record, shape in shapes.items())
        self.key = hashlib.sha256(repr(described).encode()).hexdigest()[:8] if shapes else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layouts) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[Layouts], tuple[Mapping[type[Record], Shape]]]:
        return Layouts, (self._shapes,)

    def extended(self, shapes: Mapping[type[Record], Shape]) -> Layouts:
        """These layouts and those of further records with a shape."""
        return Layouts({**self._shapes, **shapes})

    def fields(self, record: type[Record]) -> dict[str, Field]:
        """The fields, by name. There are none after an unknown number of elements."""
        return self._of(record)[0]

    def size(self, record: type[Record]) -> int:
        """The size in bytes; 0 if unknown."""
        return self._of(record)[1]

    def accesses(self, record: type[Record]) -> Accesses:
        """Python's access to the fields, by name."""
        if record not in self._accesses:
            self._accesses[record] = Accesses({name: field.access(self) for name, field in self.fields(record).items()})
        return self._accesses[record]

    def element(self, declared: Declared, swapped: bool = False) -> Field:
        """An element of `Values` or `Records`, at offset 0."""
        kind = without_none(get_args(declared)[0])
        if origin_of(declared) is Records:
            return Field(kind, True, swapped, 0, self.size(kind))
        return Field(kind, False, swapped, 0, _stored(kind).itemsize)

    def _of(self, record: type[Record]) -> tuple[dict[str, Field], int]:
        if record not in self._known:
            self._known[record] = self._lay_out(record, self._shapes.get(record, Shape()))
        return self._known[record]

    def _lay_out(self, record: type[Record], shape: Shape) -> tuple[dict[str, Field], int]:
        fields, end, hints, swapped = dict[str, Field](), 0, get_type_hints(record), shape.byte_order != sys.byteorder
        for name in shape.offsets if issubclass(record, GuestRecord) else _declared_in(record):
            declared, inline = without_none(hints[name]), getattr(record, name).inline
            if inline is None:
                size = alignment = _stored(declared).itemsize
            elif isinstance(declared, type):
                size, alignment = self.size(declared), WORD
            else:
                stride = self.element(declared).size
                size, alignment = stride * shape.counts.get(name, inline.elements), min(stride or WORD, WORD)
            offset = shape.offsets.get(name, -(-end // alignment) * alignment)
            fields[name], end = Field(declared, inline is not None, swapped, offset, size), offset + size
            if not size:
                return fields, 0
        return fields, shape.size or end


def _declared_in(record: type[Record]) -> list[str]:
    """The names of a record's fields, starting with those of its base class."""
    classes = [one for one in reversed(record.__mro__) if isinstance(one, RecordClass) and one not in (Record, GuestRecord)]
    return [name for one in classes for name in vars(one).get("__annotations__", ())]


def origin_of(declared: Declared) -> object:
    """`Values` of `Values[u64]`."""
    return get_origin(declared)


def without_none(declared: Declared) -> Declared:
    """`A` of `A | None`."""
    if origin_of(declared) not in (Union, UnionType):
        return declared
    (kind,) = (one for one in get_args(declared) if one is not NoneType)
    return kind


def _stored(declared: Declared) -> np.dtype[np.generic]:
    """The type of number in which a value is stored that is not inline."""
    is_number = isinstance(declared, type) and issubclass(declared, np.integer)
    return np.dtype(declared) if is_number else np.dtype(np.uint64)


@functools.cache
def _c_type(declared: Declared) -> Any:  # of ctypes, by a number's kind
    stored: Any = _stored(declared)
    return np.ctypeslib.as_ctypes_type(stored)


def zeros(words: int) -> npt.NDArray[np.uint64]:
    """Zeros; large arrays get their own pages, which take memory only when they are used (and can be saved in snapshots)."""
    size = words * WORD
    if size < _LARGE:
        return np.zeros(words, np.uint64)
    return np.frombuffer(mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint64)


def _element_of(elements: Values[T] | Records[R_co]) -> tuple[int, _Access]:
    """The size in bytes of an element of `Values` or `Records`, and Python's access to it."""
    return _element_declared(elements.__orig_class__)  # type: ignore[union-attr]


@functools.cache
def _element_declared(declared: Declared) -> tuple[int, _Access]:
    element = HOST.element(declared)
    return element.size, element.access(HOST)


HOST = Layouts({})
"""The layouts of records without a `Shape`."""
