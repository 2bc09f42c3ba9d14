# SPDX-License-Identifier: GPL-2.0-only
"""The patcher of a scenario: its events, in order, and the visible contents of memory at each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from emu.ftrace.sites.patching import Park, Patch, Release, Synchronise, Write
from emu.race.scenario.fetch import View, Views
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import Forget, Free, Know, LabStep, Lock, Unlock, WaitTasks, pieces
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.event import PATCHER, Event, What

__all__ = ["Patcher", "Step", "events_of"]

_EVENTS = {
    Synchronise: What.SYNC,
    Park: What.PARK,
    Release: What.RELEASE,
    Free: What.FREE,
    WaitTasks: What.WAIT_TASKS,
    Forget: What.FORGET,
    Know: What.KNOW,
    Lock: What.LOCK,
    Unlock: What.UNLOCK,
}
_UNANSWERED_WHILE_PARKED = (What.SYNC, What.PARK, What.WAIT_TASKS)


class Step(NamedTuple):
    """What can follow at a position.

    Attributes:
        event: the patcher's event.
        to: the position afterwards.
        waits: whether all CPUs must have answered before.
    """

    event: Event
    to: int
    waits: bool = True


def events_of(step: LabStep, patches: Sequence[Patch], store: int, agent: int = PATCHER) -> Iterator[Event]:
    """The events of a step, of a patcher.

    Args:
        step: the step.
        patches: the change at each site.
        store: a store is seen whole in each aligned piece of so many bytes.
        agent: the patcher.
    """
    if isinstance(step, Write):
        for piece in pieces(step, store):
            site = next(n for n, p in enumerate(patches) if p.address <= piece.address < p.address + len(p.old))
            yield Event(agent, What.WRITE, site + 1, piece.address - patches[site].address, piece.new)
        return
    number = 0
    match step:
        case Know(site=number) | Forget(site=number) | Lock(number=number) | Unlock(number=number):
            pass
    yield Event(agent, _EVENTS[type(step)], number)


class Patcher:
    """A protocol as a list of events. The patcher's *position* is the number of events that it has done.

    Each list has an entry for each position, from 0 to `end`.

    Args:
        scenario: the scenario with the protocol.
        patches: the change at each site.
        model: the fetch model, which says which stores are atomic.
        sites: the sites, from 1, that CPUs come to; None: all.

    Attributes:
        events: the events. The last is DONE, unless the protocol does not end.
        end: the last position.
        ends: whether the protocol ends: each step can be answered, and no CPU is parked at its end.
        memory: for each version, the contents of each site.
        views: for each site, what a CPU may fetch.
        now: the version of memory.
        parked: whether all CPUs have been asked to park.
        known: the sites that the breakpoint handler knows.
        undoing: whether it is undoing the change.
        freed: whether the old calls' trampolines have been freed.
        synchronisations: how many times CPUs have been asked to synchronise, or released.
        done: whether the protocol has ended.
        others: the number of other patchers.
    """

    def __init__(
        self, scenario: Scenario, patches: Sequence[Patch], model: FetchModel, sites: AbstractSet[int] | None = None
    ) -> None:
        self._patches = patches
        self.others = 0
        steps = scenario.steps(patches)
        self.events: list[Event] = []
        self.memory = [[patch.old for patch in patches]]
        self.now, self.synchronisations = [0], [0]
        self.parked, self.undoing, self.freed, self.done = [False], [False], [False], [False]
        self._sites = frozenset(range(1, len(patches) + 1))
        later = [frozenset((step.site,)) if step.site else self._sites for step in steps if isinstance(step, Know)]
        self.known = [self._sites.difference(*later)]
        store = scenario.store_of(model)
        way_back = _way_back(scenario, patches, steps)
        self.ends = True
        self._way_back = bool(scenario.fails_at)
        self._held: set[int] = set()
        for number, step in enumerate(steps):
            for event in events_of(step, patches, store):
                self._do(event, number >= way_back)
            if not self.ends:
                break
        self.ends &= not self.parked[-1]
        if self.ends:
            self._do(Event(PATCHER, What.DONE), bool(scenario.fails_at))
        self.end = len(self.events)
        self.views = [Views(model, p.address, [sites[n] for sites in self.memory]) for n, p in enumerate(patches)]
        self._deaf = scenario.deaf
        self._seen = [sites is None or n in sites for n in range(1, len(patches) + 1)]

    def synchronised(self, position: int) -> tuple[View, ...]:
        """The view of each site for a CPU that synchronises at a position; () for a site that no CPU comes to."""
        now = self.now[position]
        return tuple(views.synchronised(now) if seen else () for views, seen in zip(self.views, self._seen, strict=True))

    def is_deaf(self, position: int) -> bool:
        """Whether the last synchronisation before a position does not affect fetches."""
        return self.synchronisations[position] in self._deaf

    def steps(self, position: int) -> tuple[Step, ...]:
        """What can follow at a position: nothing at the last one."""
        return (Step(self.events[position], position + 1),) if position < self.end else ()

    def is_last(self, position: int) -> bool:
        """Whether nothing can follow; if the protocol does not end, it is stuck there."""
        return position == self.end

    def views_at(self, position: int) -> Sequence[Views]:
        """For each site, what a CPU may fetch until this position."""
        return self.views

    def memory_at(self, position: int) -> Sequence[bytes]:
        """The contents of each site."""
        return self.memory[self.now[position]]

    def keeps_old(self, position: int, site: int) -> bool:
        """Whether, at the end, the old code is the right one at a site."""
        return self._way_back

    def _do(self, event: Event, undoing: bool) -> None:
        what, parked = event.what, self.parked[-1]
        # As in the driver, these are never answered: a parked CPU takes no interrupt, its task leaves no trampoline,
        # and a CPU that is not parked cannot be released.
        self.ends = not ((what in _UNANSWERED_WHILE_PARKED and parked) or (what is What.RELEASE and not parked))
        if what is What.LOCK:
            self.ends &= event.site not in self._held
            self._held.add(event.site)
        elif what is What.UNLOCK:
            self._held.discard(event.site)
        self.events.append(event)
        if what is What.WRITE:
            memory = list(self.memory[-1])
            held, at = memory[event.site - 1], event.offset
            memory[event.site - 1] = held[:at] + event.code + held[at + len(event.code) :]
            self.memory.append(memory)
        self.now.append(len(self.memory) - 1)
        self.parked.append(what is What.PARK or (parked and what is not What.RELEASE))
        self.known.append(self._known_after(event))
        self.undoing.append(undoing)
        self.freed.append(self.freed[-1] or what is What.FREE)
        self.synchronisations.append(self.synchronisations[-1] + (what in (What.SYNC, What.RELEASE)))
        self.done.append(what is What.DONE)

    def _known_after(self, event: Event) -> frozenset[int]:
        """The sites that the handler knows after an event."""
        named = frozenset((event.site,)) if event.site else self._sites
        if event.what is What.KNOW:
            return self.known[-1] | named
        return self.known[-1] - named if event.what in (What.FORGET, What.DONE) else self.known[-1]


def _way_back(scenario: Scenario, patches: Sequence[Patch], steps: Sequence[LabStep]) -> int:
    """The number of steps before the way back: all, if there is none.

    Raises:
        ValueError: the protocol has no write with the number that must fail.
    """
    if not scenario.fails_at:
        return len(steps)
    there = dataclasses.replace(scenario, fails_at=0).steps(patches)
    writes = [number for number, step in enumerate(there) if isinstance(step, Write)]
    if scenario.fails_at > len(writes):
        raise ValueError(f"write {scenario.fails_at} cannot fail: the protocol makes {len(writes)}")
    return writes[scenario.fails_at - 1]
