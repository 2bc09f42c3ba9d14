# SPDX-License-Identifier: GPL-2.0-only
"""Emits accesses to memory. Lifted code reads all of the guest's memory, and reads and writes its own area."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import llvmlite.ir as ir

from emu.ftrace.native.trace_records import TraceArray
from emu.linux.lift.area import ABOVE, STACK, Area, offset_of
from emu.linux.lift.native import Helpers
from emu.linux.memory import LinuxMemory
from emu.native.cache import Untyped
from emu.native.records import HOST

__all__ = ["I1", "I64", "POINTER", "Memory", "integer"]

I1, I64 = ir.IntType(1), ir.IntType(64)
POINTER = ir.PointerType()
_NOWHERE = 1 << 63  # no address
_LARGEST = 8  # bytes of an access
_AREA, _RAM, _ARRAY = "emu_area", "emu_ram", "emu_array"


def integer(size: int) -> ir.IntType:
    """The type of a number of `size` bytes."""
    return ir.IntType(8 * size)


class Memory:
    """What the guest's memory is for lifted code. Addresses of the host are symbols in it, so that it can be kept on disk.

    Args:
        guest: the kernel's memory.
        array: the top trace array.
        area: the memory of lifted code.
        helpers: the functions that it calls.

    Attributes:
        symbols: the addresses, by their symbols.
    """

    def __init__(self, guest: LinuxMemory, array: TraceArray, area: Area, helpers: Helpers) -> None:
        self._guest, self._array = guest, array
        self.symbols: Mapping[str, int] = {
            _AREA: area.address, _RAM: array.ram, _ARRAY: array.address,
            **{f"emu_{name}": getattr(helpers, name).address for name in Helpers._fields},
        }  # fmt: skip

    def place(self, builder: ir.IRBuilder, member: str, offset: int = 0) -> ir.Value:
        """The address of a member of the area."""
        return builder.add(self._symbol(builder, _AREA), I64(offset_of(member) + offset))

    def put(self, builder: ir.IRBuilder, value: ir.Value, member: str, offset: int = 0) -> None:
        """Stores a number in the area."""
        builder.store(value, builder.inttoptr(self.place(builder, member, offset), POINTER))

    def get(self, builder: ir.IRBuilder, member: str, offset: int = 0) -> ir.Value:
        """A word of the area."""
        return builder.load(builder.inttoptr(self.place(builder, member, offset), POINTER), typ=I64)

    @staticmethod
    def _symbol(builder: ir.IRBuilder, name: str) -> ir.Value:
        """An address of the host."""
        found: Untyped = builder.module.globals.get(name)
        if found is None:
            found = ir.GlobalVariable(builder.module, ir.IntType(8), name)
            found.linkage = "external"
        return builder.ptrtoint(found, I64)

    def load(self, builder: ir.IRBuilder, address: ir.Value, size: int, stack: ir.Value | None = None) -> ir.Value:
        """The number of `size` bytes at an address. `stack`: see `begin_stack`."""
        if isinstance(address, ir.Constant):
            return self._load_constant(builder, address, size)
        if stack is not None:
            function = self._function(builder, f"stack_load{size}", integer(size), [I64, I64], self._make_stack_load(size))
            return builder.call(function, [address, stack])
        return builder.call(self._function(builder, f"load{size}", integer(size), [I64], self._make_load(size)), [address])

    def store(self, builder: ir.IRBuilder, address: ir.Value, value: ir.Value, stack: ir.Value | None = None) -> None:
        """Stores a number. Only the area can be written to: the code fails otherwise. `stack`: see `begin_stack`."""
        size = value.type.width // 8
        if stack is not None:
            kinds = [I64, value.type, I64]
            function = self._function(builder, f"stack_store{size}", ir.VoidType(), kinds, self._make_stack_store(size))
            builder.call(function, [address, value, stack])
            return
        name, kinds = f"store{size}", [I64, value.type]
        builder.call(self._function(builder, name, ir.VoidType(), kinds, self._make_store(size)), [address, value])

    def begin_stack(self, builder: ir.IRBuilder, pointer: ir.Value | None) -> ir.Value | None:
        """Lifted code begins on the guest's stack, given by the pointer, and stores there. What it stores is kept in the area:
        below the pointer, `stack` has the place of the guest's, whose contents are nothing. None: it stores nothing there.

        Returns:
            the argument for `load` and `store`.
        """
        start = I64(_NOWHERE) if pointer is None else builder.sub(pointer, I64(STACK))
        self.put(builder, start, "stack_start")
        if pointer is not None:
            fill = builder.module.declare_intrinsic("llvm.memset", [POINTER, I64])
            stored = builder.inttoptr(self.place(builder, "stored"), POINTER)
            builder.call(fill, [stored, ir.IntType(8)(0), I64(ABOVE), I1(0)])
        return pointer

    def fail(self, builder: ir.IRBuilder) -> None:
        """The code has failed."""
        self.put(builder, I64(1), "failed")

    def failed(self, builder: ir.IRBuilder) -> ir.Value:
        """Whether it has."""
        return builder.icmp_unsigned("!=", self.get(builder, "failed"), I64(0))

    def helper(self, builder: ir.IRBuilder, name: str, *arguments: ir.Value) -> ir.Value:
        """Calls one of `Helpers`. `arguments`: those after the area."""
        result = ir.VoidType() if name in ("copy", "fill") else I64
        symbol = f"emu_{name}"
        function: Untyped = builder.module.globals.get(symbol)
        if function is None:
            function = ir.Function(builder.module, ir.FunctionType(result, [I64] * (2 + len(arguments))), symbol)
        return builder.call(function, [self._symbol(builder, _ARRAY), self._symbol(builder, _AREA), *arguments])

    def _load_constant(self, builder: ir.IRBuilder, address: ir.Constant, size: int) -> ir.Value:
        try:
            offset = self._guest.host_address(address.constant & (1 << 64) - 1) - self._array.ram
        except LookupError:
            self.fail(builder)
            return integer(size)(0)
        place = builder.add(self._symbol(builder, _RAM), I64(offset))
        return builder.load(builder.inttoptr(place, POINTER), align=1, typ=integer(size))

    def _function(
        self, builder: ir.IRBuilder, name: str, result: ir.Type, kinds: list[ir.Type], make: Callable[[ir.Function], None]
    ) -> ir.Function:
        """A function of the module, which is made when it is first needed."""
        found: Untyped = builder.module.globals.get(name)
        if found is None:
            found = ir.Function(builder.module, ir.FunctionType(result, kinds), name)
            found.linkage = "internal"
            found.attributes.add("alwaysinline")
            make(found)
        return found

    @staticmethod
    def _is_in(
        builder: ir.IRBuilder, address: ir.Value, start: ir.Value, size: int, access: int
    ) -> tuple[ir.Value, ir.Value]:
        """Whether an access is in a range of addresses, and its offset there."""
        offset = builder.sub(address, start)
        return builder.icmp_unsigned("<=", offset, I64(size - access)), offset

    def _make_load(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            (address,) = function.args
            blocks = (function.append_basic_block(name) for name in ("begin", "own", "rest", "direct", "far"))
            begin, own, rest, direct, far = blocks
            builder = ir.IRBuilder(begin)
            is_own, _ = self._is_in(builder, address, self._symbol(builder, _AREA), HOST.size(Area), size)
            builder.cbranch(is_own, own, rest)
            builder.position_at_end(own)
            builder.ret(builder.load(builder.inttoptr(address, POINTER), align=1, typ=integer(size)))
            builder.position_at_end(rest)
            array = self._array
            is_direct, offset = self._is_in(builder, address, I64(array.direct_start), array.ram_size, size)
            builder.cbranch(is_direct, direct, far)
            builder.position_at_end(direct)
            place = builder.add(offset, self._symbol(builder, _RAM))
            builder.ret(builder.load(builder.inttoptr(place, POINTER), align=1, typ=integer(size)))
            builder.position_at_end(far)
            found = self.helper(builder, "load", address, I64(size))
            builder.ret(found if size == _LARGEST else builder.trunc(found, integer(size)))

        return make

    def _make_store(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            address, value = function.args
            begin, own, wrong = (function.append_basic_block(name) for name in ("begin", "own", "wrong"))
            builder = ir.IRBuilder(begin)
            is_own, _ = self._is_in(builder, address, self._symbol(builder, _AREA), HOST.size(Area), size)
            builder.cbranch(is_own, own, wrong)
            builder.position_at_end(own)
            builder.store(value, builder.inttoptr(address, POINTER), align=1)
            builder.ret_void()
            builder.position_at_end(wrong)
            self.fail(builder)
            builder.ret_void()

        return make

    def _make_stack_load(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            builder, address, offset, elsewhere = self._begin_stack_access(function, size)
            builder.ret(self._load_at(builder, "stack", offset, size))
            builder.position_at_end(elsewhere["above"])
            guest, above = self.load(builder, address, size), builder.sub(offset, I64(STACK))
            stored, values = (self._load_at(builder, member, above, size) for member in ("stored", "above"))
            builder.ret(builder.or_(builder.and_(guest, builder.not_(stored)), builder.and_(values, stored)))
            builder.position_at_end(elsewhere["across"])
            self.fail(builder)
            builder.ret(integer(size)(0))
            builder.position_at_end(elsewhere["other"])
            builder.ret(self.load(builder, address, size))

        return make

    def _make_stack_store(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            builder, address, offset, elsewhere = self._begin_stack_access(function, size)
            value = function.args[1]
            self._store_at(builder, "stack", offset, value)
            builder.ret_void()
            builder.position_at_end(elsewhere["above"])
            above = builder.sub(offset, I64(STACK))
            self._store_at(builder, "above", above, value)
            self._store_at(builder, "stored", above, value.type((1 << 8 * size) - 1))
            builder.ret_void()
            builder.position_at_end(elsewhere["across"])
            self.fail(builder)
            builder.ret_void()
            builder.position_at_end(elsewhere["other"])
            self.store(builder, address, value)
            builder.ret_void()

        return make

    def _begin_stack_access(
        self, function: ir.Function, size: int
    ) -> tuple[ir.IRBuilder, ir.Value, ir.Value, Mapping[str, ir.Block]]:
        """Looks where an address is. The builder is where it is below the pointer. The offset is that from the stack's begin."""
        address, pointer = function.args[0], function.args[-1]
        names = ("begin", "below", "rest", "above", "outside", "across", "other")
        blocks = {name: function.append_basic_block(name) for name in names}
        builder = ir.IRBuilder(blocks["begin"])
        start = builder.sub(pointer, I64(STACK))
        is_below, offset = self._is_in(builder, address, start, STACK, size)
        builder.cbranch(is_below, blocks["below"], blocks["rest"])
        builder.position_at_end(blocks["rest"])
        is_above, _ = self._is_in(builder, address, pointer, ABOVE, size)
        builder.cbranch(is_above, blocks["above"], blocks["outside"])
        builder.position_at_end(blocks["outside"])
        is_across = builder.icmp_unsigned("<", builder.add(offset, I64(size)), I64(STACK + ABOVE + 2 * size))
        builder.cbranch(is_across, blocks["across"], blocks["other"])
        builder.position_at_end(blocks["below"])
        return builder, address, offset, blocks

    def _load_at(self, builder: ir.IRBuilder, member: str, offset: ir.Value, size: int) -> ir.Value:
        place = builder.add(self.place(builder, member), offset)
        return builder.load(builder.inttoptr(place, POINTER), align=1, typ=integer(size))

    def _store_at(self, builder: ir.IRBuilder, member: str, offset: ir.Value, value: ir.Value) -> None:
        place = builder.add(self.place(builder, member), offset)
        builder.store(value, builder.inttoptr(place, POINTER), align=1)
