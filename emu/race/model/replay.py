# SPDX-License-Identifier: GPL-2.0-only
"""Following a schedule on the model."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

from emu.race.event import PATCHER, Event
from emu.race.model import STUCK, automaton_of
from emu.race.model.automaton import Automaton, Move
from emu.race.permitted import NotPermitted, is_same
from emu.race.scenario import Scenario, Wrong
from emu.race.verdict import Outcome, Verdict

__all__ = ["Walk", "replay"]


def replay(events: Sequence[Event], scenario: Scenario, fetch: str) -> Verdict:
    """What comes of a schedule's events. Its verdict has them with the model's bytes and texts.

    Raises:
        NotPermitted: an event is not possible where it stands.
        ValueError: the scenario is impossible, or has no such fetch model.
    """
    walk = Walk(automaton_of(scenario, fetch), scenario.cpus)
    move: Move | None = None
    for number, event in enumerate(events, 1):
        possible = [] if move and move.wrong else walk.possible(event.agent)
        move = next((move for move in possible if is_same(event, move.event)), None)
        if move is None:
            raise NotPermitted(number, event, [move.event for move in possible])
        walk = walk.followed(move)
    outcome, wrong, why = Outcome.UNDECIDED, None, "nothing goes wrong on the way"
    if move and move.wrong:
        outcome, wrong, why = Outcome.UNSAFE, move.wrong, move.why
    elif walk.is_stuck and Wrong.STUCK in scenario.never:
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STUCK, STUCK
    count = len(walk.events)
    return Verdict(scenario, fetch, "model", outcome, wrong, why, tuple(walk.events), states=count + 1, moves=count)


class Walk:
    """Where the patcher and the CPUs are on the way along a schedule.

    Attributes:
        events: what has been done, in order.
    """

    def __init__(self, automaton: Automaton, cpus: int) -> None:
        self.events: list[Event] = []
        self._automaton = automaton
        self._position = 0
        self._cpus = [automaton.first] * cpus

    @property
    def is_stuck(self) -> bool:
        """Whether the protocol waits for what never comes."""
        patcher = self._automaton.patcher
        return self._position == patcher.end and not patcher.ends

    def possible(self, agent: int) -> list[Move]:
        """What an agent may do."""
        automaton, position = self._automaton, self._position
        if agent != PATCHER:
            if agent >= len(self._cpus):
                return []
            own = automaton.moves(position, self._cpus[agent], every=True)
            return [move._replace(event=dataclasses.replace(move.event, agent=agent)) for move in own]
        if position == automaton.patcher.end or not all(automaton.allows(position, cpu) for cpu in self._cpus):
            return []
        moves = [automaton.advance(position, cpu) for cpu in self._cpus]
        return [next((move for move in moves if move.wrong), moves[0])]

    def followed(self, move: Move) -> Walk:
        """The walk after one of the moves that are possible."""
        after = copy.copy(self)
        after.events = [*self.events, move.event]
        after._cpus = list(self._cpus)
        if move.event.agent == PATCHER:
            advanced = [self._automaton.advance(self._position, cpu).after for cpu in self._cpus]
            after._cpus = [new or cpu for new, cpu in zip(advanced, self._cpus, strict=True)]
            after._position += 1
        elif move.after is not None:
            after._cpus[move.event.agent] = move.after
        return after
