# SPDX-License-Identifier: GPL-2.0-only
"""Follows a schedule on the model."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

from emu.race.model import STUCK, automaton_of
from emu.race.model.automaton import Automaton
from emu.race.model.cpu_state import Move
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event
from emu.race.schedule.permitted import NotPermitted, is_same
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["ModelRun", "replay"]


def replay(events: Sequence[Event], scenario: Scenario, fetch: str) -> Verdict:
    """The verdict of a schedule's events, with the model's bytes and texts.

    Raises:
        NotPermitted: an event is impossible at its place.
        ValueError: the scenario is impossible, or has no such fetch model.
    """
    run = ModelRun(automaton_of(scenario, fetch), scenario.cpus)
    move: Move | None = None
    for event in events:
        if move and move.wrong:
            raise NotPermitted(len(run.events) + 1, event, [])
        run, move = run.performed(event)
    outcome, wrong, why = Outcome.UNDECIDED, None, "nothing goes wrong on the way"
    if move and move.wrong:
        outcome, wrong, why = Outcome.UNSAFE, move.wrong, move.why
    elif run.is_stuck and Wrong.STUCK in scenario.never:
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STUCK, STUCK
    count = len(run.events)
    return Verdict(scenario, fetch, "model", outcome, wrong, why, tuple(run.events), states=count + 1, moves=count)


class ModelRun:
    """The patcher's and the CPUs' states after some of a schedule's events.

    Attributes:
        automaton: the automaton of each CPU.
        events: the events so far, in order, with the model's bytes and texts.
        position: the patcher's position.
        cpus: the CPUs' states.
    """

    def __init__(self, automaton: Automaton, cpus: int) -> None:
        self.events: list[Event] = []
        self.automaton = automaton
        self.position = 0
        self.cpus = [automaton.first] * cpus

    @property
    def is_stuck(self) -> bool:
        """Whether the protocol waits for something that never happens."""
        patcher = self.automaton.patcher
        return self.position == patcher.end and not patcher.ends

    def possible(self, agent: int) -> list[Move]:
        """The possible moves of an agent."""
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

    def performed(self, event: Event) -> tuple[ModelRun, Move]:
        """The run after an event, which must be possible.

        Raises:
            NotPermitted: it is not possible.
        """
        possible = self.possible(event.agent)
        move = next((move for move in possible if is_same(event, move.event)), None)
        if move is None:
            raise NotPermitted(len(self.events) + 1, event, [move.event for move in possible])
        return self.followed(move), move

    def followed(self, move: Move) -> ModelRun:
        """The run after one of the possible moves."""
        after = copy.copy(self)
        after.events = [*self.events, move.event]
        after.cpus = list(self.cpus)
        if move.event.agent == PATCHER:
            advanced = [self.automaton.advance(self.position, cpu).after for cpu in self.cpus]
            after.cpus = [new or cpu for new, cpu in zip(advanced, self.cpus, strict=True)]
            after.position += 1
        elif move.after is not None:
            after.cpus[move.event.agent] = move.after
        return after
