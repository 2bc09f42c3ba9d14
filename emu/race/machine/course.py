# SPDX-License-Identifier: GPL-2.0-only
"""A scenario at real sites under one fetch model: what the patcher does, and which events are possible."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from emu.cpu.disassembly import Instruction, disassemble
from emu.ftrace.sites.patching import Patch, Step, Write
from emu.race.machine.notes import CpuNotes, Notes, Stand
from emu.race.model.automaton import Due
from emu.race.model.patcher import Patcher
from emu.race.scenario.fetch import MODELS, View
from emu.race.scenario.protocol_steps import LabStep, pieces
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.event import Event, What

__all__ = ["Course", "Possible", "Store"]

_INTERRUPTS = MappingProxyType({Due.INTERRUPT: What.INTERRUPT, Due.WAIT: What.WAIT})


class Possible(NamedTuple):
    """An event that is possible; of FETCH: the CPU's view of the site afterwards."""

    event: Event
    view: View = ()


class Store(NamedTuple):
    """The step of the driver that a WRITE belongs to, and whether the step is over with it.

    A store that other CPUs do not see whole is several WRITEs.
    """

    step: Write
    last: bool


class Course:
    """What a scenario is on sites that lie at certain addresses.

    Args:
        scenario: what is done.
        fetch: the fetch model's name.
        patches: what is done to each site.
        following: behind each site: the bytes of which a torn instruction may take some.

    Attributes:
        scenario, patches: as given.
        patcher: what it does at each position.
        given: the steps that the driver is given.
        stores: of each WRITE, by its position: the store that it belongs to.
        instructions: of each site: the old ones and the new ones, by their offsets.
        way_back: the position at which the driver turns back; -1: it does not.

    Raises:
        ValueError: the protocol does what it must not. The text says what.
    """

    def __init__(self, scenario: Scenario, fetch: str, patches: Sequence[Patch], following: Sequence[bytes]) -> None:
        model = MODELS[fetch]
        self.scenario = scenario
        self.patches = patches
        self._following = following
        self._arch = scenario.ftrace_arch.cpu
        self._decoded: dict[tuple[bytes, int], Instruction] = {}
        self.patcher = Patcher(scenario, patches, model)
        self.given = list(self._given())
        self.stores = dict(_stores(scenario.steps(patches), model.store))
        self.instructions = [(self._instructions(p, p.old), self._instructions(p, p.new)) for p in patches]
        self.way_back = self.patcher.undoing.index(True) - 1 if scenario.fails_at else -1

    def _given(self) -> Iterator[Step]:
        """The steps of the protocol that the driver knows. The one that is to fail expects what is not there."""
        writes = itertools.count(1)
        for step in dataclasses.replace(self.scenario, fails_at=0).steps(self.patches):
            if isinstance(step, Write) and next(writes) == self.scenario.fails_at:
                yield dataclasses.replace(step, expected=bytes(byte ^ 0xFF for byte in self.old_code(step)))
            elif isinstance(step, Step):
                yield step

    def old_code(self, step: Write) -> bytes:
        """What was at the place of a write before the protocol."""
        patch = next(patch for patch in self.patches if 0 <= step.address - patch.address < len(patch.old))
        start = step.address - patch.address
        return patch.old[start : start + len(step.new)]

    def _instructions(self, patch: Patch, code: bytes) -> Mapping[int, Instruction]:
        return {one.address - patch.address: one for one in disassemble(self._arch, code, patch.address)}

    # What is possible

    def possible(self, notes: Notes, *, awaited: bool, every: bool = False) -> Iterator[Possible]:
        """The events that are possible in a state.

        Args:
            notes: the state's.
            awaited: whether the driver waits for a CPU.
            every: each fetch with all the bytes that are seen; otherwise fetches that execute the same count once.
        """
        if notes.position < self.patcher.end and not awaited:
            yield Possible(self.patcher.events[notes.position])
        for index, cpu in enumerate(notes.cpus):
            yield from self._possible_on(index, cpu, self.patcher.now[notes.position], every)

    def _possible_on(self, index: int, cpu: CpuNotes, now: int, every: bool) -> Iterator[Possible]:
        inner = cpu.inner
        if cpu.nmi is None and cpu.due in (Due.PARKED, Due.RELEASED):
            if cpu.due is Due.RELEASED:
                yield Possible(Event(index, What.GO_ON))
        elif inner is not None and inner.trapped:
            yield Possible(Event(index, What.HANDLE, inner.site))
        else:
            if cpu.nmi is None and cpu.due in _INTERRUPTS:
                yield Possible(Event(index, _INTERRUPTS[cpu.due]))
            if inner is not None:
                yield from self._fetches(index, cpu, inner, now, every)
            elif cpu.visits:
                for site in range(1, len(self.patches) + 1):
                    yield from self._fetches(index, cpu, Stand(site), now, every)
        if cpu.nmi is None and cpu.nmis:
            for site in sorted(self.scenario.nmi_sites):
                yield Possible(Event(index, What.NMI, site))

    def _fetches(self, index: int, cpu: CpuNotes, stand: Stand, now: int, every: bool) -> Iterator[Possible]:
        site, offset = stand.site, stand.offset
        patch = self.patches[site - 1]
        address, size = patch.address + offset, len(patch.old) - offset
        done = set()
        for code, view, versions in self.patcher.views[site - 1].fetches(cpu.view[site - 1], now, address, size):
            first = self._first_instruction(site, code, address)
            if every or (first.code, view) not in done:
                done.add((first.code, view))
                yield Possible(Event(index, What.FETCH, site, offset, code, versions, first.text), view)

    def _first_instruction(self, site: int, code: bytes, address: int) -> Instruction:
        """The first instruction of bytes that end where the site ends."""
        known = self._decoded.get((code, address))
        if known is None:
            trap = self.scenario.breakpoint
            whole = trap if trap and code.startswith(trap) else code + self._following[site - 1]
            known = self._decoded[code, address] = disassemble(self._arch, whole, address)[0]
        return known


def _stores(steps: Sequence[LabStep], atom: int) -> Iterator[tuple[int, Store]]:
    """The stores of the protocol's WRITEs, by the WRITEs' positions."""
    position = 0
    for step in steps:
        count = len(list(pieces(step, atom))) if isinstance(step, Write) else 1
        if isinstance(step, Write):
            yield from ((position + n, Store(step, last=n == count - 1)) for n in range(count))
        position += count
