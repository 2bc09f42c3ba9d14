# SPDX-License-Identifier: GPL-2.0-only
"""Swaps the byte order of a ring buffer page, for the guest's own programs, if the guest's byte order is not the host's.

    the host's (little)    time_delta:27 type_len:5   from the most significant bit on
    the guest's (big)      type_len:5 time_delta:27

C allocates the bit fields of an event's header from the other end on a machine with the other byte order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import Events, EventType
from emu.ftrace.buffers.ring_buffer import MISSED_STORED, events_in
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.event.internal import GUEST_ENTRIES
from emu.ftrace.native.ring_record import COMMIT_MASK, DATA_START, DELTA_BITS, LONGEST_SMALL, PAGE_SIZE, TYPE_LEN_BITS

__all__ = ["swapped_page"]

Offsets = NDArray[np.int64]

_WORD, _LONG = 4, 8  # bytes


def swapped_page(page: NDArray[np.uint8], calls: Mapping[int, EventCall]) -> NDArray[np.uint8]:
    """The page with every number byte-swapped. Strings and bytes stay.

    Args:
        page: 4,096 bytes in the host's byte order.
        calls: the events by number. Of entries of unknown events only the common fields are swapped.
    """
    events = events_in(page[np.newaxis], cpu=0)
    numbers: dict[int, list[Offsets]] = defaultdict(list)  # the offsets of numbers, by the numbers' size in bytes
    numbers[_LONG].append(np.arange(0, DATA_START, _LONG))
    commit = int(page[_LONG:DATA_START].view(np.uint64)[0])
    end = DATA_START + (commit & COMMIT_MASK)
    if commit & MISSED_STORED:
        numbers[_LONG].append(np.array([end]))
    result = page.copy()
    outside = _outside(events, end)
    numbers[_WORD].append(np.flatnonzero(outside) * _WORD)
    words, headers = result.view(np.uint32), _headers(events, outside)
    words[headers] = words[headers] << DELTA_BITS | words[headers] >> TYPE_LEN_BITS
    types = events.words.view(np.uint16)[events.offset // 2]
    for number in np.unique(types).tolist():
        chosen = types == number
        call = GUEST_ENTRIES.get(number) or calls.get(number)  # a stack may have more callers than `format` declares
        plan = _plan(tuple(call.fields) if call else (), packed=number == EventType.BPRINT)
        for size, found in plan.numbers(page, events.offset[chosen], events.size[chosen]):
            numbers[size].append(found)
    for size, found_places in numbers.items():
        span = np.concatenate(found_places)[:, np.newaxis] + np.arange(size)
        result[span] = result[span[:, ::-1]]
    return result


def _outside(events: Events, end: int) -> NDArray[np.bool_]:
    """The mask of a page's words that are headers of events or belong to headers. The page's data ends at byte `end`."""
    change = np.zeros(PAGE_SIZE // _WORD + 1, np.int64)
    change[DATA_START // _WORD] += 1
    change[end // _WORD] -= 1
    change[events.offset // _WORD] -= 1
    change[(events.offset + events.size) // _WORD] += 1
    return np.cumsum(change)[:-1] > 0


def _headers(events: Events, outside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask of headers among the words outside the data. Each other word is the `array[0]` of the header before it."""
    has_length = events.size > LONGEST_SMALL
    before = events.offset // _WORD - 1
    headers = np.zeros(len(outside), np.bool_)
    headers[before - has_length] = True
    others = outside & ~headers
    others[before[has_length]] = False
    headers[np.flatnonzero(others)[::2]] = True  # of time extends, each of which has two words
    return headers


@dataclass(frozen=True)
class _Plan:
    """The places of numbers in the entries of an event.

    Attributes:
        fixed: offsets from the entry's start, by the numbers' size in bytes.
        dynamic: for each word that locates an array: the word's offset, the base of its location, the size of a number in bytes.
        tail: offset of numbers that extend to the entry's end, and their size in bytes; None if there are none.
    """

    fixed: Mapping[int, Offsets]
    dynamic: Sequence[tuple[int, int, int]]
    tail: tuple[int, int] | None

    def numbers(self, page: NDArray[np.uint8], start: Offsets, size: Offsets) -> Iterator[tuple[int, Offsets]]:
        """Sizes of numbers in bytes, and their places in the page. `start`, `size`: of each entry, in bytes."""
        for element, offsets in self.fixed.items():
            inside = offsets + element <= size[:, np.newaxis]
            yield element, (start[:, np.newaxis] + offsets)[inside]
        for offset, base, element in self.dynamic:
            has_it = offset + _WORD <= size
            begin, room = start[has_it], size[has_it]
            word = page[(begin + offset)[:, np.newaxis] + np.arange(_WORD)].view(np.uint32)[:, 0].astype(np.int64)
            first = np.minimum(base + (word & 0xFFFF), room)
            yield element, _elements(begin + first, np.minimum(word >> 16, room - first), element)
        if self.tail:
            first = np.minimum(self.tail[0], size)
            yield self.tail[1], _elements(start + first, size - first, self.tail[1])


def _elements(start: Offsets, length: Offsets, element: int) -> Offsets:
    """The places of the numbers of `element` bytes in areas of a page. `length`: of each area, in bytes."""
    count = length // element
    index: Offsets = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start, count) + index * element


@lru_cache(maxsize=256)  # keyed by the fields: an event would keep its machine alive
def _plan(fields: tuple[Field, ...], packed: bool) -> _Plan:
    """The plan for entries with these fields after the common ones. `packed`: vbin_printf() packed the data at their end."""
    fixed: dict[int, list[int]] = defaultdict(list)
    dynamic: list[tuple[int, int, int]] = []
    tail = None
    for field in (*COMMON_FIELDS, *fields):
        for offset in range(field.offset, field.offset + field.size, _stride(field)):
            fixed[_stride(field)].append(offset)
            if field.is_dynamic and field.number_size > 1:
                dynamic.append((offset, field.data_base, field.number_size))
        if not field.size and field.number_size > 1 and not packed:
            tail = (field.offset, field.number_size)
    fixed.pop(1, None)
    return _Plan({size: np.array(offsets) for size, offsets in fixed.items()}, dynamic, tail)


def _stride(field: Field) -> int:
    """The size in bytes of each number in the fixed part of a field."""
    return _WORD if field.is_dynamic else field.number_size
