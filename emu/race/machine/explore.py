# SPDX-License-Identifier: GPL-2.0-only
"""Everything that can happen on a lab, breadth first: what goes wrong first has a shortest schedule."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from emu.cpu.host_signals import Held
from emu.cpu.snapshot import State
from emu.race.event import Event
from emu.race.limits import INTERRUPTED, Limits
from emu.race.machine.direction import DeadEnd, Direction, Violation
from emu.race.machine.lab import Lab
from emu.race.machine.notes import Notes

__all__ = ["Explored", "explore"]

_AT_ONCE, _LATER = 1, 512  # moves after which one looks for the first time whether snapshots lack something


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
        search = _Search(lab, direction, limits)
        try:
            complete = search.run() and not lab.snapshots.strays()
        except KeyboardInterrupt:
            search.explored.limit = INTERRUPTED
        if complete or search.explored.limit:
            lab.first_look = _LATER
            return search.explored
        lab.first_look = _AT_ONCE


class _Search:
    """One search, breadth first. A state that waits to be expanded is a snapshot."""

    def __init__(self, lab: Lab, direction: Direction, limits: Limits) -> None:
        self._snapshots = lab.snapshots
        self._direction = direction
        self._limits = limits
        self._next_look = lab.first_look
        self._positions = direction.course.patcher.end + 1
        self._seen: set[object] = set()
        self._waiting: deque[_Waiting] = deque()
        self.explored = Explored()

    def run(self) -> bool:
        """Searches to the end, to a limit, or to something wrong.

        Returns:
            False if snapshots lacked something: then what was found means nothing.
        """
        explored, direction = self.explored, self._direction
        direction.begin()
        self._reach(None)
        stuck: _Waiting | None = None
        furthest = 0
        while self._waiting and explored.violation is None:
            explored.limit = self._limits.reached(len(self._seen))
            if explored.limit:
                return True
            if explored.moves >= self._next_look:
                if self._snapshots.strays():
                    return False
                self._next_look *= 4
            here = self._waiting.popleft()
            with Held():
                self._expand(here)
            furthest = max(furthest, here.notes.position)
            explored.coverage = {"positions of the patcher": (furthest + 1, self._positions)}
            if stuck is None and direction.is_stuck_at(here.notes.position):
                stuck = here
        if explored.violation is None and stuck is not None:
            self._go_back(stuck)
            self._found(direction.stuck(), stuck.way)
        return True

    def _reach(self, way: _Way | None) -> None:
        """The lab is in a state: if it is a new one, it waits to be expanded."""
        notes = self._direction.notes
        if notes.key not in self._seen:
            self._seen.add(notes.key)
            self._waiting.append(_Waiting(self._snapshots.save(), notes, way))
            self.explored.states = len(self._seen)

    def _go_back(self, here: _Waiting) -> None:
        self._snapshots.restore(here.machine)
        self._direction.notes = here.notes

    def _expand(self, here: _Waiting) -> None:
        """Performs everything that is possible in a state."""
        self._go_back(here)
        for number, possible in enumerate(self._direction.possible()):
            if number:
                self._go_back(here)
            self.explored.moves += 1
            way = _Way(possible.event, here.way)
            try:
                self._direction.perform(possible)
            except Violation as violation:
                self._found(violation, way)
                return
            except DeadEnd:
                continue
            self._reach(way)

    def _found(self, violation: Violation, way: _Way | None) -> None:
        self.explored.violation = self._direction.with_aftermath(violation)
        self.explored.schedule = _events(way)


def _events(way: _Way | None) -> tuple[Event, ...]:
    events = []
    while way is not None:
        events.append(way.event)
        way = way.before
    return tuple(reversed(events))
