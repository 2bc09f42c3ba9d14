# SPDX-License-Identifier: GPL-2.0-only
"""Walks along a schedule, event by event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from emu.cpu.disassembly import disassemble
from emu.ftrace.sites.patching import Patch
from emu.race.model import automaton_of
from emu.race.model.cpu_state import Due, Frame, Kind
from emu.race.model.model_sites import model_patches
from emu.race.model.replay import ModelRun
from emu.race.scenario.fetch import View
from emu.race.scenario.scenario import Wrong
from emu.race.schedule.event import Event, What
from emu.race.schedule.permitted import NotPermitted
from emu.race.schedule.schedule import Schedule

__all__ = ["Point", "RegisterSource", "Walk"]

_OWED = {
    Due.NOTHING: "",
    Due.INTERRUPT: "interrupt",
    Due.WAIT: "wait",
    Due.PARKED: "",
    Due.RELEASED: "go on",
    Due.TASK: "task",
}


class RegisterSource(Protocol):
    """A machine on which a schedule has been performed."""

    def registers(self, number: int, cpu: int) -> Mapping[str, int]:
        """A CPU's registers after so many events, by the disassembler's names."""


@dataclass(frozen=True)
class Point:
    """The state after some of a schedule's events.

    Attributes:
        number: the number of events so far.
        event: the last event; None if there is none.
        wrong: what is wrong about it, or None.
        seen: of a fetch: "old", "new", "breakpoint" or "torn"; otherwise "".
        version: the version of memory.
        memory: the contents of each site.
        unknown: for each site, the bytes that no event has shown yet, on the machine: there `memory` has the model's bytes.
        owes: for each CPU, what it owes the patcher: "interrupt", "wait", "go on", "entry" (it will synchronise at kernel
            entry), or "".
        nesting: for each CPU, its activities, innermost last.
        parked: for each CPU, whether it is parked.
        may_see: for each CPU and site, the versions; the CPU may see one of them or, in several pieces, several.
    """

    number: int
    event: Event | None
    wrong: Wrong | None
    seen: str
    version: int
    memory: tuple[bytes, ...]
    unknown: tuple[frozenset[int], ...]
    owes: tuple[str, ...]
    nesting: tuple[tuple[Frame, ...], ...]
    parked: tuple[bool, ...]
    may_see: tuple[tuple[range, ...], ...]

    def describe(self, cpu: int) -> str:
        """A few words about what a CPU is doing."""
        places = [_described(frame) for frame in reversed(self.nesting[cpu])]
        waits = ["while it waits"] if places else ["waits for the release"]
        return ", ".join([*places, *(waits if self.parked[cpu] else [])]) or "elsewhere in the kernel"


class Walk:
    """A walk forwards and backwards along a schedule.

    Args:
        schedule: the schedule.
        registers: provides the CPUs' registers; None if they are unknown.

    Attributes:
        schedule: the schedule.
        patches: the sites, with the old code on the schedule's engine; the new code is b"" if that is the machine.
        units: for each site, the pieces that are seen whole, as ranges of its bytes.
        points: the states after 0, 1, 2, ... events.
        at: the number of the present point.

    Raises:
        NotPermitted: an event is impossible at its place.
        ValueError: the scenario is impossible.
    """

    def __init__(self, schedule: Schedule, registers: RegisterSource | None = None) -> None:
        self.schedule = schedule
        self._registers = registers
        self.at = 0
        run = ModelRun(automaton_of(schedule.scenario, schedule.fetch), schedule.scenario.cpus)
        on_machine = schedule.on == "machine"
        model_memory = [b"".join(sites) for sites in run.automaton.patcher.memory] if on_machine else []
        places = model_patches(schedule.scenario)
        views = run.automaton.patcher.views
        self.units = [[range(a - v.start, b - v.start) for a, b in v.units] for v in views]
        memory, unknown = self._first_memory(model_memory, places)
        new = [p.new if schedule.on == "model" else b"" for p in places]
        self.patches = [Patch(p.address, *codes) for p, *codes in zip(places, memory, new, strict=True)]
        self.points = [_point(run, None, None, "", memory, unknown)]
        for event in schedule.events:
            if self.points[-1].wrong:
                raise NotPermitted(len(run.events) + 1, event, [])
            run, move = run.performed(event)
            if event.what is What.WRITE:
                held = memory[event.site - 1]
                end = event.offset + len(event.code)
                memory[event.site - 1] = held[: event.offset] + event.code + held[end:]
                unknown[event.site - 1] -= set(range(event.offset, end))
            seen = self._seen(move.event, places) if event.what is What.FETCH else ""
            self.points.append(_point(run, event, move.wrong, seen, memory, unknown))

    def _first_memory(self, model_memory: Sequence[bytes], places: Sequence[Patch]) -> tuple[list[bytes], list[frozenset[int]]]:
        """The initial contents of the sites, and the bytes of them that are unknown.

        The machine's calls have other targets than the model's, so their bytes differ. A fetch may show them.
        """
        memory = [bytearray(patch.old) for patch in places]
        calls = self.schedule.on == "machine" and self.schedule.scenario.from_call
        unknown = [frozenset(range(len(patch.old) if calls else 0)) for patch in places]
        size = len(memory[0])
        for event in self.schedule.events:
            if event.what is not What.FETCH:
                continue
            base = (event.site - 1) * size
            end = event.offset + len(event.code)
            touched = [unit for unit in self.units[event.site - 1] if unit.start < end and unit.stop > event.offset]
            for unit, version in zip(touched, event.versions, strict=False):
                for n in range(max(unit.start, event.offset), min(unit.stop, end)):
                    if version < len(model_memory) and model_memory[version][base + n] == model_memory[0][base + n]:
                        memory[event.site - 1][n] = event.code[n - event.offset]
                        unknown[event.site - 1] -= {n}
        return [bytes(code) for code in memory], unknown

    def _seen(self, event: Event, places: Sequence[Patch]) -> str:
        """What a fetch saw. `event` has the model's bytes."""
        scenario, patch = self.schedule.scenario, places[event.site - 1]
        if scenario.breakpoint and event.code.startswith(scenario.breakpoint):
            return "breakpoint"
        code = disassemble(scenario.ftrace_arch.cpu, event.code, patch.address + event.offset)[0].code
        is_old, is_new = (whole[event.offset :].startswith(code) for whole in (patch.old, patch.new))
        return "old" if is_old else "new" if is_new else "torn"

    @property
    def point(self) -> Point:
        return self.points[self.at]

    def forwards(self) -> bool:
        """Moves past the next event. Returns False if there is none."""
        return self.go_to(self.at + 1)

    def backwards(self) -> bool:
        """Moves back before the last event. Returns False if there is none."""
        return self.go_to(self.at - 1)

    def go_to(self, number: int) -> bool:
        """Moves to the point after so many events. Returns False if there are fewer."""
        if 0 <= number < len(self.points):
            self.at = number
            return True
        return False

    def registers(self, cpu: int) -> Mapping[str, int] | None:
        """A CPU's registers at this point; None if they are unknown."""
        return None if self._registers is None else self._registers.registers(self.at, cpu)


def _point(
    run: ModelRun,
    event: Event | None,
    wrong: Wrong | None,
    seen: str,
    memory: Sequence[bytes],
    unknown: Sequence[frozenset[int]],
) -> Point:
    cpus, now = run.cpus, run.automaton.patcher.now[run.position]
    views = run.automaton.patcher.views_at(run.position)

    def may_see(site: int, view: View) -> range:
        return range(now if view == views[site].synchronised(now) else min(view), now + 1)

    return Point(
        len(run.events),
        event,
        wrong,
        seen,
        now,
        tuple(memory),
        tuple(unknown),
        tuple(_OWED[cpu.due] or "entry" * cpu.deferred for cpu in cpus),
        tuple(cpu.frames for cpu in cpus),
        tuple(cpu.due is Due.PARKED for cpu in cpus),
        tuple(tuple(may_see(site, view) for site, view in enumerate(cpu.view)) for cpu in cpus),
    )


def _described(frame: Frame) -> str:
    match frame.kind:
        case Kind.AT:
            return f"at byte {frame.offset} of site {frame.site}"
        case Kind.TRAP:
            return f"in the breakpoint handler of site {frame.site}"
        case Kind.IN:
            return "in the old call's trampoline"
        case Kind.NMI:
            return "in the NMI handler"
        case Kind.IRQ:
            return "in the handler of another interrupt"
        case Kind.IDLE:
            return "in the idle task"
        case Kind.OFFLINE:
            return "offline"
        case Kind.USER:
            return "in user mode"
        case Kind.ENTRY:
            return "in the kernel's entry"
