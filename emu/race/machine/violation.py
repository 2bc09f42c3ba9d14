# SPDX-License-Identifier: GPL-2.0-only
"""What ends a way of events on the machine."""

from __future__ import annotations

from typing import NoReturn

from emu.race.scenario.scenario import Scenario, Wrong

__all__ = ["DeadEnd", "Violation", "end"]


class Violation(Exception):
    """Something wrong has happened."""

    def __init__(self, wrong: Wrong, why: str) -> None:
        super().__init__(why)
        self.wrong = wrong
        self.why = why


class DeadEnd(Exception):
    """Something has happened after which the rest is meaningless, but that the scenario does not count as wrong."""


def end(scenario: Scenario, wrong: Wrong, why: str) -> NoReturn:
    """Something has happened after which the rest is meaningless."""
    if wrong not in scenario.never:
        raise DeadEnd(why)
    raise Violation(wrong, why)
