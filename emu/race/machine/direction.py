# SPDX-License-Identifier: GPL-2.0-only
"""Directs a lab through one scenario, event by event, and observes what really happens.

Events are the patcher's stores, the fetches of sites, breakpoint handlers, NMIs, and the patcher's interrupts. Everything
in between runs natively. The shipped driver performs the protocol's steps; the guest's own handlers handle
breakpoints, interrupts and NMIs. The fetch model chooses what a fetch sees: these bytes are in memory while the CPU
executes the one instruction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NoReturn

import numpy as np

from emu.ftrace.sites.patching import Patch, Step, Write
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.race.machine.breakpoint_handlers import breakpoint_handler
from emu.race.machine.course import Course, Possible
from emu.race.machine.cpu_direction import Lost
from emu.race.machine.lab import Lab
from emu.race.machine.notes import CpuNotes, Notes, Stand, answered
from emu.race.machine.placed import behind, own_patches, placed
from emu.race.machine.watched_handler import WatchedHandler
from emu.race.model.cpu_state import Due, replaced
from emu.race.scenario.fetch import View
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER, Event, What

__all__ = ["DeadEnd", "Direction", "Violation"]

_ASKED = MappingProxyType({What.SYNC: Due.INTERRUPT, What.PARK: Due.WAIT})
_AFTERWARDS = 300_000  # cycles for the guest to notice what has happened
_NO_ANSWER = 6_000_000  # cycles after which the driver says that patching does not end
_FOLLOWING = 15  # bytes: no architecture has longer instructions


class Violation(Exception):
    """Something wrong has happened."""

    def __init__(self, wrong: Wrong, why: str) -> None:
        super().__init__(why)
        self.wrong = wrong
        self.why = why


class DeadEnd(Exception):
    """Something has happened after which the rest is meaningless, but that the scenario does not count as wrong."""


class Direction:
    """Directs a lab through one scenario under one fetch model.

    Args:
        lab: a lab for the scenario's architecture and number of CPUs.
        scenario: the scenario.
        fetch: the fetch model's name.
        visits: the bound for a scenario without one.

    Attributes:
        scenario: as given.
        course: the scenario on the lab's sites.
        notes: the part of the present state that is not in the machine.

    Raises:
        ValueError: the protocol breaks a rule. The text says which.
    """

    def __init__(self, lab: Lab, scenario: Scenario, fetch: str, visits: int = 1) -> None:
        self._lab = lab
        self._machine = machine = lab.machine
        self._memory = machine.kernel.memory
        self._driver = machine.patching
        self._sites = lab.sites(scenario.places)
        self._targets = lab.targets(scenario.places)
        addresses = [site.address for site in self._sites]
        if scenario.codes:
            patches = own_patches(scenario, addresses, lab.landings())
            following = [behind(scenario)] * len(patches)
        else:
            patches = scenario.patches(addresses, *self._targets)
            following = [self._memory.read(patch.address + len(patch.old), _FOLLOWING) for patch in patches]
        self._behind = following if scenario.codes else [b""] * len(patches)
        self.course = Course(placed(scenario), fetch, patches, following)
        self.scenario = scenario
        self._replaced = replaced(scenario, patches, bool(scenario.fails_at))
        self._visits = scenario.visits or visits
        self._handler: WatchedHandler | None = None
        self.notes = Notes(0, ())

    def begin(self) -> None:
        """Puts the lab back to its base, and gives the driver the protocol. No step is performed yet."""
        lab, scenario, patches, driver = self._lab, self.scenario, self.course.patches, self._driver
        lab.snapshots.restore(lab.snapshots.base)
        for patch, behind_it in zip(patches, self._behind, strict=True):
            self._store(patch.address, patch.old + behind_it)
        if scenario.breakpoint:
            misses = {patches[site - 1].address for site in scenario.misses}
            self._handler = WatchedHandler(breakpoint_handler(self._machine, scenario.handler, misses, own=bool(scenario.codes)))
            driver.breakpoint_handler = self._handler
            self._know(0)
        driver.held = True
        driver.protocol = _Given(tuple(self.course.given))
        driver.start(patches, _nothing)
        visits = self._visits
        self.notes = Notes(0, (CpuNotes(self.course.patcher.synchronised(0), visits=visits, nmis=visits),) * len(lab.cpus))

    def possible(self, *, every: bool = False) -> list[Possible]:
        """The events that are possible now (see Course.possible)."""
        return list(self.course.possible(self.notes, awaited=bool(self._driver.awaited), every=every))

    def perform(self, possible: Possible) -> None:
        """Performs a possible event.

        Raises:
            Violation: something wrong has happened.
            DeadEnd: the exploration cannot continue here.
        """
        event = possible.event
        if event.agent == PATCHER:
            self._patch(event)
        else:
            self._act(event, possible.view)

    def is_stuck_at(self, position: int) -> bool:
        """Whether the patcher has then finished, but its protocol never ends. Only counts if the scenario calls that wrong."""
        patcher = self.course.patcher
        return position == patcher.end and not patcher.ends and Wrong.STUCK in self.scenario.never

    def stuck(self) -> Violation:
        """The violation of a protocol that does not end."""
        self._driver.held = False
        if not self._driver.awaited:
            self._driver.step()
        return Violation(Wrong.STUCK, "the protocol does not end")

    def with_aftermath(self, violation: Violation) -> Violation:
        """Lets the guest run for a while after a violation, and adds what the guest itself notices."""
        cycles = _NO_ANSWER if violation.wrong is Wrong.STUCK else _AFTERWARDS
        noticed = self._afterwards(cycles)
        self._forget_sites()
        return Violation(violation.wrong, f"{violation.why}; {noticed}")

    # The patcher's events

    def _patch(self, event: Event) -> None:
        position, course, driver = self.notes.position, self.course, self._driver
        if position == course.way_back:
            self._turn_back()
        cpus = self.notes.cpus
        if event.what is What.WRITE:
            self._write(event)
        elif event.what in (What.FORGET, What.KNOW):
            self._know(position + 1)
        elif event.what is What.WAIT_TASKS:
            if not self.course.patcher.parked[position]:
                cpus = tuple(answered(cpu._replace(due=Due.TASK)) for cpu in cpus)
        else:
            cpus = self._ask(event, position)
        self.notes = Notes(position + 1, cpus)
        assert event.what is not What.DONE or not driver.busy

    def _know(self, position: int) -> None:
        """Tells the breakpoint handler what it knows at a position."""
        if self._handler is not None:
            known = self.course.patcher.known[position]
            addresses = (patch.address for site, patch in enumerate(self.course.patches, 1) if site not in known)
            self._handler.unknown = frozenset(addresses)

    def _turn_back(self) -> None:
        """Makes the driver's next write find the old code instead of the expected bytes, so that the driver undoes the change."""
        step = self._driver.steps[0]
        assert isinstance(step, Write)
        held = self._memory.read(step.address, len(step.new))
        self._store(step.address, self.course.old_code(step))
        self._driver.step()
        self._store(step.address, held)

    def _write(self, event: Event) -> None:
        """A store, or a part of one. With the last part, the driver makes the whole store."""
        step, last = self.course.stores[self.notes.position]
        if last:
            self._store(step.address, step.expected)
            self._driver.step()
            assert self._memory.read(step.address, len(step.new)) == step.new
        else:
            self._store(self.course.patches[event.site - 1].address + event.offset, event.code)

    def _store(self, address: int, code: bytes) -> None:
        self._machine.board.write_code(self._memory.physical(address), code)

    def _ask(self, event: Event, position: int) -> tuple[CpuNotes, ...]:
        """A step that CPUs must answer. Its interrupts are held back."""
        course, cpus = self.course, self.notes.cpus
        parked = course.patcher.parked[position]
        deaf = event.what is What.RELEASE and course.patcher.is_deaf(position + 1)
        self._driver.deaf_cpus = set(range(len(cpus))) if deaf else set()
        self._driver.step()
        for cpu in self._lab.cpus:
            cpu.hold_upcall()
        if event.what is What.RELEASE and parked:
            views = course.patcher.synchronised(position)
            return tuple(cpu._replace(view=cpu.view if deaf else views, due=Due.RELEASED) for cpu in cpus)
        if event.what in _ASKED and not parked:
            return tuple(cpu._replace(due=_ASKED[event.what]) for cpu in cpus)
        return cpus

    # CPUs' events

    def _act(self, event: Event, view: View) -> None:
        actions: dict[What, Callable[[Event, CpuNotes], CpuNotes]] = {
            What.INTERRUPT: self._interrupt, What.WAIT: self._wait, What.GO_ON: self._go_on, What.NMI: self._nmi,
            What.HANDLE: self._handle, What.FETCH: functools.partial(self._fetch, view),
        }  # fmt: skip
        try:
            after = actions[event.what](event, self.notes.cpus[event.agent])
        except (GuestPanic, PoweredOff, Lost):
            where = self._machine.kernel.symbols.describe(self._lab.cpus[event.agent].pc)
            self._wrong(Wrong.STUCK, f"CPU {event.agent} does not come back from {where}")
        self._note(event.agent, after)

    def _note(self, index: int, after: CpuNotes) -> None:
        cpus = self.notes.cpus
        self.notes = self.notes._replace(cpus=(*cpus[:index], answered(after), *cpus[index + 1 :]))

    def _interrupt(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        position = self.notes.position
        deaf = self.course.patcher.is_deaf(position)
        self._driver.deaf_cpus = {event.agent} if deaf else set()
        self._lab.cpus[event.agent].take_upcall(waits=False)
        return cpu._replace(view=cpu.view if deaf else self.course.patcher.synchronised(position), due=Due.NOTHING)

    def _wait(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        self._lab.cpus[event.agent].take_upcall(waits=True)
        return cpu._replace(due=Due.PARKED)

    def _go_on(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        stand = cpu.thread
        self._lab.cpus[event.agent].go_to(self._lab.module.home if stand is None else self._address(stand))
        return cpu._replace(due=Due.NOTHING)

    def _nmi(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        direction = self._lab.cpus[event.agent]
        interrupted = direction.pc
        direction.come_to_in_nmi(self._sites[event.site - 1])
        return cpu._replace(nmi=Stand(event.site), nmis=cpu.nmis - 1, interrupted=interrupted)

    def _address(self, stand: Stand) -> int:
        """The address of the instruction before which a CPU is."""
        return self.course.patches[stand.site - 1].address + stand.offset

    def _fetch(self, view: View, event: Event, cpu: CpuNotes) -> CpuNotes:
        """Executes one instruction of a site."""
        direction = self._lab.cpus[event.agent]
        stand = cpu.inner
        if stand is None:
            stand = Stand(event.site, event.offset)
            direction.come_to(self._sites[event.site - 1], event.offset)
            cpu = cpu._replace(thread=stand, visits=cpu.visits - 1)
        site = stand.site - 1
        cpu = cpu._replace(view=(*cpu.view[:site], view, *cpu.view[site + 1 :]))
        try:
            direction.execute(self._memory.physical(self._address(stand)), event.code)
        except (GuestPanic, PoweredOff):
            self._wrong(Wrong.TORN, f"executes what is neither old nor new {self._where(event)}")
        trap = self.scenario.breakpoint
        if trap and event.code.startswith(trap):
            return self._stands(cpu, stand._replace(trapped=True))
        return self._executed(event, cpu, stand)

    def _executed(self, event: Event, cpu: CpuNotes, stand: Stand) -> CpuNotes:
        """The CPU has executed an instruction other than a breakpoint: checks whether it was old or new."""
        direction, patch = self._lab.cpus[event.agent], self.course.patches[stand.site - 1]
        was, executed = 0, b""
        for bit, instructions in enumerate(self.course.instructions[stand.site - 1]):
            instruction = instructions.get(stand.offset)
            if instruction is not None and event.code.startswith(instruction.code):
                executed, which = instruction.code, 1 << bit
                # Without the instructions before it, it may go anywhere.
                goes_right = direction.goes_to == self._goes_to(instruction.address, instruction.code)
                was |= which * (bool(self.scenario.codes or self.scenario.right) or goes_right or not stand.kept & which)
        kept = stand.kept & was
        where = self._where(event)
        if not was:
            goes_to = self._machine.kernel.symbols.describe(direction.goes_to)
            self._wrong(Wrong.TORN, f"executes what is neither old nor new {where}, and goes to {goes_to}")
        if not kept:
            self._wrong(Wrong.HALF, f"executes a part of the old code and then a part of the new {where}")
        behind_it = stand.offset + len(executed)
        if behind_it < len(patch.old) and not self.scenario.race_arch.leaves(executed):
            after = self._stands(cpu, stand._replace(offset=behind_it, kept=kept))
        else:
            after = self._left(event.agent, cpu)
        late = self.course.patcher.done[self.notes.position] and not kept & ~self._replaced
        if late and Wrong.LATE in self.scenario.never:
            self._wrong(Wrong.LATE, f"executes the replaced code after the protocol is over {where}")
        return after

    def _goes_to(self, address: int, code: bytes) -> int:
        """The CPU's destination after an instruction of a site."""
        arch, pair = self._machine.ftrace.arch, self.scenario.race_arch.pair
        for target in self._targets:
            if pair is not None and self.scenario.change.of_a_pair:
                if pair(address - len(code), target)[1] == code:
                    return target
            elif arch.call(address, target) == code:
                return target
        return address + len(code)

    def _where(self, event: Event) -> str:
        return f"at site {event.site}: {event.text}"

    def _stands(self, cpu: CpuNotes, stand: Stand | None) -> CpuNotes:
        """The notes of a CPU that has moved."""
        return cpu._replace(thread=stand) if cpu.nmi is None else cpu._replace(nmi=stand)

    def _origin(self, cpu: CpuNotes) -> int:
        """Where a CPU goes when it returns from its innermost site."""
        return self._lab.module.home if cpu.nmi is None else cpu.interrupted

    def _left(self, index: int, cpu: CpuNotes) -> CpuNotes:
        """A CPU returns from a site to where it came from."""
        direction, origin = self._lab.cpus[index], self._origin(cpu)
        if direction.pc != origin:
            direction.go_to(origin)
        return self._stands(cpu, None)

    def _handle(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        """The guest's breakpoint handler calls the host's, and the CPU continues as told."""
        direction, stand, handler = self._lab.cpus[event.agent], cpu.inner, self._handler
        assert stand is not None and handler is not None
        patch, asked, refused = self.course.patches[stand.site - 1], handler.asked, handler.refused
        again, end = patch.address + stand.offset, patch.address + len(patch.old)
        goes_on = (self._origin(cpu),) if self.scenario.codes else self._targets
        try:
            direction.go_to(again, end, *goes_on)
        except (GuestPanic, Lost):
            if handler.refused == refused:
                raise
        if handler.refused > refused:
            self._wrong(Wrong.BREAKPOINT, f"a breakpoint that nobody knows at site {stand.site}")
        assert handler.asked == asked + 1
        if direction.pc == again:
            return self._stands(cpu, stand._replace(trapped=False))
        skips = direction.pc == end and self.scenario.from_call and self.scenario.to_call
        if skips and Wrong.SKIPPED in self.scenario.never:
            self._wrong(Wrong.SKIPPED, f"neither the old nor the new call is made at site {stand.site}")
        return self._left(event.agent, cpu)

    # Violations

    def _wrong(self, wrong: Wrong, why: str) -> NoReturn:
        if wrong not in self.scenario.never:
            raise DeadEnd(why)
        raise Violation(wrong, why)

    def _afterwards(self, cycles: int) -> str:
        """What the guest notices during some cycles."""
        for cpu in self._lab.cpus:
            cpu.release_upcall()
        try:
            self._machine.advance(cycles)
        except (GuestPanic, PoweredOff) as end:
            return f"then: {_first_line(end)}"
        for warning in self._machine.warnings:
            if warning.startswith("guest"):
                return f"then: {' | '.join(line.strip() for line in warning.splitlines()[:3])}"
        milliseconds = self._machine.board.nanoseconds(cycles) // 1_000_000
        return f"the guest notices nothing for {milliseconds} ms"

    def _forget_sites(self) -> None:
        """Drops CPUs' translations of the sites that were made while they ran freely: the next scenario has other code there."""
        places = [(self._memory.physical(patch.address), len(patch.old)) for patch in self.course.patches]
        bytes_there = np.array([[place, place + size] for place, size in places], np.uint64)
        for cpu in self._lab.cpus:
            cpu.cpu.forget(bytes_there)


@dataclass(frozen=True)
class _Given:
    """The scenario's steps as a protocol. Not a closure: snapshots would save the cells of closures one by one."""

    steps: tuple[Step, ...]

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
        return list(self.steps)


def _nothing() -> None:
    """Called when the driver has finished."""


def _first_line(end: Exception) -> str:
    return str(end).split("\n", 1)[0]
