# SPDX-License-Identifier: GPL-2.0-only
"""Emits accesses to memory. Lifted code reads all of the guest's memory, and reads and writes its own area."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.ir as ir

from emu.ftrace.native.trace_records import TraceArray
from emu.linux.lift.area import Area, place
from emu.linux.lift.native import Helpers
from emu.linux.memory import LinuxMemory
from emu.native.cache import Untyped
from emu.native.records import HOST

__all__ = ["I1", "I64", "POINTER", "Memory", "integer"]

I1, I64 = ir.IntType(1), ir.IntType(64)
POINTER = ir.PointerType()
_LARGEST = 8  # bytes of an access


def integer(size: int) -> ir.IntType:
    """The type of a number of `size` bytes."""
    return ir.IntType(8 * size)


class Memory:
    """What the guest's memory is for lifted code.

    Args:
        guest: the kernel's memory.
        array: the top trace array.
        area: the memory of lifted code.
        helpers: the functions that it calls.
    """

    def __init__(self, guest: LinuxMemory, array: TraceArray, area: Area, helpers: Helpers) -> None:
        self._guest, self._array, self.area, self._helpers = guest, array, area, helpers
        self._failed = place(area, "failed")

    def load(self, builder: ir.IRBuilder, address: ir.Value, size: int) -> ir.Value:
        """The number of `size` bytes at an address."""
        if isinstance(address, ir.Constant):
            return self._load_constant(builder, address, size)
        return builder.call(self._function(builder, f"load{size}", integer(size), [I64], self._make_load(size)), [address])

    def store(self, builder: ir.IRBuilder, address: ir.Value, value: ir.Value) -> None:
        """Stores a number. Only the area can be written to: the code fails otherwise."""
        size = value.type.width // 8
        name, kinds = f"store{size}", [I64, value.type]
        builder.call(self._function(builder, name, ir.VoidType(), kinds, self._make_store(size)), [address, value])

    def fail(self, builder: ir.IRBuilder) -> None:
        """The code has failed."""
        builder.store(I64(1), builder.inttoptr(I64(self._failed), POINTER))

    def failed(self, builder: ir.IRBuilder) -> ir.Value:
        """Whether it has."""
        return builder.icmp_unsigned("!=", builder.load(builder.inttoptr(I64(self._failed), POINTER), typ=I64), I64(0))

    def helper(self, builder: ir.IRBuilder, name: str, *arguments: ir.Value) -> ir.Value:
        """Calls one of `Helpers`. `arguments`: those after the area."""
        result = ir.VoidType() if name in ("copy", "fill") else I64
        kind = ir.FunctionType(result, [I64] * (2 + len(arguments)))
        function = builder.inttoptr(I64(getattr(self._helpers, name).address), kind.as_pointer())
        return builder.call(function, [I64(self._array.address), I64(self.area.address), *arguments])

    def _load_constant(self, builder: ir.IRBuilder, address: ir.Constant, size: int) -> ir.Value:
        value: int = address.constant & (1 << 64) - 1
        if not 0 <= value - self.area.address < HOST.size(Area):
            try:
                value = self._guest.host_address(value)
            except LookupError:
                self.fail(builder)
                return integer(size)(0)
        return builder.load(builder.inttoptr(I64(value), POINTER), align=1, typ=integer(size))

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

    def _is_in(self, builder: ir.IRBuilder, address: ir.Value, start: int, size: int, access: int) -> tuple[ir.Value, ir.Value]:
        """Whether an access is in a range of addresses, and its offset there."""
        offset = builder.sub(address, I64(start))
        return builder.icmp_unsigned("<=", offset, I64(size - access)), offset

    def _make_load(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            (address,) = function.args
            blocks = (function.append_basic_block(name) for name in ("begin", "own", "rest", "direct", "far"))
            begin, own, rest, direct, far = blocks
            builder = ir.IRBuilder(begin)
            is_own, _ = self._is_in(builder, address, self.area.address, HOST.size(Area), size)
            builder.cbranch(is_own, own, rest)
            builder.position_at_end(own)
            builder.ret(builder.load(builder.inttoptr(address, POINTER), align=1, typ=integer(size)))
            builder.position_at_end(rest)
            array = self._array
            is_direct, offset = self._is_in(builder, address, array.direct_start, array.ram_size, size)
            builder.cbranch(is_direct, direct, far)
            builder.position_at_end(direct)
            builder.ret(builder.load(builder.inttoptr(builder.add(offset, I64(array.ram)), POINTER), align=1, typ=integer(size)))
            builder.position_at_end(far)
            found = self.helper(builder, "load", address, I64(size))
            builder.ret(found if size == _LARGEST else builder.trunc(found, integer(size)))

        return make

    def _make_store(self, size: int) -> Callable[[ir.Function], None]:
        def make(function: ir.Function) -> None:
            address, value = function.args
            begin, own, wrong = (function.append_basic_block(name) for name in ("begin", "own", "wrong"))
            builder = ir.IRBuilder(begin)
            is_own, _ = self._is_in(builder, address, self.area.address, HOST.size(Area), size)
            builder.cbranch(is_own, own, wrong)
            builder.position_at_end(own)
            builder.store(value, builder.inttoptr(address, POINTER), align=1)
            builder.ret_void()
            builder.position_at_end(wrong)
            self.fail(builder)
            builder.ret_void()

        return make
