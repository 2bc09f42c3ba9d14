# SPDX-License-Identifier: GPL-2.0-only
"""A breadth-first search of the product of the patcher and N CPUs, in Python: the reference for the native search.

CPUs are alike, so a state is the patcher's position and the sorted CPU states.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.cpu_state import Move
from emu.race.model.tables import NOT_ALLOWED, WRONG, Tables
from emu.race.schedule.event import Event

__all__ = ["Found", "State", "schedule", "search"]

State: TypeAlias = tuple[int, tuple[int, ...]]
"""The patcher's position, and the number of each CPU's state (`Tables.rows`), lowest first."""


@dataclass
class Found:
    """The result of a search.

    Attributes:
        states: the number of states seen.
        moves: the number of moves tried.
        reached: for each position, the numbers of the CPU states reached.
        wrong: the states on a shortest path to one in which something wrong can happen; empty if there is none.
        last: if nothing is wrong, the states on a shortest path to a position at which nothing can follow; empty if there is
            none.
        limit: the limit that was reached, as a sentence; "" if none was.
    """

    states: int
    moves: int
    reached: list[set[int]]
    wrong: list[State] = dataclasses.field(default_factory=list)
    last: list[State] = dataclasses.field(default_factory=list)
    limit: str = ""


def search(tables: Tables, cpus: int, limits: Limits) -> Found:
    """Searches the product of this many CPUs."""
    patcher = tables.automaton.patcher
    states: list[State] = [(0, (0,) * cpus)]
    parents = [-1]
    seen = set(states)
    found = Found(1, 0, [set() for _ in tables.rows])
    last = -1

    def way(number: int) -> list[State]:
        backwards = []
        while number >= 0:
            backwards.append(states[number])
            number = parents[number]
        return backwards[::-1]

    def reach(parent: int, state: State) -> None:
        if state not in seen:
            seen.add(state)
            states.append(state)
            parents.append(parent)

    def expand(number: int) -> bool:
        """Adds the successors of a state. Returns whether something wrong can follow."""
        position, numbers = states[number]
        rows = [tables.rows[position][n] for n in numbers]
        for nth, step in enumerate(tables.steps[position]):
            advanced = [row.advance[nth] for row in rows]
            if NOT_ALLOWED not in advanced:
                found.moves += 1
                if WRONG in advanced:
                    return True
                reach(number, (step.to, tuple(sorted(advanced))))
        for cpu, row in enumerate(rows):
            if cpu and numbers[cpu] == numbers[cpu - 1]:
                continue  # an identical CPU
            for target in row.targets:
                found.moves += 1
                if target == WRONG:
                    return True
                reach(number, (position, tuple(sorted((*numbers[:cpu], target, *numbers[cpu + 1 :])))))
        return False

    number = 0
    try:
        while number < len(states):
            found.limit = limits.reached(len(states))
            if found.limit:
                break
            position, numbers = states[number]
            found.reached[position].update(numbers)
            if last < 0 and patcher.is_last(position):
                last = number
            if expand(number):
                found.wrong = way(number)
                break
            number += 1
    except KeyboardInterrupt:
        found.limit = INTERRUPTED
    found.states = len(states)
    if not found.wrong and not found.limit:
        found.last = way(last)
    return found


def schedule(tables: Tables, states: Sequence[State], *, wrong: bool) -> tuple[list[Event], Move | None]:
    """The events on a path of states, and the wrong move at its end, if there should be one. CPUs get their real numbers."""
    cpus = list(states[0][1])
    events: list[Event] = []
    for (position, _), (following, numbers) in itertools.pairwise(states):
        rows = [tables.rows[position][n] for n in cpus]
        if following > position:
            nth, step = next((nth, step) for nth, step in enumerate(tables.steps[position]) if step.to == following)
            events.append(step.event)
            cpus = [row.advance[nth] for row in rows]
            continue
        cpu, nth = next(
            (cpu, nth)
            for cpu, row in enumerate(rows)
            for nth, target in enumerate(row.targets)
            if sorted((*cpus[:cpu], target, *cpus[cpu + 1 :])) == list(numbers)
        )
        events.append(dataclasses.replace(rows[cpu].moves[nth].event, agent=cpu))
        cpus[cpu] = rows[cpu].targets[nth]
    if not wrong:
        return events, None
    rows = [tables.rows[states[-1][0]][n] for n in cpus]
    for advanced in zip(*(row.advance for row in rows), strict=True):
        if NOT_ALLOWED not in advanced and WRONG in advanced:
            why = rows[advanced.index(WRONG)].why_wrong
            assert why is not None
            return [*events, why.event], why
    for cpu, row in enumerate(rows):
        if WRONG in row.targets:
            move = row.moves[row.targets.index(WRONG)]
            return [*events, dataclasses.replace(move.event, agent=cpu)], move
    raise AssertionError("nothing wrong follows")
