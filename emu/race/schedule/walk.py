# SPDX-License-Identifier: GPL-2.0-only
"""A schedule, looked at after each of its events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from emu.cpu.disassembly import disassemble
from emu.ftrace.sites.patching import Patch
from emu.race.model import automaton_of
from emu.race.model.automaton import Due, Frame, Kind
from emu.race.model.model_sites import model_patches
from emu.race.model.replay import ModelRun
from emu.race.scenario.fetch import View, Views
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
}


class RegisterSource(Protocol):
    """A machine that has performed a schedule."""

    def registers(self, number: int, cpu: int) -> Mapping[str, int]:
        """A CPU's registers after so many events, by the names that disassembly has for them."""


@dataclass(frozen=True)
class Point:
    """How things stand after some of a schedule's events.

    Attributes:
        number: how many events.
        event: the last of them; None: there is none.
        wrong: what is wrong about it, or None.
        seen: of a fetch: whether it was the "old" or the "new" code, a "breakpoint", or a "torn" one; else "".
        version: of memory.
        memory: what each site holds.
        unknown: of each site: the bytes of it that no event has told yet, on the machine: there `memory` has the model's.
        owes: of each CPU: what it owes to the patcher: "interrupt", "wait", "go on", "entry" (it will synchronise when
            it enters the kernel), or "".
        nesting: of each CPU: what it is in the midst of, the innermost last.
        parked: of each CPU: whether it waits.
        may_see: of each CPU, of each site: the versions, of which the CPU may see one or, of several pieces, several.
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
        """What a CPU is doing, in some words."""
        places = [_described(frame) for frame in reversed(self.nesting[cpu])]
        waits = ["while it waits"] if places else ["waits for the release"]
        return ", ".join([*places, *(waits if self.parked[cpu] else [])]) or "elsewhere in the kernel"


class Walk:
    """A way forwards and backwards along a schedule.

    Args:
        schedule: what was done.
        registers: knows the CPUs' registers; None: nobody does.

    Attributes:
        schedule: the same.
        patches: the sites, with the old code as the schedule's engine has it; the new code is b"" if that is the machine.
        units: of each site: the pieces that are seen whole, as bytes of it.
        points: how things stand after 0, 1, 2, ... events.
        at: the number of the point that is looked at.

    Raises:
        NotPermitted: an event is not possible where it stands.
        ValueError: the scenario is impossible.
    """

    def __init__(self, schedule: Schedule, registers: RegisterSource | None = None) -> None:
        self.schedule = schedule
        self._registers = registers
        self.at = 0
        run = ModelRun(automaton_of(schedule.scenario, schedule.fetch), schedule.scenario.cpus)
        model_memory = [b"".join(sites) for sites in run.automaton.patcher.memory]
        places = model_patches(schedule.scenario)
        views = run.automaton.patcher.views
        self.units = [[range(a - v.start, b - v.start) for a, b in v.units] for v in views]
        memory, unknown = self._first_memory(model_memory, places)
        new = [p.new if schedule.on == "model" else b"" for p in places]
        self.patches = [Patch(p.address, *codes) for p, *codes in zip(places, memory, new, strict=True)]
        self.points = [_point(run, views, None, None, "", memory, unknown)]
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
            self.points.append(_point(run, views, event, move.wrong, seen, memory, unknown))

    def _first_memory(self, model_memory: Sequence[bytes], places: Sequence[Patch]) -> tuple[list[bytes], list[frozenset[int]]]:
        """What the sites hold at first, and the bytes of which that is not known.

        The machine's calls go elsewhere than the model's, so that their bytes differ: some fetch shows them, or none.
        """
        memory = [bytearray(patch.old) for patch in places]
        calls = self.schedule.on == "machine" and self.schedule.scenario.change.startswith("call")
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
        """Goes to after the next event. False: there is none."""
        return self.go_to(self.at + 1)

    def backwards(self) -> bool:
        """Goes to before the last event. False: there is none."""
        return self.go_to(self.at - 1)

    def go_to(self, number: int) -> bool:
        """Goes to after so many events. False: there are not so many."""
        if 0 <= number < len(self.points):
            self.at = number
            return True
        return False

    def registers(self, cpu: int) -> Mapping[str, int] | None:
        """A CPU's registers at this point; None: nobody knows them."""
        return None if self._registers is None else self._registers.registers(self.at, cpu)


def _point(
    run: ModelRun,
    views: Sequence[Views],
    event: Event | None,
    wrong: Wrong | None,
    seen: str,
    memory: Sequence[bytes],
    unknown: Sequence[frozenset[int]],
) -> Point:
    cpus, now = run.cpus, run.automaton.patcher.now[run.position]

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
        case Kind.USER:
            return "in user mode"
        case Kind.ENTRY:
            return "in the kernel's entry"
