# SPDX-License-Identifier: GPL-2.0-only
"""Dumps: what is in a trace buffer, taken out of it as lines for the guest's console."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Self

from emu.ftrace.text.taken_text import TakenText

__all__ = ["Dump"]

_AT_ONCE = 4096  # events: a dump keeps the text of so many in memory


class Dump:
    """Takes events out of a buffer, and iterates over their lines. What is recorded meanwhile stays.

    Args:
        text: takes them.
        entries: how many there are.
    """

    def __init__(self, text: TakenText, entries: int) -> None:
        self._text = text
        self._left = entries
        self._lines: deque[str] = deque()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        while not self._lines:
            taken = self._text.take(_up_to(min(self._left, _AT_ONCE)))
            if not taken:
                raise StopIteration
            self._left -= len(taken)
            for event in filter(None, taken):
                self._lines += event.decode(errors="surrogateescape").removesuffix("\n").split("\n")
        return self._lines.popleft()


def _up_to(count: int) -> Callable[[object], bool]:
    """Says True so many times."""
    left = iter(range(count))
    return lambda thing: next(left, None) is not None
