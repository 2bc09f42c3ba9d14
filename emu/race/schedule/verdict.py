# SPDX-License-Identifier: GPL-2.0-only
"""What a search has found: that nothing can go wrong, what goes wrong, or that it was not decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import Event

__all__ = ["Outcome", "Verdict"]


class Outcome(StrEnum):
    SAFE = "safe"  # every reachable state was seen, and nothing is wrong in any
    UNSAFE = "unsafe"  # a schedule leads to something wrong
    UNDECIDED = "not decided"  # a limit was reached first


@dataclass(frozen=True)
class Verdict:
    """What a search says of one scenario under one fetch model.

    Attributes:
        scenario: what was searched, with the CPUs and sites that were.
        fetch: name of the fetch model.
        on: "model" or "machine".
        outcome: safe, unsafe or not decided.
        wrong: what goes wrong; None unless unsafe.
        why: one sentence: what goes wrong and where, or which limit was reached.
        schedule: a shortest sequence of events that ends with it; empty unless unsafe.
        states: how many different states were seen.
        moves: how many events were tried.
        coverage: what was reached of what there is, by name: (reached, of so many).
        assumptions: what "safe" takes for granted, a sentence each.
        digest: of the machine's base state and images, for replaying; "" on the model.
        seconds: how long the search took. It is not compared.
    """

    scenario: Scenario
    fetch: str
    on: str
    outcome: Outcome
    wrong: Wrong | None = None
    why: str = ""
    schedule: tuple[Event, ...] = ()
    states: int = 0
    moves: int = 0
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    digest: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def ok(self) -> bool:
        """Whether it is what the scenario expects; without an expectation: whether it is safe."""
        expected = self.scenario.expected(self.fetch)
        if self.outcome is Outcome.UNDECIDED:
            return False
        if expected is None:
            return self.outcome is Outcome.SAFE
        return expected.met(self.outcome is Outcome.SAFE, self.wrong)
