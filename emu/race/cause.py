# SPDX-License-Identifier: GPL-2.0-only
"""Why a verdict is unsafe, as a short text that is equal for verdicts with the same reason.

    torn from breakpoint+old: write tail new; write head new; fetch
    late from old: write all new; done; fetch
    stuck: sync while CPUs are parked

CPUs share nothing but the patcher, so that each wrong thing can be done by one CPU alone. The text is about the first of the
shortest ways in which one CPU does what went wrong, and of these the one on which the CPU is earliest. It does not depend on
the verdict's own schedule, and so neither on the engine, the number of CPUs, nor the kind of search. Of this way it has

* what the sites hold when the CPU has last synchronised outside of a site, and what the patcher has done until then;
* from there on the patcher's steps and the CPU's events, without its answers to the patcher.

Without are: bytes, offsets, versions, sites to which the CPU does not come, writes that change nothing, and the parts of a
store and its repetition at other sites.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from emu.ftrace.sites.patching import Patch, Write
from emu.race.model import automaton_of
from emu.race.model.automaton import Automaton
from emu.race.model.cpu_state import Cpu, Move
from emu.race.model.model_sites import model_patches
from emu.race.model.patcher import Patcher
from emu.race.scenario.fetch import MODELS
from emu.race.scenario.protocol_steps import pieces
from emu.race.scenario.protocol_text import WrittenWrite, written
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event, What
from emu.race.schedule.verdict import Verdict

__all__ = ["cause"]

_NOT_TOLD = (What.INTERRUPT, What.WAIT, What.GO_ON, What.EXIT)


class _State(NamedTuple):
    """The patcher's position, and the state of the only CPU."""

    position: int
    cpu: Cpu


class _Done(NamedTuple):
    """An event, and the state before it."""

    state: _State
    event: Event


def cause(verdict: Verdict) -> str:
    """Why a verdict is unsafe; "" if it is not."""
    if verdict.wrong is None:
        return ""
    if verdict.scenario.others:
        return f"{verdict.wrong}: of several patchers"
    automaton = automaton_of(verdict.scenario, verdict.fetch)
    if verdict.wrong is Wrong.STUCK:
        return f"{verdict.wrong}: {_unanswered(automaton.patcher)}"
    way = _shortest_way(automaton, verdict.wrong)
    if not way:
        return f"{verdict.wrong}: not on the model"
    return _Telling(verdict, automaton, way).text


def _unanswered(patcher: Patcher) -> str:
    """What a protocol waits for that does not end."""
    last, parked = patcher.events[-1].what, patcher.parked[-2]
    if last is What.RELEASE and not parked:
        return "release while no CPU is parked"
    if last in (What.SYNC, What.PARK, What.WAIT_TASKS) and parked:
        return f"{last} while CPUs are parked"
    return "CPUs are parked at the end"


def _shortest_way(automaton: Automaton, wrong: Wrong) -> list[_Done]:
    """The first of the shortest ways of one CPU to something wrong, if its own events come first; [] if there is none."""
    todo = [_State(0, automaton.first)]
    before: dict[_State, tuple[_State, Event] | None] = {todo[0]: None}
    for state in todo:  # grows during the loop
        for position, move in _moves(automaton, state):
            if move.wrong is wrong:
                way = [_Done(state, move.event)]
                while step := before[way[-1].state]:
                    way.append(_Done(*step))
                return way[::-1]
            if move.wrong is None and move.after is not None and (after := _State(position, move.after)) not in before:
                before[after] = state, move.event
                todo.append(after)
    return []


def _moves(automaton: Automaton, state: _State) -> Iterator[tuple[int, Move]]:
    """The possible moves of one CPU, and then of the patcher; each with the patcher's position afterwards."""
    position, cpu = state
    for move in automaton.moves(position, cpu):
        yield position, move
    for step in automaton.patcher.steps(position):
        if automaton.allows(position, cpu, step):
            yield step.to, automaton.advance(position, cpu, step)


class _Telling:
    """Tells of a way to something wrong."""

    def __init__(self, verdict: Verdict, automaton: Automaton, way: Sequence[_Done]) -> None:
        self._scenario = verdict.scenario
        self._patches = model_patches(verdict.scenario)
        self._patcher = automaton.patcher
        self._wrong = verdict.wrong
        self._steps = list(_named_events(verdict.scenario, self._patches, verdict.scenario.store_of(MODELS[verdict.fetch])))
        start = max((n for n in range(1, len(way)) if self._is_synchronised(way[n - 1], way[n].state)), default=0)
        self._way = way[start:]
        sites = (done.event.site for done in self._way if done.event.agent != PATCHER and done.event.site)
        self._sites = list(dict.fromkeys(sites)) or [1]

    def _is_synchronised(self, done: _Done, after: _State) -> bool:
        """Whether an event synchronises the CPU, which is outside of everything afterwards."""
        if after.cpu.frames:
            return False
        match done.event.what:
            case What.INTERRUPT:
                return not self._patcher.is_deaf(after.position)
            case What.ENTER:
                return done.state.cpu.deferred
        return done.event.what is What.GO_ON

    @property
    def text(self) -> str:
        told: list[str] = []
        position = self._way[0].state.position
        holds = dict.fromkeys(self._holds(position, site) for site in self._sites)
        flags = self._flags(position)
        writes: list[tuple[str, int]] = []
        for done in [*self._way, None]:
            if done is not None and done.event.what is What.WRITE:
                if self._matters(done):
                    writes.append((self._steps[done.state.position], done.event.site))
                continue
            told += self._writes(writes)
            writes = []
            if done is not None:
                told += self._told(done)
        return f"{self._wrong} from {', '.join([*holds, *flags])}: {'; '.join(told)}"

    def _matters(self, write: _Done) -> bool:
        """Whether it changes what a site holds to which the CPU comes."""
        site, now = write.event.site - 1, self._patcher.now[write.state.position]
        memory = self._patcher.memory
        return write.event.site in self._sites and memory[now][site] != memory[now + 1][site]

    def _writes(self, writes: Sequence[tuple[str, int]]) -> Iterator[str]:
        """Successive writes, each kind once. Those at some of several sites say at which."""
        sites: dict[str, set[int]] = {}
        for name, site in writes:
            sites.setdefault(name, set()).add(site)
        for name, of in sites.items():
            yield name if len(of) == len(self._sites) else " ".join([name, *(self._renamed(site) for site in sorted(of))])

    def _told(self, done: _Done) -> Iterator[str]:
        """An event that is no write, unless it is an answer."""
        event, position = done.event, done.state.position
        if event.agent == PATCHER:
            yield self._steps[position]
        elif event.what not in _NOT_TOLD and not (event.what is What.ENTER and not self._scenario.entry_sites):
            yield f"{event.what} {self._renamed(event.site)}" if event.site and len(self._sites) > 1 else event.what

    def _renamed(self, site: int) -> str:
        return str(self._sites.index(site) + 1)

    def _flags(self, position: int) -> list[str]:
        """What the patcher has done, other than writes."""
        patcher = self._patcher
        found = {
            "undoing": patcher.undoing[position],
            "done": patcher.done[position],
            "forgotten": not patcher.known[position] and not patcher.done[position],
            "freed": patcher.freed[position],
        }
        return [name for name, is_so in found.items() if is_so]

    def _holds(self, position: int, site: int) -> str:
        """What a site holds: old, new, breakpoint+old, ..."""
        code, patch = self._patcher.memory[self._patcher.now[position]][site - 1], self._patches[site - 1]
        head = slice(0, len(self._scenario.breakpoint))
        tail = slice(head.stop, None)
        whole = {patch.new: "new", patch.old: "old"}.get(code)
        heads = {self._scenario.breakpoint: "breakpoint", patch.new[head]: "new", patch.old[head]: "old"}
        tails = {patch.new[tail]: "new", patch.old[tail]: "old"}
        return whole or f"{heads.get(code[head], 'other')}+{tails.get(code[tail], 'other')}"


def _named_events(scenario: Scenario, patches: Sequence[Patch], store: int) -> Iterator[str]:
    """A name for each of the patcher's events."""
    for step in scenario.steps(patches):
        (name,) = written([step], patches, scenario.breakpoint).steps
        if isinstance(step, Write) and isinstance(name, WrittenWrite):
            value = name.value if name.value in ("breakpoint", "old", "new") else "other"
            if value == "other" and scenario.breakpoint and step.new.startswith(scenario.breakpoint):
                value = "breakpoint"
            text = f"write {name.part if name.part in ('head', 'tail', 'all') else 'part'} {value}"
            yield from (text for _ in pieces(step, store))
        else:
            yield str(name)
    yield What.DONE
