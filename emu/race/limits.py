# SPDX-License-Identifier: GPL-2.0-only
"""When a search gives up."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

__all__ = ["INTERRUPTED", "Limits"]

INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Limits:
    """How much one search may take. What reaches a limit is not decided.

    Attributes:
        states: at most so many different states; None: any number.
        seconds: at most so long, about; None: any time.
    """

    states: int | None = 20_000_000
    seconds: float | None = None
    _began: float = field(default_factory=lambda: time.monotonic(), init=False, compare=False, repr=False)

    def started(self) -> Limits:
        """The same limits for a search that begins now."""
        return Limits(self.states, self.seconds)

    def reached(self, states: int) -> str:
        """Which limit a search has reached that has seen so many states, as a sentence; "": none."""
        if self.states is not None and states >= self.states:
            return f"the limit of {self.states:,} state{'s' if self.states > 1 else ''} was reached"
        if self.seconds is not None and time.monotonic() - self._began >= self.seconds:
            return f"the limit of {self.seconds:g} s was reached"
        return ""
