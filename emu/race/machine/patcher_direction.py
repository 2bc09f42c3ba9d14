# SPDX-License-Identifier: GPL-2.0-only
"""Directs the patcher of a scenario: the shipped driver performs its steps, one for each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from emu.ftrace.sites.patching import Patch, Step, Write
from emu.race.machine.breakpoint_handlers import breakpoint_handler
from emu.race.machine.course import Course
from emu.race.machine.cpu_direction import CpuDirection, Lost
from emu.race.machine.lab import Lab
from emu.race.machine.notes import CpuNotes, Notes, answered
from emu.race.machine.placed import BEHIND, LONGEST_CODE
from emu.race.machine.violation import end
from emu.race.machine.watched_handler import WatchedHandler
from emu.race.model.cpu_state import Due
from emu.race.scenario.scenario import Scenario, Stack, Wrong
from emu.race.schedule.event import Event, What

__all__ = ["PatcherDirection"]

_ASKED = MappingProxyType({What.SYNC: Due.INTERRUPT, What.PARK: Due.WAIT})
_MOMENT = 2_000  # cycles
_MOMENTS = 500  # in which memory is freed


class PatcherDirection:
    """Directs the driver of a lab through one scenario.

    Args:
        lab: the lab.
        scenario: the scenario.
        course: the scenario on the lab's sites.
        behind: for each site, code to put behind it.

    Attributes:
        handler: the breakpoint handler; None if the architecture has no breakpoints, or before `begin`.
    """

    def __init__(self, lab: Lab, scenario: Scenario, course: Course, behind: Sequence[bytes]) -> None:
        self._lab = lab
        self._machine = lab.machine
        self._memory = lab.machine.kernel.memory
        self._driver = lab.machine.patching
        self._scenario = scenario
        self._course = course
        self._behind = behind
        self.handler: WatchedHandler | None = None

    @property
    def awaits(self) -> bool:
        """Whether the driver awaits a CPU's answer."""
        return bool(self._driver.awaited)

    def begin(self) -> None:
        """Gives the driver the protocol. No step is performed yet."""
        scenario, patches, driver = self._scenario, self._course.patches, self._driver
        for patch, behind in zip(patches, self._behind, strict=True):
            self._replace(patch.address, patch.old + behind)
        if scenario.breakpoint:
            misses = {patches[site - 1].address for site in scenario.misses}
            codes = bool(scenario.codes)
            self.handler = WatchedHandler(breakpoint_handler(self._machine, scenario.handler, misses, own=codes))
            driver.breakpoint_handler = self.handler
            self._know(0)
        own = scenario.race_arch
        for mutant, wanted in ((own.breakpoint_stack, Stack.BREAKPOINT in scenario.ist), (own.breakpoint_iret, scenario.nests)):
            if mutant is not None:
                symbol, offset, data = mutant
                address = self._machine.kernel.image.symbol(symbol) + offset
                self._replace(address, data if wanted else self._memory.read(address, len(data)))
        driver.held = True
        driver.protocol = _Given(tuple(self._course.given))
        driver.start(patches, _nothing)

    def perform(self, event: Event, notes: Notes) -> Notes:
        """Performs the next event. Returns the state afterwards.

        Raises:
            Violation, DeadEnd: something wrong has happened.
        """
        position, cpus = notes.position, notes.cpus
        if position == self._course.way_back:
            self._turn_back()
        if event.what is What.WRITE:
            self._write(event, position)
        elif event.what in (What.FORGET, What.KNOW):
            self._know(position + 1)
        elif event.what is What.FREE:
            if self._lab.patcher is not None:
                self._free(cpus, self._lab.patcher)
        elif event.what is What.WAIT_TASKS:
            if not self._course.patcher.parked[position]:
                cpus = tuple(answered(cpu._replace(due=Due.TASK)) for cpu in cpus)
        else:
            cpus = self._ask(event, position, cpus)
        assert event.what is not What.DONE or not self._driver.busy
        return Notes(position + 1, cpus)

    def let_go(self, position: int) -> None:
        """Lets the driver wait for what will never happen, if it does not yet.

        Of a wait for tasks the driver knows nothing: it stays where it is.
        """
        if position and self._course.patcher.events[position - 1].what is What.WAIT_TASKS:
            return
        self._driver.held = False
        if not self._driver.awaited:
            self._driver.step()

    def _know(self, position: int) -> None:
        """Tells the breakpoint handler what it knows at a position."""
        if self.handler is not None:
            known = self._course.patcher.known[position]
            addresses = (patch.address for site, patch in enumerate(self._course.patches, 1) if site not in known)
            self.handler.unknown = frozenset(addresses)

    def _turn_back(self) -> None:
        """Makes the driver's next write find the old code instead of the expected bytes, so that the driver undoes the change."""
        step = self._driver.steps[0]
        assert isinstance(step, Write)
        held = self._memory.read(step.address, len(step.new))
        self._store(step.address, self._course.old_code(step))
        self._driver.step()
        self._store(step.address, held)

    def _write(self, event: Event, position: int) -> None:
        """A store, or a part of one. With the last part, the driver makes the whole store."""
        step, last = self._course.stores[position]
        if last:
            self._store(step.address, step.expected)
            self._driver.step()
            assert self._memory.read(step.address, len(step.new)) == step.new
        else:
            self._store(self._course.patches[event.site - 1].address + event.offset, event.code)

    def _store(self, address: int, code: bytes) -> None:
        self._machine.board.write_code(self._memory.physical(address), code)

    def _replace(self, address: int, code: bytes) -> None:
        """Stores code before the first step: no CPU knows what was there, and close behind, for an earlier scenario."""
        self._store(address, code)
        place = self._memory.physical(address)
        for cpu in self._machine.board.cpus:
            cpu.fetch_anew(np.array([[place, place + LONGEST_CODE + BEHIND]], np.uint64))

    def _ask(self, event: Event, position: int, cpus: tuple[CpuNotes, ...]) -> tuple[CpuNotes, ...]:
        """A step that CPUs must answer. Their interrupts are held back."""
        patcher, what = self._course.patcher, event.what
        parked = patcher.parked[position]
        deaf = what is What.RELEASE and patcher.is_deaf(position + 1)
        self._driver.deaf_cpus = set(range(len(cpus))) if deaf else set()
        self._driver.step()
        for cpu in self._lab.cpus:
            cpu.hold_upcall()
        if what is What.RELEASE and parked:
            if self._lab.patcher is not None:
                self._lab.patcher.go_home()
            views = patcher.synchronised(position)
            return tuple(cpu._replace(view=cpu.view if deaf else views, due=Due.RELEASED) for cpu in cpus)
        if what in _ASKED and not parked:
            if self._lab.patcher is not None:
                self._lab.patcher.take_upcall(waits=what is What.PARK)
            return tuple(cpu._replace(due=_ASKED[what]) for cpu in cpus)
        return cpus

    def _free(self, cpus: Sequence[CpuNotes], patcher: CpuDirection) -> None:
        """The patcher's CPU frees the trampoline; the others take its interrupts. A CPU that is in the trampoline stays there."""
        lab = self._lab
        for index in range(len(cpus)):
            lab.module.visit(index, None)
        lab.module.call(patcher.cpu.index, lab.module.free)
        if any(cpu.thread is not None for cpu in cpus):
            end(self._scenario, Wrong.FREED, "the trampoline is freed in which a task stands")
        for _ in range(_MOMENTS):
            self._machine.advance(_MOMENT)
            if lab.module.is_freed:
                break
        else:
            raise Lost
        lab.module.visit(patcher.cpu.index, None)
        for direction in (*lab.cpus, patcher):
            direction.go_home()


@dataclass(frozen=True)
class _Given:
    """The scenario's steps as a protocol. Not a closure: snapshots would save the cells of closures one by one."""

    steps: tuple[Step, ...]

    def __call__(self, patches: Sequence[Patch], breakpoint: bytes) -> list[Step]:
        return list(self.steps)


def _nothing() -> None:
    """Called when the driver has finished."""
