# SPDX-License-Identifier: GPL-2.0-only
"""A random search of the model: what a tester does who cannot try everything.

It walks from the first state, again and again. At each step it chooses uniformly among the possible moves of the patcher and
of the CPUs; moves of a CPU to the same state are one, and those that change nothing are none (`Tables`). A walk ends with
something wrong, at a state without moves, or when it is long: `_MOVES_PER_EVENT` for each event of the patcher, times the
number of CPUs plus one.

A protocol that does not end is found, too: by a walk that comes to the patcher's last position, and to its own end without
anything else being wrong. (The exhaustive search says STUCK only if nothing else is wrong on any way.)
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from emu.race.limits import INTERRUPTED, Limits
from emu.race.model import STUCK, automaton_of
from emu.race.model.cpu_state import Move
from emu.race.model.tables import NOT_ALLOWED, WRONG, Tables
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["random_search"]

_MOVES_PER_EVENT = 4

_Step: TypeAlias = tuple[int, int]
"""A CPU, and the number of its move; or PATCHER, and the number of the patcher's step."""


def random_search(scenario: Scenario, fetch: str, seed: int = 0, limits: Limits | None = None) -> Verdict:
    """Walks at random through what the CPUs of a scenario may do under a fetch model, until something is wrong.

    The verdict is unsafe, with the whole walk as its schedule, or not decided; never safe. `moves` counts the events of all
    walks, and `states` is 0: nobody remembers states. The same seed gives the same verdict.

    Args:
        scenario: the scenario.
        fetch: the name of the fetch model.
        seed: the seed of all walks.
        limits: when to give up. `Limits.states` counts events tried here.

    Raises:
        ValueError: the scenario is impossible. The text says why.
    """
    began = time.perf_counter()
    limits = (limits or Limits()).started()
    why, walks = "", None
    try:
        tables = Tables(automaton_of(scenario, fetch), Limits(None, limits.seconds))  # of `limits`, the number is one of events
        walks = _Walks(tables, scenario, Random(f"emu race {seed}"))
        why = tables.limit or walks.until_wrong(limits)
    except KeyboardInterrupt:
        why = INTERRUPTED
    wrong = walks.wrong if walks else None
    outcome = Outcome.UNSAFE if wrong else Outcome.UNDECIDED
    events = tuple(walks.events) if walks and wrong else ()
    moves = walks.moves if walks else 0
    seconds = time.perf_counter() - began
    return Verdict(scenario, fetch, "model", outcome, wrong, why, events, moves=moves, seconds=seconds)


class _Walks:
    """Random walks.

    Attributes:
        moves: the number of events of all walks.
        wrong: what went wrong on the last walk; None if nothing did.
        events: the events of that walk.
    """

    def __init__(self, tables: Tables, scenario: Scenario, random: Random) -> None:
        self.moves = 0
        self.wrong: Wrong | None = None
        self.events: list[Event] = []
        self._tables = tables
        self._cpus = scenario.cpus
        self._patcher = tables.automaton.patcher
        self._may_be_stuck = not self._patcher.ends and Wrong.STUCK in scenario.never
        self._longest = _MOVES_PER_EVENT * self._patcher.end * (1 + scenario.cpus)
        self._random = random.random
        # For each position and state: the targets of the state's moves, and the states after the patcher's steps.
        self._rows = [[(row.targets, row.advance) for row in rows] for rows in tables.rows]

    def until_wrong(self, limits: Limits) -> str:
        """Walks until something is wrong, or a limit is reached. Returns a sentence about it."""
        while not (why := limits.reached(self.moves, "event")):
            left = self._longest if limits.states is None else limits.states - self.moves
            why = self._walk(min(self._longest, left))
            if self.wrong:
                break
        return why

    def _walk(self, most: int) -> str:
        """Walks once, at most this many events. Returns what is wrong, as a sentence; "" if nothing is."""
        everything, random, steps = self._rows, self._random, self._tables.steps
        position, numbers = 0, [0] * self._cpus
        way: list[_Step] = []
        way_to_end: list[_Step] = []
        is_wrong = False
        while len(way) < most and not is_wrong:
            here = everything[position]
            rows = [here[number] for number in numbers]
            advances = [*zip(*[advance for _, advance in rows], strict=True)]
            allowed = [number for number, advanced in enumerate(advances) if NOT_ALLOWED not in advanced]
            count = sum([len(targets) for targets, _ in rows], len(allowed))
            if not count:
                break
            nth = int(random() * count) - len(allowed)
            if nth < 0:
                way.append((PATCHER, allowed[nth]))
                numbers = [*advances[allowed[nth]]]
                is_wrong = WRONG in numbers
                position = steps[position][allowed[nth]].to
                if self._patcher.is_last(position):
                    way_to_end = way[:]
                continue
            cpu = 0
            while nth >= len(rows[cpu][0]):
                nth -= len(rows[cpu][0])
                cpu += 1
            way.append((cpu, nth))
            target = numbers[cpu] = rows[cpu][0][nth]
            is_wrong = target == WRONG
        self.moves += len(way)
        if is_wrong:
            self.events, last = self._events(way)
            self.wrong = last.wrong
            return last.why
        if way_to_end and self._may_be_stuck:
            self.events, _ = self._events(way_to_end)
            self.wrong = Wrong.STUCK
            return STUCK
        return ""

    def _events(self, way: Sequence[_Step]) -> tuple[list[Event], Move]:
        """The events of a walk, and its last move."""
        position, numbers = 0, [0] * self._cpus
        events: list[Event] = []
        moves: list[Move | None] = []
        for cpu, nth in way:
            rows = [self._tables.rows[position][number] for number in numbers]
            if cpu == PATCHER:
                step = self._tables.steps[position][nth]
                event = step.event
                numbers = [row.advance[nth] for row in rows]
                moves = [row.why_wrong for row in rows if row.advance[nth] == WRONG]
                position = step.to
            else:
                moves = [rows[cpu].moves[nth]]
                event = dataclasses.replace(rows[cpu].moves[nth].event, agent=cpu)
                numbers[cpu] = rows[cpu].targets[nth]
            events.append(event)
        return events, next(filter(None, moves), Move(events[-1], None))
