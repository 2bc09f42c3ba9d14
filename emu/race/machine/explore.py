# SPDX-License-Identifier: GPL-2.0-only
"""Everything that can happen on a lab, breadth first: what goes wrong first has a shortest schedule."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from emu.cpu.snapshot import State
from emu.race.event import Event
from emu.race.limits import INTERRUPTED, Limits
from emu.race.machine.direction import DeadEnd, Direction, Violation
from emu.race.machine.lab import Lab
from emu.race.machine.notes import Notes
from emu.race.scenario import Wrong

__all__ = ["Explored", "explore"]


class _Way(NamedTuple):
    """How a state is reached: the last event, and the way to where it is possible."""

    event: Event
    before: _Way | None


class _Waiting(NamedTuple):
    """A state that is to be explored."""

    machine: State
    notes: Notes
    way: _Way | None


@dataclass
class Explored:
    """What was found.

    Attributes:
        states: how many different states were seen.
        moves: how many events were performed.
        coverage: what was reached, by name: (reached, of so many).
        violation: what goes wrong; None: nothing.
        schedule: the events that lead to it.
        limit: which limit was reached, as a sentence; "": none.
    """

    states: int = 1
    moves: int = 0
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    violation: Violation | None = None
    schedule: tuple[Event, ...] = ()
    limit: str = ""


def explore(lab: Lab, direction: Direction, limits: Limits) -> Explored:
    """Explores from the scenario's beginning. As long as something has changed that is in no snapshot, it does so again."""
    while True:
        try:
            explored = _explore(lab, direction, limits)
        except KeyboardInterrupt:
            return Explored(limit=INTERRUPTED)
        if explored is not None and (explored.limit or not lab.snapshots.strays()):
            return explored


def _explore(lab: Lab, direction: Direction, limits: Limits) -> Explored | None:
    """Explores once. None: what was seen means nothing, because snapshots lacked something; now they have it."""
    snapshots = lab.snapshots
    direction.begin()
    waiting = deque([_Waiting(snapshots.save(), direction.notes, None)])
    seen = {direction.notes.key}
    stuck: _Waiting | None = None
    explored = Explored()
    furthest, positions = 0, direction.course.patcher.end + 1
    next_look = 1
    while waiting:
        explored.states = len(seen)
        explored.limit = limits.reached(len(seen))
        if explored.limit:
            return explored
        if explored.moves >= next_look:
            if snapshots.strays():
                return None
            next_look *= 4
        here = waiting.popleft()
        snapshots.restore(here.machine)
        direction.notes = here.notes
        furthest = max(furthest, here.notes.position)
        explored.coverage = {"positions of the patcher": (furthest + 1, positions)}
        if stuck is None and direction.is_stuck and Wrong.STUCK in direction.scenario.never:
            stuck = here
        for number, possible in enumerate(direction.possible()):
            if number:
                snapshots.restore(here.machine)
                direction.notes = here.notes
            explored.moves += 1
            way = _Way(possible.event, here.way)
            try:
                direction.perform(possible)
            except Violation as violation:
                explored.violation, explored.schedule = direction.with_aftermath(violation), _events(way)
                return explored
            except DeadEnd:
                continue
            key = direction.notes.key
            if key not in seen:
                seen.add(key)
                waiting.append(_Waiting(snapshots.save(), direction.notes, way))
    if stuck is not None:
        snapshots.restore(stuck.machine)
        direction.notes = stuck.notes
        explored.violation, explored.schedule = direction.with_aftermath(direction.stuck()), _events(stuck.way)
    return explored


def _events(way: _Way | None) -> tuple[Event, ...]:
    events = []
    while way is not None:
        events.append(way.event)
        way = way.before
    return tuple(reversed(events))
