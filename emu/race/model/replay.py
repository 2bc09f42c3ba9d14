# SPDX-License-Identifier: GPL-2.0-only
"""Following a schedule on the model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from emu.race.event import PATCHER, Event
from emu.race.model import STUCK, automaton_of
from emu.race.model.automaton import Automaton, Move
from emu.race.permitted import NotPermitted, is_same
from emu.race.scenario import Scenario, Wrong
from emu.race.verdict import Outcome, Verdict

__all__ = ["Course", "replay"]


def replay(events: Sequence[Event], scenario: Scenario, fetch: str) -> Verdict:
    """What comes of a schedule's events. Its verdict has them with the model's bytes and texts.

    Raises:
        NotPermitted: an event is not possible where it stands.
        ValueError: the scenario is impossible, or has no such fetch model.
    """
    course = Course(scenario, fetch)
    move: Move | None = None
    for event in events:
        move = course.perform(event)
    outcome, wrong, why = Outcome.UNDECIDED, None, "nothing goes wrong on the way"
    if move and move.wrong:
        outcome, wrong, why = Outcome.UNSAFE, move.wrong, move.why
    elif course.is_stuck and Wrong.STUCK in scenario.never:
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STUCK, STUCK
    count = len(course.events)
    return Verdict(scenario, fetch, "model", outcome, wrong, why, tuple(course.events), states=count + 1, moves=count)


class Course:
    """The way along a schedule.

    Args:
        scenario: of the schedule.
        fetch: the fetch model's name.

    Attributes:
        automaton: of each CPU.
        events: what has been done, with the model's bytes and texts.
        position: the patcher's.
        cpus: the CPUs' states.

    Raises:
        ValueError: the scenario is impossible, or has no such fetch model.
    """

    def __init__(self, scenario: Scenario, fetch: str) -> None:
        self.automaton: Automaton = automaton_of(scenario, fetch)
        self.events: list[Event] = []
        self.position = 0
        self.cpus = (self.automaton.first,) * scenario.cpus
        self._is_over = False

    def perform(self, event: Event) -> Move:
        """Goes on by an event.

        Raises:
            NotPermitted: it is not possible here.
        """
        possible = [] if self._is_over else self.possible(event.agent)
        move = next((move for move in possible if is_same(event, move.event)), None)
        if move is None:
            raise NotPermitted(len(self.events) + 1, event, [move.event for move in possible])
        self._follow(move)
        self._is_over = move.wrong is not None
        return move

    @property
    def is_stuck(self) -> bool:
        """Whether the protocol waits for what never comes."""
        patcher = self.automaton.patcher
        return self.position == patcher.end and not patcher.ends

    def possible(self, agent: int) -> list[Move]:
        """What an agent may do."""
        automaton, position = self.automaton, self.position
        if agent != PATCHER:
            if agent >= len(self.cpus):
                return []
            own = automaton.moves(position, self.cpus[agent], every=True)
            return [move._replace(event=dataclasses.replace(move.event, agent=agent)) for move in own]
        if position == automaton.patcher.end or not all(automaton.allows(position, cpu) for cpu in self.cpus):
            return []
        moves = [automaton.advance(position, cpu) for cpu in self.cpus]
        return [next((move for move in moves if move.wrong), moves[0])]

    def _follow(self, move: Move) -> None:
        self.events.append(move.event)
        if move.event.agent != PATCHER:
            if move.after is not None:
                before, behind = self.cpus[: move.event.agent], self.cpus[move.event.agent + 1 :]
                self.cpus = (*before, move.after, *behind)
            return
        advanced = [self.automaton.advance(self.position, cpu).after for cpu in self.cpus]
        self.cpus = tuple(after or cpu for after, cpu in zip(advanced, self.cpus, strict=True))
        self.position += 1
