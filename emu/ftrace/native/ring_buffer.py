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

All state is in a control block of 64-bit words, reached through its address.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.native import njit
from emu.native.pointers import load_u64, store_u32, store_u64

__all__ = ["CONTROL_WORDS", "DATA_SIZE", "DATA_START", "PAGE_SIZE", "commit", "find_events", "reserve", "room"]

PAGE_SIZE = 4096
DATA_START = 16
DATA_SIZE = PAGE_SIZE - DATA_START

# Byte offsets in the control block. Pages are named by their index in the pool.
DISABLED = np.uint64(0)  # not 0: nothing is recorded, nothing is counted
OVERWRITE = np.uint64(8)  # when full: 1 gives up the oldest page, 0 drops the new event
POOL = np.uint64(16)  # address of page 0
NEXT = np.uint64(24)  # address of u64[pages]: the page after each in the ring
COUNTS = np.uint64(32)  # address of u64[pages]: events in each
TAIL = np.uint64(40)  # page that is written
HEAD = np.uint64(48)  # oldest page in the ring
READER = np.uint64(56)  # page taken out of the ring to be read; may still be the tail
WRITE = np.uint64(64)  # bytes of data committed in the tail
PENDING = np.uint64(72)  # the same once the reserved event is committed
TIME = np.uint64(80)  # of the last event committed
PENDING_TIME = np.uint64(88)
ENTRIES = np.uint64(96)  # events ever committed
OVERRUN = np.uint64(104)  # events given up with their page
DROPPED = np.uint64(112)  # events never recorded
READ = np.uint64(120)  # events consumed
READ_OFFSET = np.uint64(128)  # how far the reader's page is consumed
READ_TIME = np.uint64(136)  # of the last event consumed
OVERRUN_SEEN = np.uint64(144)  # OVERRUN when the reader took its page
LOST = np.uint64(152)  # events given up before the reader's page, not yet reported
CONTROL_WORDS = 20

_PADDING, _TIME_EXTEND, _TIME_STAMP = 29, 30, 31
_DELTA_LIMIT = np.uint64(1 << 27)
_EXTENDED_LIMIT = np.uint64(1 << 59)
_U0, _U1, _U3, _U4, _U5, _U8 = (np.uint64(value) for value in (0, 1, 3, 4, 5, 8))
_U12, _U16, _U27 = np.uint64(12), np.uint64(16), np.uint64(27)
_LONGEST_SMALL = np.uint64(28 * 4)
_EXTEND_TYPE = np.uint64(_TIME_EXTEND)
_LOW_27 = np.uint64((1 << 27) - 1)
_PAGE = np.uint64(PAGE_SIZE)
_DATA_START = np.uint64(DATA_START)
_DATA_SIZE = np.uint64(DATA_SIZE)
_COMMIT_MASK = np.uint64((1 << 20) - 1)
_TIME_STAMP_LOW = np.uint64((1 << 59) - 1)


@njit()
def _increment(address: Any, amount: Any) -> None:
    store_u64(address, load_u64(address) + amount)


@njit()
def _event_length(size: Any) -> Any:
    """Header and data. Never 12: Linux keeps room to turn any event into a time extend and padding."""
    length = (max(size, _U1) + _U3) // _U4 * _U4 + _U4
    if size > _LONGEST_SMALL:
        length += _U4
    return _U16 if length == _U12 else length


def room(size: int) -> int:
    """How many bytes of data an event has of which `size` were reserved."""
    return 12 if 4 < size <= 8 else max((size + 3) // 4 * 4, 4)


@njit()
def _next_page(control: Any) -> bool:
    """Move the tail to the next page, empty. False: the buffer is full and must not overwrite."""
    tail = load_u64(control + TAIL)
    following = load_u64(load_u64(control + NEXT) + tail * _U8)
    reader_holds_tail = tail == load_u64(control + READER)
    if following == load_u64(control + HEAD) and not reader_holds_tail:
        if load_u64(control + OVERWRITE) == _U0:
            return False
        _increment(control + OVERRUN, load_u64(load_u64(control + COUNTS) + following * _U8))
        store_u64(control + HEAD, load_u64(load_u64(control + NEXT) + following * _U8))
    store_u64(control + TAIL, following)
    store_u64(control + WRITE, _U0)
    store_u64(load_u64(control + COUNTS) + following * _U8, _U0)
    store_u64(load_u64(control + POOL) + following * _PAGE + _U8, _U0)
    return True


@njit()
def reserve(control: Any, timestamp: Any, size: Any) -> Any:
    """Room for an event of `size` bytes of data; its address, or 0 when the event is not to be recorded.

    A timestamp before that of the last event is taken as equal to it.
    """
    if load_u64(control + DISABLED) != _U0:
        return _U0
    length = _event_length(size)
    if length > _DATA_SIZE:
        _increment(control + DROPPED, _U1)
        return _U0
    last = load_u64(control + TIME)
    timestamp = max(timestamp, last)
    delta = timestamp - last
    write = load_u64(control + WRITE)
    extend = delta >= _DELTA_LIMIT and write != _U0
    needed = length + _U8 if extend else length
    if write + needed > _DATA_SIZE or (extend and delta >= _EXTENDED_LIMIT):
        if not _next_page(control):
            _increment(control + DROPPED, _U1)
            return _U0
        write = _U0
        extend = False
    page = load_u64(control + POOL) + load_u64(control + TAIL) * _PAGE
    if write == _U0:
        store_u64(page, timestamp)
        delta = _U0
    event = page + _DATA_START + write
    if extend:
        store_u32(event, (delta & _LOW_27) << _U5 | _EXTEND_TYPE)
        store_u32(event + _U4, delta >> _U27)
        event += _U8
        write += _U8
        delta = _U0
    store_u64(control + PENDING, write + length)
    store_u64(control + PENDING_TIME, timestamp)
    if size > _LONGEST_SMALL:
        store_u32(event, delta << _U5)
        store_u32(event + _U4, length - _U4)
        return event + _U8
    store_u32(event, delta << _U5 | (length - _U4) // _U4)
    return event + _U4


@njit()
def commit(control: Any) -> None:
    """The event that was reserved last is complete."""
    tail = load_u64(control + TAIL)
    pending = load_u64(control + PENDING)
    store_u64(control + WRITE, pending)
    store_u64(control + TIME, load_u64(control + PENDING_TIME))
    store_u64(load_u64(control + POOL) + tail * _PAGE + _U8, pending)
    _increment(load_u64(control + COUNTS) + tail * _U8, _U1)
    _increment(control + ENTRIES, _U1)


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
                if delta == _U0:
                    break
                at += 1 + int(words[page, at + 1]) // 4
            elif type_len == _TIME_EXTEND:
                time += delta + (np.uint64(words[page, at + 1]) << _U27)
                at += 2
            elif type_len == _TIME_STAMP:
                absolute = delta + (np.uint64(words[page, at + 1]) << _U27)
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
