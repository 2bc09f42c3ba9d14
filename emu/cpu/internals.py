# SPDX-License-Identifier: GPL-2.0-only
"""Where Unicorn keeps what its public interface does not show, found by probing.

A CPU's `uc_struct` points to its CPUState, which holds the architectural state (`env`). Offsets differ between builds, so
they are probed: values written through the public interface are searched for in memory, and a trap shows whether the
exception fields are where they should be.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import unicorn
import unicorn.unicorn_py3.unicorn as binding

__all__ = [
    "LIBRARY", "CpuStructures", "TranslatorStructures", "UnknownUnicorn",
    "add_native_hook", "address_of", "find_cpu", "handle_of", "peek", "probing_memory",
]  # fmt: skip

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


@dataclass(frozen=True)
class TranslatorStructures:
    """What is known of TCG, Unicorn's compiler."""

    context_uc: int  # offset in TCGContext: uc_struct *
    opcodes: Mapping[str, int]

    def opcode(self, name: str) -> int:
        """The number of an operation.

        Raises:
            UnknownUnicorn: there is none of that name.
        """
        if name not in self.opcodes:
            raise UnknownUnicorn(f"its compiler has no operation {name}")
        return self.opcodes[name]


@dataclass(frozen=True)
class CpuStructures:
    """Offsets that mean the same for every architecture."""

    uc_cpu: int  # uc_struct: CPUState *
    uc_stop_interrupt: int  # uc_struct: bool (*)(uc, exception)
    cpu_env: int  # CPUState: where the architectural state begins
    cpu_opaque: int  # CPUState: a pointer free for our use
    cpu_exception_index: int  # CPUState: int32
    cpu_cflags_next_tb: int  # CPUState: uint32, instructions in the next block; all ones: no bound
    translator: TranslatorStructures


_CFLAGS_NEXT_TB = 0x18
_CPU_STATE = 0x10000  # bytes: more than a CPUState has
# In a TCGContext: uc_struct *. Before it is an array with 512 times as many words as TARGET_INSN_START_WORDS says: 2, or 1.
_CONTEXT_UC = (0x9970, 0x8970)
_OPERATIONS = 0x2000  # bytes: more than TCG's table of operations has
_FIRST_OPERATIONS = (b"discard\0", b"set_label\0")


def _names(memory: int, table: int) -> Iterator[str]:
    """The names in a table of TCGOpDef, each of which begins with its name; none if this is no such table."""
    definitions = peek(memory, table, _OPERATIONS)
    words = struct.unpack(f"<{len(definitions) // 8}Q", definitions[: len(definitions) // 8 * 8])
    if not words or peek(memory, words[0], 8) != _FIRST_OPERATIONS[0]:
        return
    stride = next((n for n in range(1, 16) if peek(memory, words[n], 10) == _FIRST_OPERATIONS[1]), 0)
    for name in words[::stride] if stride else ():
        text, end, _ = peek(memory, name, 32).partition(b"\0")
        if not text or not end:
            return
        yield text.decode("ascii", "replace")


def _find_translator(memory: int, handle: int, head: bytes) -> TranslatorStructures:
    """Finds the TCGContext, one of the structures to which a uc_struct with the beginning `head` points.

    Where it points to TCG's table of operations, and then back to the uc_struct, is known: a search for them would also find
    them behind pointers to what lies a little before it on the heap.
    """
    for (pointer,) in struct.iter_unpack("<Q", head[: len(head) // 8 * 8]):
        if pointer < 0x10000 or pointer >> 47:
            continue
        for offset in _CONTEXT_UC:
            found = peek(memory, pointer + offset - 8, 16)
            if len(found) == 16 and found.endswith(struct.pack("<Q", handle)):
                opcodes = {name: n for n, name in enumerate(_names(memory, struct.unpack("<2Q", found)[0]))}
                if opcodes:
                    return TranslatorStructures(offset, opcodes)
    raise UnknownUnicorn("no pointer of uc_struct leads to the compiler's table of operations")


def find_cpu(uc: unicorn.Uc, registers: bytes, env_registers: int, arch: str) -> CpuStructures:
    """Finds a scratch Uc's CPUState.

    Args:
        uc: the scratch Uc. Its general registers hold `registers`, which is nowhere else in its memory.
        registers: the bytes of the general registers in the architectural state.
        env_registers: their offset in the architectural state, in bytes.
        arch: the architecture, as the names of Unicorn's symbols end.

    Raises:
        UnknownUnicorn: the CPUState cannot be recognised.
    """
    handle = handle_of(uc)
    with probing_memory() as memory:
        head = peek(memory, handle, 0x1000)
        found = []
        for offset in range(0, len(head) - 7, 8):
            (pointer,) = struct.unpack_from("<Q", head, offset)
            if pointer < 0x10000 or pointer >> 47:
                continue
            block = peek(memory, pointer, _CPU_STATE)
            at = block.find(registers) - env_registers
            # A CPUState points to its env and to its uc. A block a little before it on the heap seems to do so, too:
            # the block nearest to the env is right.
            if at > 0 and all(struct.pack("<Q", known) in block[:at] for known in (pointer + at, handle)):
                found.append((at, offset, block))
        if not found:
            raise UnknownUnicorn("no CPU state behind any pointer of uc_struct")
        at, offset, block = min(found)
        reg_write = head.find(struct.pack("<Q", address_of(f"reg_write_{arch}")))
        if reg_write < 0:
            raise UnknownUnicorn(f"uc_struct does not hold reg_write_{arch}")
        # CPUState ends its bookkeeping with: opaque, mem_io_pc, cpu_index, cluster_index, halted, can_do_io,
        # exception_index, uc. The pointer back to uc_struct is what can be recognised.
        back = block.rfind(struct.pack("<Q", handle), 0, at)
        translator = _find_translator(memory, handle, head)
    return CpuStructures(
        uc_cpu=offset,
        uc_stop_interrupt=reg_write + 10 * 8,  # ten members on: reg_reset ... get_pc, stop_interrupt
        cpu_env=at,
        cpu_opaque=back - 40,
        cpu_exception_index=back - 8,
        cpu_cflags_next_tb=_CFLAGS_NEXT_TB,
        translator=translator,
    )


def add_native_hook(uc: unicorn.Uc, kind: int, function: int, data: int, *instruction: int) -> None:
    """Adds a native hook for all addresses; the Python binding would call it through Python.

    Args:
        kind: UC_HOOK_BLOCK, or UC_HOOK_INSN with the instruction.
        function: address of the callback. Callbacks of one kind run in the order in which they were added.
        data: the user pointer that the callback gets.
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
