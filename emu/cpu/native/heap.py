# SPDX-License-Identifier: GPL-2.0-only
"""The allocator of Unicorn's library: for the CPUs of a board it uses the board's own heap.

So all of Unicorn's data about a board, including translations, is in mappings of that board only. A heap's bookkeeping is in its
own memory: restoring a heap's pages also restores what is free.

Heaps are at multiples of STRIDE above CONTROL, so that an address identifies its heap. These addresses are fixed, because
compiled code may only contain addresses that are the same in every process. The word at CONTROL is the active heap; 0: libc's.
"""

from __future__ import annotations

from emu.cpu.native.heap_record import MOST_MAPPINGS, Control, FreeBlock, Header, Heap
from emu.native.functions import callback, external, njit
from emu.native.records import HOST, Bytes, Values, i32, i64, u64

__all__ = ["CONTROL", "FUNCTIONS", "HEADER_SIZE", "MOST_HEAPS", "STRIDE"]

CONTROL, STRIDE = u64(1 << 45), u64(1 << 34)
MOST_HEAPS = 512
HEADER_SIZE = 1 << 15
assert HOST.size(Heap) <= HEADER_SIZE

FIRST, LAST = u64(CONTROL + STRIDE), u64(CONTROL + MOST_HEAPS * STRIDE)
SMALLEST = u64(5)  # class
PAIR = u64(HOST.size(Header))
FAILED, OUT_OF_MEMORY = u64((1 << 64) - 1), 12  # MAP_FAILED, ENOMEM

_malloc = external("malloc", Bytes, u64)
_calloc = external("calloc", Bytes, u64, u64)
_realloc = external("realloc", Bytes, Bytes, u64)
_free = external("free", None, Bytes)
_posix_memalign = external("posix_memalign", i32, Values[Bytes], u64, u64)
_mmap64 = external("mmap64", Bytes, Bytes, u64, i32, i32, i32, i64)
_memset = external("memset", Bytes, Bytes, i32, u64)
_memcpy = external("memcpy", Bytes, Bytes, Bytes, u64)


@njit
def class_for(size: u64) -> u64:
    """The class of blocks with room for `size` bytes."""
    kind = SMALLEST
    while u64(1) << kind < size:
        kind += 1
    return kind


@njit
def heap_in_use() -> Heap | None:
    """None if it is libc's."""
    return Control(CONTROL).heap


@njit
def heap_of(address: Bytes) -> Heap:
    """The board's heap that contains an address."""
    return Heap(address.address & ~(STRIDE - 1))


@njit
def header_of(address: Bytes) -> Header:
    """The header that `allocate` has stored for an address."""
    return Header(address.address - PAIR)


@njit
def allocate(heap: Heap, size: u64, alignment: u64) -> Bytes | None:
    """The address of `size` bytes; None if there is no room. `alignment`: a power of two, at least 16."""
    kind = class_for(size + alignment)
    block = heap.free[kind]
    if block is not None:
        heap.free[kind] = block.next
    else:
        block = FreeBlock(heap.unused)
        following = heap.unused + (u64(1) << kind)
        if following > heap.end:
            return None
        heap.unused = following
    address = Bytes((block.address + PAIR + alignment - 1) & ~(alignment - 1))
    header = header_of(address)
    header.block, header.kind = block, kind
    return address


@njit
def release(address: Bytes) -> None:
    """Frees memory from `allocate`."""
    header, heap = header_of(address), heap_of(address)
    block, kind = header.block, header.kind
    block.next = heap.free[kind]
    heap.free[kind] = block


@njit
def room(address: Bytes) -> u64:
    """The number of bytes at an address from `allocate`."""
    header = header_of(address)
    return header.block.address + (u64(1) << header.kind) - address.address


@njit
def is_ours(address: Bytes | None) -> bool:
    """Whether an address is in a board's heap."""
    return address is not None and FIRST <= address.address < LAST


@callback
def malloc(size: u64) -> Bytes | None:
    heap = heap_in_use()
    return _malloc(size) if heap is None else allocate(heap, size, PAIR)


@callback
def calloc(count: u64, size: u64) -> Bytes | None:
    heap = heap_in_use()
    if heap is None:
        return _calloc(count, size)
    unused = heap.unused
    found = allocate(heap, count * size, PAIR)
    if found is not None and found.address < unused:
        _memset(found, 0, count * size)
    return found


@callback
def free(address: Bytes) -> None:
    if is_ours(address):
        release(address)
    else:
        _free(address)


@callback
def realloc(address: Bytes | None, size: u64) -> Bytes | None:
    heap = heap_in_use()
    if address is None and heap is not None:
        return allocate(heap, size, PAIR)
    if address is None or not is_ours(address):
        return _realloc(address, size)
    if size <= room(address):
        return address
    new = allocate(heap_of(address), size, PAIR)
    if new is not None:
        _memcpy(new, address, room(address))
        release(address)
    return new


@callback
def posix_memalign(result: Values[Bytes], alignment: u64, size: u64) -> i32:
    heap = heap_in_use()
    if heap is None:
        return _posix_memalign(result, alignment, size)
    address = allocate(heap, size, max(alignment, PAIR))
    if address is None:
        return OUT_OF_MEMORY
    result[0] = address
    return 0


@callback
def mmap64(address: Bytes | None, size: u64, protection: i32, flags: i32, file: i32, offset: i64) -> Bytes:
    """As libc's mmap64. The active heap records the mapping, which is a CPU's translation buffer."""
    mapped = _mmap64(address, size, protection, flags, file, offset)
    heap = heap_in_use()
    if heap is not None and mapped.address != FAILED:
        count = heap.mapping_count
        if count < MOST_MAPPINGS:
            mapping = heap.mappings[count]
            mapping.start = mapped.address
            mapping.size = size
            heap.mapping_count = count + 1
    return mapped


FUNCTIONS = {
    "malloc": malloc.address,
    "calloc": calloc.address,
    "realloc": realloc.address,
    "free": free.address,
    "posix_memalign": posix_memalign.address,
    "mmap64": mmap64.address,
}
"""The replacements for libc's functions, by name."""
