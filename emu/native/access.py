# SPDX-License-Identifier: GPL-2.0-only
# mypy: disable-error-code="misc, untyped-decorator"
"""numba's types for those of `native.records`, and loads and stores.

    Pointer     a record: its address
    Elements    `Values` and `Records`: the address of the first element

numba has no type annotations: its decorators and base classes are not checked here.
"""

from __future__ import annotations

import operator
import typing
from collections.abc import Callable
from types import NoneType
from typing import get_args, get_type_hints

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.np.numpy_support import from_dtype

from emu.native.cache import Untyped
from emu.native.records import HOST, Field, Layouts, RecordClass, Records, Values, origin_of, without_none

__all__ = ["Elements", "Pointer", "layouts_here", "type_of"]

WORD = ir.IntType(64)


class Pointer(types.Type):
    """numba's type of a record."""

    def __init__(self, record: Untyped, layouts: Layouts) -> None:
        self.record, self.layouts = record, layouts
        super().__init__(record.__name__ + layouts.key)

    @property
    def key(self) -> Untyped:
        return self.record, self.layouts.key

    def can_convert_from(self, context: Untyped, other: Untyped) -> Untyped:
        """The types that may be passed, returned or stored where such a record is declared."""
        same = other in (types.none, types.uint64) or (isinstance(other, Pointer) and issubclass(other.record, self.record))
        return Conversion.safe if same else None


class Elements(types.Type):
    """numba's type of `Values` and `Records`. `layouts`: of the records among them; numbers have none."""

    def __init__(self, element: Field, layouts: Layouts) -> None:
        self.element = element._replace(swapped=element.swapped and element.size > 1)
        self.layouts = layouts if isinstance(element.declared, RecordClass) else HOST
        super().__init__(f"{element.declared}{self.layouts.key}[]{element.size}{'swapped' if self.element.swapped else ''}")

    @property
    def key(self) -> Untyped:
        return self.element, self.layouts.key

    def can_convert_from(self, context: Untyped, other: Untyped) -> Untyped:
        same = other in (types.none, types.uint64) or (isinstance(other, Elements) and other.element == self.element)
        return Conversion.safe if same else None


def type_of(declared: Untyped, layouts: Layouts, swapped: bool = False) -> Untyped:
    """numba's type for the declared type of a field, an argument or a result."""
    declared = without_none(declared)
    if isinstance(declared, RecordClass):
        return Pointer(declared, layouts)
    origin, arguments = origin_of(declared), get_args(declared)
    if origin is tuple:
        return types.Tuple([type_of(one, layouts) for one in arguments])
    if isinstance(declared, type) and issubclass(declared, tuple):  # a NamedTuple
        return types.BaseTuple.from_types([type_of(one, layouts) for one in get_type_hints(declared).values()], declared)
    if origin is Callable:
        # Equal for all layouts: such a function may be passed between functions compiled for different layouts.
        return types.ExternalFunctionPointer(signature(*(type_of(one, HOST) for one in (arguments[1], *arguments[0]))), None)
    if origin in (Values, Records):
        return Elements(layouts.element(declared, swapped), layouts)
    return types.none if declared in (None, NoneType) else from_dtype(np.dtype(declared))


def _loaded(field: Field, layouts: Layouts) -> Untyped:
    """numba's type of a field's value in native code."""
    kind = type_of(field.declared, layouts, field.swapped)
    return types.Integer.from_bitwidth(64, kind.signed) if isinstance(kind, types.Integer) else kind


def layouts_here() -> Layouts:
    """The layouts for which the present function is being compiled."""
    stack = cpu_target.typing_context.callstack
    return getattr(stack[0].func_id.func, "layouts", HOST) if len(stack) else HOST


# Loads and stores


def _load(context: Untyped, builder: Untyped, field: Field, kind: Untyped, place: Untyped) -> Untyped:
    """Loads the field or element at address `place`. `kind`: its type in native code."""
    if field.is_inline:
        return place
    bits = 8 * field.stored.itemsize
    value = builder.load(builder.inttoptr(place, ir.IntType(bits).as_pointer()))
    if field.swapped and bits > 8:
        value = builder.bswap(value)
    if kind == types.boolean:
        return builder.icmp_unsigned("!=", value, WORD(0))
    if isinstance(kind, types.ExternalFunctionPointer):
        return builder.inttoptr(value, context.get_value_type(kind))
    return (builder.sext if getattr(kind, "signed", False) else builder.zext)(value, WORD)


def _store(builder: Untyped, field: Field, kind: Untyped, place: Untyped, value: Untyped) -> None:
    """Stores a value in the form that `_load` returns."""
    bits = ir.IntType(8 * field.stored.itemsize)
    if isinstance(kind, types.ExternalFunctionPointer):
        value = builder.ptrtoint(value, bits)
    else:
        value = builder.zext(value, bits) if kind == types.boolean else builder.trunc(value, bits)
    if field.swapped and bits.width > 8:
        value = builder.bswap(value)
    builder.store(value, builder.inttoptr(place, bits.as_pointer()))


@extending.register_model(Pointer)
@extending.register_model(Elements)
class _Address(extending.models.PrimitiveModel):
    def __init__(self, manager: Untyped, kind: Untyped) -> None:
        super().__init__(manager, kind, WORD)


@extending.typeof_impl.register(RecordClass)
@extending.typeof_impl.register(typing._GenericAlias)  # type: ignore[attr-defined]  # Values[u64], Records[Block]
def _type_of_class(declared: Untyped, context: Untyped) -> Untyped:
    """Makes a record, or elements, from an address."""
    return types.NumberClass(type_of(declared, layouts_here()))


@extending.lower_cast(Pointer, Pointer)
@extending.lower_cast(Elements, Elements)
@extending.lower_cast(Elements, Elements)
@extending.lower_cast(types.uint64, Pointer)
@extending.lower_cast(types.uint64, Elements)
@extending.lower_cast(types.int64, Elements)
def _same_address(context: Untyped, builder: Untyped, source: Untyped, target: Untyped, value: Untyped) -> Untyped:
    return value


@extending.lower_cast(types.NoneType, Pointer)
@extending.lower_cast(types.NoneType, Elements)
@extending.lower_cast(types.NoneType, types.ExternalFunctionPointer)
def _none(context: Untyped, builder: Untyped, source: Untyped, target: Untyped, value: Untyped) -> Untyped:
    return ir.Constant(context.get_value_type(target), None)


@extending.lower_builtin(operator.is_, Pointer, Pointer)
@extending.lower_builtin(operator.is_, Elements, Elements)
def _is(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped) -> Untyped:
    return builder.icmp_unsigned("==", *args)


@extending.lower_builtin(operator.is_, Pointer, types.NoneType)
@extending.lower_builtin(operator.is_, Elements, types.NoneType)
@extending.lower_builtin(operator.is_, types.ExternalFunctionPointer, types.NoneType)
def _is_none(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped) -> Untyped:
    return builder.icmp_unsigned("==", args[0], ir.Constant(args[0].type, None))


@extending.unbox(Pointer)
@extending.unbox(Elements)
def _from_python(kind: Untyped, address: Untyped, c: Untyped) -> Untyped:
    return c.unbox(types.uint64, address)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Pointer

    def generic_resolve(self, pointer: Untyped, name: str) -> Untyped:
        field = pointer.layouts.fields(pointer.record).get(name)
        return types.uint64 if name == "address" else field and _loaded(field, pointer.layouts)


@infer_getattr
class _Place(AttributeTemplate):
    key = Elements

    def resolve_address(self, elements: Untyped) -> Untyped:
        return types.uint64


def _place(builder: Untyped, pointer: Untyped, address: Untyped, name: str) -> tuple[Field, Untyped, Untyped]:
    field = pointer.layouts.fields(pointer.record)[name]
    return field, _loaded(field, pointer.layouts), builder.add(address, WORD(field.offset))


@extending.lower_getattr_generic(Pointer)
def _get(context: Untyped, builder: Untyped, pointer: Untyped, address: Untyped, name: str) -> Untyped:
    return address if name == "address" else _load(context, builder, *_place(builder, pointer, address, name))


@extending.lower_getattr(Elements, "address")
def _get_address(context: Untyped, builder: Untyped, elements: Untyped, address: Untyped) -> Untyped:
    return address


@extending.lower_setattr_generic(Pointer)
def _set(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped, name: str) -> None:
    _store(builder, *_place(builder, sig.args[0], args[0], name), args[1])


class _Item(AbstractTemplate):
    def generic(self, args: Untyped, kws: Untyped) -> Untyped:
        elements = args[0]
        if not isinstance(elements, Elements):
            return None
        loaded = _loaded(elements.element, elements.layouts)
        return signature(types.none, elements, types.uint64, loaded) if args[2:] else signature(loaded, elements, types.uint64)


for _operation in operator.getitem, operator.setitem:
    infer_global(_operation)(type("Item", (_Item,), {"key": _operation}))


def _item(builder: Untyped, sig: Untyped, args: Untyped) -> tuple[Field, Untyped, Untyped]:
    elements = sig.args[0]
    place = builder.add(args[0], builder.mul(args[1], WORD(elements.element.size)))
    return elements.element, _loaded(elements.element, elements.layouts), place


@extending.lower_builtin(operator.getitem, Elements, types.uint64)
def _get_item(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped) -> Untyped:
    return _load(context, builder, *_item(builder, sig, args))


@extending.lower_builtin(operator.setitem, Elements, types.uint64, types.Any)
def _set_item(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped) -> None:
    _store(builder, *_item(builder, sig, args), args[2])
