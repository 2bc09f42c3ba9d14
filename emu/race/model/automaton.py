# SPDX-License-Identifier: GPL-2.0-only
"""One CPU against a patching protocol: a small automaton. CPUs share nothing but the patcher, so N CPUs are its product."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from enum import IntEnum, StrEnum
from typing import NamedTuple

from emu.cpu import arch as cpu_arch
from emu.cpu.disassembly import disassemble
from emu.race import arch as race_arch
from emu.race.model.model_sites import model_patches
from emu.race.model.patcher import Patcher
from emu.race.scenario.fetch import View
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import Free, WaitTasks
from emu.race.scenario.scenario import LINE, Handler, Scenario, Wrong
from emu.race.schedule.event import Event, What

__all__ = ["Automaton", "Cpu", "Due", "Frame", "Kind", "Move"]

_OLD, _NEW, _MIXTURE = 1, 2, 4
_ANY = _OLD | _NEW | _MIXTURE


class Kind(StrEnum):
    """What a CPU can be doing."""

    AT = "at"  # before an instruction of a site
    TRAP = "trap"  # the breakpoint handler; interrupts are off
    IN = "in"  # a trampoline called by an old call
    NMI = "nmi"  # an NMI handler; interrupts are off
    USER = "user"  # user mode
    ENTRY = "entry"  # the kernel's entry; interrupts are off


class Frame(NamedTuple):
    """One level of a CPU's activity.

    Attributes:
        kind: the kind.
        site: of AT and TRAP: the site's number, from 1.
        offset: of AT: of the next instruction; of TRAP: of the breakpoint.
        kept: of AT and TRAP: whether the instructions so far may have been the old ones, the new ones, those of a mixture that
            does the same as one of them (`Scenario.mixture`), or several of these.
        nth: of TRAP and ENTRY: how many of the sites on its way it has passed.
    """

    kind: Kind
    site: int = 0
    offset: int = 0
    kept: int = 0
    nth: int = 0


class Due(IntEnum):
    """What a CPU owes the patcher."""

    NOTHING = 0
    INTERRUPT = 1  # to take the interrupt of a SYNC
    WAIT = 2  # to take the interrupt of a PARK
    PARKED = 3  # nothing: it is parked
    RELEASED = 4  # to continue


class Cpu(NamedTuple):
    """The state of one CPU.

    Attributes:
        view: for each site, the versions that the CPU may see.
        frames: its activities, innermost last; (): somewhere in the kernel, with interrupts on.
        due: what it owes.
        deferred: whether it owes a synchronisation to be made at its next kernel entry.
        visits: how many more times it may visit a site, if that is bounded.
        nmis: how many more NMIs may occur, if that is bounded.
    """

    view: tuple[View, ...]
    frames: tuple[Frame, ...] = ()
    due: Due = Due.NOTHING
    deferred: bool = False
    visits: int = 0
    nmis: int = 0


class Move(NamedTuple):
    """A possible next move.

    Attributes:
        event: the event. A CPU's has agent 0.
        after: the CPU's state; None if it is undefined, as after something wrong.
        wrong: what is wrong about it, if anything.
        why: the same as a sentence.
    """

    event: Event
    after: Cpu | None
    wrong: Wrong | None = None
    why: str = ""


class Automaton:
    """The moves of a CPU in each of its states, for each position of the patcher.

    Args:
        scenario: the changes, and the CPUs' paths.
        model: the fetch model.
        sites: the sites, from 1, that CPUs come to; None: all. Those of the handler and the entry must be among them.

    Attributes:
        patcher: the patcher's state at each position.
        first: a CPU's initial state.

    Raises:
        ValueError: the scenario is impossible. The text says why.
    """

    def __init__(self, scenario: Scenario, model: FetchModel, sites: AbstractSet[int] | None = None) -> None:
        self._scenario = scenario
        _check(scenario)
        self._patches = model_patches(scenario)
        self._sites = sorted(sites) if sites is not None else list(range(1, len(self._patches) + 1))
        self.patcher = Patcher(scenario, self._patches, model, sites)
        self._arch = scenario.arch
        self._breakpoint = scenario.breakpoint
        self._old = [self._instructions(patch.address, patch.old) for patch in self._patches]
        self._new = [self._instructions(patch.address, patch.new) for patch in self._patches]
        steps = scenario.steps(self._patches)
        mixtures = [scenario.mixture(patch) for patch in self._patches]
        self._mixed = [self._instructions(p.address, m[0]) if m else {} for p, m in zip(self._patches, mixtures, strict=True)]
        self._old_is_call = scenario.change.from_call
        self._new_is_call = scenario.change.to_call
        self._trampolines = self._old_is_call and any(isinstance(step, Free | WaitTasks) for step in steps)
        self._replaced = _NEW if scenario.fails_at else _OLD
        if any(mixture and mixture[1] == (self._replaced == _NEW) for mixture in mixtures):
            self._replaced |= _MIXTURE
        self._handler_sites, self._entry_sites, self._nmi_sites = (
            sorted(of) for of in (scenario.handler_sites, scenario.entry_sites, scenario.nmi_sites.intersection(self._sites))
        )
        frames = (Frame(Kind.USER),) if scenario.user else ()
        self.first = Cpu(self.patcher.synchronised(0), frames, visits=scenario.visits, nmis=scenario.visits)

    def _instructions(self, address: int, code: bytes) -> dict[int, bytes]:
        """The instructions of a site, by offset."""
        found, offset = {}, 0
        while offset < len(code):
            found[offset] = _decoded(self._arch, code[offset:], address + offset)[0]
            offset += len(found[offset])
        return found

    # The patcher's next event

    def allows(self, position: int, cpu: Cpu) -> bool:
        """Whether a CPU in this state allows the patcher's next event."""
        if cpu.due is not (Due.PARKED if self.patcher.parked[position] else Due.NOTHING):
            return False
        waits = self.patcher.events[position].what is What.WAIT_TASKS
        return not (waits and any(frame.kind is Kind.IN or (frame.kind is Kind.AT and frame.offset) for frame in cpu.frames))

    def advance(self, position: int, cpu: Cpu) -> Move:
        """The patcher's next event, and the CPU's state afterwards."""
        event, patcher = self.patcher.events[position], self.patcher
        match event.what:
            case What.SYNC if not patcher.parked[position]:
                if not (cpu.frames and cpu.frames[0].kind in (Kind.USER, Kind.ENTRY)):
                    cpu = cpu._replace(due=Due.INTERRUPT)
                elif not self.patcher.is_deaf(position + 1):
                    cpu = cpu._replace(deferred=True)
            case What.PARK if not patcher.parked[position]:
                cpu = cpu._replace(due=Due.WAIT)
            case What.RELEASE if patcher.parked[position]:
                cpu = cpu._replace(view=self.patcher.synchronised(position), due=Due.RELEASED)
            case What.FREE if any(frame.kind is Kind.IN for frame in cpu.frames):
                return self._wrong(event, Wrong.FREED, "the trampoline is freed in which a task stands")
        return Move(event, cpu)

    # A CPU's moves

    def moves(self, position: int, cpu: Cpu, *, every: bool = False) -> Iterator[Move]:
        """The moves that a CPU may make.

        Args:
            position: the patcher's position.
            cpu: the CPU's state.
            every: yield fetches with all bytes of a site; otherwise, fetches that execute the same instruction are merged.
        """
        kinds = {frame.kind for frame in cpu.frames}
        if Kind.NMI in kinds or cpu.due not in (Due.PARKED, Due.RELEASED):
            yield from self._answers(position, cpu, kinds)
            yield from self._goes_on(position, cpu, every)
        elif cpu.due is Due.RELEASED:
            yield Move(Event(0, What.GO_ON), cpu._replace(due=Due.NOTHING))
        if Kind.NMI not in kinds:
            yield from self._nmis(position, cpu)

    def _answers(self, position: int, cpu: Cpu, kinds: set[Kind]) -> Iterator[Move]:
        """The interrupts that it may take."""
        if not kinds <= {Kind.AT, Kind.IN, Kind.USER}:
            return
        if cpu.due is Due.INTERRUPT:
            view = cpu.view if self.patcher.is_deaf(position) else self.patcher.synchronised(position)
            yield Move(Event(0, What.INTERRUPT), cpu._replace(view=view, due=Due.NOTHING))
        elif cpu.due is Due.WAIT:
            yield Move(Event(0, What.WAIT), self._entered(position, cpu)._replace(due=Due.PARKED))

    def _nmis(self, position: int, cpu: Cpu) -> Iterator[Move]:
        if self._scenario.visits and not cpu.nmis:
            return
        for site in self._nmi_sites:
            after = self._entered(position, cpu)
            frames = (*after.frames, Frame(Kind.NMI), Frame(Kind.AT, site, 0, _ANY))
            yield Move(Event(0, What.NMI, site), after._replace(frames=frames, nmis=max(cpu.nmis - 1, 0)))

    def _entered(self, position: int, cpu: Cpu) -> Cpu:
        """The CPU after kernel entry: it has made the deferred synchronisation."""
        return cpu._replace(view=self.patcher.synchronised(position), deferred=False) if cpu.deferred else cpu

    def _goes_on(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        """The moves of the innermost frame."""
        inner = cpu.frames[-1] if cpu.frames else None
        match inner.kind if inner else None:
            case None:
                yield from self._at_home(position, cpu, every)
            case Kind.AT:
                yield from self._execute(position, cpu, every)
            case Kind.TRAP | Kind.ENTRY:
                assert inner is not None
                sites = self._handler_sites if inner.kind is Kind.TRAP else self._entry_sites
                if inner.nth < len(sites):
                    yield from self._execute(position, _pushed(cpu, Frame(Kind.AT, sites[inner.nth], 0, _ANY)), every)
                else:
                    yield self._handle(position, cpu)
            case Kind.IN:
                yield Move(Event(0, What.LEAVE), self._finished(position, cpu))
            case Kind.USER:
                entering = cpu._replace(frames=(Frame(Kind.ENTRY),))
                yield Move(Event(0, What.ENTER), entering if self._entry_sites else self._entered(position, _popped(cpu)))

    def _at_home(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        if cpu.visits or not self._scenario.visits:
            visiting = cpu._replace(visits=max(cpu.visits - 1, 0))
            for site in self._sites:
                yield from self._execute(position, _pushed(visiting, Frame(Kind.AT, site, 0, _ANY)), every)
        if self._scenario.user:
            yield Move(Event(0, What.EXIT), _pushed(cpu, Frame(Kind.USER)))

    def _finished(self, position: int, cpu: Cpu) -> Cpu:
        """The CPU when the innermost frame has ended."""
        cpu = _popped(cpu)
        inner = cpu.frames[-1] if cpu.frames else None
        match inner.kind if inner else None:
            case Kind.NMI:
                return _popped(cpu)
            case Kind.TRAP | Kind.ENTRY:
                assert inner is not None
                inner = inner._replace(nth=inner.nth + 1)
                if inner.kind is Kind.ENTRY and inner.nth == len(self._entry_sites):
                    return self._entered(position, _popped(cpu))
                return _pushed(_popped(cpu), inner)
        return cpu

    # Executing one instruction of a site

    def _execute(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        """Fetches and executes an instruction. The innermost frame is AT."""
        at = cpu.frames[-1]
        patch, views = self._patches[at.site - 1], self.patcher.views[at.site - 1]
        address, size = patch.address + at.offset, len(patch.old) - at.offset
        view = cpu.view[at.site - 1]
        done = set()
        for fetch in views.fetches(view, self.patcher.now[position], address, size):
            trapped = bool(self._breakpoint) and fetch.code.startswith(self._breakpoint)
            code, text = _decoded(self._arch, self._breakpoint if trapped else fetch.code, address)
            if not every and (code, fetch.view) in done:
                continue
            done.add((code, fetch.view))
            event = Event(0, What.FETCH, at.site, at.offset, fetch.code, fetch.versions, text)
            seen = cpu._replace(view=(*cpu.view[: at.site - 1], fetch.view, *cpu.view[at.site :]))
            yield self._trap(event, seen) if trapped else self._executed(position, event, seen, code)

    def _trap(self, event: Event, cpu: Cpu) -> Move:
        """The instruction was a breakpoint."""
        at = cpu.frames[-1]
        for frame in reversed(cpu.frames):
            if frame.kind is Kind.NMI:
                break
            if frame.kind is Kind.TRAP:
                return self._wrong(event, Wrong.NESTED, f"the breakpoint handler executes the breakpoint at site {at.site}")
        return Move(event, _pushed(_popped(cpu), at._replace(kind=Kind.TRAP)))

    def _executed(self, position: int, event: Event, cpu: Cpu, code: bytes) -> Move:
        """The instruction was not a breakpoint."""
        at = cpu.frames[-1]
        old, new, mixed = (code == them[at.site - 1].get(at.offset) for them in (self._old, self._new, self._mixed))
        kept = at.kept & (old * _OLD | new * _NEW | mixed * _MIXTURE)
        where = f"at site {at.site}: {event.text}"
        if not (old or new):
            return self._wrong(event, Wrong.TORN, f"executes what is neither old nor new {where}")
        if not kept:
            return self._wrong(event, Wrong.HALF, f"executes a part of the old code and then a part of the new {where}")
        offset = at.offset + len(code)
        over = offset == len(self._patches[at.site - 1].old)
        calls_old = over and kept == _OLD and self._trampolines
        if calls_old and self.patcher.freed[position]:
            return self._wrong(event, Wrong.FREED, f"calls a trampoline that is freed {where}")
        if not over:
            after = _pushed(_popped(cpu), at._replace(offset=offset, kept=kept))
        elif calls_old:
            after = _pushed(_popped(cpu), Frame(Kind.IN))
        else:
            after = self._finished(position, cpu)
        if self.patcher.done[position] and not kept & ~self._replaced:
            return self._wrong(event, Wrong.LATE, f"executes the replaced code after the protocol is over {where}", after)
        return Move(event, after)

    def _handle(self, position: int, cpu: Cpu) -> Move:
        """The breakpoint handler looks up the breakpoint, and acts."""
        trap, scenario, patcher = cpu.frames[-1], self._scenario, self.patcher
        known = patcher.known[position] and trap.offset == 0 and trap.site not in scenario.misses
        after = self._finished(position, cpu)

        def event(text: str) -> Event:
            return Event(0, What.HANDLE, trap.site, text=text)

        if known and scenario.handler is Handler.SKIP:
            skips = event("goes on behind the instruction")
            if self._old_is_call and self._new_is_call:
                return self._wrong(skips, Wrong.SKIPPED, f"neither the old nor the new call is made at site {trap.site}", after)
            return Move(skips, after)
        if known and scenario.handler is not Handler.DIE:
            if not patcher.undoing[position]:
                return Move(event("does what is new"), after)
            calls_old = event("does what is old")
            if self._trampolines and patcher.freed[position]:
                return self._wrong(calls_old, Wrong.FREED, f"calls a trampoline that is freed at site {trap.site}")
            return Move(calls_old, _pushed(_popped(cpu), Frame(Kind.IN)) if self._trampolines else after)
        in_memory = patcher.memory[patcher.now[position]][trap.site - 1][trap.offset :]
        if scenario.handler is Handler.RETRY and not in_memory.startswith(self._breakpoint):
            again = Frame(Kind.AT, trap.site, trap.offset, trap.kept)
            return Move(event("the breakpoint has gone: again"), _pushed(_popped(cpu), again))
        why = f"a breakpoint that nobody knows at site {trap.site}: the kernel dies"
        return self._wrong(event("nobody knows it"), Wrong.BREAKPOINT, why)

    def _wrong(self, event: Event, wrong: Wrong, why: str, after: Cpu | None = None) -> Move:
        return Move(event, after, wrong, why) if wrong in self._scenario.never else Move(event, after)


def _check(scenario: Scenario) -> None:
    """Raises a ValueError if such CPUs and sites are impossible."""
    if scenario.cpus < 1 or not scenario.places:
        raise ValueError(f"{scenario.cpus} CPUs and {len(scenario.places)} sites; there is at least one of each")
    offsets = range(0, LINE, scenario.ftrace_arch.cpu.instruction_alignment)
    for place in scenario.places:
        if place not in offsets:
            raise ValueError(f"a site at {place} of its line; a multiple of {offsets.step} below {LINE} is allowed")
    for site in sorted(scenario.misses | scenario.handler_sites | scenario.nmi_sites | scenario.entry_sites):
        if not 1 <= site <= len(scenario.places):
            raise ValueError(f"the scenario has no site {site}; it has {len(scenario.places)}")


def _pushed(cpu: Cpu, frame: Frame) -> Cpu:
    return cpu._replace(frames=(*cpu.frames, frame))


def _popped(cpu: Cpu) -> Cpu:
    return cpu._replace(frames=cpu.frames[:-1])


@functools.lru_cache(1 << 16)
def _decoded(arch: str, code: bytes, address: int) -> tuple[bytes, str]:
    """The first instruction: its bytes and its text. It may include bytes after the site."""
    instruction = disassemble(cpu_arch.load(arch), code + race_arch.load(arch).following, address)[0]
    return instruction.code, instruction.text
