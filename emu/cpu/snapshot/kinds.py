# SPDX-License-Identifier: GPL-2.0-only
"""How each kind of Python object is saved: its own content, without that of the objects to which it refers.

Contents are compared by identity, so that the objects' own `__eq__` does not matter.
"""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import functools
import mmap
import operator
import random
import types
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from emu.cpu.snapshot.pages import PAGE, Memory, PageContents
from emu.native.records import Accesses, Layouts

__all__ = ["ATOMS", "MEMORY", "Kind", "Unsaveable", "kind_of", "memory_of"]

Thing = Any  # an object of any type, or its content, in the form of its kind

OURS = "emu"  # the package whose classes and functions are inspected


class Unsaveable(TypeError):
    """The machine has an object that cannot be saved, such as a running iterator."""


class Kind(NamedTuple):
    """How objects of some type are saved. Immutable types have no `copy`."""

    parts: Callable[[Thing], Iterable[object]]
    """parts(object) returns the objects to which it refers."""

    copy: Callable[[Thing], Thing] | None = None
    """copy(object) returns its content."""

    put_back: Callable[[Thing, Thing], None] = lambda thing, content: None
    """put_back(object, content) restores its content."""

    same: Callable[[Thing, Thing], bool] = lambda thing, content: True
    """same(object, content) returns whether the object still has that content."""


def _nothing(thing: object) -> tuple[object, ...]:
    return ()


ATOM = Kind(_nothing)


def _all_same(a: Iterable[object], b: Iterable[object]) -> bool:
    return all(map(operator.is_, a, b))


# Containers


def _refill_list(thing: Thing, content: Thing) -> None:
    thing[:] = content


def _refill(thing: Thing, content: Thing) -> None:
    thing.clear()
    thing.update(content)


def _refill_deque(thing: deque[object], content: deque[object]) -> None:
    thing.clear()
    thing.extend(content)


def _same_sequence(thing: Thing, content: Thing) -> bool:
    return len(thing) == len(content) and _all_same(thing, content)


def _same_mapping(thing: dict[Thing, object], content: dict[Thing, object]) -> bool:
    return len(thing) == len(content) and _all_same(thing, content) and _all_same(thing.values(), content.values())


def _parts_of_mapping(thing: Thing) -> Iterable[object]:
    return [*thing.keys(), *thing.values()]


def _iterated(thing: Thing) -> Iterable[object]:
    return list(thing)


def _same_bytes(thing: bytearray, content: bytes) -> bool:
    return thing == content


LIST = Kind(_iterated, list, _refill_list, _same_sequence)
DEQUE = Kind(_iterated, deque, _refill_deque, _same_sequence)
MAPPING = Kind(_parts_of_mapping, dict, _refill, _same_mapping)
WEAK_MAPPING = Kind(_parts_of_mapping, dict, _refill, lambda thing, content: _same_mapping(dict(thing), content))
SET = Kind(_iterated, set, _refill, _same_sequence)
BYTES = Kind(_nothing, bytes, _refill_list, _same_bytes)
IMMUTABLE = Kind(_iterated)


# Arrays. A view of another array's memory has no content of its own.


def _array_parts(thing: np.ndarray[Thing, Thing]) -> Iterable[object]:
    if thing.base is not None:
        return (thing.base,)
    return thing.ravel().tolist() if thing.dtype == object else ()


def _copy_array(thing: np.ndarray[Thing, Thing]) -> np.ndarray[Thing, Thing] | None:
    return thing.copy() if thing.base is None and thing.flags.writeable else None


def _refill_array(thing: np.ndarray[Thing, Thing], content: np.ndarray[Thing, Thing] | None) -> None:
    if content is not None:
        thing[...] = content


def _same_array(thing: np.ndarray[Thing, Thing], content: np.ndarray[Thing, Thing] | None) -> bool:
    if content is None:
        return True
    return np.array_equal(thing, content) if thing.dtype.kind in "biu" else thing.tobytes() == content.tobytes()


ARRAY = Kind(_array_parts, _copy_array, _refill_array, _same_array)


# Functions and their closures


def _function_parts(thing: types.FunctionType) -> Iterable[object]:
    if (thing.__module__ or "").partition(".")[0] != OURS:
        return ()  # belongs to a library, or to the machine's user
    return (*(thing.__closure__ or ()), *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values())


def _cell_parts(thing: types.CellType) -> Iterable[object]:
    return _copy_cell(thing)


def _copy_cell(thing: types.CellType) -> tuple[object, ...]:
    try:
        return (thing.cell_contents,)
    except ValueError:
        return ()  # an empty cell


def _refill_cell(thing: types.CellType, content: tuple[object, ...]) -> None:
    if content:
        (thing.cell_contents,) = content
    else:
        del thing.cell_contents


FUNCTION = Kind(_function_parts)
METHOD = Kind(lambda thing: (thing.__self__, thing.__func__))
PARTIAL = Kind(lambda thing: (thing.func, *thing.args, *thing.keywords.values()))
CELL = Kind(_cell_parts, _copy_cell, _refill_cell, lambda thing, content: _same_sequence(_copy_cell(thing), content))
RANDOM = Kind(_nothing, lambda r: r.getstate(), lambda r, state: r.setstate(state), lambda r, state: r.getstate() == state)
C_DATA = Kind(
    _nothing,
    bytes,
    lambda thing, content: memoryview(thing).cast("B").__setitem__(slice(None), content),
    lambda thing, content: bytes(thing) == content,
)


# Memory of the host, in whole pages


def memory_of(thing: Thing) -> Memory:
    """The memory of an object of kind MEMORY."""
    address = np.frombuffer(thing, np.uint8).ctypes.data
    if address % PAGE:
        raise Unsaveable(f"a {type(thing).__name__} that is not made of whole pages")
    return Memory(address, -(-len(memoryview(thing).cast("B")) // PAGE) * PAGE)


def _save_memory(thing: Thing) -> PageContents:
    memory = memory_of(thing)
    return memory.save(memory.used())


def _refill_memory(thing: Thing, content: PageContents) -> None:
    memory_of(thing).put_back_alone(content)


MEMORY = Kind(_nothing, _save_memory, _refill_memory)


# Objects of our own classes: their attributes


def _attributes_kind(cls: type) -> Kind:
    """The kind of a class whose objects have their attributes in a dictionary, in slots, or in both."""
    if dropped := getattr(cls, "not_saved", ()):
        return _without(dropped)
    slots = [name for base in cls.__mro__ for name in _slots(base)]
    if not slots:
        return Kind(lambda thing: vars(thing).values(), _copy_attributes, _refill_attributes, _same_attributes)
    if cls.__dictoffset__:
        raise Unsaveable(f"a {cls.__name__}, which has attributes in slots and in a dictionary")

    def values(thing: object) -> dict[str, object]:
        return {name: getattr(thing, name) for name in slots if hasattr(thing, name)}

    def put_back(thing: object, content: dict[str, object]) -> None:
        for name in slots:
            if name in content:
                object.__setattr__(thing, name, content[name])
            elif hasattr(thing, name):
                object.__delattr__(thing, name)

    return Kind(
        lambda thing: values(thing).values(), values, put_back, lambda thing, content: _same_mapping(values(thing), content)
    )


def _without(dropped: tuple[str, ...]) -> Kind:
    """The kind of objects that are restored without some of their attributes, which become None."""

    def copy(thing: object) -> dict[str, object]:
        return {name: value for name, value in vars(thing).items() if name not in dropped}

    def put_back(thing: object, content: dict[str, object]) -> None:
        _refill(vars(thing), content | dict.fromkeys(dropped))

    return Kind(lambda thing: copy(thing).values(), copy, put_back, lambda thing, content: _same_mapping(copy(thing), content))


def _slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _copy_attributes(thing: object) -> dict[str, object]:
    return vars(thing).copy()


def _refill_attributes(thing: object, content: dict[str, object]) -> None:
    _refill(vars(thing), content)


def _same_attributes(thing: object, content: dict[str, object]) -> bool:
    return _same_mapping(vars(thing), content)


_KINDS: dict[type, Kind] = {
    list: LIST, dict: MAPPING, set: SET, deque: DEQUE, bytearray: BYTES, OrderedDict: MAPPING, defaultdict: MAPPING,
    weakref.WeakKeyDictionary: WEAK_MAPPING, weakref.WeakValueDictionary: WEAK_MAPPING,
    tuple: IMMUTABLE, frozenset: IMMUTABLE, types.MappingProxyType: Kind(_parts_of_mapping),
    types.FunctionType: FUNCTION, types.MethodType: METHOD, functools.partial: PARTIAL, types.CellType: CELL,
    np.ndarray: ARRAY, random.Random: RANDOM, memoryview: Kind(lambda thing: (thing.obj,)),
}  # fmt: skip

# Objects without content, objects of the process rather than a machine, and what is saved elsewhere (memory, CPUs).
_WITHOUT_CONTENT = (
    int, str, bytes, float, complex, type(None), type, slice, range, enum.Enum, np.generic, np.dtype,
    types.ModuleType, types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType, types.EllipsisType,
    types.MethodDescriptorType, property, weakref.ref, functools._lru_cache_wrapper, ExitStack, BaseException, Layouts, Accesses,
    ctypes._CFuncPtr,  # type: ignore[attr-defined]
)  # fmt: skip
_PROCESS_WIDE = ("unicorn", "capstone", "keystone", "llvmlite", "numba", "elftools", "pathlib", "re", "struct", "typing", "numpy")


ATOMS = frozenset({int, str, bytes, float, bool, type(None), type, np.uint64, np.int64})
"""The most common types without content."""


def kind_of(cls: type) -> Kind:
    """The kind of a class's objects.

    Raises:
        Unsaveable: such objects cannot be saved.
    """
    kind = _KINDS.get(cls)
    if kind is None:
        kind = _KINDS[cls] = _find_kind(cls)
    return kind


def _find_kind(cls: type) -> Kind:
    if issubclass(cls, _WITHOUT_CONTENT) or cls is object:
        return ATOM
    if issubclass(cls, mmap.mmap | ctypes.Array):
        return MEMORY
    if issubclass(cls, ctypes._SimpleCData):
        return C_DATA
    if any(base.__module__.partition(".")[0] == "numba" for base in cls.__mro__):  # a compiled function
        return ATOM
    if any(base.__module__.partition(".")[0] == OURS for base in cls.__mro__):
        return _of_ours(cls)
    if cls.__module__.partition(".")[0] in _PROCESS_WIDE:
        return ATOM
    raise Unsaveable(f"a {cls.__module__}.{cls.__qualname__}".replace("builtins.", ""))


def _of_ours(cls: type) -> Kind:
    if issubclass(cls, tuple | frozenset):
        return IMMUTABLE
    if issubclass(cls, list | dict | set | deque | bytearray):
        raise Unsaveable(f"a {cls.__name__}, which is a container with attributes")
    if dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        names = [field.name for field in dataclasses.fields(cls)]
        return Kind(lambda thing: [getattr(thing, name) for name in names])
    return _attributes_kind(cls)
