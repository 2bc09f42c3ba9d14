# SPDX-License-Identifier: GPL-2.0-only
"""Writes events into the pages of one CPU's ring buffer, and finds them again (`ring_record` describes the layout).

The writer is the only one on its CPU, and nothing interrupts it: space from `reserve` is an event at once, and its data is
stored before anything else happens. A page's `commit` and its entry in `counts` are updated when the page is full; before a
reader looks at the tail page, `settle` updates the tail's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native.readers import await_event
from emu.ftrace.native.ring_record import (
    COMMIT_MASK,
    DATA_SIZE,
    DATA_START,
    DELTA_BITS,
    DELTA_MASK,
    LONGEST_SMALL,
    PADDING,
    PAGE_SIZE,
    TIME_EXTEND,
    TIME_STAMP,
    TYPE_LEN_BITS,
    TYPE_LEN_MASK,
    Header,
    Page,
    Ring,
)
from emu.native.functions import njit, shared, specialized, unlikely
from emu.native.records import u64

__all__ = ["find_events", "reserve", "room", "settle"]

_DELTA_LIMIT = 1 << DELTA_BITS
_EXTENDED_LIMIT = 1 << DELTA_BITS + 32  # with array[0]
_TIME_STAMP_LOW, _COMMIT_MASK, _DELTA_BITS = u64(_EXTENDED_LIMIT - 1), u64(COMMIT_MASK), u64(DELTA_BITS)
_WORD, _TWO_WORDS, _THREE_WORDS = u64(4), u64(8), u64(12)  # bytes: a header is one word, or two with array[0]


@shared
def room(size: u64) -> u64:
    """The size of an event's data if `size` bytes are reserved.

    It is never two words: Linux keeps room for turning any event into a time extend and padding.
    """
    data = (max(size, u64(1)) + 3) // _WORD * _WORD
    return _THREE_WORDS if data == _TWO_WORDS else data


@njit
def _event_length(size: u64) -> u64:
    """The size of header and data."""
    return room(size) + (_TWO_WORDS if size > LONGEST_SMALL else _WORD)


@shared
def settle(ring: Ring) -> None:
    """Stores the number of bytes and events in the tail page."""
    page = ring.pool[ring.tail]
    page.commit = ring.place - page.data.address
    ring.counts[ring.tail] = ring.entries - ring.begun


@njit
def _is_full(ring: Ring) -> bool:
    """Whether the page after the tail is the oldest one."""
    return ring.next[ring.tail] == ring.head and ring.tail != ring.reader


@njit
def _next_page(ring: Ring) -> bool:
    """Moves the tail to the next page, and empties it. Returns False if the buffer is full and must not overwrite."""
    spill = ring.spill
    if spill is not None and _is_full(ring):
        spill(ring, 0)
    following = ring.next[ring.tail]
    if _is_full(ring):
        if not ring.overwrite:
            return False
        ring.overrun += ring.counts[following]
        ring.head = ring.next[following]
    settle(ring)
    page = ring.pool[following]
    ring.tail = following
    ring.place = page.data.address
    ring.end = page.address + PAGE_SIZE
    ring.begun = ring.entries
    awaited = ring.awaited
    if awaited != 0:
        ring.awaited = awaited - 1
        if awaited == 1:
            await_event(ring)
    return True


@njit
def _make_room(ring: Ring, timestamp: u64, delta: u64, length: u64) -> tuple[u64, u64]:
    """(place, delta) of an event that starts a page, or comes long after the previous event; (0, 0) if it is dropped.

    `delta`: the time since the previous event.
    """
    place = ring.place
    left = ring.end - place
    extend = delta >= _DELTA_LIMIT and left != DATA_SIZE
    needed = length + _TWO_WORDS if extend else length
    if needed > left or (extend and delta >= _EXTENDED_LIMIT):
        if length > DATA_SIZE or not _next_page(ring):
            ring.dropped += 1
            return u64(0), u64(0)
        place = ring.place
    elif extend:
        header = Header(place)
        header.word = (delta & DELTA_MASK) << TYPE_LEN_BITS | TIME_EXTEND
        header.array = delta >> DELTA_BITS
        return place + _TWO_WORDS, u64(0)
    Page(place - DATA_START).time = timestamp
    return place, u64(0)


@shared
def reserve(ring: Ring, timestamp: u64, size: u64) -> u64:
    """Reserves `size` bytes of data for a new event. Returns its address, or 0 if the event is not recorded.

    A timestamp before that of the last event is replaced by that one.
    """
    if ring.disabled != 0:
        return 0
    length = _event_length(size)
    last = ring.time
    timestamp = max(timestamp, last)
    delta = timestamp - last
    place = ring.place
    left = ring.end - place
    if unlikely(delta >= _DELTA_LIMIT or length > left or left == DATA_SIZE):
        place, delta = _make_room(ring, timestamp, delta, length)
        if place == 0:
            return 0
    ring.place = place + length
    ring.time = timestamp
    ring.entries += 1
    header = Header(place)
    if size > LONGEST_SMALL:
        header.word = delta << TYPE_LEN_BITS
        header.array = length - _WORD
        return place + _TWO_WORDS
    header.word = delta << TYPE_LEN_BITS | (length - _WORD) // _WORD
    return place + _WORD


@specialized
def find_events(
    stamps: NDArray[np.uint64],
    commits: NDArray[np.uint64],
    words: NDArray[np.uint32],
    skip: int,
    times: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> int:
    """Finds the events in `words` (pages of 32-bit words), in order, starting at byte `skip` of the first page's data.

    Fills `times`, `offsets` (of the data, in bytes from the first page) and `sizes` (of the data), and returns their number.
    """
    found = 0
    for page in range(len(stamps)):
        time = stamps[page]
        end = (DATA_START + int(commits[page] & _COMMIT_MASK)) // 4
        at = DATA_START // 4
        while at < end:
            header = words[page, at]
            type_len = header & TYPE_LEN_MASK
            delta = u64(header >> TYPE_LEN_BITS)
            if type_len == PADDING:
                if delta == 0:
                    break
                at += 1 + int(words[page, at + 1]) // 4
            elif type_len == TIME_EXTEND:
                time += delta + (u64(words[page, at + 1]) << _DELTA_BITS)
                at += 2
            elif type_len == TIME_STAMP:
                absolute = delta + (u64(words[page, at + 1]) << u64(DELTA_BITS))
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
