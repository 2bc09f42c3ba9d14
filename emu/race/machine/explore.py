# SPDX-License-Identifier: GPL-2.0-only
"""Explores everything that can happen on a lab, breadth first: the first violation found has a shortest schedule."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from emu.cpu.host_signals import Held
from emu.cpu.snapshot import State
from emu.race.limits import INTERRUPTED, Limits
from emu.race.machine.direction import Direction
from emu.race.machine.lab import Lab
from emu.race.machine.notes import Notes
from emu.race.machine.violation import DeadEnd, Violation
from emu.race.schedule.event import Event

__all__ = ["Explored", "explore"]

_FIRST_LOOK = 256  # moves before the first check whether snapshots are incomplete


class _Way(NamedTuple):
    """The path to a state: the last event, and the path to the state before it."""

    event: Event
    before: _Way | None


class _Waiting(NamedTuple):
    """A state to be explored."""

    machine: State
    notes: Notes
    way: _Way | None


@dataclass
class Explored:
    """The result.

    Attributes:
        states: the number of distinct states seen.
        moves: the number of events performed.
        coverage: what was reached, by name: (reached, total).
        violation: the violation; None if there is none.
        schedule: the events that lead to the violation.
        limit: the limit that was reached, as a sentence; "" if none was.
    """

    states: int = 1
    moves: int = 0
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    violation: Violation | None = None
    schedule: tuple[Event, ...] = ()
    limit: str = ""


def explore(lab: Lab, direction: Direction, limits: Limits) -> Explored:
    """Explores from the scenario's start. Starts again as long as something changes that snapshots do not include."""
    snapshots = lab.snapshots
    usual = snapshots.working_set
    while True:
        search = _Search(lab, direction, limits)
        explored = search.explored
        try:
            complete = search.run()
        except KeyboardInterrupt:
            explored.limit = INTERRUPTED
        if explored.limit:
            return explored
        if complete:
            break
    if explored.violation is not None:
        with Held():
            explored.violation = direction.with_aftermath(explored.violation)
            snapshots.begin_again(usual)  # a dying guest changes many things that nothing else changes
    return explored


class _Search:
    """One breadth-first search. A state that waits to be expanded is a snapshot."""

    def __init__(self, lab: Lab, direction: Direction, limits: Limits) -> None:
        self._lab = lab
        self._direction = direction
        self._limits = limits
        self._next_look = _FIRST_LOOK
        self._furthest = 0
        self._stuck: _Waiting | None = None
        self._seen: set[object] = set()
        self._waiting: deque[_Waiting] = deque()
        self.explored = Explored()

    def run(self) -> bool:
        """Searches to the end, to a limit, or to a violation.

        Returns:
            False if snapshots were incomplete: then the result is meaningless.
        """
        explored = self.explored
        with Held():
            self._direction.begin()
            self._reach(None)
        while self._waiting and explored.violation is None:
            explored.limit = self._limits.reached(len(self._seen))
            if explored.limit:
                return True
            with Held():
                if explored.moves >= self._next_look:
                    if self._lacks():
                        return False
                    self._next_look *= 4
                try:
                    self._expand(self._waiting.popleft())
                except Exception:
                    if self._lacks():
                        return False
                    raise
        with Held():
            if explored.violation is None and self._stuck is not None:
                self._go_back(self._stuck)
                explored.violation, explored.schedule = self._direction.stuck(), _events(self._stuck.way)
            return not self._lacks()

    def _lacks(self) -> bool:
        """Whether snapshots were incomplete. If so, they are complete now, and the lab is at its base."""
        return bool(self._lab.snapshots.strays())

    def _reach(self, way: _Way | None) -> None:
        """The lab has reached a state. If it is new, it waits to be expanded."""
        notes = self._direction.notes
        if notes.key not in self._seen:
            self._seen.add(notes.key)
            self._waiting.append(_Waiting(self._lab.snapshots.save(), notes, way))
            self.explored.states = len(self._seen)

    def _go_back(self, here: _Waiting) -> None:
        self._lab.snapshots.restore(here.machine)
        self._direction.notes = here.notes

    def _expand(self, here: _Waiting) -> None:
        """Performs every possible event in a state."""
        position, positions = here.notes.position, self._direction.course.patcher.end + 1
        self._furthest = max(self._furthest, position)
        self.explored.coverage = {"positions of the patcher": (self._furthest + 1, positions)}
        if self._stuck is None and self._direction.is_stuck_at(position):
            self._stuck = here
        self._go_back(here)
        for number, possible in enumerate(self._direction.possible()):
            if number:
                self._go_back(here)
            self.explored.moves += 1
            way = _Way(possible.event, here.way)
            try:
                self._direction.perform(possible)
            except Violation as violation:
                self.explored.violation, self.explored.schedule = violation, _events(way)
                return
            except DeadEnd:
                continue
            self._reach(way)


def _events(way: _Way | None) -> tuple[Event, ...]:
    events = []
    while way is not None:
        events.append(way.event)
        way = way.before
    return tuple(reversed(events))
