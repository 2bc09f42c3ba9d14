# SPDX-License-Identifier: GPL-2.0-only
"""Loads and stores at raw host addresses, and calls through them, for code compiled by numba.

Every address is a `uint64` that the caller was given: none may be a Python global, because numba's disk cache
bakes globals into the machine code that the next process loads.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = [
    "Accessors", "call_handler", "call_test", "in_byte_order",
    "load_i32", "load_u8", "load_u16", "load_u32", "load_u64",
    "store_u8", "store_u16", "store_u32", "store_u64",
    "unlikely",
]  # fmt: skip


def _load(numba_type: Any, bits: int, swapped: bool = False) -> Any:
    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.load(builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))
            return builder.bswap(value) if swapped else value

        return numba_type(types.uint64), codegen

    return load


def _store(numba_type: Any, bits: int, swapped: bool = False) -> Any:
    @intrinsic
    def store(typing_context: Any, address: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.bswap(args[1]) if swapped else args[1]
            builder.store(value, builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))
            return context.get_dummy_value()

        return types.void(types.uint64, numba_type), codegen

    return store


load_u8 = _load(types.uint8, 8)
load_u16 = _load(types.uint16, 16)
load_u32 = _load(types.uint32, 32)
load_i32 = _load(types.int32, 32)
load_u64 = _load(types.uint64, 64)
store_u8 = _store(types.uint8, 8)
store_u16 = _store(types.uint16, 16)
store_u32 = _store(types.uint32, 32)
store_u64 = _store(types.uint64, 64)


class Accessors(NamedTuple):
    """The functions above for memory with a given byte order, whatever the host's is."""

    load_u16: Any
    load_u32: Any
    load_i32: Any
    load_u64: Any
    store_u32: Any
    store_u64: Any
    byte_order: Literal["little", "big"]


def in_byte_order(byte_order: Literal["little", "big"]) -> Accessors:
    """The accesses to memory with that byte order."""
    swapped = byte_order != sys.byteorder
    return Accessors(
        load_u16=_load(types.uint16, 16, swapped),
        load_u32=_load(types.uint32, 32, swapped),
        load_i32=_load(types.int32, 32, swapped),
        load_u64=_load(types.uint64, 64, swapped),
        store_u32=_store(types.uint32, 32, swapped),
        store_u64=_store(types.uint64, 64, swapped),
        byte_order=byte_order,
    )


@intrinsic
def call_handler(typing_context: Any, function: Any, first: Any, second: Any) -> Any:
    """`((void (*)(uint64_t, uint64_t))function)(first, second)`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        target = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [word, word]).as_pointer())
        builder.call(target, [args[1], args[2]])
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), codegen


@intrinsic
def call_test(typing_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
    """`((uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))function)(a, b, c, d, e, f)`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        target = builder.inttoptr(args[0], ir.FunctionType(word, [word] * 6).as_pointer())
        return builder.call(target, args[1:])

    return types.uint64(*[types.uint64] * 7), codegen


@intrinsic
def unlikely(typing_context: Any, condition: Any) -> Any:
    """`condition`, of which the compiler is told that it is rarely true."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [args[0], bit(0)])

    return types.boolean(types.boolean), codegen
