# SPDX-License-Identifier: GPL-2.0-only
"""Writing events into the pages of one CPU's ring buffer, and finding them there again.

    page        0         8        16                                   16 + commit        4096
                time      commit   event event event ...                                    |
    event       time_delta:27 type_len:5 | array[0] | data
                type_len 1-28     data of type_len words follow the header
                         0        array[0] is the length of itself and the data
                        29        padding: array[0] bytes to skip
                        30        time extend: the delta's bits from 27 on are in array[0]
                        31        time stamp: absolute, bits 27-58 in array[0]

The writer is the only one on its CPU and nothing interrupts it, so there is one event in the making at most: `reserve`
gives room for it, `commit` makes it exist, and a reservation that is not committed never happened.

All state is in the ring's record (`ring_record`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native import ring_record
from emu.native import njit
from emu.native.pointers import load_u64, store_u32, store_u64
from emu.native.record import offset_of

__all__ = [
    "COMMIT_MASK", "DATA_SIZE", "DATA_START", "PAGE_HEADER", "PAGE_SIZE",
    "commit", "find_events", "reserve", "room",
]  # fmt: skip

PAGE_SIZE = 4096
PAGE_HEADER = np.dtype([("time", "u8"), ("commit", "u8")])
DATA_START = PAGE_HEADER.itemsize
DATA_SIZE = PAGE_SIZE - DATA_START
COMMIT_MASK = (1 << 20) - 1

_PADDING, _TIME_EXTEND, _TIME_STAMP = 29, 30, 31
_DELTA_LIMIT = np.uint64(1 << 27)
_EXTENDED_LIMIT = np.uint64(1 << 59)
_TYPE_LEN_BITS, _DELTA_BITS = np.uint64(5), np.uint64(27)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_WORD = np.uint64(4)  # bytes: a header has one word, or with array[0] two
_TWO_WORDS, _THREE_WORDS = _WORD * np.uint64(2), _WORD * np.uint64(3)
_TABLE_ENTRY = np.uint64(8)  # bytes, of NEXT and COUNTS
_LONGEST_SMALL = np.uint64(28) * _WORD
_EXTEND_TYPE = np.uint64(_TIME_EXTEND)
_LOW_27 = np.uint64((1 << 27) - 1)
_PAGE = np.uint64(PAGE_SIZE)
_DATA_START = np.uint64(DATA_START)
_DATA_SIZE = np.uint64(DATA_SIZE)
_PAGE_TIME, _PAGE_COMMIT = offset_of(PAGE_HEADER, "time"), offset_of(PAGE_HEADER, "commit")
_COMMIT_MASK = np.uint64(COMMIT_MASK)
_TIME_STAMP_LOW = np.uint64((1 << 59) - 1)


@njit()
def _increment(address: Any, amount: Any) -> None:
    store_u64(address, load_u64(address) + amount)


@njit()
def room(size: Any) -> Any:
    """How many bytes of data an event has for which `size` bytes were reserved.

    Never two words: Linux keeps room to turn any event into a time extend and padding.
    """
    data = (max(size, _ONE) + _WORD - _ONE) // _WORD * _WORD
    return _THREE_WORDS if data == _TWO_WORDS else data


@njit()
def _event_length(size: Any) -> Any:
    """Header and data."""
    return room(size) + (_TWO_WORDS if size > _LONGEST_SMALL else _WORD)


@njit()
def _next_page(ring: Any) -> bool:
    """Move the tail to the next page, empty. False: the buffer is full and must not overwrite."""
    tail = load_u64(ring + ring_record.TAIL)
    following = load_u64(load_u64(ring + ring_record.NEXT) + tail * _TABLE_ENTRY)
    reader_holds_tail = tail == load_u64(ring + ring_record.READER)
    if following == load_u64(ring + ring_record.HEAD) and not reader_holds_tail:
        if load_u64(ring + ring_record.OVERWRITE) == _ZERO:
            return False
        _increment(ring + ring_record.OVERRUN, load_u64(load_u64(ring + ring_record.COUNTS) + following * _TABLE_ENTRY))
        store_u64(ring + ring_record.HEAD, load_u64(load_u64(ring + ring_record.NEXT) + following * _TABLE_ENTRY))
    store_u64(ring + ring_record.TAIL, following)
    store_u64(ring + ring_record.WRITE, _ZERO)
    store_u64(load_u64(ring + ring_record.COUNTS) + following * _TABLE_ENTRY, _ZERO)
    store_u64(load_u64(ring + ring_record.POOL) + following * _PAGE + _PAGE_COMMIT, _ZERO)
    return True


@njit()
def reserve(ring: Any, timestamp: Any, size: Any) -> Any:
    """Room for an event of `size` bytes of data; its address, or 0 when the event is not to be recorded.

    A timestamp before that of the last event is taken as equal to it.
    """
    if load_u64(ring + ring_record.DISABLED) != _ZERO:
        return _ZERO
    length = _event_length(size)
    if length > _DATA_SIZE:
        _increment(ring + ring_record.DROPPED, _ONE)
        return _ZERO
    last = load_u64(ring + ring_record.TIME)
    timestamp = max(timestamp, last)
    delta = timestamp - last
    write = load_u64(ring + ring_record.WRITE)
    extend = delta >= _DELTA_LIMIT and write != _ZERO
    needed = length + _TWO_WORDS if extend else length
    if write + needed > _DATA_SIZE or (extend and delta >= _EXTENDED_LIMIT):
        if not _next_page(ring):
            _increment(ring + ring_record.DROPPED, _ONE)
            return _ZERO
        write = _ZERO
        extend = False
    page = load_u64(ring + ring_record.POOL) + load_u64(ring + ring_record.TAIL) * _PAGE
    if write == _ZERO:
        store_u64(page + _PAGE_TIME, timestamp)
        delta = _ZERO
    event = page + _DATA_START + write
    if extend:
        store_u32(event, (delta & _LOW_27) << _TYPE_LEN_BITS | _EXTEND_TYPE)
        store_u32(event + _WORD, delta >> _DELTA_BITS)
        event += _TWO_WORDS
        write += _TWO_WORDS
        delta = _ZERO
    store_u64(ring + ring_record.PENDING, write + length)
    store_u64(ring + ring_record.PENDING_TIME, timestamp)
    if size > _LONGEST_SMALL:
        store_u32(event, delta << _TYPE_LEN_BITS)
        store_u32(event + _WORD, length - _WORD)
        return event + _TWO_WORDS
    store_u32(event, delta << _TYPE_LEN_BITS | (length - _WORD) // _WORD)
    return event + _WORD


@njit()
def commit(ring: Any) -> None:
    """Makes the event that was reserved last a part of the buffer."""
    tail = load_u64(ring + ring_record.TAIL)
    pending = load_u64(ring + ring_record.PENDING)
    store_u64(ring + ring_record.WRITE, pending)
    store_u64(ring + ring_record.TIME, load_u64(ring + ring_record.PENDING_TIME))
    store_u64(load_u64(ring + ring_record.POOL) + tail * _PAGE + _PAGE_COMMIT, pending)
    _increment(load_u64(ring + ring_record.COUNTS) + tail * _TABLE_ENTRY, _ONE)
    _increment(ring + ring_record.ENTRIES, _ONE)


@njit()
def find_events(
    stamps: NDArray[np.uint64],
    commits: NDArray[np.uint64],
    words: NDArray[np.uint32],
    skip: int,
    times: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> int:
    """Where the events in `words` (pages of 32-bit words) are, in order, from byte `skip` of the first page's data on.

    Fills `times`, `offsets` (of the data, in bytes from the first page) and `sizes` (of the data) and returns how many.
    """
    found = 0
    for page in range(len(stamps)):
        time = stamps[page]
        end = (DATA_START + int(commits[page] & _COMMIT_MASK)) // 4
        at = DATA_START // 4
        while at < end:
            header = words[page, at]
            type_len = header & 31
            delta = np.uint64(header >> 5)
            if type_len == _PADDING:
                if delta == _ZERO:
                    break
                at += 1 + int(words[page, at + 1]) // 4
            elif type_len == _TIME_EXTEND:
                time += delta + (np.uint64(words[page, at + 1]) << _DELTA_BITS)
                at += 2
            elif type_len == _TIME_STAMP:
                absolute = delta + (np.uint64(words[page, at + 1]) << _DELTA_BITS)
                time = absolute | (time & ~_TIME_STAMP_LOW)
                at += 2
            else:
                time += delta
                size = int(type_len) * 4
                start = at + 1
                if type_len == 0:
                    size = int(words[page, at + 1]) - 4
                    start += 1
                if page > 0 or at * 4 >= DATA_START + skip:
                    times[found] = time
                    offsets[found] = page * PAGE_SIZE + start * 4
                    sizes[found] = size
                    found += 1
                at = start + size // 4
    return found
