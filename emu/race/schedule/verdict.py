# SPDX-License-Identifier: GPL-2.0-only
"""The result of a search: nothing can go wrong, something goes wrong, or it is undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import Event

__all__ = ["Outcome", "Verdict"]


class Outcome(StrEnum):
    SAFE = "safe"  # every reachable state was seen, and nothing is wrong in any of them
    UNSAFE = "unsafe"  # a schedule leads to something wrong
    UNDECIDED = "not decided"  # a limit was reached first


@dataclass(frozen=True)
class Verdict:
    """The result of a search of one scenario under one fetch model.

    Attributes:
        scenario: the scenario, with the CPUs and sites that were searched.
        fetch: the name of the fetch model.
        on: "model" or "machine".
        outcome: safe, unsafe or not decided.
        wrong: what goes wrong; None unless unsafe.
        why: one sentence: what goes wrong and where, or which limit was reached.
        schedule: a shortest sequence of events that ends with it; empty unless unsafe.
        states: the number of distinct states seen.
        moves: the number of events tried.
        coverage: what was reached, by name: (reached, total).
        assumptions: what the result assumes, a sentence each.
        digest: a digest of the machine's base state and images, for replays; "" on the model.
        seconds: the duration of the search. It is not compared.
        any_number_of_cpus: whether "safe" was shown for any number of CPUs, by a search of one (docs/race-lab.md).
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
    any_number_of_cpus: bool = False

    @property
    def ok(self) -> bool:
        """Whether the result is as the scenario expects; without an expectation, whether it is safe."""
        expected = self.scenario.expected(self.fetch)
        if self.outcome is Outcome.UNDECIDED:
            return False
        if expected is None:
            return self.outcome is Outcome.SAFE
        events = len(self.schedule) if self.on == "model" else 0
        return expected.met(self.outcome is Outcome.SAFE, self.wrong, events)
