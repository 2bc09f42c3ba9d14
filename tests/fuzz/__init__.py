# SPDX-License-Identifier: GPL-2.0-only
"""Files, system calls and writes to tracefs that try to break the kernel. `tests.soak` has the table with the number of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Outcome"]


@dataclass
class Outcome:
    """The results of a number of tries: how often what happened, and the findings, in words that tell how to reproduce
    them."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        self.counts += other.counts
        self.findings += other.findings
