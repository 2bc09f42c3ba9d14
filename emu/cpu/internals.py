# SPDX-License-Identifier: GPL-2.0-only
"""Where Unicorn keeps what its public interface does not show, found by probing.

A CPU's `uc_struct` points to its CPUState, which holds the architectural state (`env`). Offsets differ between builds, so
nothing here is taken on trust: values written through the public interface are searched for, and a trap is
taken to see that the exception fields are where they should be.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import unicorn
import unicorn.unicorn_py3.unicorn as binding

__all__ = ["LIBRARY", "UnknownUnicorn", "add_native_hook", "address_of", "handle_of", "peek", "probing_memory"]

LIBRARY = binding.uclib


class UnknownUnicorn(RuntimeError):
    """This build of Unicorn is not laid out as the emulator expects; the message says what was not found."""

    def __init__(self, what: str) -> None:
        super().__init__(f"unicorn {unicorn.__version__}: {what}; emu needs the pinned version")


def address_of(symbol: str) -> int:
    """The address of a function that Unicorn's library exports."""
    try:
        function = getattr(LIBRARY, symbol)
    except AttributeError:
        raise UnknownUnicorn(f"the library has no {symbol}") from None
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def handle_of(uc: unicorn.Uc) -> int:
    """The address of a Uc's `struct uc_struct`."""
    handle = uc._uch  # the binding has no public name for it
    return int(getattr(handle, "value", handle))


@contextmanager
def probing_memory() -> Iterator[int]:
    """A descriptor of this process's memory: a wild pointer read through it gives b'', not a crash."""
    descriptor = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def peek(descriptor: int, address: int, size: int) -> bytes:
    """Up to `size` bytes at `address`, fewer where memory ends."""
    try:
        return os.pread(descriptor, size, address)
    except (OSError, OverflowError):
        return b""


def add_native_hook(uc: unicorn.Uc, kind: int, function: int, data: int, *instruction: int) -> None:
    """Adds a native hook for all addresses; the Python binding would put a Python frame around it.

    Args:
        kind: UC_HOOK_BLOCK, or UC_HOOK_INSN with the instruction.
        function: address of the callback. Callbacks of one kind run in the order in which they were added.
        data: what it gets as its user pointer.
    """
    handle = ctypes.c_size_t()
    error = LIBRARY.uc_hook_add(
        uc._uch,
        ctypes.byref(handle),
        ctypes.c_int(kind),
        ctypes.c_void_p(function),
        ctypes.c_void_p(data),
        ctypes.c_uint64(1),
        ctypes.c_uint64(0),
        *map(ctypes.c_int, instruction),
    )
    if error:
        raise unicorn.UcError(error)
