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
from emu.race.scenario.protocol_steps import Forget, Free, Know, WaitTasks, WideWrite
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
    owes: str = ""  # "interrupt", "park", "parked", "released", "task"
    deferred: bool = False
    visits: int = 0
    nmis: int = 0


class _Wrong(Exception):
    def __init__(self, wrong: Wrong, after: Cpu | None) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.after = after


@dataclass
class Moment:
    """What the patcher's first events have led to."""

    memory: int = 0  # the version
    parked: bool = False
    known: frozenset[int] = frozenset()
    undoing: bool = False
    freed: bool = False
    over: bool = False
    asked: int = 0  # synchronisations and releases


def search(scenario: Scenario, fetch: str, cpus: int, most: int = 30_000) -> Found:
    """Searches all states, breadth first.

    Raises:
        TooLarge: there are more than `most`.
    """
    return _Plain(scenario, fetch).search(cpus, most)


class _Plain:
    def __init__(self, scenario: Scenario, fetch: str) -> None:
        self.scenario, self.fetch = scenario, MODELS[fetch]
        self.patches = model_patches(scenario)
        self.sites = range(1, len(self.patches) + 1)
        self.codes = [self._codes(patch) for patch in self.patches]
        steps = scenario.steps(self.patches)
        failing = replace(scenario, fails_at=0).steps(self.patches) if scenario.fails_at else []
        writes = [n for n, step in enumerate(failing) if isinstance(step, Write)]
        first_undoing = writes[scenario.fails_at - 1] if scenario.fails_at else len(steps)
        later = [set(self.sites) if not step.site else {step.site} for step in steps if isinstance(step, Know)]
        self.events: list[tuple[object, bool]] = []
        for number, step in enumerate(steps):
            self.events += [(event, number >= first_undoing) for event in self._stores(step)]
        self.events.append(("done", bool(scenario.fails_at)))
        self.versions = [{p.address + n: byte for p in self.patches for n, byte in enumerate(p.old)}]
        self.moments = [Moment(known=frozenset(self.sites).difference(*later))]
        self.ends = True
        for event, undoing in self.events:
            before = self.moments[-1]
            if event == "done" and before.parked:
                self.ends = False
                break
            self.moments.append(self._moment(before, event, undoing))
            never = isinstance(event, Synchronise | Park | WaitTasks) and before.parked
            if never or (isinstance(event, Release) and not before.parked):
                self.ends = False
                break
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

    def _moment(self, before: Moment, event: object, undoing: bool) -> Moment:
        after = replace(before, undoing=undoing)
        match event:
            case dict():
                self.versions.append(self.versions[-1] | event)
                after.memory += 1
            case Synchronise():
                after.asked += 1
            case Release():
                after.asked += 1
                after.parked = False
            case Park():
                after.parked = True
            case Free():
                after.freed = True
            case Know(site=site):
                after.known |= {site} if site else set(self.sites)
            case Forget(site=site):
                after.known -= {site} if site else set(self.sites)
            case "done":
                after.known, after.over = frozenset(), True
        return after

    def search(self, cpus: int, most: int) -> Found:
        scenario = self.scenario
        first = Cpu(self._now(0), (("user",),) if scenario.user else (), "", False, scenario.visits, scenario.visits)
        states = [(0, (first,) * cpus)]
        seen = set(states)
        depth = 0
        while states:
            depth += 1
            wrong: set[Wrong] = set()
            following = []
            for position, of in states:
                for after in self._following(position, of, wrong):
                    if after not in seen:
                        seen.add(after)
                        following.append(after)
            if wrong:
                return Found(depth, frozenset(wrong))
            if len(seen) > most:
                raise TooLarge
            states = following
        if not self.ends and Wrong.STUCK in scenario.never:
            return Found(-1, frozenset((Wrong.STUCK,)))
        return Found(0, frozenset())

    def _following(self, position: int, cpus: tuple[Cpu, ...], wrong: set[Wrong]) -> Iterator[tuple[int, tuple[Cpu, ...]]]:
        if position + 1 < len(self.moments) and all(self._allows(position, cpu) for cpu in cpus):
            try:
                yield position + 1, tuple(self._asked(position, cpu) for cpu in cpus)
            except _Wrong as found:
                wrong.add(found.wrong)
        for number, cpu in enumerate(cpus):
            for after in self._moves(position, cpu, wrong):
                if after.owes == "task" and _is_away(after):
                    after = replace(after, owes="")
                yield position, (*cpus[:number], after, *cpus[number + 1 :])

    # What the patcher asks

    def _allows(self, position: int, cpu: Cpu) -> bool:
        if self.moments[position].parked:
            return cpu.owes == "parked" or (not cpu.owes and self.scenario.hotplug is not Hotplug.NONE)
        return not cpu.owes

    def _asked(self, position: int, cpu: Cpu) -> Cpu:
        event, moment = self.events[position][0], self.moments[position]
        offline = cpu.stack[:1] == (("off",),)
        match event:
            case Synchronise() if not moment.parked and not offline:
                if not self._defers(cpu):
                    return replace(cpu, owes="interrupt")
                return replace(cpu, deferred=cpu.deferred or moment.asked + 1 not in self.scenario.deaf)
            case Park() if not moment.parked and not offline:
                return replace(cpu, owes="park")
            case Release() if cpu.owes == "parked":
                oldest = cpu.oldest if moment.asked + 1 in self.scenario.deaf else self._now(position)
                return replace(cpu, owes="released", oldest=oldest)
            case WaitTasks() if not moment.parked and not _is_away(cpu):
                return replace(cpu, owes="task")
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

    def _now(self, position: int) -> tuple[tuple[Unit, int], ...]:
        version = self.moments[position].memory
        return tuple((unit, version) for units in self.units for unit in units)

    def _moves(self, position: int, cpu: Cpu, wrong: set[Wrong]) -> Iterator[Cpu]:
        """The states after each thing that a CPU may do. Something wrong that counts is added to `wrong`."""
        for action in list(self._actions(position, cpu)):
            try:
                yield action()
            except _Wrong as found:
                if found.wrong in self.scenario.never:
                    wrong.add(found.wrong)
                elif found.after is not None:
                    yield found.after

    def _actions(self, position: int, cpu: Cpu):  # type: ignore[no-untyped-def]  # functions that return a Cpu or raise _Wrong
        scenario, moment = self.scenario, self.moments[position]
        may_come = scenario.hotplug is Hotplug.FREE or (scenario.hotplug is Hotplug.LOCKED and (position == 0 or moment.over))
        if cpu.stack[:1] == (("off",),):
            if may_come:
                yield lambda: replace(cpu, stack=(), oldest=self._now(position))
            return
        held = cpu.owes in ("parked", "released") and not _has(cpu, "nmi")
        if cpu.owes == "released" and not _has(cpu, "nmi"):
            yield lambda: replace(cpu, owes="")
        if not held:
            interruptible = all(frame[0] in ("site", "trampoline", "user", "idle") for frame in cpu.stack)
            if interruptible:
                yield from self._handlers("irq", sorted(scenario.irq_sites), position, cpu)
                if cpu.owes == "interrupt":
                    deaf = moment.asked in scenario.deaf
                    yield lambda: replace(cpu, owes="", oldest=cpu.oldest if deaf else self._now(position))
                if cpu.owes == "park":
                    yield lambda: replace(self._entered(position, cpu), owes="parked")
            yield from self._goes_on(position, cpu, may_come)
        nmis = [frame for frame in cpu.stack if frame[0] == "nmi"]
        if not nmis or (nmis[-1][1] and len(nmis) == 1):
            yield from self._handlers("nmi", sorted(scenario.nmi_sites), position, cpu)

    def _handlers(self, kind: str, sites: list[int], position: int, cpu: Cpu):  # type: ignore[no-untyped-def]
        if self.scenario.visits and not cpu.nmis:
            return
        frame: Frame = ("nmi", False) if kind == "nmi" else ("irq",)
        for site in sites:
            after = self._entered(position, cpu)
            after = replace(after, stack=(*after.stack, frame, self._at(site)), nmis=max(0, cpu.nmis - 1))
            overwritten = kind == "nmi" and _has(cpu, "nmi") and Stack.NMI in self.scenario.ist
            yield _raises(Wrong.OVERWRITTEN, after) if overwritten else _gives(after)

    def _at(self, site: int) -> Frame:
        return "site", site, 0, frozenset(range(len(self.codes[site - 1])))

    def _entered(self, position: int, cpu: Cpu) -> Cpu:
        return replace(cpu, oldest=self._now(position), deferred=False) if cpu.deferred else cpu

    def _goes_on(self, position: int, cpu: Cpu, may_go: bool):  # type: ignore[no-untyped-def]
        scenario = self.scenario
        if not cpu.stack:
            if cpu.visits or not scenario.visits:
                visiting = replace(cpu, visits=max(0, cpu.visits - 1))
                for site in self.sites:
                    for offset in (0, *sorted(scenario.into)):
                        _, _, _, codes = self._at(site)
                        yield from self._fetches(position, replace(visiting, stack=(("site", site, offset, codes),)))
                for site in scenario.idle_sites:
                    yield _gives(replace(visiting, stack=(("idle",), self._at(site))))
            if scenario.user:
                yield _gives(replace(cpu, stack=(("user",),)))
            if may_go and not cpu.owes:
                yield _gives(replace(cpu, stack=(("off",),), oldest=self._now(0)))
            return
        *below, inner = cpu.stack
        match inner[0]:
            case "site":
                yield from self._fetches(position, cpu)
            case "trap" | "entry":
                sites = sorted(scenario.handler_sites if inner[0] == "trap" else scenario.entry_sites)
                if inner[-1] < len(sites):  # type: ignore[operator]
                    yield from self._fetches(position, replace(cpu, stack=(*cpu.stack, self._at(sites[inner[-1]]))))  # type: ignore[index]
                else:
                    yield lambda: self._handle(position, cpu)
            case "trampoline":
                yield _gives(self._returned(position, replace(cpu, stack=tuple(below))))
            case "nmi":
                yield _gives(replace(cpu, stack=tuple(below)))
            case "user":
                entry = replace(cpu, stack=(("entry", 0),))
                yield _gives(entry if scenario.entry_sites else self._entered(position, replace(cpu, stack=())))

    def _returned(self, position: int, cpu: Cpu) -> Cpu:
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
                    return self._entered(position, replace(cpu, stack=tuple(below)))
                return replace(cpu, stack=(*below, ("entry", passed)))
        return cpu

    def _fetches(self, position: int, cpu: Cpu):  # type: ignore[no-untyped-def]
        """All that the CPU, before an instruction of a site, may see there."""
        _, site, offset, _ = cpu.stack[-1]
        patch, now = self.patches[site - 1], self.moments[position].memory  # type: ignore[operator]
        addresses = range(patch.address + offset, patch.address + len(patch.old))  # type: ignore[operator]
        units = sorted({(site, at // self.fetch.granule) for at in addresses})
        oldest = dict(cpu.oldest)
        seen = set()
        for versions in itertools.product(*(range(now if self.fetch.coherent else oldest[unit], now + 1) for unit in units)):
            version_of = dict(zip(units, versions, strict=True))
            code = bytes(self.versions[version_of[site, at // self.fetch.granule]][at] for at in addresses)
            after = cpu
            if self.fetch.monotone:
                after = replace(cpu, oldest=tuple((unit, version_of.get(unit, version)) for unit, version in cpu.oldest))
            if (code, after) not in seen:
                seen.add((code, after))
                yield lambda after=after, code=code: self._execute(position, after, code)

    def _execute(self, position: int, cpu: Cpu, code: bytes) -> Cpu:
        scenario, moment = self.scenario, self.moments[position]
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
            after = self._returned(position, replace(cpu, stack=tuple(below)))
        if moment.over and not any(self._is_kept(site, n) for n in may_be):
            raise _Wrong(Wrong.LATE, after)
        return after

    def _is_kept(self, site: object, code: int) -> bool:
        """Whether code (0: old, 1: new, 2...: in between) may be executed after the protocol's end."""
        kept = 0 if self.scenario.fails_at else 1
        if code < 2:
            return code == kept
        as_new = self.scenario.between(self.patches[site - 1])[code - 2][1]  # type: ignore[operator]
        return as_new is not None and as_new == bool(kept)

    def _handle(self, position: int, cpu: Cpu) -> Cpu:
        scenario, moment = self.scenario, self.moments[position]
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
                raise _Wrong(Wrong.SKIPPED, self._returned(position, away))
            return self._returned(position, away)
        if known and scenario.handler is not Handler.DIE:
            if not moment.undoing or not self.trampolines:
                return self._returned(position, away)
            if moment.freed:
                raise _Wrong(Wrong.FREED, None)
            return replace(away, stack=(*away.stack, ("trampoline",)))
        at = self.patches[site - 1].address + offset  # type: ignore[operator]
        there = bytes(self.versions[moment.memory][at + n] for n in range(len(scenario.breakpoint)))
        if scenario.handler is Handler.RETRY and there != scenario.breakpoint:
            return replace(away, stack=(*away.stack, ("site", site, offset, trap[3])))
        raise _Wrong(Wrong.BREAKPOINT, None)


def _gives(after: Cpu):  # type: ignore[no-untyped-def]
    return lambda: after


def _raises(wrong: Wrong, after: Cpu):  # type: ignore[no-untyped-def]
    def action() -> Cpu:
        raise _Wrong(wrong, after)

    return action


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
