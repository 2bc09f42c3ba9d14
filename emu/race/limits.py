# SPDX-License-Identifier: GPL-2.0-only
"""Limits of a search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

__all__ = ["INTERRUPTED", "Limits"]

INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Limits:
    """The limits of one search. If a limit is reached, the result is undecided.

    Attributes:
        states: the maximum number of distinct states; None: no limit.
        seconds: the approximate maximum time; None: no limit.
    """

    states: int | None = 20_000_000
    seconds: float | None = None
    _began: float = field(default_factory=lambda: time.monotonic(), init=False, compare=False, repr=False)

    def started(self) -> Limits:
        """The same limits, for a search that starts now."""
        return Limits(self.states, self.seconds)

    def reached(self, states: int, noun: str = "state") -> str:
        """A sentence about the limit reached by a search that has seen so many states; "" if there is none.

        Args:
            states: the number of states, or of what a search counts instead.
            noun: what it counts.
        """
        if self.states is not None and states >= self.states:
            return f"the limit of {self.states:,} {noun}{'s' if self.states > 1 else ''} was reached"
        if self.seconds is not None and time.monotonic() - self._began >= self.seconds:
            return f"the limit of {self.seconds:g} s was reached"
        return ""
