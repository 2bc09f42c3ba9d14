# SPDX-License-Identifier: GPL-2.0-only
"""Files, system calls and writes to tracefs made to break the kernel. `tests.soak` has the table of how many of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Outcome"]


@dataclass
class Outcome:
    """What the guest made of some of them: how often what happened, and what must not have: in words that tell how to
    have it again."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        self.counts += other.counts
        self.findings += other.findings
