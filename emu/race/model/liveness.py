# SPDX-License-Identifier: GPL-2.0-only
"""Does everyone get on? Searches a safe scenario for a run that goes on for ever, and in which someone waits for ever.

The run is fair: a patcher whose step is possible again and again makes it; a CPU in the midst of something goes on with it again
and again; an interrupt of the patcher that a CPU can take again and again is taken. Nobody must come to a site, leave user mode,
or come online, and NMIs and other interrupts come any number of times, but not for ever.

The patchers' positions are never reached again, so such a run stays at one position in the end. There a CPU *holds up* all
steps, if there are any: it owes an answer. And either it halts, with nothing that it must do; or it goes round, in moves that it
must make, none of which lets the patcher's interrupt in. If there are no more steps, it is wrong if a CPU goes round, or halts
in the midst of something. Other CPUs can answer whatever they are asked, so this is a question about one CPU (docs/race-lab.md).
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from emu.race.model.cpu_state import Cpu, Due, Kind
from emu.race.model.tables import NOT_ALLOWED, WRONG, Row, Tables
from emu.race.schedule.event import Event, What

__all__ = ["ANSWERS", "Lasso", "is_at_rest", "lasso", "must", "why_waiting"]

ANSWERS = (What.INTERRUPT, What.WAIT, What.GO_ON)  # interrupts, which come in the end
_MUST = (What.FETCH, What.HANDLE, What.LEAVE, What.RETURN)  # of a CPU that is in the midst of something
_AT_REST = (Kind.USER, Kind.OFFLINE)

_Node: TypeAlias = tuple[int, int, int]
"""The position, the number of the first CPU's state, and that of each other CPU's."""


class Lasso(NamedTuple):
    """A run in which someone waits for ever.

    Attributes:
        events: the events, of which the last ones are those of a round, if there is one.
        why: a sentence.
    """

    events: list[Event]
    why: str


def must(cpu: Cpu, event: Event) -> bool:
    """Whether a CPU in the midst of something gets on by an event."""
    return event.what in _MUST and bool(cpu.frames)


def is_at_rest(cpu: Cpu) -> bool:
    return (not cpu.frames or cpu.frames[-1].kind in _AT_REST) and cpu.due is not Due.PARKED


def why_waiting(round_of: int, events: int, waits: bool, agent: int = 0) -> str:
    """The sentence about a run of so many events, the last of which are a round."""
    first = events - round_of + 1
    numbers = f"event {first} repeats" if round_of == 1 else f"events {first} to {events} repeat"
    does = f"{numbers} for ever on CPU {agent}" if round_of else f"CPU {agent} waits for ever"
    return does + (", and the patcher waits for its answer" if waits else "")


def lasso(tables: Tables, cpus: int) -> Lasso | None:
    """A shortest run, with its first round, in which someone waits for ever; None if there is none.

    Args:
        tables: the states of a CPU, none of whose moves is wrong.
        cpus: the number of CPUs.
    """
    search, patcher = _Search(tables, cpus), tables.automaton.patcher
    rounds = [_rounds(rows) for rows in tables.rows]
    best: tuple[int, _Node, list[int]] | None = None
    for node, cost in search.costs():
        position, number, _ = node
        if best and cost >= best[0]:
            break
        if patcher.is_last(position) and not patcher.ends:
            continue
        row, steps = tables.rows[position][number], tables.steps[position]
        if any(advance != NOT_ALLOWED for advance in row.advance) or any(move.event.what in ANSWERS for move in row.moves):
            continue
        if number in rounds[position]:
            way = rounds[position][number]
        elif row.dies or any(must(row.cpu, move.event) for move in row.moves) or (not steps and is_at_rest(row.cpu)):
            continue
        else:
            way = []
        if best is None or cost + len(way) < best[0]:
            best = cost + len(way), node, way
    if best is None:
        return None
    _, node, way = best
    events = search.events(node)
    rows = tables.rows[node[0]]
    at = node[1]
    for target in way:
        events.append(rows[at].moves[rows[at].targets.index(target)].event)
        at = target
    return Lasso(events, why_waiting(len(way), len(events), bool(tables.steps[node[0]])))


def _rounds(rows: Sequence[Row]) -> dict[int, list[int]]:
    """For each state from which a CPU can come back to it in moves that it must make, without an interrupt: a shortest way."""
    follow: list[list[int]] = []
    for row in rows:
        free = any(move.event.what in ANSWERS for move in row.moves)
        pairs = zip(row.moves, row.targets, strict=True)
        follow.append([] if free else [to for move, to in pairs if to != WRONG and must(row.cpu, move.event)])
    found = {}
    for start in _in_rounds(follow):
        before: dict[int, int] = {}
        todo = [start]
        for at in todo:  # grows during the loop
            for to in follow[at]:
                if to not in before:
                    before[to] = at
                    todo.append(to)
            if start in before:
                break
        if start in before:
            way = [start]
            while (at := before[way[-1]]) != start:
                way.append(at)
            found[start] = way[::-1]
    return found


def _in_rounds(follow: Sequence[Sequence[int]]) -> list[int]:
    """The states that are left when those without a way on, or without a way there, are taken away again and again."""
    left = set(range(len(follow)))
    while True:
        reached = {to for at in left for to in follow[at]}
        stay = {at for at in left if at in reached and any(to in left for to in follow[at])}
        if stay == left:
            return sorted(left)
        left = stay


class _Search:
    """All states of one CPU and of others that do the same as each other, by the number of events that lead there."""

    def __init__(self, tables: Tables, cpus: int) -> None:
        self._tables, self._others = tables, cpus - 1
        self._before: dict[_Node, tuple[_Node, str, int] | None] = {}

    def costs(self) -> Iterator[tuple[_Node, int]]:
        """Yields each state, and the number of events, which never becomes smaller."""
        counter = itertools.count()
        first: _Node = (0, 0, 0)
        heap: list[tuple[int, int, _Node, tuple[_Node, str, int] | None]] = [(0, next(counter), first, None)]
        while heap:
            cost, _, node, before = heapq.heappop(heap)
            if node in self._before:
                continue
            self._before[node] = before
            yield node, cost
            for following, more, who, nth in self._following(node):
                if following not in self._before:
                    heapq.heappush(heap, (cost + more, next(counter), following, (node, who, nth)))

    def _following(self, node: _Node) -> list[tuple[_Node, int, str, int]]:
        position, one, other = node
        rows = self._tables.rows[position]
        found = []
        for nth, step in enumerate(self._tables.steps[position]):
            to, of_others = rows[one].advance[nth], rows[other].advance[nth] if self._others else 0
            if NOT_ALLOWED not in (to, of_others) and WRONG not in (to, of_others):
                found.append(((step.to, to, of_others), 1, "patcher", nth))
        found += [((position, to, other), 1, "one", nth) for nth, to in enumerate(rows[one].targets) if to != WRONG]
        if self._others:
            moves = enumerate(rows[other].targets)
            found += [((position, one, to), self._others, "others", nth) for nth, to in moves if to != WRONG]
        return found

    def events(self, node: _Node) -> list[Event]:
        """The events on the way to a state that has been found."""
        found: list[list[Event]] = []
        while before := self._before[node]:
            node, who, nth = before
            position, one, other = node
            rows = self._tables.rows[position]
            if who == "patcher":
                found.append([self._tables.steps[position][nth].event])
            elif who == "one":
                found.append([rows[one].moves[nth].event])
            else:
                event = rows[other].moves[nth].event
                found.append([dataclasses.replace(event, agent=cpu) for cpu in range(1, self._others + 1)])
        return [event for events in reversed(found) for event in events]
