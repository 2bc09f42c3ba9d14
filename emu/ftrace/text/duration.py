# SPDX-License-Identifier: GPL-2.0-only
"""The duration column of function_graph: a mark for long times, and seven significant digits."""

from __future__ import annotations

from bisect import bisect_left

__all__ = ["NO_DURATION", "duration", "duration_mark", "duration_text"]

NO_DURATION = " " * 14 + "|  "
_WIDTH = 8
# A time longer than one of these, in ns, gets that mark.
_LIMITS = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_MARKS = " +!#*@$"


def duration_mark(nanoseconds: int) -> str:
    return _MARKS[bisect_left(_LIMITS, nanoseconds)]


def duration_text(nanoseconds: int, *, overhead: bool) -> str:
    """`+ 10.786 us   |  `; without `overhead` there is no mark before the number.

    >>> duration_text(13_475_441, overhead=True)
    '* 13475.44 us |  '
    """
    mark = duration_mark(nanoseconds) if overhead else " "
    return f"{mark} {duration(nanoseconds)}|  "


def duration(nanoseconds: int) -> str:
    """`10.786 us   `. Longer times have fewer decimals, which keeps the column's width."""
    microseconds, rest = divmod(nanoseconds, 1000)
    number = str(microseconds)
    if len(number) < _WIDTH - 1:
        number = f"{number}.{rest:03}"[:_WIDTH]
    return f"{number} us {' ' * (_WIDTH - len(number))}"
