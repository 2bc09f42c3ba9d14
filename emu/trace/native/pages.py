# SPDX-License-Identifier: GPL-2.0-only
"""Finds the events in the pages of one CPU. The page format is in emu/ftrace/native/ring_buffer.py.

Pages are untrusted: where a page cannot be read any further, the rest is skipped, and the place is reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import i64, u64
from emu.trace.native.loads import number_at, word16_at, word32_at, word64_at
from emu.trace.recording import PageLayout

__all__ = ["COMMIT_BEYOND_PAGE", "COMMON_SIZE", "EVENT_BEYOND_COMMIT", "TOO_SHORT", "UNKNOWN_LOSS", "Found", "find_events"]

UNKNOWN_LOSS = -1  # events were lost, but not counted
COMMON_SIZE = 8  # bytes of the common fields
COMMIT_BEYOND_PAGE, EVENT_BEYOND_COMMIT, TOO_SHORT = 1, 2, 3

_PADDING, _TIME_EXTEND, _TIME_STAMP = 29, 30, 31
_COMMIT_MASK = (1 << 20) - 1
_MISSED_EVENTS, _MISSED_STORED = 1 << 31, 1 << 30
_LOW_59 = u64((1 << 59) - 1)


class Found(NamedTuple):
    """Columns of events, in order; of losses of events; and of problems, of which there may be more than fit.

    Attributes:
        times: nanoseconds or units of the clock.
        addresses: the entries' addresses.
        sizes: the entries' sizes in bytes.
        kinds: `common_type`.
        losses: int64[n, 2]: the index of the event after the loss, and the number of lost events, or UNKNOWN_LOSS.
        problems: int64[n, 2]: a byte offset from the first page, and what is wrong there.
    """

    times: NDArray[np.uint64]
    addresses: NDArray[np.int64]
    sizes: NDArray[np.int32]
    kinds: NDArray[np.uint16]
    losses: NDArray[np.int64]
    problems: NDArray[np.int64]


@specialized
def _find_in_page(at: int, end: int, time: u64, swapped: bool, found: Found, count: int) -> tuple[int, int, int]:
    """Adds the events of a page to `count` others. Returns the new number; where reading stopped, and why, or 0."""
    times, addresses, sizes, kinds, _, _ = found
    while at + 4 <= end:
        header = word32_at(at, swapped)
        if swapped:  # bit fields are allocated from the other end of the word
            type_len, delta = header >> 27, u64(header & 0x7FFFFFF)
        else:
            type_len, delta = header & 31, u64(header >> 5)
        if type_len == _PADDING and delta == 0:
            break
        if 1 <= type_len < _PADDING:
            data, length = at + 4, type_len * 4
        elif at + 8 > end:
            return count, at, EVENT_BEYOND_COMMIT
        else:
            second = word32_at(at + 4, swapped)
            if type_len == _TIME_EXTEND:
                time += delta + (u64(second) << 27)
                at += 8
                continue
            if type_len == _TIME_STAMP:
                time = time & ~_LOW_59 | delta + (u64(second) << 27) & _LOW_59
                at += 8
                continue
            data, length = at + 8, second - 4
            if length < 0 or second % 4:
                return count, at, EVENT_BEYOND_COMMIT
        if data + length > end:
            return count, at, EVENT_BEYOND_COMMIT
        time += delta
        if type_len != _PADDING:
            if length < COMMON_SIZE:
                return count, at, TOO_SHORT
            times[count], addresses[count], sizes[count], kinds[count] = time, data, length, word16_at(data, swapped)
            count += 1
        at = data + length
    return count, at, 0


@specialized
def find_events(base: int, pages: int, page_size: int, layout: PageLayout, swapped: bool, found: Found) -> tuple[int, int, int]:
    """Fills `found`, and returns the numbers of events, losses and problems.

    Args:
        base: the address of the first page.
        pages: the number of pages.
        page_size: bytes.
        swapped: whether the pages' byte order is not the host's.
    """
    count, lost, wrong = 0, 0, 0
    for start in range(base, base + pages * page_size, page_size):
        commit = i64(number_at(start + layout.commit_offset, layout.commit_size, swapped))
        at, problem = start + layout.data_offset, COMMIT_BEYOND_PAGE
        end = at + (commit & _COMMIT_MASK)
        if end <= start + page_size:
            if commit & _MISSED_EVENTS:
                many = UNKNOWN_LOSS
                if commit & _MISSED_STORED and end + layout.commit_size <= start + page_size:
                    many = i64(number_at(end, layout.commit_size, swapped))
                if many != 0:
                    found.losses[lost, 0], found.losses[lost, 1] = count, many
                    lost += 1
            count, at, problem = _find_in_page(at, end, word64_at(start, swapped), swapped, found, count)
        if problem:
            if wrong < len(found.problems):
                found.problems[wrong, 0], found.problems[wrong, 1] = at - base, problem
            wrong += 1
    return count, lost, wrong
