# SPDX-License-Identifier: GPL-2.0-only
"""One CPU against a patching protocol: a small automaton. CPUs share nothing but the patcher, so N CPUs are its product."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from emu.cpu import arch as cpu_arch
from emu.cpu.disassembly import disassemble
from emu.race import arch as race_arch
from emu.race.model.cpu_state import ANY, OLD, Cpu, Due, Frame, Kind, Move, answered, popped, pushed, replaced, trampolines
from emu.race.model.model_sites import model_patches
from emu.race.model.patcher import Patcher, Step
from emu.race.model.patchers import Patchers
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.scenario import PAGE, Deferral, Handler, Hotplug, Scenario, Stack, Wrong
from emu.race.schedule.event import Event, What

__all__ = ["Automaton"]

_NMIS_AT_ONCE = 2  # more than two NMIs do not nest


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
        kind = Patchers if scenario.others else Patcher
        self.patcher = kind(scenario, self._patches, model, sites)
        self._arch = scenario.arch
        self._breakpoint = scenario.breakpoint
        self._leaves = scenario.race_arch.leaves
        self._old = [self._instructions(patch.address, patch.old) for patch in self._patches]
        self._new = [self._instructions(patch.address, patch.new) for patch in self._patches]
        between = [scenario.between(patch) for patch in self._patches]
        self._between = [
            [self._instructions(patch.address, code) for code, _ in codes]
            for patch, codes in zip(self._patches, between, strict=True)
        ]
        self._trampolines = trampolines(scenario)
        self._replaced = {keeps_old: replaced(scenario, self._patches, keeps_old=keeps_old) for keeps_old in (False, True)}
        self._handler_sites, self._entry_sites, self._nmi_sites, self._irq_sites, self._idle_sites = (
            sorted(of)
            for of in (
                scenario.handler_sites, scenario.entry_sites,
                *(of.intersection(self._sites) for of in (scenario.nmi_sites, scenario.irq_sites, scenario.idle_sites)),
            )
        )  # fmt: skip
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

    def allows(self, position: int, cpu: Cpu, step: Step) -> bool:
        """Whether a CPU in this state allows the patcher's step: whether it owes nothing, if the step waits."""
        if not step.waits:
            return True
        if self.patcher.parked[position]:
            return cpu.due is Due.PARKED or (cpu.due is Due.NOTHING and self._scenario.hotplug is not Hotplug.NONE)
        return cpu.due is Due.NOTHING

    def advance(self, position: int, cpu: Cpu, step: Step) -> Move:
        """The event of one of the patcher's steps, and the CPU's state afterwards."""
        event, patcher = step.event, self.patcher
        match event.what:
            case What.SYNC | What.PARK if Kind.OFFLINE in cpu.kinds:
                pass
            case What.SYNC if not patcher.parked[position]:
                if not self._is_deferred(cpu):
                    cpu = cpu._replace(due=Due.INTERRUPT)
                elif not patcher.is_deaf(step.to):
                    cpu = cpu._replace(deferred=True)
            case What.PARK if not patcher.parked[position]:
                cpu = cpu._replace(due=Due.WAIT)
            case What.RELEASE if cpu.due is Due.PARKED:
                view = cpu.view if patcher.is_deaf(step.to) else patcher.synchronised(position)
                cpu = cpu._replace(view=view, due=Due.RELEASED)
            case What.WAIT_TASKS if not patcher.parked[position]:
                cpu = answered(cpu._replace(due=Due.TASK))
            case What.FREE if any(frame.kind is Kind.IN for frame in cpu.frames):
                return self._wrong(event, Wrong.FREED, "the trampoline is freed in which a task stands", cpu)
        return Move(event, cpu)

    def _is_deferred(self, cpu: Cpu) -> bool:
        """Whether a CPU is left alone by a synchronisation until it enters the kernel."""
        deferral = self._scenario.deferral
        if not cpu.frames or (cpu.is_interrupted and deferral is not Deferral.TASK):
            return False
        within_entry = deferral is Deferral.WATCHING
        return cpu.frames[0].kind is Kind.USER or (cpu.frames[0].kind is Kind.ENTRY and within_entry)

    # A CPU's moves

    def moves(self, position: int, cpu: Cpu, *, every: bool = False) -> Iterator[Move]:
        """The moves that a CPU may make.

        Args:
            position: the patcher's position.
            cpu: the CPU's state.
            every: yield fetches with all bytes of a site; otherwise, fetches that execute the same instruction are merged.
        """
        moves = self._moves(position, cpu, every)
        if cpu.due is not Due.TASK:
            return moves
        return (move if move.after is None else move._replace(after=answered(move.after)) for move in moves)

    def _moves(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        if Kind.OFFLINE in cpu.kinds:
            if self._may_come_or_go(position):
                yield Move(Event(0, What.ONLINE), popped(cpu)._replace(view=self.patcher.synchronised(position)))
            return
        if Kind.NMI in cpu.kinds or cpu.due not in (Due.PARKED, Due.RELEASED):
            yield from self._interrupts(position, cpu)
            yield from self._goes_on(position, cpu, every)
        elif cpu.due is Due.RELEASED:
            yield Move(Event(0, What.GO_ON), cpu._replace(due=Due.NOTHING))
        if self._nmis_are_on(cpu):
            yield from self._visits_of(What.NMI, position, cpu)

    def _nmis_are_on(self, cpu: Cpu) -> bool:
        nmis = [frame for frame in cpu.frames if frame.kind is Kind.NMI]
        return not nmis or (bool(nmis[-1].nth) and len(nmis) < _NMIS_AT_ONCE)

    def _may_come_or_go(self, position: int) -> bool:
        """Whether CPUs may go offline and come back."""
        hotplug, patcher = self._scenario.hotplug, self.patcher
        return hotplug is Hotplug.FREE or (hotplug is Hotplug.LOCKED and (not position or patcher.done[position]))

    def _interrupts(self, position: int, cpu: Cpu) -> Iterator[Move]:
        """The interrupts that it may take: those of the patcher, and others."""
        if not cpu.interrupts_are_on:
            return
        yield from self._visits_of(What.IRQ, position, cpu)
        if cpu.due is Due.INTERRUPT:
            view = cpu.view if self.patcher.is_deaf(position) else self.patcher.synchronised(position)
            yield Move(Event(0, What.INTERRUPT), cpu._replace(view=view, due=Due.NOTHING))
        elif cpu.due is Due.WAIT:
            yield Move(Event(0, What.WAIT), self._entered(position, cpu)._replace(due=Due.PARKED))

    def _visits_of(self, what: What, position: int, cpu: Cpu) -> Iterator[Move]:
        """The NMIs or interrupts that may come, each with a site on its handler's way."""
        if self._scenario.visits and not cpu.nmis:
            return
        kind, sites = (Kind.NMI, self._nmi_sites) if what is What.NMI else (Kind.IRQ, self._irq_sites)
        for site in sites:
            after = self._entered(position, cpu)
            frames = (*after.frames, Frame(kind), Frame(Kind.AT, site, 0, ANY))
            after = after._replace(frames=frames, nmis=max(cpu.nmis - 1, 0))
            event = Event(0, what, site)
            if kind is Kind.NMI and kind in cpu.kinds and Stack.NMI in self._scenario.ist:
                why = "a second NMI begins at the top of the stack on which the handler of the first one stands"
                yield self._wrong(event, Wrong.OVERWRITTEN, why, after)
            else:
                yield Move(event, after)

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
                    yield from self._execute(position, pushed(cpu, Frame(Kind.AT, sites[inner.nth], 0, ANY)), every)
                elif not self._waits(position, inner):
                    yield self._handle(position, cpu)
            case Kind.IN:
                yield Move(Event(0, What.LEAVE), self._finished(position, cpu))
            case Kind.NMI:
                yield Move(Event(0, What.RETURN), popped(cpu))
            case Kind.USER:
                entering = cpu._replace(frames=(Frame(Kind.ENTRY),))
                yield Move(Event(0, What.ENTER), entering if self._entry_sites else self._entered(position, popped(cpu)))

    def _at_home(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        if cpu.visits or not self._scenario.visits:
            visiting = cpu._replace(visits=max(cpu.visits - 1, 0))
            for site in self._sites:
                for offset in (0, *sorted(self._scenario.into)):
                    yield from self._execute(position, pushed(visiting, Frame(Kind.AT, site, offset, ANY)), every)
            for site in self._idle_sites:
                frames = (Frame(Kind.IDLE), Frame(Kind.AT, site, 0, ANY))
                yield Move(Event(0, What.IDLE, site), visiting._replace(frames=frames))
        if self._scenario.user:
            yield Move(Event(0, What.EXIT), pushed(cpu, Frame(Kind.USER)))
        if cpu.due is Due.NOTHING and self._may_come_or_go(position):
            # What it could see does not matter: it comes back synchronised.
            gone = pushed(cpu, Frame(Kind.OFFLINE))._replace(view=self.patcher.synchronised(0))
            yield Move(Event(0, What.OFFLINE), gone)

    def _finished(self, position: int, cpu: Cpu) -> Cpu:
        """The CPU when the innermost frame has ended."""
        cpu = popped(cpu)
        inner = cpu.frames[-1] if cpu.frames else None
        match inner.kind if inner else None:
            case Kind.NMI if inner and not inner.nth:
                return popped(cpu)
            case Kind.IRQ | Kind.IDLE:
                return popped(cpu)
            case Kind.TRAP | Kind.ENTRY:
                assert inner is not None
                inner = inner._replace(nth=inner.nth + 1)
                if inner.kind is Kind.ENTRY and inner.nth == len(self._entry_sites):
                    return self._entered(position, popped(cpu))
                return pushed(popped(cpu), inner)
        return cpu

    # Executing one instruction of a site

    def _execute(self, position: int, cpu: Cpu, every: bool) -> Iterator[Move]:
        """Fetches and executes an instruction. The innermost frame is AT."""
        at = cpu.frames[-1]
        patch, views = self._patches[at.site - 1], self.patcher.views_at(position)[at.site - 1]
        address, size = patch.address + at.offset, len(patch.old) - at.offset
        view = cpu.view[at.site - 1]
        done = set()
        for fetch in views.fetches(view, self.patcher.now[position], address, size):
            trapped = bool(self._breakpoint) and fetch.code.startswith(self._breakpoint)
            code, text = _decoded(self._arch, self._breakpoint if trapped else fetch.code, address)
            trapped &= not self._is_foreign(at.site, at.offset)
            if not every and (code, fetch.view) in done:
                continue
            done.add((code, fetch.view))
            event = Event(0, What.FETCH, at.site, at.offset, fetch.code, fetch.versions, text)
            seen = cpu._replace(view=(*cpu.view[: at.site - 1], fetch.view, *cpu.view[at.site :]))
            yield self._trap(event, seen) if trapped else self._executed(position, event, seen, code)

    def _is_foreign(self, site: int, offset: int) -> bool:
        """Whether a breakpoint there is itself old or new code, as a probe's: its handler knows it, and goes on behind."""
        codes = (self._old[site - 1], self._new[site - 1], *self._between[site - 1])
        return any(instructions.get(offset) == self._breakpoint for instructions in codes)

    def _trap(self, event: Event, cpu: Cpu) -> Move:
        """The instruction was a breakpoint."""
        at = cpu.frames[-1]
        for frame in reversed(cpu.frames):
            if frame.kind is Kind.NMI:
                break
            if frame.kind is Kind.TRAP:
                return self._wrong(event, Wrong.NESTED, f"the breakpoint handler executes the breakpoint at site {at.site}")
        after = pushed(popped(cpu), at._replace(kind=Kind.TRAP))
        if Kind.TRAP in cpu.kinds and Stack.BREAKPOINT in self._scenario.ist:
            why = f"in an NMI the breakpoint at site {at.site} is hit, and its handler begins at the top of another's stack"
            return self._wrong(event, Wrong.OVERWRITTEN, why, after)
        return Move(event, after)

    def _executed(self, position: int, event: Event, cpu: Cpu, code: bytes) -> Move:
        """The instruction was not a breakpoint."""
        at = cpu.frames[-1]
        codes = (self._old[at.site - 1], self._new[at.site - 1], *self._between[at.site - 1])
        executed = sum((code == instructions.get(at.offset)) << bit for bit, instructions in enumerate(codes))
        kept = at.kept & executed
        where = f"at site {at.site}: {event.text}"
        if not executed:
            return self._wrong(event, Wrong.TORN, f"executes what is neither old nor new {where}")
        if not kept:
            return self._wrong(event, Wrong.HALF, f"executes a part of the old code and then a part of the new {where}")
        offset = at.offset + len(code)
        over = offset >= len(self._patches[at.site - 1].old) or self._leaves(code) or code == self._breakpoint
        calls_old = over and kept == OLD and self._trampolines
        if calls_old and self.patcher.freed[position]:
            return self._wrong(event, Wrong.FREED, f"calls a trampoline that is freed {where}")
        if not over:
            after = pushed(popped(cpu), at._replace(offset=offset, kept=kept))
        elif calls_old:
            after = pushed(popped(cpu), Frame(Kind.IN))
        else:
            after = self._finished(position, cpu)
        if self.patcher.done[position] and not kept & ~self._replaced[self.patcher.keeps_old(position, at.site)]:
            return self._wrong(event, Wrong.LATE, f"executes the replaced code after the protocol is over {where}", after)
        return Move(event, after)

    def _handle(self, position: int, cpu: Cpu) -> Move:
        """The breakpoint handler looks up the breakpoint, and acts."""
        trap, scenario, patcher = cpu.frames[-1], self._scenario, self.patcher
        known = trap.site in patcher.known[position] and trap.offset == 0 and trap.site not in scenario.misses
        if scenario.nests:
            cpu = _unmasked(cpu)
        after = self._finished(position, cpu)

        def event(text: str) -> Event:
            return Event(0, What.HANDLE, trap.site, text=text)

        if known and scenario.handler is Handler.SKIP:
            skips = event("goes on behind the instruction")
            if scenario.from_call and scenario.to_call:
                return self._wrong(skips, Wrong.SKIPPED, f"neither the old nor the new call is made at site {trap.site}", after)
            return Move(skips, after)
        if known and scenario.handler not in (Handler.DIE, Handler.WAIT):
            if not patcher.undoing[position]:
                return Move(event("does what is new"), after)
            calls_old = event("does what is old")
            if self._trampolines and patcher.freed[position]:
                return self._wrong(calls_old, Wrong.FREED, f"calls a trampoline that is freed at site {trap.site}")
            return Move(calls_old, pushed(popped(cpu), Frame(Kind.IN)) if self._trampolines else after)
        if scenario.handler in (Handler.RETRY, Handler.WAIT) and not self._is_in_memory(position, trap):
            again = Frame(Kind.AT, trap.site, trap.offset, trap.kept)
            return Move(event("the breakpoint has gone: again"), pushed(popped(cpu), again))
        why = f"a breakpoint that nobody knows at site {trap.site}: the kernel dies"
        return self._wrong(event("nobody knows it"), Wrong.BREAKPOINT, why)

    def _is_in_memory(self, position: int, trap: Frame) -> bool:
        """Whether memory still has the breakpoint that was hit."""
        return self.patcher.memory_at(position)[trap.site - 1][trap.offset :].startswith(self._breakpoint)

    def _waits(self, position: int, inner: Frame) -> bool:
        """Whether a breakpoint handler waits until the breakpoint is gone."""
        return self._scenario.handler is Handler.WAIT and inner.kind is Kind.TRAP and self._is_in_memory(position, inner)

    def _wrong(self, event: Event, wrong: Wrong, why: str, after: Cpu | None = None) -> Move:
        return Move(event, after, wrong, why) if wrong in self._scenario.never else Move(event, after)


def _check(scenario: Scenario) -> None:
    """Raises a ValueError if such CPUs and sites are impossible."""
    if scenario.cpus < 1 or not scenario.places:
        raise ValueError(f"{scenario.cpus} CPUs and {len(scenario.places)} sites; there is at least one of each")
    offsets = range(0, PAGE, scenario.ftrace_arch.cpu.instruction_alignment)
    for place in scenario.places:
        if place not in offsets:
            raise ValueError(f"a site at {place} of its page; a multiple of {offsets.step} below {PAGE} is allowed")
    if not scenario.into <= {*scenario.offsets}:
        raise ValueError(f"jumps to bytes {sorted(scenario.into)} of a site; its instructions begin at {scenario.offsets}")
    for site in sorted(scenario.named_sites):
        if not 1 <= site <= len(scenario.places):
            raise ValueError(f"the scenario has no site {site}; it has {len(scenario.places)}")


def _unmasked(cpu: Cpu) -> Cpu:
    """The CPU after an IRET: NMIs are unmasked, also in the handler of one."""
    frames = list(cpu.frames)
    for nth in reversed(range(len(frames))):
        if frames[nth].kind is Kind.NMI:
            frames[nth] = frames[nth]._replace(nth=1)
            break
    return cpu._replace(frames=tuple(frames))


@functools.lru_cache(1 << 16)
def _decoded(arch: str, code: bytes, address: int) -> tuple[bytes, str]:
    """The first instruction: its bytes and its text. It may include bytes after the site."""
    instruction = disassemble(cpu_arch.load(arch), code + race_arch.load(arch).following, address)[0]
    return instruction.code, instruction.text
