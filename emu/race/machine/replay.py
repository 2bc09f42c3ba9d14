# SPDX-License-Identifier: GPL-2.0-only
"""Performs a schedule on the machine, and steps through it forwards and backwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from emu.cpu.snapshot import State
from emu.race.machine.direction import Direction
from emu.race.machine.labs import lab_for
from emu.race.machine.unsupported import unsupported
from emu.race.machine.violation import DeadEnd, Violation
from emu.race.model import automaton_of
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.event import Event
from emu.race.schedule.permitted import NotPermitted, is_same
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["MachineRun", "replay"]

_ANY_NUMBER = 1 << 30  # visits in a scenario without a bound


class MachineRun:
    """A schedule that has been performed on a machine. Registers can be read after each of its events.

    Args:
        events: the events to perform.
        scenario: the schedule's scenario.
        fetch: the fetch model's name.
        seed: the machine's seed.
        digest: of the machine on which the schedule was found; "" if it was found on the model.

    Attributes:
        verdict: the result. Its schedule has the machine's bytes and texts.

    Raises:
        NotPermitted: an event is impossible at its place.
        ValueError: the scenario is impossible or only possible on the model, or the schedule is of another machine.
    """

    def __init__(self, events: Sequence[Event], scenario: Scenario, fetch: str, seed: int = 0, digest: str = "") -> None:
        automaton_of(scenario, fetch)
        if (why := unsupported(scenario)) is not None:
            raise ValueError(why)
        self._lab = lab_for(scenario, seed)
        if digest and digest != self._lab.digest:
            raise ValueError(
                f"the schedule is of another machine: its digest is {digest}, and that of this build's machine of "
                f"{scenario.arch} with {scenario.cpus} CPUs and seed {seed} is {self._lab.digest}"
            )
        self._usual = self._lab.snapshots.working_set
        self._direction = Direction(self._lab, scenario, fetch, _ANY_NUMBER)
        self._states: list[State] = []
        done: list[Event] = []
        while True:
            violation = self._perform(events, done)
            if not self._lab.snapshots.strays():
                break
        if violation is not None:
            violation = self._direction.with_aftermath(violation)
            self._lab.snapshots.begin_again(self._lab.snapshots.working_set)
        outcome = Outcome.UNDECIDED if violation is None else Outcome.UNSAFE
        wrong, why = (None, "nothing goes wrong on the way") if violation is None else (violation.wrong, violation.why)
        count = len(done)
        self.verdict = Verdict(
            scenario, fetch, "machine", outcome, wrong, why, tuple(done), states=count + 1, moves=count, digest=self._lab.digest
        )

    def _perform(self, events: Sequence[Event], done: list[Event]) -> Violation | None:
        """Performs the events from the beginning. Returns the violation caused by the last one."""
        direction, snapshots = self._direction, self._lab.snapshots
        direction.begin()
        done.clear()
        self._states = [snapshots.save()]
        violation: Violation | None = None
        for number, event in enumerate(events, 1):
            possible = [] if violation else [p for p in direction.possible(every=True) if p.event.agent == event.agent]
            chosen = next((p for p in possible if is_same(event, p.event)), None)
            if chosen is None:
                raise NotPermitted(number, event, [p.event for p in possible])
            done.append(chosen.event)
            try:
                direction.perform(chosen)
            except Violation as found:
                violation = found
            except DeadEnd:
                pass
            self._states.append(snapshots.save())
        if violation is None and direction.is_stuck_at(direction.notes.position):
            violation = direction.stuck()
        return violation

    def registers(self, number: int, cpu: int) -> Mapping[str, int]:
        """A CPU's registers after so many events, by the disassembler's names."""
        self._lab.snapshots.restore(self._states[number])
        return self._lab.machine.board.cpus[cpu].registers()

    def close(self) -> None:
        """Releases the machine."""
        self._lab.snapshots.begin_again(self._usual)


def replay(events: Sequence[Event], scenario: Scenario, fetch: str, seed: int = 0, digest: str = "") -> Verdict:
    """The verdict of a schedule's events on the machine. The arguments and errors are those of `MachineRun`."""
    with closing(MachineRun(events, scenario, fetch, seed, digest)) as walk:
        return walk.verdict
