# SPDX-License-Identifier: GPL-2.0-only
"""Several patchers of the same sites: their events in all orders. A *position* is what they have done so far, taken together.

Positions are found when they are asked for, and get numbers in that order. A position follows from each other one by at most
one event, so that no position is reached again.

Each patcher does its events in order, and waits only for the answers to what it has asked itself. CPUs owe one answer at a
time: a patcher asks when they have answered what another one has asked (docs/race-lab.md says why nothing is missed).
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from emu.ftrace.sites.patching import Patch
from emu.race.model.patcher import Patcher, Step, events_of
from emu.race.scenario.fetch import View, Views
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import Know
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.event import PATCHER, Event, What

__all__ = ["Patchers"]

_ASKS = (What.SYNC, What.PARK, What.WAIT_TASKS)
_NOBODY = -1


class _Position(NamedTuple):
    """What the patchers have done.

    Attributes:
        at: for each patcher, how many events it has done.
        history: the contents of the sites to which CPUs come: after each store that has changed one.
        known: the sites that the breakpoint handler knows.
        asked: the patcher who has last asked the CPUs.
        parked: the patcher who has parked them.
        locks: of each lock that is taken: its number, and the patcher who has it.
        freed: whether the old calls' trampolines have been freed.
        within: the patchers who have preempted others, and have not ended; the last one preempts all.
    """

    at: tuple[int, ...]
    history: tuple[tuple[bytes, ...], ...]
    known: frozenset[int]
    asked: int = _NOBODY
    parked: int = _NOBODY
    locks: tuple[tuple[int, int], ...] = ()
    freed: bool = False
    within: tuple[int, ...] = ()


class Patchers(Patcher):
    """The patchers of a scenario with several. Each list has an entry for each position that has been found."""

    def __init__(
        self, scenario: Scenario, patches: Sequence[Patch], model: FetchModel, sites: AbstractSet[int] | None = None
    ) -> None:
        self._patches, self._model = patches, model
        self.others = len(scenario.others)
        self._sites = frozenset(range(1, len(patches) + 1))
        self._seen = [sites is None or n in sites for n in range(1, len(patches) + 1)]
        self._deaf = scenario.deaf
        store = scenario.store_of(model)
        self._of: list[list[Event]] = []
        later: list[frozenset[int]] = []
        for number, steps in enumerate(scenario.steps_of_all(patches)):
            agent = PATCHER - number
            events = [event for step in steps for event in events_of(step, patches, store, agent)]
            begins = [Event(agent, What.PREEMPT)] * (number > 0 and scenario.others[number - 1].preempts)
            self._of.append([*begins, *events, Event(agent, What.DONE)])
            later += [frozenset((step.site,)) if step.site else self._sites for step in steps if isinstance(step, Know)]
        self.now, self.parked, self.known, self.undoing = [], [], [], []
        self.freed, self.synchronisations, self.done = [], [], []
        self._positions: list[_Position] = []
        self._numbers: dict[_Position, int] = {}
        self._steps: list[tuple[Step, ...] | None] = []
        self._views: dict[tuple[tuple[bytes, ...], ...], list[Views]] = {}
        first = tuple(patch.old for patch in patches)
        self._number(_Position((0,) * len(self._of), (first,), self._sites.difference(*later)))
        self.views = self.views_at(0)

    @property
    def end(self) -> int:  # type: ignore[override]
        """The number of events of all patchers."""
        return sum(map(len, self._of))

    @property
    def ends(self) -> bool:  # type: ignore[override]
        """Whether all patchers have ended at each position at which nothing can follow, of those that have been found."""
        return not any(self.is_last(number) for number in range(len(self._positions)))

    def steps(self, position: int) -> tuple[Step, ...]:
        found = self._steps[position]
        if found is None:
            found = tuple(self._found(self._positions[position]))
            self._steps[position] = found
        return found

    def is_last(self, position: int) -> bool:
        """Whether nothing can follow, although a patcher has not ended."""
        return not self.done[position] and not self.steps(position)

    def views_at(self, position: int) -> list[Views]:
        history = self._positions[position].history
        if history not in self._views:
            self._views[history] = [
                Views(self._model, patch.address, [sites[n] for sites in history]) for n, patch in enumerate(self._patches)
            ]
        return self._views[history]

    def memory_at(self, position: int) -> Sequence[bytes]:
        return self._positions[position].history[-1]

    def keeps_old(self, position: int, site: int) -> bool:
        """Whether the old code is the one that is there."""
        patch = self._patches[site - 1]
        return self.memory_at(position)[site - 1] == patch.old != patch.new

    def synchronised(self, position: int) -> tuple[View, ...]:
        now, views = self.now[position], self.views_at(position)
        return tuple(view.synchronised(now) if seen else () for view, seen in zip(views, self._seen, strict=True))

    def _number(self, position: _Position) -> int:
        number = self._numbers.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
            self._steps.append(None)
            self.now.append(len(position.history) - 1)
            self.parked.append(position.parked != _NOBODY)
            self.known.append(position.known)
            self.undoing.append(False)
            self.freed.append(position.freed)
            self.synchronisations.append(0)
            self.done.append(all(at == len(events) for at, events in zip(position.at, self._of, strict=True)))
        return number

    def _found(self, here: _Position) -> list[Step]:
        found = []
        for who, events in enumerate(self._of):
            if here.at[who] == len(events):
                continue
            event = events[here.at[who]]
            if here.within and here.within[-1] != who and event.what is not What.PREEMPT:
                continue
            if self._is_possible(here, who, event):
                waits = event.what in (*_ASKS, What.RELEASE) or here.asked == who
                found.append(Step(event, self._number(self._after(here, who, event)), waits))
        return found

    def _is_possible(self, here: _Position, who: int, event: Event) -> bool:
        """Whether nothing but CPUs keeps a patcher from its next event."""
        match event.what:
            case What.LOCK:
                return event.site not in dict(here.locks)
            case What.SYNC | What.PARK | What.WAIT_TASKS:
                return here.parked == _NOBODY
            case What.RELEASE:
                return here.parked == who
            case What.DONE:
                return here.parked != who
        return True

    def _after(self, here: _Position, who: int, event: Event) -> _Position:
        at = tuple(n + (number == who) for number, n in enumerate(here.at))
        within = here.within[:-1] if event.what is What.DONE and here.within else here.within
        after = here._replace(at=at, within=within)
        named = frozenset((event.site,)) if event.site else self._sites
        match event.what:
            case What.WRITE if self._seen[event.site - 1]:
                memory, end = list(here.history[-1]), event.offset + len(event.code)
                held = memory[event.site - 1]
                memory[event.site - 1] = held[: event.offset] + event.code + held[end:]
                if tuple(memory) != here.history[-1]:
                    return after._replace(history=(*here.history, tuple(memory)))
            case What.PREEMPT:
                return after._replace(within=(*within, who))
            case What.SYNC | What.WAIT_TASKS:
                return after._replace(asked=who)
            case What.PARK:
                return after._replace(asked=who, parked=who)
            case What.RELEASE:
                return after._replace(asked=who, parked=_NOBODY)
            case What.LOCK:
                return after._replace(locks=tuple(sorted((*here.locks, (event.site, who)))))
            case What.UNLOCK:
                return after._replace(locks=tuple(lock for lock in here.locks if lock != (event.site, who)))
            case What.FREE:
                return after._replace(freed=True)
            case What.KNOW:
                return after._replace(known=here.known | named)
            case What.FORGET:
                return after._replace(known=here.known - named)
            case What.DONE if all(n == len(events) for n, events in zip(at, self._of, strict=True)):
                return after._replace(known=frozenset(), asked=_NOBODY)
        return after
