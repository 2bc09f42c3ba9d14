# SPDX-License-Identifier: GPL-2.0-only
"""Where the events in the pages of one CPU are. What a page is: emu/ftrace/native/ring_buffer.py.

Pages are not trusted: a page is left where it cannot be read on, and the place is told.
"""

from __future__ import annotations

import numpy as np

from emu.native import outlined
from emu.trace.native.loads import number_at, word16_at, word32_at, word64_at

__all__ = ["COMMIT_BEYOND_PAGE", "COMMON_SIZE", "EVENT_BEYOND_COMMIT", "TOO_SHORT", "UNKNOWN_LOSS", "find_events"]

UNKNOWN_LOSS = -1  # events were lost, and nobody counted them
COMMON_SIZE = 8  # bytes that each entry begins with
COMMIT_BEYOND_PAGE, EVENT_BEYOND_COMMIT, TOO_SHORT = 1, 2, 3

_PADDING, _TIME_EXTEND, _TIME_STAMP = 29, 30, 31
_COMMIT_MASK = (1 << 20) - 1
_MISSED_EVENTS, _MISSED_STORED = 1 << 31, 1 << 30
_LOW_59 = np.uint64((1 << 59) - 1)
_ZERO, _DELTA_BITS = np.uint64(0), np.uint64(27)


@outlined
def find_events(base, pages, page_size, layout, swapped, times, addresses, sizes, kinds, losses, problems):
    """Fills the columns of the events, in order, and returns how many there are, of lost places, and of problems.

    Args:
        base: the address of the first page.
        pages: how many there are.
        page_size: bytes.
        layout: int64[3]: a `PageLayout`.
        swapped: the pages' byte order is not the host's.
        times: uint64, nanoseconds or what the clock counts.
        addresses: int64, of the entries.
        sizes: int32, bytes of an entry.
        kinds: uint16, `common_type`.
        losses: int64[n, 2]: before which event others were lost, and how many, or UNKNOWN_LOSS.
        problems: int64[n, 2]: a place in bytes from `base`, and what is wrong there. There may be more than fit.
    """
    found, lost, wrong = 0, 0, 0
    for page in range(pages):
        start = base + page * page_size
        time = word64_at(start, swapped)
        commit = np.int64(number_at(start + layout[0], layout[1], swapped))
        size = commit & _COMMIT_MASK
        at, end = start + layout[2], start + layout[2] + size
        problem = 0
        if end > start + page_size:
            problem, end = COMMIT_BEYOND_PAGE, at
        elif commit & _MISSED_EVENTS:
            many = np.int64(UNKNOWN_LOSS)
            if commit & _MISSED_STORED and end + layout[1] <= start + page_size:
                many = np.int64(number_at(end, layout[1], swapped))
            if many != 0:
                losses[lost, 0], losses[lost, 1] = found, many
                lost += 1
        while at + 4 <= end:
            header = word32_at(at, swapped)
            if swapped:  # the bit field begins at the other end of the word
                type_len, delta = header >> 27, np.uint64(header & 0x7FFFFFF)
            else:
                type_len, delta = header & 31, np.uint64(header >> 5)
            if type_len == _PADDING and delta == _ZERO:
                break
            if 1 <= type_len < _PADDING:
                data, length = at + 4, type_len * 4
            elif at + 8 > end:
                problem = EVENT_BEYOND_COMMIT
                break
            else:
                second = word32_at(at + 4, swapped)
                if type_len == _TIME_EXTEND:
                    time += delta + (np.uint64(second) << _DELTA_BITS)
                    at += 8
                    continue
                if type_len == _TIME_STAMP:
                    time = (time & ~_LOW_59) | ((delta + (np.uint64(second) << _DELTA_BITS)) & _LOW_59)
                    at += 8
                    continue
                data, length = at + 8, second - 4
                if length < 0 or second % 4:
                    problem = EVENT_BEYOND_COMMIT
                    break
            if data + length > end:
                problem = EVENT_BEYOND_COMMIT
                break
            time += delta
            if type_len != _PADDING:
                if length < COMMON_SIZE:
                    problem = TOO_SHORT
                    break
                times[found] = time
                addresses[found] = data
                sizes[found] = length
                kinds[found] = word16_at(data, swapped)
                found += 1
            at = data + length
        if problem:
            if wrong < len(problems):
                problems[wrong, 0], problems[wrong, 1] = at - base, problem
            wrong += 1
    return found, lost, wrong
