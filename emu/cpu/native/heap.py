# SPDX-License-Identifier: GPL-2.0-only
"""The memory that Unicorn's library allocates: for the CPUs of a board it comes from the board's own heap.

So all that Unicorn knows of a board, translations included, lies in mappings that are the board's alone. A heap knows of
itself in its own memory: whoever puts a heap's pages back has put back what is free, too.

Heaps lie at multiples of STRIDE above CONTROL, so that an address tells its heap. These places are fixed, because
compiled code holds no address that another process would not have. The word at CONTROL is the heap in use; 0: libc's.
"""

from __future__ import annotations

import numpy as np
from numba import types

from emu.native import cfunc, external, njit
from emu.native.pointers import load_u64, store_u64
from emu.native.record import Fields

__all__ = ["CONTROL", "END", "FUNCTIONS", "HEADER_SIZE", "MAPPINGS", "MAPPING_COUNT", "MOST_HEAPS", "NEXT", "STRIDE"]

CONTROL, STRIDE = np.uint64(1 << 45), np.uint64(1 << 34)
MOST_HEAPS = np.uint64(512)
MOST_MAPPINGS = 1024
_CLASSES = 48  # of blocks: those of one class have 2**class bytes

_fields = Fields()
NEXT = _fields.word()  # where memory begins that was never used: zeros
END = _fields.word()
FREE = _fields.words(_CLASSES)  # of each class: the first free block, whose first word is the next one's address
MAPPING_COUNT = _fields.word()
MAPPINGS = _fields.words(2 * MOST_MAPPINGS)  # mmap() calls: address and size
HEADER_SIZE = np.uint64(1 << 15)
assert _fields.count * 8 <= HEADER_SIZE

ZERO, ONE, WORD, PAIR = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(16)
SMALLEST = np.uint64(5)  # class
FIRST, LAST = CONTROL + STRIDE, CONTROL + MOST_HEAPS * STRIDE
FAILED, OUT_OF_MEMORY = np.uint64((1 << 64) - 1), np.int32(12)  # MAP_FAILED, ENOMEM

_u64, _i32 = types.uint64, types.int32
_malloc = external("malloc", _u64(_u64))
_calloc = external("calloc", _u64(_u64, _u64))
_realloc = external("realloc", _u64(_u64, _u64))
_free = external("free", types.void(_u64))
_posix_memalign = external("posix_memalign", _i32(_u64, _u64, _u64))
_mmap64 = external("mmap64", _u64(_u64, _u64, _i32, _i32, _i32, types.int64))
_memset = external("memset", _u64(_u64, _i32, _u64))
_memcpy = external("memcpy", _u64(_u64, _u64, _u64))


@njit
def class_for(size):
    """The class of blocks that have room for `size` bytes."""
    kind = SMALLEST
    while ONE << kind < size:
        kind += ONE
    return kind


# Before the bytes that the caller gets are two words: the block's address and its class.


@njit
def allocate(heap, size, alignment):
    """The address of `size` bytes; 0: there is no room. `alignment`: a power of two, at least 16."""
    kind = class_for(size + alignment)
    place = heap + FREE + kind * WORD
    block = load_u64(place)
    if block != ZERO:
        store_u64(place, load_u64(block))
    else:
        block = load_u64(heap + NEXT)
        following = block + (ONE << kind)
        if following > load_u64(heap + END):
            return ZERO
        store_u64(heap + NEXT, following)
    address = (block + PAIR + alignment - ONE) & ~(alignment - ONE)
    store_u64(address - PAIR, block)
    store_u64(address - WORD, kind)
    return address


@njit
def release(address):
    """Frees what `allocate` has given."""
    block, kind = load_u64(address - PAIR), load_u64(address - WORD)
    place = (address & ~(STRIDE - ONE)) + FREE + kind * WORD
    store_u64(block, load_u64(place))
    store_u64(place, block)


@njit
def room(address):
    """How many bytes there are at an address that `allocate` has given."""
    return load_u64(address - PAIR) + (ONE << load_u64(address - WORD)) - address


@njit
def is_ours(address):
    """Whether an address is in a heap of a board."""
    return FIRST <= address < LAST


@cfunc(_u64(_u64))
def malloc(size):
    heap = load_u64(CONTROL)
    return _malloc(size) if heap == ZERO else allocate(heap, size, PAIR)


@cfunc(_u64(_u64, _u64))
def calloc(count, size):
    heap = load_u64(CONTROL)
    if heap == ZERO:
        return _calloc(count, size)
    unused = load_u64(heap + NEXT)
    address = allocate(heap, count * size, PAIR)
    if address != ZERO and address < unused:
        _memset(address, np.int32(0), count * size)
    return address


@cfunc(types.void(_u64))
def free(address):
    if is_ours(address):
        release(address)
    else:
        _free(address)


@cfunc(_u64(_u64, _u64))
def realloc(address, size):
    heap = load_u64(CONTROL)
    if address == ZERO and heap != ZERO:
        return allocate(heap, size, PAIR)
    if not is_ours(address):
        return _realloc(address, size)
    if size <= room(address):
        return address
    new = allocate(address & ~(STRIDE - ONE), size, PAIR)
    if new != ZERO:
        _memcpy(new, address, room(address))
        release(address)
    return new


@cfunc(_i32(_u64, _u64, _u64))
def posix_memalign(result, alignment, size):
    heap = load_u64(CONTROL)
    if heap == ZERO:
        return _posix_memalign(result, alignment, size)
    address = allocate(heap, size, max(alignment, PAIR))
    if address == ZERO:
        return OUT_OF_MEMORY
    store_u64(result, address)
    return np.int32(0)


@cfunc(_u64(_u64, _u64, _i32, _i32, _i32, types.int64))
def mmap64(address, size, protection, flags, file, offset):
    """As libc's. The heap in use remembers the mapping: the buffer of a CPU's translations."""
    mapped = _mmap64(address, size, protection, flags, file, offset)
    heap = load_u64(CONTROL)
    if heap != ZERO and mapped != FAILED:
        count = load_u64(heap + MAPPING_COUNT)
        if count < np.uint64(MOST_MAPPINGS):
            store_u64(heap + MAPPINGS + count * PAIR, mapped)
            store_u64(heap + MAPPINGS + count * PAIR + WORD, size)
            store_u64(heap + MAPPING_COUNT, count + ONE)
    return mapped


FUNCTIONS = {function.__name__: function.address for function in (malloc, calloc, realloc, free, posix_memalign, mmap64)}
"""What takes the place of libc's functions, by their names."""
