# SPDX-License-Identifier: GPL-2.0-only
"""emu race show --step: lets the user walk along a schedule."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping

from emu.cli.progress import Progress
from emu.cli.race.say import say
from emu.race.scenario.text_file import quoted
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.show import head, row, state
from emu.race.schedule.walk import RegisterSource, Walk

__all__ = ["walk_along"]

_KEYS = """\
n, Return    the next event
p            the event before
NUMBER       that event; 0 is before the first
r, r CPU     the registers of all CPUs, or of one
q            leave
"""
_IN_LINE = 4  # registers


def walk_along(schedule: Schedule) -> None:
    """Obeys commands from standard input, until its end.

    Raises:
        NotPermitted: an event is impossible at its place.
    """
    machine = _Replayed(schedule)
    walk = Walk(schedule, machine)
    _say(head(walk))
    _say(["", *row(walk), *state(walk)])
    last = len(walk.points) - 1
    while True:
        if sys.stdin.isatty():
            say(f"({walk.at} of {last}) ")
        line = sys.stdin.buffer.readline().decode(errors="replace")
        command = line.strip()
        if not line or command == "q":
            return
        if command == "?":
            say(_KEYS)
        elif found := re.fullmatch(r"r(?: *([0-9]{1,3}))?", command):
            _say(_registers(walk, machine, found[1]))
        elif _go(walk, command):
            _say(row(walk) + state(walk))
        elif command in ("", "n", "p") or command.isdigit():
            say(f"there are events 1 to {last}\n")
        else:
            say(f"{quoted(command)} is no command; ? lists them\n")


def _go(walk: Walk, command: str) -> bool:
    """Moves as a command says. Returns False if there is no such event or command."""
    if command in ("", "n"):
        return walk.forwards()
    if command == "p":
        return walk.backwards()
    return bool(re.fullmatch("[0-9]{1,9}", command)) and walk.go_to(int(command))


def _registers(walk: Walk, machine: _Replayed, cpu: str | None) -> list[str]:
    if why := machine.missing:
        return [f"there are no registers: {why}"]
    cpus = range(walk.schedule.scenario.cpus)
    if cpu is not None and int(cpu) not in cpus:
        return [f"there is no CPU {cpu}; there are CPUs 0 to {cpus[-1]}"]
    lines = []
    for number in cpus if cpu is None else [int(cpu)]:
        registers = walk.registers(number) or {}
        width = max(map(len, registers), default=0)
        cells = [f"{name:>{width}} {value:016x}" for name, value in registers.items()]
        lines += [f"CPU {number}", *("  ".join(cells[at : at + _IN_LINE]) for at in range(0, len(cells), _IN_LINE))]
    return lines


class _Replayed:
    """The schedule on a machine, which is booted when its registers are first needed."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._source: RegisterSource | None = None

    @property
    def missing(self) -> str:
        """Why there are no registers, as a sentence; "" if there are."""
        from emu.race import machine

        schedule = self._schedule
        if self._source is None:
            try:
                with Progress().during("replaying"):
                    events = schedule.events
                    self._source = machine.MachineRun(events, schedule.scenario, schedule.fetch, schedule.seed, schedule.digest)
            except ValueError as error:
                return str(error)
        return ""

    def registers(self, number: int, cpu: int) -> Mapping[str, int]:
        assert self._source is not None
        return self._source.registers(number, cpu)


def _say(lines: Iterable[str]) -> None:
    say("".join(f"{line}\n" for line in lines))
