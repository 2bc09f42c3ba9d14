# SPDX-License-Identifier: GPL-2.0-only
"""A scenario at real sites under one fetch model: the patcher's events, and the events that are possible."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from emu.cpu.disassembly import Instruction, disassemble
from emu.ftrace.sites.patching import Patch, Step, Write
from emu.race.machine.notes import CpuNotes, Notes, Stand
from emu.race.model.cpu_state import Due, frees
from emu.race.model.patcher import Patcher
from emu.race.scenario.fetch import MODELS, View
from emu.race.scenario.protocol_steps import LabStep, pieces
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.event import Event, What

__all__ = ["Course", "Possible", "Store"]

_INTERRUPTS = MappingProxyType({Due.INTERRUPT: What.INTERRUPT, Due.WAIT: What.WAIT})


class Possible(NamedTuple):
    """A possible event; for FETCH, with the CPU's view of the site afterwards."""

    event: Event
    view: View = ()


class Store(NamedTuple):
    """The driver's step for a WRITE, and whether this WRITE completes it.

    A store that other CPUs do not see atomically is several WRITEs.
    """

    step: Write
    last: bool


class Course:
    """A scenario on sites at certain addresses.

    Args:
        scenario: the scenario.
        fetch: the fetch model's name.
        patches: the patch of each site.
        following: for each site, the bytes after it, some of which may be part of a torn instruction.

    Attributes:
        scenario, patches: as given.
        patcher: the patcher's state at each position.
        given: the steps that the driver gets.
        stores: the store of each WRITE, by position.
        instructions: for each site, the instructions by offset of the old and the new code, and of each code between them.
        way_back: the position at which the driver starts to undo; -1: it does not.

    Raises:
        ValueError: the protocol breaks a rule. The text says which.
    """

    def __init__(self, scenario: Scenario, fetch: str, patches: Sequence[Patch], following: Sequence[bytes]) -> None:
        model = MODELS[fetch]
        self.scenario = scenario
        self.patches = patches
        self._following = following
        self._frees = frees(scenario)
        self._arch = scenario.ftrace_arch.cpu
        self._decoded: dict[tuple[bytes, int], Instruction] = {}
        self.patcher = Patcher(scenario, patches, model)
        self.given = list(self._given())
        self.stores = dict(_stores(scenario.steps(patches), scenario.store_of(model)))
        codes = [(p.old, p.new, *(code for code, _ in scenario.between(p))) for p in patches]
        self.instructions = [tuple(self._instructions(p, code) for code in of) for p, of in zip(patches, codes, strict=True)]
        self.way_back = self.patcher.undoing.index(True) - 1 if True in self.patcher.undoing else -1

    def _given(self) -> Iterator[Step]:
        """The protocol's steps that the driver knows. The write that must fail expects wrong bytes."""
        writes = itertools.count(1)
        for step in dataclasses.replace(self.scenario, fails_at=0).steps(self.patches):
            if isinstance(step, Write) and next(writes) == self.scenario.fails_at:
                yield dataclasses.replace(step, expected=bytes(byte ^ 0xFF for byte in self.old_code(step)))
            elif isinstance(step, Step):
                yield step

    def old_code(self, step: Write) -> bytes:
        """The bytes at a write's place before the protocol."""
        patch = next(patch for patch in self.patches if 0 <= step.address - patch.address < len(patch.old))
        start = step.address - patch.address
        return patch.old[start : start + len(step.new)]

    def _instructions(self, patch: Patch, code: bytes) -> Mapping[int, Instruction]:
        return {one.address - patch.address: one for one in disassemble(self._arch, code, patch.address)}

    # Possible events

    def possible(self, notes: Notes, *, awaited: bool, every: bool = False) -> Iterator[Possible]:
        """The possible events in a state.

        Args:
            notes: the state's notes.
            awaited: whether the driver awaits a CPU.
            every: yield fetches with all seen bytes of a site; otherwise, fetches that execute the same instruction are merged.
        """
        if notes.position < self.patcher.end and not awaited and all(cpu.due is not Due.TASK for cpu in notes.cpus):
            event = self.patcher.events[notes.position]
            if event.what is not What.FREE or not self._frees or all(map(_lets_free, notes.cpus)):
                yield Possible(event)
        for index, cpu in enumerate(notes.cpus):
            yield from self._possible_on(index, cpu, self.patcher.now[notes.position], every)

    def _possible_on(self, index: int, cpu: CpuNotes, now: int, every: bool) -> Iterator[Possible]:
        inner = cpu.inner
        if cpu.nmi is None and cpu.due in (Due.PARKED, Due.RELEASED):
            if cpu.due is Due.RELEASED:
                yield Possible(Event(index, What.GO_ON))
        else:
            if cpu.interrupts_are_on:
                if cpu.nmis:
                    for site in sorted(self.scenario.irq_sites):
                        yield Possible(Event(index, What.IRQ, site))
                if cpu.due in _INTERRUPTS:
                    yield Possible(Event(index, _INTERRUPTS[cpu.due]))
            yield from self._goes_on(index, cpu, inner, now, every)
        if (cpu.nmi is None or cpu.unmasked) and cpu.nmis:
            for site in sorted(self.scenario.nmi_sites):
                yield Possible(Event(index, What.NMI, site))

    def _goes_on(self, index: int, cpu: CpuNotes, inner: Stand | None, now: int, every: bool) -> Iterator[Possible]:
        """The events of a CPU itself."""
        if inner is None:
            places = itertools.product(range(1, len(self.patches) + 1), (0, *sorted(self.scenario.into))) if cpu.visits else ()
            for site, offset in places:
                yield from self._fetches(index, cpu, Stand(site, offset), now, every)
        elif inner.trapped:
            yield Possible(Event(index, What.HANDLE, inner.site))
        elif inner.inside:
            yield Possible(Event(index, What.LEAVE))
        elif inner.ended:
            yield Possible(Event(index, What.RETURN))
        else:
            yield from self._fetches(index, cpu, inner, now, every)

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
        """The first instruction in bytes that end where the site ends."""
        known = self._decoded.get((code, address))
        if known is None:
            trap = self.scenario.breakpoint
            whole = trap if trap and code.startswith(trap) else code + self._following[site - 1]
            known = self._decoded[code, address] = disassemble(self._arch, whole, address)[0]
        return known


def _lets_free(cpu: CpuNotes) -> bool:
    """Whether a CPU takes the interrupts by which memory is freed. It is at home, or stays in the trampoline."""
    return cpu.nmi is None and cpu.irq is None and (cpu.thread is None or cpu.thread.inside)


def _stores(steps: Sequence[LabStep], atom: int) -> Iterator[tuple[int, Store]]:
    """The stores of the protocol's WRITEs, by position."""
    position = 0
    for step in steps:
        count = len(list(pieces(step, atom))) if isinstance(step, Write) else 1
        if isinstance(step, Write):
            yield from ((position + n, Store(step, last=n == count - 1)) for n in range(count))
        position += count
