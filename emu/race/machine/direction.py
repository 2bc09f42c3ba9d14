# SPDX-License-Identifier: GPL-2.0-only
"""Directs a lab through one scenario, event by event, and observes what really happens.

Events are the patcher's stores, the fetches of sites, breakpoint handlers, NMIs, and the patcher's interrupts. Everything
in between runs natively. The shipped driver performs the protocol's steps; the guest's own handlers handle
breakpoints, interrupts and NMIs. The fetch model chooses what a fetch sees: these bytes are in memory while the CPU
executes the one instruction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from emu.kernel.endings import GuestPanic, PoweredOff
from emu.race.machine.course import Course, Possible
from emu.race.machine.cpu_direction import Lost
from emu.race.machine.lab import Lab
from emu.race.machine.notes import CpuNotes, Notes, Stand, answered
from emu.race.machine.patcher_direction import PatcherDirection
from emu.race.machine.placed import behind, own_patches, placed
from emu.race.machine.violation import Violation, end
from emu.race.model.cpu_state import OLD, Due, replaced, trampolines
from emu.race.scenario.fetch import View
from emu.race.scenario.scenario import Handler, Scenario, Stack, Wrong
from emu.race.schedule.event import PATCHER, Event, What

__all__ = ["Direction"]

_AFTERWARDS = 300_000  # cycles for the guest to notice what has happened
_NO_ANSWER = 6_000_000  # cycles after which the driver says that patching does not end
_FOLLOWING = 15  # bytes: no architecture has longer instructions


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
        self._trampolines = trampolines(scenario)
        self._targets = lab.targets(scenario.places, trampoline=self._trampolines)
        addresses = [site.address for site in self._sites]
        if scenario.codes:
            patches = own_patches(scenario, addresses, lab.landings(trampoline=self._trampolines))
            following = [behind(scenario)] * len(patches)
        else:
            patches = scenario.patches(addresses, *self._targets)
            following = [self._memory.read(patch.address + len(patch.old), _FOLLOWING) for patch in patches]
        self.course = Course(placed(scenario), fetch, patches, following)
        self._patcher = PatcherDirection(lab, scenario, self.course, following if scenario.codes else [b""] * len(patches))
        self.scenario = scenario
        self._replaced = replaced(scenario, patches, keeps_old=bool(scenario.fails_at))
        self._goes_anywhere = bool(scenario.codes or scenario.right or scenario.into)
        self._visits = scenario.visits or visits
        self.notes = Notes(0, ())

    def begin(self) -> None:
        """Puts the lab back to its base, and gives the driver the protocol. No step is performed yet."""
        lab, visits = self._lab, self._visits
        nmis = visits if self.scenario.visits else max(visits, 1 + self.scenario.nests)
        lab.snapshots.restore(lab.snapshots.base)
        self._patcher.begin()
        self.notes = Notes(0, (CpuNotes(self.course.patcher.synchronised(0), visits=visits, nmis=nmis),) * len(lab.cpus))

    def possible(self, *, every: bool = False) -> list[Possible]:
        """The events that are possible now (see Course.possible)."""
        return list(self.course.possible(self.notes, awaited=self._patcher.awaits, every=every))

    def perform(self, possible: Possible) -> None:
        """Performs a possible event.

        Raises:
            Violation: something wrong has happened.
            DeadEnd: the exploration cannot continue here.
        """
        event = possible.event
        if event.agent == PATCHER:
            self.notes = self._patcher.perform(event, self.notes)
        else:
            self._act(event, possible.view)

    def is_stuck_at(self, position: int) -> bool:
        """Whether the patcher has then finished, but its protocol never ends. Only counts if the scenario calls that wrong."""
        patcher = self.course.patcher
        return position == patcher.end and not patcher.ends and Wrong.STUCK in self.scenario.never

    def stuck(self) -> Violation:
        """The violation of a protocol that does not end."""
        self._patcher.let_go(self.notes.position)
        return Violation(Wrong.STUCK, "the protocol does not end")

    def with_aftermath(self, violation: Violation) -> Violation:
        """Lets the guest run for a while after a violation, and adds what the guest itself notices."""
        cycles = _NO_ANSWER if violation.wrong is Wrong.STUCK else _AFTERWARDS
        noticed = self._afterwards(cycles)
        self._forget_sites()
        return Violation(violation.wrong, f"{violation.why}; {noticed}")

    # CPUs' events

    def _act(self, event: Event, view: View) -> None:
        actions: dict[What, Callable[[Event, CpuNotes], CpuNotes]] = {
            What.INTERRUPT: self._interrupt, What.WAIT: self._wait, What.GO_ON: self._go_on, What.NMI: self._nmi,
            What.IRQ: self._irq, What.HANDLE: self._handle, What.FETCH: functools.partial(self._fetch, view),
            What.LEAVE: self._leave, What.RETURN: self._return,
        }  # fmt: skip
        try:
            after = actions[event.what](event, self.notes.cpus[event.agent])
        except (GuestPanic, PoweredOff, Lost):
            where = self._machine.kernel.symbols.describe(self._lab.cpus[event.agent].pc)
            end(self.scenario, Wrong.STUCK, f"CPU {event.agent} does not come back from {where}")
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
        if cpu.nmi is not None:
            direction.take_nmi(self._sites[event.site - 1])
            why = "a second NMI begins at the top of the stack on which the handler of the first one stands"
            end(self.scenario, Wrong.OVERWRITTEN, why)
        direction.come_to_in_nmi(self._sites[event.site - 1])
        return cpu._replace(nmi=Stand(event.site), nmis=cpu.nmis - 1, interrupted=(interrupted, cpu.interrupted[1]))

    def _irq(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        direction = self._lab.cpus[event.agent]
        interrupted = direction.pc
        direction.come_to_in_interrupt(self._sites[event.site - 1])
        return cpu._replace(irq=Stand(event.site), nmis=cpu.nmis - 1, interrupted=(cpu.interrupted[0], interrupted))

    def _address(self, stand: Stand) -> int:
        """The address of the instruction before which a CPU is."""
        return self._targets[0] if stand.inside else self.course.patches[stand.site - 1].address + stand.offset

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
            end(self.scenario, Wrong.TORN, f"executes what is neither old nor new {self._where(event)}")
        trap = self.scenario.breakpoint
        if trap and event.code.startswith(trap):
            if Stack.BREAKPOINT in self.scenario.ist and cpu.is_trapped:
                why = "and its handler begins at the top of another's stack"
                end(self.scenario, Wrong.OVERWRITTEN, f"in an NMI the breakpoint at site {stand.site} is hit, {why}")
            return self._stands(cpu, stand._replace(trapped=True))
        return self._executed(event, cpu, stand)

    def _executed(self, event: Event, cpu: CpuNotes, stand: Stand) -> CpuNotes:
        """The CPU has executed an instruction other than a breakpoint: checks whether it was old or new."""
        direction, patch = self._lab.cpus[event.agent], self.course.patches[stand.site - 1]
        freed = self._trampolines and self.course.patcher.freed[self.notes.position]
        was, executed = 0, b""
        for bit, instructions in enumerate(self.course.instructions[stand.site - 1]):
            instruction = instructions.get(stand.offset)
            if instruction is not None and event.code.startswith(instruction.code):
                executed, which = instruction.code, 1 << bit
                # Without the instructions before it, it may go anywhere.
                target = self._goes_to(instruction.address, instruction.code)
                goes_right = direction.goes_to == target or (freed and target == self._targets[0])
                was |= which * (self._goes_anywhere or goes_right or not stand.kept & which)
        kept = stand.kept & was
        where = self._where(event)
        if not was:
            goes_to = self._machine.kernel.symbols.describe(direction.goes_to)
            end(self.scenario, Wrong.TORN, f"executes what is neither old nor new {where}, and goes to {goes_to}")
        if not kept:
            end(self.scenario, Wrong.HALF, f"executes a part of the old code and then a part of the new {where}")
        behind_it = stand.offset + len(executed)
        if behind_it < len(patch.old) and not self.scenario.race_arch.leaves(executed):
            after = self._stands(cpu, stand._replace(offset=behind_it, kept=kept))
        elif self._trampolines and kept == OLD:
            if freed:
                end(self.scenario, Wrong.FREED, f"calls a trampoline that is freed {where}")
            after = self._stands(cpu, Stand(0, inside=True))
        else:
            after = self._left(event.agent, cpu)
        late = self.course.patcher.done[self.notes.position] and not kept & ~self._replaced
        if late and Wrong.LATE in self.scenario.never:
            end(self.scenario, Wrong.LATE, f"executes the replaced code after the protocol is over {where}")
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
        if cpu.nmi is not None:
            return cpu._replace(nmi=stand)
        return cpu._replace(thread=stand) if cpu.irq is None else cpu._replace(irq=stand)

    def _origin(self, cpu: CpuNotes) -> int:
        """Where a CPU goes when it returns from its innermost site."""
        if cpu.nmi is not None:
            return cpu.interrupted[0]
        return self._lab.module.home if cpu.irq is None else cpu.interrupted[1]

    def _return(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        """A CPU returns from an NMI that others might have interrupted."""
        self._lab.cpus[event.agent].go_to(self._origin(cpu))
        return cpu._replace(nmi=None, unmasked=False)

    def _leave(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        """A CPU returns from the trampoline."""
        self._lab.module.hold(on=False)
        after = self._left(event.agent, cpu)
        self._lab.module.hold(on=True)
        return after

    def _left(self, index: int, cpu: CpuNotes) -> CpuNotes:
        """A CPU returns from a site to where it came from; from that of an NMI which others may interrupt, in its own time."""
        if cpu.unmasked:
            return cpu._replace(nmi=Stand(0, ended=True))
        self._lab.cpus[index].go_to(self._origin(cpu))
        return self._stands(cpu, None)

    def _handle(self, event: Event, cpu: CpuNotes) -> CpuNotes:
        """The guest's breakpoint handler calls the host's, and the CPU continues as told."""
        direction, stand, handler = self._lab.cpus[event.agent], cpu.inner, self._patcher.handler
        assert stand is not None and handler is not None
        patch, asked, refused = self.course.patches[stand.site - 1], handler.asked, handler.refused
        again, behind_it = patch.address + stand.offset, patch.address + len(patch.old)
        if self._will_call_freed(stand):
            direction.go_on_while(lambda: handler.asked == asked)
            end(self.scenario, Wrong.FREED, f"calls a trampoline that is freed at site {stand.site}")
        goes_on = (*self._targets, *((self._origin(cpu),) if self.scenario.codes else ()))
        try:
            direction.go_to(again, behind_it, *goes_on)
        except (GuestPanic, Lost):
            if handler.refused == refused:
                raise
        if handler.refused > refused:
            end(self.scenario, Wrong.BREAKPOINT, f"a breakpoint that nobody knows at site {stand.site}")
        assert handler.asked == asked + 1
        if self.scenario.nests and cpu.nmi is not None:
            cpu = cpu._replace(unmasked=True)
        if direction.pc == again:
            return self._stands(cpu, stand._replace(trapped=False))
        undoing = self.course.patcher.undoing[self.notes.position]
        if self._trampolines and undoing and direction.pc == self._targets[0]:
            return self._stands(cpu, Stand(0, inside=True))
        skips = direction.pc == behind_it and self.scenario.from_call and self.scenario.to_call
        if skips and Wrong.SKIPPED in self.scenario.never:
            end(self.scenario, Wrong.SKIPPED, f"neither the old nor the new call is made at site {stand.site}")
        if self.scenario.codes and direction.pc == self._origin(cpu):
            return self._stands(cpu, None)
        return self._left(event.agent, cpu)

    def _will_call_freed(self, stand: Stand) -> bool:
        """Whether the breakpoint handler will call the freed trampoline, as the old code does."""
        patcher, position, scenario = self.course.patcher, self.notes.position, self.scenario
        known = stand.site in patcher.known[position] and stand.offset == 0 and stand.site not in scenario.misses
        calls = known and scenario.handler not in (Handler.DIE, Handler.SKIP) and patcher.undoing[position]
        return calls and self._trampolines and patcher.freed[position]

    # Violations

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
            cpu.cpu.fetch_anew(bytes_there)


def _first_line(end: Exception) -> str:
    return str(end).split("\n", 1)[0]
