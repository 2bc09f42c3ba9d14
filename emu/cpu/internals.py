# SPDX-License-Identifier: GPL-2.0-only
"""Locates internals of Unicorn that its public interface does not show.

A CPU's `uc_struct` points to its CPUState, which contains the architectural state (`env`). Offsets differ between builds, so
they are probed: values written through the public interface are searched for in memory, and a trap shows whether the
exception fields are at the expected place.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import unicorn
import unicorn.unicorn_py3.unicorn as binding

__all__ = [
    "LIBRARY", "CpuStructures", "TlbStructures", "TranslatorStructures", "UnknownUnicorn",
    "add_native_hook", "address_of", "find_cpu", "handle_of", "map_device", "peek", "probing_memory",
]  # fmt: skip

LIBRARY = binding.uclib


class UnknownUnicorn(RuntimeError):
    """This build of Unicorn does not have the expected layout. The message says what was not found."""

    def __init__(self, what: str) -> None:
        super().__init__(f"unicorn {unicorn.__version__}: {what}; emu needs the pinned version")


def address_of(symbol: str) -> int:
    """The address of a function exported by Unicorn's library."""
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
    """A descriptor of this process's memory: reading a wild pointer through it returns b'' instead of crashing."""
    descriptor = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def peek(descriptor: int, address: int, size: int) -> bytes:
    """Up to `size` bytes at `address`; fewer if memory ends before."""
    try:
        return os.pread(descriptor, size, address)
    except (OSError, OverflowError):
        return b""


@dataclass(frozen=True)
class TranslatorStructures:
    """Locations in TCG, Unicorn's code generator."""

    context_uc: int  # offset in TCGContext: uc_struct *
    opcodes: Mapping[str, int]

    def opcode(self, name: str) -> int:
        """The number of an operation.

        Raises:
            UnknownUnicorn: no operation has this name.
        """
        if name not in self.opcodes:
            raise UnknownUnicorn(f"its compiler has no operation {name}")
        return self.opcodes[name]


@dataclass(frozen=True)
class TlbStructures:
    """Offsets in CPUState of Unicorn's cache of translated addresses. Each mode of a CPU has one."""

    modes: int
    fast: int  # CPUTLBDescFast of each mode: a mask of entries, CPUTLBEntry *
    rest: int  # CPUTLBDesc of each mode: with entries that have made room for others
    fill: tuple[int, ...]  # the function that looks up an address


@dataclass(frozen=True)
class CpuStructures:
    """Offsets that exist for every architecture."""

    uc_cpu: int  # uc_struct: CPUState *
    uc_stop_interrupt: int  # uc_struct: bool (*)(uc, exception)
    cpu_env: int  # CPUState: start of the architectural state
    cpu_opaque: int  # CPUState: a pointer that is free for our use
    cpu_exception_index: int  # CPUState: int32
    cpu_cflags_next_tb: int  # CPUState: uint32, maximum of instructions in the next block; all ones: no maximum
    translator: TranslatorStructures
    tlb: TlbStructures


_CFLAGS_NEXT_TB = 0x18
_CPU_STATE = 0x10000  # bytes: larger than any CPUState
# In a TCGContext: uc_struct *. Before it is an array with 512 times as many words as TARGET_INSN_START_WORDS says: 2, 1 or 3.
_CONTEXT_UC = (0x9970, 0x8970, 0xA970)
_OPERATIONS = 0x2000  # bytes: larger than TCG's table of operations
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
    """Finds the TCGContext among the structures to which a uc_struct with the beginning `head` points.

    The offsets of its pointers to TCG's table of operations and back to the uc_struct are known constants. A search would
    also find these pointers when it starts from a structure shortly before the TCGContext on the heap.
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


_FAST, _REST, _COMMON = 16, 696, 32  # bytes of CPUTLBDescFast, CPUTLBDesc, CPUTLBCommon
_AFTER_TLB = 16  # bytes from the end of the former to env
_EMPTY = b"\xff" * 16  # the beginning of a CPUTLBDesc without large pages


def _find_tlb(block: bytes, env: int, arch: str) -> TlbStructures:
    """Finds the cache of translated addresses before `env` in a CPU's state that has executed nothing."""
    modes, fast = 0, env - _AFTER_TLB
    while mask := int.from_bytes(block[fast - _FAST : fast - _FAST + 8], "little"):
        if mask & 63 or mask & (mask + 64):
            break
        modes, fast = modes + 1, fast - _FAST
    rest = (fast - modes * _REST - _COMMON) // _FAST * _FAST + _COMMON
    function = address_of(f"{arch.partition('64')[0].rstrip('_')}_cpu_tlb_fill_{arch}")
    fill = tuple(at.start() for at in re.finditer(re.escape(struct.pack("<Q", function)), block))
    if not modes or not fill or any(block[rest + n * _REST :][: len(_EMPTY)] != _EMPTY for n in range(modes)):
        raise UnknownUnicorn("no cache of translated addresses before the CPU's architectural state")
    return TlbStructures(modes, fast, rest, fill)


def find_cpu(uc: unicorn.Uc, registers: bytes, env_registers: int, arch: str) -> CpuStructures:
    """Finds a scratch Uc's CPUState.

    Args:
        uc: the scratch Uc. Its general registers hold `registers`, which occurs nowhere else in its memory.
        registers: the bytes of the general registers in the architectural state.
        env_registers: their offset in the architectural state, in bytes.
        arch: the architecture, as in the suffix of Unicorn's symbols.

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
            # A CPUState points to its env and to its uc. A block shortly before it on the heap seems to do so too, so the block
            # closest to the env is chosen.
            if at > 0 and all(struct.pack("<Q", known) in block[:at] for known in (pointer + at, handle)):
                found.append((at, offset, block))
        if not found:
            raise UnknownUnicorn("no CPU state behind any pointer of uc_struct")
        at, offset, block = min(found)
        reg_write = head.find(struct.pack("<Q", address_of(f"reg_write_{arch}")))
        if reg_write < 0:
            raise UnknownUnicorn(f"uc_struct does not hold reg_write_{arch}")
        # The last of CPUState's generic members are: opaque, mem_io_pc, cpu_index, cluster_index, halted, can_do_io,
        # exception_index, uc. The pointer back to uc_struct can be recognised.
        back = block.rfind(struct.pack("<Q", handle), 0, at)
        translator = _find_translator(memory, handle, head)
        tlb = _find_tlb(block, at, arch)
    return CpuStructures(
        uc_cpu=offset,
        uc_stop_interrupt=reg_write + 10 * 8,  # ten members later: reg_reset ... get_pc, stop_interrupt
        cpu_env=at,
        cpu_opaque=back - 40,
        cpu_exception_index=back - 8,
        cpu_cflags_next_tb=_CFLAGS_NEXT_TB,
        translator=translator,
        tlb=tlb,
    )


def add_native_hook(uc: unicorn.Uc, kind: int, function: int, data: int, *instruction: int) -> None:
    """Adds a native hook for all addresses. The Python binding would call it through Python.

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


def map_device(uc: unicorn.Uc, addresses: range, read: int, write: int, data: int) -> None:
    """Maps a native device at physical addresses. The Python binding would call it through Python.

    Args:
        addresses: whole pages.
        read, write: addresses of the callbacks.
        data: the user pointer that both get.
    """
    error = LIBRARY.uc_mmio_map(
        uc._uch,
        ctypes.c_uint64(addresses.start),
        ctypes.c_size_t(len(addresses)),
        ctypes.c_void_p(read),
        ctypes.c_void_p(data),
        ctypes.c_void_p(write),
        ctypes.c_void_p(data),
    )
    if error:
        raise unicorn.UcError(error)
