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

The writer is the only one on its CPU, and nothing interrupts it: what `reserve` gives room for is an event at once, and
its data is stored before anything else happens. A page's `commit` and its entry in COUNTS are right once the page is
full; before a reader looks at the tail, `settle` makes the tail's right.

All state is in the ring's record (`ring_record`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native import ring_record
from emu.ftrace.native.readers import await_event
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u32, store_u64, unlikely
from emu.native.record import offset_of

__all__ = [
    "COMMIT_MASK", "DATA_SIZE", "DATA_START", "LONGEST_SMALL", "PAGE_HEADER", "PAGE_SIZE",
    "find_events", "reserve", "room", "settle",
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
LONGEST_SMALL = 28 * 4  # bytes of data that need no array[0]
_LONGEST_SMALL = np.uint64(LONGEST_SMALL)
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
def _page(ring: Any, index: Any) -> Any:
    """The address of a page."""
    return load_u64(ring + ring_record.POOL) + index * _PAGE


@njit()
def settle(ring: Any) -> None:
    """Stores how many bytes and how many events the tail has."""
    tail = load_u64(ring + ring_record.TAIL)
    page = _page(ring, tail)
    store_u64(page + _PAGE_COMMIT, load_u64(ring + ring_record.PLACE) - page - _DATA_START)
    events = load_u64(ring + ring_record.ENTRIES) - load_u64(ring + ring_record.BEGUN)
    store_u64(load_u64(ring + ring_record.COUNTS) + tail * _TABLE_ENTRY, events)


@njit()
def _following(ring: Any) -> Any:
    """The page after the tail."""
    return load_u64(load_u64(ring + ring_record.NEXT) + load_u64(ring + ring_record.TAIL) * _TABLE_ENTRY)


@njit()
def _is_full(ring: Any) -> Any:
    """Whether the page after the tail is the oldest one."""
    tail = load_u64(ring + ring_record.TAIL)
    return _following(ring) == load_u64(ring + ring_record.HEAD) and tail != load_u64(ring + ring_record.READER)


@njit()
def _next_page(ring: Any) -> bool:
    """Move the tail to the next page, empty. False: the buffer is full and must not overwrite."""
    spill = load_u64(ring + ring_record.SPILL)
    if spill != _ZERO and _is_full(ring):
        call_handler(spill, ring, _ZERO)
    following = _following(ring)
    if _is_full(ring):
        if load_u64(ring + ring_record.OVERWRITE) == _ZERO:
            return False
        _increment(ring + ring_record.OVERRUN, load_u64(load_u64(ring + ring_record.COUNTS) + following * _TABLE_ENTRY))
        store_u64(ring + ring_record.HEAD, load_u64(load_u64(ring + ring_record.NEXT) + following * _TABLE_ENTRY))
    settle(ring)
    page = _page(ring, following)
    store_u64(ring + ring_record.TAIL, following)
    store_u64(ring + ring_record.PLACE, page + _DATA_START)
    store_u64(ring + ring_record.END, page + _PAGE)
    store_u64(ring + ring_record.BEGUN, load_u64(ring + ring_record.ENTRIES))
    awaited = load_u64(ring + ring_record.AWAITED)
    if awaited != _ZERO:
        store_u64(ring + ring_record.AWAITED, awaited - _ONE)
        if awaited == _ONE:
            await_event(ring)
    return True


@njit()
def _make_room(ring: Any, timestamp: Any, delta: Any, length: Any) -> Any:
    """(place, delta) of an event that begins a page, or comes long after the one before it; (0, 0): it is dropped.

    `delta`: the time since that event.
    """
    place = load_u64(ring + ring_record.PLACE)
    left = load_u64(ring + ring_record.END) - place
    extend = delta >= _DELTA_LIMIT and left != _DATA_SIZE
    needed = length + _TWO_WORDS if extend else length
    if needed > left or (extend and delta >= _EXTENDED_LIMIT):
        if length > _DATA_SIZE or not _next_page(ring):
            _increment(ring + ring_record.DROPPED, _ONE)
            return _ZERO, _ZERO
        place = load_u64(ring + ring_record.PLACE)
    elif extend:
        store_u32(place, (delta & _LOW_27) << _TYPE_LEN_BITS | _EXTEND_TYPE)
        store_u32(place + _WORD, delta >> _DELTA_BITS)
        return place + _TWO_WORDS, _ZERO
    store_u64(place - _DATA_START + _PAGE_TIME, timestamp)
    return place, _ZERO


@njit()
def reserve(ring: Any, timestamp: Any, size: Any) -> Any:
    """Room for the `size` bytes of data of a new event; its address, or 0 when the event is not to be recorded.

    A timestamp before that of the last event is taken as equal to it.
    """
    if load_u64(ring + ring_record.DISABLED) != _ZERO:
        return _ZERO
    length = _event_length(size)
    last = load_u64(ring + ring_record.TIME)
    timestamp = max(timestamp, last)
    delta = timestamp - last
    place = load_u64(ring + ring_record.PLACE)
    left = load_u64(ring + ring_record.END) - place
    if unlikely(delta >= _DELTA_LIMIT or length > left or left == _DATA_SIZE):
        place, delta = _make_room(ring, timestamp, delta, length)
        if place == _ZERO:
            return _ZERO
    store_u64(ring + ring_record.PLACE, place + length)
    store_u64(ring + ring_record.TIME, timestamp)
    _increment(ring + ring_record.ENTRIES, _ONE)
    if size > _LONGEST_SMALL:
        store_u32(place, delta << _TYPE_LEN_BITS)
        store_u32(place + _WORD, length - _WORD)
        return place + _TWO_WORDS
    store_u32(place, delta << _TYPE_LEN_BITS | (length - _WORD) // _WORD)
    return place + _WORD


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
