# SPDX-License-Identifier: GPL-2.0-only
"""The race lab's semantics once more, as docs/race-lab.md and `scenario.Scenario` describe them: plain, slow, and by itself.

It shares with emu's model the sites' addresses and code, the steps of the protocol and the data of the fetch models. It has no
tables, no views, no disassembler and no symmetry: a CPU keeps, for each unit of memory, the oldest version that it may still see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from emu.ftrace.sites.patching import Park, Patch, Release, Synchronise, Write
from emu.race.model.model_sites import model_patches
from emu.race.scenario.fetch import MODELS
from emu.race.scenario.protocol_steps import Forget, Free, Know, Lock, Unlock, WaitTasks, WideWrite
from emu.race.scenario.scenario import Deferral, Handler, Hotplug, Scenario, Stack, Wrong

__all__ = ["Found", "TooLarge", "search"]

Unit = tuple[int, int]  # a site's number, and the number of an aligned piece of memory
# ("site", number, offset, codes) ("trap", number, offset, codes, passed) ("nmi", open) ("entry", passed) ("irq",) ("idle",)
# ("user",) ("off",) ("trampoline",)
Frame = tuple[object, ...]


class TooLarge(Exception):
    """There are too many states."""


@dataclass(frozen=True)
class Found:
    """After how many events something goes wrong for the first time, and what may; 0 and nothing, if nothing does.

    -1 events: the protocol does not end, and nothing else is wrong.
    """

    events: int
    wrong: frozenset[Wrong]


@dataclass(frozen=True)
class Cpu:
    oldest: tuple[tuple[Unit, int], ...]
    stack: tuple[Frame, ...] = ()
    owes: tuple[str, ...] = ("",)  # to each patcher: "interrupt", "park", "parked", "released", "task"
    deferred: bool = False
    visits: int = 0
    nmis: int = 0


class _Wrong(Exception):
    def __init__(self, wrong: Wrong, after: Cpu | None) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.after = after


@dataclass(frozen=True)
class Moment:
    """What the patchers have done.

    `at`: how many events each has done. `history`: for each version of memory, the contents of each site. `parked`: who has
    parked the CPUs, -1: nobody. `asking`: who waits for answers. `locks`: who has which. `within`: who preempts others.
    """

    at: tuple[int, ...]
    history: tuple[tuple[bytes, ...], ...]
    known: frozenset[int]
    parked: int = -1
    asking: frozenset[int] = frozenset()
    locks: frozenset[tuple[int, int]] = frozenset()
    within: tuple[int, ...] = ()
    undoing: bool = False
    freed: bool = False
    over: bool = False
    asked: int = 0  # synchronisations and releases

    @property
    def memory(self) -> int:
        return len(self.history) - 1


def search(scenario: Scenario, fetch: str, cpus: int, most: int = 30_000) -> Found:
    """Searches all states, breadth first.

    Raises:
        TooLarge: there are more than `most`.
    """
    return _Plain(scenario, fetch).search(cpus, most)


State = tuple[int, tuple[Cpu, ...]]  # the number of a moment, and the CPUs


class _Plain:
    def __init__(self, scenario: Scenario, fetch: str) -> None:
        self.scenario, self.fetch = scenario, MODELS[fetch]
        self.patches = model_patches(scenario)
        self.sites = range(1, len(self.patches) + 1)
        self.codes = [self._codes(patch) for patch in self.patches]
        steps_of_all = scenario.steps_of_all(self.patches)
        failing = replace(scenario, fails_at=0).steps(self.patches) if scenario.fails_at else []
        writes = [n for n, step in enumerate(failing) if isinstance(step, Write)]
        first_undoing = writes[scenario.fails_at - 1] if scenario.fails_at else len(steps_of_all[0])
        steps = [step for of in steps_of_all for step in of]
        later = [set(self.sites) if not step.site else {step.site} for step in steps if isinstance(step, Know)]
        self.events: list[list[tuple[object, bool]]] = []
        for of in steps_of_all:
            events = [(event, number >= first_undoing) for number, step in enumerate(of) for event in self._stores(step)]
            self.events.append([*events, ("done", bool(scenario.fails_at))])
        for who, other in enumerate(scenario.others, 1):
            if other.preempts:
                self.events[who].insert(0, ("preempt", False))
        known = frozenset(self.sites).difference(*later)
        self.first = Moment((0,) * len(self.events), (tuple(p.old for p in self.patches),), known)
        self.moments, self.numbers = [self.first], {self.first: 0}
        self.possible: dict[int, list[tuple[int, object, int]]] = {}
        self.units = [
            sorted({(site, at // self.fetch.granule) for at in range(p.address, p.address + len(p.old))})
            for site, p in enumerate(self.patches, 1)
        ]
        self.trampolines = scenario.from_call and any(isinstance(step, Free | WaitTasks) for step in steps)

    def _codes(self, patch: Patch) -> list[dict[int, bytes]]:
        """Old code, new code, and what may be executed in between: instructions by their offsets."""
        whole = [patch.old, patch.new, *(code for code, _ in self.scenario.between(patch))]
        return [dict(_instructions(self.scenario.arch, code)) for code in whole]

    def _stores(self, step: object) -> Iterator[object]:
        if not isinstance(step, Write):
            yield step
            return
        store = self.scenario.stores or self.fetch.store
        store = max(store, 16) if isinstance(step, WideWrite) else store
        by_piece = itertools.groupby(enumerate(step.new, step.address), lambda item: item[0] // store)
        for _, written in by_piece:
            yield dict(written)

    # The patchers

    def _number(self, moment: Moment) -> int:
        if moment not in self.numbers:
            self.numbers[moment] = len(self.moments)
            self.moments.append(moment)
        return self.numbers[moment]

    def _possible(self, number: int) -> list[tuple[int, object, int]]:
        """Which patchers can do their next event, if CPUs allow it; the event, and the moment that it leads to."""
        if number not in self.possible:
            self.possible[number] = [(who, event, self._number(after)) for who, event, after in self._next(self.moments[number])]
        return self.possible[number]

    def _next(self, here: Moment) -> list[tuple[int, object, Moment]]:
        found = []
        for who, events in enumerate(self.events):
            if here.at[who] == len(events):
                continue
            event, undoing = events[here.at[who]]
            if here.within and here.within[-1] != who and event != "preempt":
                continue
            taken = {lock for lock, _ in here.locks}
            never = (
                (isinstance(event, Lock) and event.number in taken)
                or (isinstance(event, Park) and here.parked != -1)
                or (isinstance(event, WaitTasks) and here.parked != -1)
                or (isinstance(event, Synchronise) and here.parked == who)
                or (isinstance(event, Release) and here.parked != who)
                or (event == "done" and here.parked == who)
            )
            if not never:
                found.append((who, event, self._moment(here, who, event, undoing)))
        return found

    def _moment(self, before: Moment, who: int, event: object, undoing: bool) -> Moment:
        at = tuple(n + (number == who) for number, n in enumerate(before.at))
        within = (*before.within, who) if event == "preempt" else before.within
        within = within[:-1] if event == "done" else within
        asks = isinstance(event, Synchronise | Park | WaitTasks | Release)
        asking = before.asking - {who} | ({who} if asks else set())
        after = replace(before, at=at, within=within, undoing=undoing, asking=frozenset(asking))
        match event:
            case dict():
                memory = list(before.history[-1])
                for n, patch in enumerate(self.patches):
                    there = enumerate(memory[n], patch.address)
                    memory[n] = bytes(event.get(address, byte) for address, byte in there)
                return replace(after, history=(*before.history, tuple(memory)))
            case Synchronise():
                return replace(after, asked=before.asked + 1)
            case Release():
                return replace(after, asked=before.asked + 1, parked=-1)
            case Park():
                return replace(after, parked=who)
            case Free():
                return replace(after, freed=True)
            case Know(site=site):
                return replace(after, known=before.known | ({site} if site else set(self.sites)))
            case Forget(site=site):
                return replace(after, known=before.known - ({site} if site else set(self.sites)))
            case Lock(number=number):
                return replace(after, locks=before.locks | {(number, who)})
            case Unlock(number=number):
                return replace(after, locks=before.locks - {(number, who)})
            case "done" if self._is_over(after):
                return replace(after, known=frozenset(), over=True)
        return after

    def _is_over(self, moment: Moment) -> bool:
        return all(at == len(events) for at, events in zip(moment.at, self.events, strict=True))

    def is_stuck(self) -> bool:
        """Whether the patchers may come to where they never end, although a CPU does nothing but answer."""
        idle = _Plain(replace(self.scenario, nmi_sites=frozenset(), irq_sites=frozenset(), hotplug=Hotplug.NONE), self.fetch.name)
        first = (0, (Cpu(self._now(self.first), (), ("",) * len(self.events)),))
        follow: dict[State, list[State]] = {}
        todo = [first]
        for state in todo:
            if state not in follow:
                follow[state] = [after for after in idle._following(*state, set()) if not after[1][0].stack]
                todo += follow[state]
        ends = {state for state in follow if idle.moments[state[0]].over}
        while more := {state for state, after in follow.items() if state not in ends and ends.intersection(after)}:
            ends |= more
        return len(ends) < len(follow)

    # The search

    def search(self, cpus: int, most: int) -> Found:
        scenario = self.scenario
        stack = (("user",),) if scenario.user else ()
        first = Cpu(self._now(self.first), stack, ("",) * len(self.events), False, scenario.visits, scenario.visits)
        states: list[State] = [(0, (first,) * cpus)]
        seen = set(states)
        depth, best = 0, 0
        looks_for_rounds = scenario.live and Wrong.STARVED in scenario.never
        while states:
            if looks_for_rounds:
                more = [depth + round_ for state in states if (round_ := self._round(*state)) >= 0]
                best = min([*more, best or 1 << 30, 1 << 30])
            depth += 1
            wrong: set[Wrong] = set()
            following = []
            for moment, of in states:
                for after in self._following(moment, of, wrong):
                    if after not in seen:
                        seen.add(after)
                        following.append(after)
            if wrong:
                return Found(depth, frozenset(wrong))
            if len(seen) > most:
                raise TooLarge
            states = following
        if Wrong.STUCK in scenario.never and self.is_stuck():
            return Found(-1, frozenset((Wrong.STUCK,)))
        if looks_for_rounds and best < 1 << 30:
            return Found(best, frozenset((Wrong.STARVED,)))
        return Found(0, frozenset())

    # Who waits for ever

    def _round(self, number: int, cpus: tuple[Cpu, ...]) -> int:
        """How many events a CPU needs to come back to where it is, without the patcher, for ever; 0: it halts; -1: neither."""
        moment, possible = self.moments[number], self._possible(number)
        if not possible and not moment.over:
            return -1
        found = [self._round_of(moment, cpu, [(who, event) for who, event, _ in possible]) for cpu in cpus]
        return min((round_ for round_ in found if round_ >= 0), default=-1)

    def _round_of(self, moment: Moment, start: Cpu, events: list[tuple[int, object]]) -> int:
        if any(self._allows(moment, start, who, event) for who, event in events):
            return -1
        if (first := self._musts(moment, start)) is None:
            return -1
        at_rest = not start.stack or start.stack[-1][0] in ("user", "off")
        if not first:
            return -1 if not events and at_rest and "parked" not in start.owes else 0
        todo, length, seen = first, 1, set(first)
        while todo:
            if start in todo:
                return length
            further = {after for cpu in todo for after in self._musts(moment, cpu) or ()} - seen
            seen |= further
            todo, length = further, length + 1
        return -1

    def _musts(self, moment: Moment, cpu: Cpu) -> set[Cpu] | None:
        """What a CPU in the midst of something must do, by the states afterwards; None: it takes an interrupt in the end."""
        held = any(owed in ("parked", "released") for owed in cpu.owes)
        in_nmi = _has(cpu, "nmi")
        interruptible = all(frame[0] in ("site", "trampoline", "user", "idle") for frame in cpu.stack)
        if not in_nmi and "released" in cpu.owes and "parked" not in cpu.owes:
            return None
        if not held and interruptible and any(owed in ("interrupt", "park") for owed in cpu.owes):
            return None
        if not cpu.stack or cpu.stack[-1][0] in ("user", "off") or (held and not in_nmi):
            return set()
        actions = list(self._goes_on(moment, cpu, False))
        after: set[Cpu] = set()
        for action in actions:
            try:
                after.add(self._answered(action()))
            except _Wrong as found:
                after.add(replace(cpu, stack=(("dead",),)) if found.after is None else self._answered(found.after))
        return after - {cpu}

    def _following(self, here: int, cpus: tuple[Cpu, ...], wrong: set[Wrong]) -> Iterator[State]:
        moment = self.moments[here]
        for who, event, after in self._possible(here):
            if all(self._allows(moment, cpu, who, event) for cpu in cpus):
                try:
                    yield after, tuple(self._asked(moment, cpu, who, event) for cpu in cpus)
                except _Wrong as found:
                    wrong.add(found.wrong)
        for number, cpu in enumerate(cpus):
            for next_cpu in self._moves(moment, cpu, wrong):
                yield here, (*cpus[:number], self._answered(next_cpu), *cpus[number + 1 :])

    def _answered(self, cpu: Cpu) -> Cpu:
        if _is_away(cpu):
            return replace(cpu, owes=tuple("" if owed == "task" else owed for owed in cpu.owes))
        return cpu

    # What a patcher asks

    def _allows(self, moment: Moment, cpu: Cpu, who: int, event: object) -> bool:
        """Whether a CPU has answered what this patcher has asked."""
        if isinstance(event, Release) or moment.parked == who:
            return cpu.owes[who] == "parked" or (not cpu.owes[who] and self.scenario.hotplug is not Hotplug.NONE)
        return not cpu.owes[who]

    def _asked(self, moment: Moment, cpu: Cpu, who: int, event: object) -> Cpu:
        offline = cpu.stack[:1] == (("off",),)

        def owing(what: str) -> tuple[str, ...]:
            return (*cpu.owes[:who], what, *cpu.owes[who + 1 :])

        match event:
            case Synchronise() if not offline:
                if not self._defers(cpu):
                    return replace(cpu, owes=owing("interrupt"))
                return replace(cpu, deferred=cpu.deferred or moment.asked + 1 not in self.scenario.deaf)
            case Park() if not offline:
                return replace(cpu, owes=owing("park"))
            case Release() if cpu.owes[who] == "parked":
                oldest = cpu.oldest if moment.asked + 1 in self.scenario.deaf else self._now(moment)
                return replace(cpu, owes=owing("released"), oldest=oldest)
            case WaitTasks() if not _is_away(cpu):
                return replace(cpu, owes=owing("task"))
            case Free() if ("trampoline",) in cpu.stack and Wrong.FREED in self.scenario.never:
                raise _Wrong(Wrong.FREED, None)
        return cpu

    def _defers(self, cpu: Cpu) -> bool:
        if self.scenario.deferral is Deferral.TASK:
            return cpu.stack[:1] == (("user",),)
        if not cpu.stack or _has(cpu, "nmi") or _has(cpu, "irq"):
            return False
        entry = self.scenario.deferral is Deferral.WATCHING and cpu.stack[0][0] == "entry"
        return cpu.stack[0][0] == "user" or entry

    # What a CPU may do

    def _now(self, moment: Moment) -> tuple[tuple[Unit, int], ...]:
        version = moment.memory
        return tuple((unit, version) for units in self.units for unit in units)

    def _moves(self, moment: Moment, cpu: Cpu, wrong: set[Wrong]) -> Iterator[Cpu]:
        """The states after each thing that a CPU may do. Something wrong that counts is added to `wrong`."""
        for action in list(self._actions(moment, cpu)):
            try:
                yield action()
            except _Wrong as found:
                if found.wrong in self.scenario.never:
                    wrong.add(found.wrong)
                elif found.after is not None:
                    yield found.after

    def _actions(self, moment: Moment, cpu: Cpu):  # type: ignore[no-untyped-def]  # functions that return a Cpu or raise _Wrong
        scenario = self.scenario
        idle = not any(moment.at) or moment.over
        may_come = scenario.hotplug is Hotplug.FREE or (scenario.hotplug is Hotplug.LOCKED and idle)
        if cpu.stack[:1] == (("off",),):
            if may_come:
                yield lambda: replace(cpu, stack=(), oldest=self._now(moment))
            return
        held = any(owed in ("parked", "released") for owed in cpu.owes) and not _has(cpu, "nmi")
        if "released" in cpu.owes and not _has(cpu, "nmi"):
            yield _gives(_owing(cpu, "released", ""))
        if not held:
            interruptible = all(frame[0] in ("site", "trampoline", "user", "idle") for frame in cpu.stack)
            if interruptible:
                yield from self._handlers("irq", sorted(scenario.irq_sites), moment, cpu)
                for who, owed in enumerate(cpu.owes):
                    if owed == "interrupt":
                        deaf = moment.asked in scenario.deaf
                        yield _gives(_owing(replace(cpu, oldest=cpu.oldest if deaf else self._now(moment)), "interrupt", "", who))
                    if owed == "park":
                        yield _gives(_owing(self._entered(moment, cpu), "park", "parked"))
            yield from self._goes_on(moment, cpu, may_come)
        nmis = [frame for frame in cpu.stack if frame[0] == "nmi"]
        if not nmis or (nmis[-1][1] and len(nmis) == 1):
            yield from self._handlers("nmi", sorted(scenario.nmi_sites), moment, cpu)

    def _handlers(self, kind: str, sites: list[int], moment: Moment, cpu: Cpu):  # type: ignore[no-untyped-def]
        if self.scenario.visits and not cpu.nmis:
            return
        frame: Frame = ("nmi", False) if kind == "nmi" else ("irq",)
        for site in sites:
            after = self._entered(moment, cpu)
            after = replace(after, stack=(*after.stack, frame, self._at(site)), nmis=max(0, cpu.nmis - 1))
            overwritten = kind == "nmi" and _has(cpu, "nmi") and Stack.NMI in self.scenario.ist
            yield _raises(Wrong.OVERWRITTEN, after) if overwritten else _gives(after)

    def _at(self, site: int) -> Frame:
        return "site", site, 0, frozenset(range(len(self.codes[site - 1])))

    def _entered(self, moment: Moment, cpu: Cpu) -> Cpu:
        return replace(cpu, oldest=self._now(moment), deferred=False) if cpu.deferred else cpu

    def _goes_on(self, moment: Moment, cpu: Cpu, may_go: bool):  # type: ignore[no-untyped-def]
        scenario = self.scenario
        if not cpu.stack:
            if cpu.visits or not scenario.visits:
                visiting = replace(cpu, visits=max(0, cpu.visits - 1))
                for site in self.sites:
                    for offset in (0, *sorted(scenario.into)):
                        _, _, _, codes = self._at(site)
                        yield from self._fetches(moment, replace(visiting, stack=(("site", site, offset, codes),)))
                for site in scenario.idle_sites:
                    yield _gives(replace(visiting, stack=(("idle",), self._at(site))))
            if scenario.user:
                yield _gives(replace(cpu, stack=(("user",),)))
            if may_go and not any(cpu.owes):
                yield _gives(replace(cpu, stack=(("off",),), oldest=self._now(self.first)))
            return
        *below, inner = cpu.stack
        match inner[0]:
            case "site":
                yield from self._fetches(moment, cpu)
            case "trap" | "entry":
                sites = sorted(scenario.handler_sites if inner[0] == "trap" else scenario.entry_sites)
                if inner[-1] < len(sites):  # type: ignore[operator]
                    yield from self._fetches(moment, replace(cpu, stack=(*cpu.stack, self._at(sites[inner[-1]]))))  # type: ignore[index]
                elif not self._waits(moment, inner):
                    yield lambda: self._handle(moment, cpu)
            case "trampoline":
                yield _gives(self._returned(moment, replace(cpu, stack=tuple(below))))
            case "nmi":
                yield _gives(replace(cpu, stack=tuple(below)))
            case "user":
                entry = replace(cpu, stack=(("entry", 0),))
                yield _gives(entry if scenario.entry_sites else self._entered(moment, replace(cpu, stack=())))

    def _returned(self, moment: Moment, cpu: Cpu) -> Cpu:
        """The CPU when a visit has ended; its frame is gone already."""
        if not cpu.stack:
            return cpu
        *below, inner = cpu.stack
        match inner[0]:
            case "nmi" if not inner[1]:
                return replace(cpu, stack=tuple(below))
            case "irq" | "idle":
                return replace(cpu, stack=tuple(below))
            case "trap":
                return replace(cpu, stack=(*below, (*inner[:-1], inner[-1] + 1)))  # type: ignore[operator]
            case "entry":
                passed = inner[1] + 1  # type: ignore[operator]
                if passed == len(self.scenario.entry_sites):
                    return self._entered(moment, replace(cpu, stack=tuple(below)))
                return replace(cpu, stack=(*below, ("entry", passed)))
        return cpu

    def _fetches(self, moment: Moment, cpu: Cpu):  # type: ignore[no-untyped-def]
        """All that the CPU, before an instruction of a site, may see there."""
        _, site, offset, _ = cpu.stack[-1]
        patch, now = self.patches[site - 1], moment.memory  # type: ignore[operator]
        addresses = range(patch.address + offset, patch.address + len(patch.old))  # type: ignore[operator]
        units = sorted({(site, at // self.fetch.granule) for at in addresses})
        oldest = dict(cpu.oldest)
        seen = set()
        for versions in itertools.product(*(range(now if self.fetch.coherent else oldest[unit], now + 1) for unit in units)):
            version_of = dict(zip(units, versions, strict=True))
            code = bytes(
                moment.history[version_of[site, at // self.fetch.granule]][site - 1][at - patch.address]  # type: ignore[operator]
                for at in addresses
            )
            after = cpu
            if self.fetch.monotone:
                after = replace(cpu, oldest=tuple((unit, version_of.get(unit, version)) for unit, version in cpu.oldest))
            if (code, after) not in seen:
                seen.add((code, after))
                yield lambda after=after, code=code: self._execute(moment, after, code)

    def _execute(self, moment: Moment, cpu: Cpu, code: bytes) -> Cpu:
        scenario = self.scenario
        *below, (_, site, offset, before) = cpu.stack
        trap = scenario.breakpoint
        own = [instructions.get(offset) for instructions in self.codes[site - 1]]  # type: ignore[operator]
        if trap and code.startswith(trap) and trap not in own:
            for frame in reversed(below):
                if frame[0] == "nmi":
                    break
                if frame[0] == "trap":
                    raise _Wrong(Wrong.NESTED, None)
            after = replace(cpu, stack=(*below, ("trap", site, offset, before, 0)))
            if Stack.BREAKPOINT in scenario.ist and any(frame[0] == "trap" for frame in below):
                raise _Wrong(Wrong.OVERWRITTEN, after)
            return after
        codes = self.codes[site - 1]  # type: ignore[operator]
        matching = {n: own[offset] for n, own in enumerate(codes) if offset in own and code.startswith(own[offset])}
        if not matching:
            raise _Wrong(Wrong.TORN, None)
        may_be = frozenset(matching) & before  # type: ignore[operator]
        if not may_be:
            raise _Wrong(Wrong.HALF, None)
        instruction = next(iter(matching.values()))
        end = offset + len(instruction)  # type: ignore[operator]
        if end < len(self.patches[site - 1].old) and not scenario.race_arch.leaves(instruction) and instruction != trap:  # type: ignore[operator]
            after = replace(cpu, stack=(*below, ("site", site, end, may_be)))
        elif may_be == {0} and self.trampolines:
            if moment.freed:
                raise _Wrong(Wrong.FREED, None)
            after = replace(cpu, stack=(*below, ("trampoline",)))
        else:
            after = self._returned(moment, replace(cpu, stack=tuple(below)))
        if moment.over and not any(self._is_kept(moment, site, n) for n in may_be):
            raise _Wrong(Wrong.LATE, after)
        return after

    def _is_kept(self, moment: Moment, site: object, code: int) -> bool:
        """Whether code (0: old, 1: new, 2...: in between) may be executed after the protocol's end."""
        kept = 0 if self.scenario.fails_at else 1
        if self.scenario.others:
            patch = self.patches[site - 1]  # type: ignore[operator]
            kept = 0 if moment.history[-1][site - 1] == patch.old != patch.new else 1  # type: ignore[operator]
        if code < 2:
            return code == kept
        as_new = self.scenario.between(self.patches[site - 1])[code - 2][1]  # type: ignore[operator]
        return as_new is not None and as_new == bool(kept)

    def _waits(self, moment: Moment, inner: Frame) -> bool:
        """Whether a breakpoint handler waits until the breakpoint is gone."""
        trap = self.scenario.breakpoint
        there = moment.history[-1][inner[1] - 1][inner[2] :] if inner[0] == "trap" else b""  # type: ignore[operator, misc]
        return self.scenario.handler is Handler.WAIT and inner[0] == "trap" and there.startswith(trap)

    def _handle(self, moment: Moment, cpu: Cpu) -> Cpu:
        scenario = self.scenario
        trap = cpu.stack[-1]
        site, offset = trap[1], trap[2]
        if scenario.nests:
            stack = list(cpu.stack)
            for n in reversed(range(len(stack))):
                if stack[n][0] == "nmi":
                    stack[n] = ("nmi", True)
                    break
            cpu = replace(cpu, stack=tuple(stack))
        known = site in moment.known and offset == 0 and site not in scenario.misses
        away = replace(cpu, stack=cpu.stack[:-1])
        if known and scenario.handler is Handler.SKIP:
            if scenario.from_call and scenario.to_call:
                raise _Wrong(Wrong.SKIPPED, self._returned(moment, away))
            return self._returned(moment, away)
        if known and scenario.handler not in (Handler.DIE, Handler.WAIT):
            if not moment.undoing or not self.trampolines:
                return self._returned(moment, away)
            if moment.freed:
                raise _Wrong(Wrong.FREED, None)
            return replace(away, stack=(*away.stack, ("trampoline",)))
        there = moment.history[-1][site - 1][offset : offset + len(scenario.breakpoint)]  # type: ignore[operator]
        if scenario.handler in (Handler.RETRY, Handler.WAIT) and there != scenario.breakpoint:
            return replace(away, stack=(*away.stack, ("site", site, offset, trap[3])))
        raise _Wrong(Wrong.BREAKPOINT, None)


def _gives(after: Cpu):  # type: ignore[no-untyped-def]
    return lambda: after


def _raises(wrong: Wrong, after: Cpu):  # type: ignore[no-untyped-def]
    def action() -> Cpu:
        raise _Wrong(wrong, after)

    return action


def _owing(cpu: Cpu, what: str, other: str, who: int = -1) -> Cpu:
    """The CPU that owes something else instead: to all to whom it owes it, or to one."""
    owes = tuple(other if owed == what and who in (-1, n) else owed for n, owed in enumerate(cpu.owes))
    return replace(cpu, owes=owes)


def _has(cpu: Cpu, kind: str) -> bool:
    return any(frame[0] == kind for frame in cpu.stack)


def _is_away(cpu: Cpu) -> bool:
    """Whether the task is in no site, no trampoline and no breakpoint handler; nor the CPU in a handler or the kernel's entry."""
    in_handler = _has(cpu, "nmi") or _has(cpu, "irq")
    return not cpu.stack or (not in_handler and cpu.stack[0][0] in ("user", "idle", "off"))


_LENGTHS = {"x86_64": {0x0F: 5, 0xE8: 5, 0x66: 2, 0xEB: 2, 0xE9: 5, 0x90: 1, 0xC3: 1, 0xCC: 1}}


def _instructions(arch: str, code: bytes) -> Iterator[tuple[int, bytes]]:
    """The instructions of the code that tests use, with their offsets."""
    at = 0
    while at < len(code):
        if arch == "x86_64":
            size = 3 if code[at : at + 3] == b"\x0f\x1f\x00" else _LENGTHS[arch][code[at]]
        else:
            size = 2 if arch == "riscv64" and code[at] & 3 != 3 else 4
        yield at, code[at : at + size]
        at += size
