# SPDX-License-Identifier: GPL-2.0-only
"""Follows a schedule on the model."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence

from emu.race.model import STUCK, automaton_of
from emu.race.model.automaton import Automaton
from emu.race.model.cpu_state import Move
from emu.race.model.liveness import ANSWERS, is_at_rest, must, why_waiting
from emu.race.model.patcher import Step
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
    runs = [run]
    for event in events:
        if move and move.wrong:
            raise NotPermitted(len(run.events) + 1, event, [])
        run, move = run.performed(event)
        runs.append(run)
    outcome, wrong, why = Outcome.UNDECIDED, None, "nothing goes wrong on the way"
    if move and move.wrong:
        outcome, wrong, why = Outcome.UNSAFE, move.wrong, move.why
    elif run.is_stuck and Wrong.STUCK in scenario.never:
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STUCK, STUCK
    elif scenario.live and Wrong.STARVED in scenario.never and (waiting := _repeated(runs)):
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STARVED, waiting
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
        return patcher.is_last(self.position) and not patcher.ends

    def possible(self, agent: int) -> list[Move]:
        """The possible moves of an agent."""
        automaton, position = self.automaton, self.position
        if agent > PATCHER:
            if agent >= len(self.cpus):
                return []
            own = automaton.moves(position, self.cpus[agent], every=True)
            return [move._replace(event=dataclasses.replace(move.event, agent=agent)) for move in own]
        step = self._step_of(agent)
        if step is None or not all(automaton.allows(position, cpu, step) for cpu in self.cpus):
            return []
        moves = [automaton.advance(position, cpu, step) for cpu in self.cpus]
        return [next((move for move in moves if move.wrong), moves[0])]

    def _step_of(self, agent: int) -> Step | None:
        """The step of a patcher that can follow, if CPUs allow it."""
        return next((step for step in self.automaton.patcher.steps(self.position) if step.event.agent == agent), None)

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
        step = self._step_of(move.event.agent)
        if step is not None:
            advanced = [self.automaton.advance(self.position, cpu, step).after for cpu in self.cpus]
            after.cpus = [new or cpu for new, cpu in zip(advanced, self.cpus, strict=True)]
            after.position = step.to
        elif move.after is not None:
            after.cpus[move.event.agent] = move.after
        return after


def _repeated(runs: Sequence[ModelRun]) -> str:
    """Why someone waits for ever after a run's events, as a sentence; "" if nobody does.

    Args:
        runs: the run after 0, 1, 2, ... events.
    """
    last = runs[-1]
    automaton, position = last.automaton, last.position
    steps = automaton.patcher.steps(position)

    def moves(run: ModelRun, agent: int) -> list[Move]:
        return [m for m in run.possible(agent) if m.after is not None and m.after != run.cpus[agent]]

    def holds_up(run: ModelRun, agent: int) -> bool:
        cpu = run.cpus[agent]
        if any(automaton.allows(position, cpu, step) for step in steps):
            return False
        return not any(move.event.what in ANSWERS for move in moves(run, agent))

    if last.is_stuck:
        return ""
    for agent, cpu in enumerate(last.cpus):
        busy = any(must(cpu, move.event) or move.after is None for move in last.possible(agent))
        if holds_up(last, agent) and not busy and (steps or not is_at_rest(cpu)):
            return why_waiting(0, len(last.events), bool(steps), agent)
    agent, start = last.events[-1].agent if last.events else PATCHER, len(runs) - 1
    if agent <= PATCHER:
        return ""
    while start and runs[start].events[-1].agent == agent:
        if not must(runs[start - 1].cpus[agent], runs[start].events[-1]) or not holds_up(runs[start - 1], agent):
            return ""
        start -= 1
        if runs[start].cpus == last.cpus:
            return why_waiting(len(runs) - 1 - start, len(last.events), bool(steps), agent)
    return ""
