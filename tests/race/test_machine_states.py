# SPDX-License-Identifier: GPL-2.0-only
"""States that the search considers equal have the same continuations, however they were reached."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import pytest

from emu.cpu.snapshot import State
from emu.race import machine
from emu.race.machine.direction import Direction
from emu.race.machine.labs import lab
from emu.race.machine.notes import Notes
from emu.race.machine.violation import DeadEnd, Violation
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_text import ChangedProtocol, ShippedProtocol
from emu.race.scenario.scenario import Scenario, Wrong

_WAYS = 2  # paths to a state that are followed


@pytest.mark.parametrize(
    ("arch", "protocol", "fetch", "other"),
    [
        ("x86_64", "breakpoint", "stale", {}),
        ("x86_64", "stop_machine", "torn8", {"change": Change.NOPS_TO_CALL}),
        ("sparc64", "stop_machine", "word", {"nmi_sites": frozenset({1})}),
        ("riscv64", "pair", "ziccif", {"change": Change.NOPS_TO_PAIR, "nmi_sites": frozenset({1})}),
    ],
)
def test_what_looks_alike_goes_on_alike(arch: str, protocol: str, fetch: str, other: dict[str, Any]) -> None:
    """Up to two paths to each state are followed. The same events must be possible after each, with the same results."""
    booted = lab(arch, 2, 0)
    mutant = ChangedProtocol(ShippedProtocol(protocol), without=(3,))
    direction = Direction(booted, Scenario("test", mutant, mutant.text, arch=arch, **other), fetch)
    while True:
        found = followed(booted.snapshots, direction)
        if not booted.snapshots.strays():
            break
    assert len(found) > 20
    assert max(len(after) for after in found.values()) == 1
    assert sum(sum(after.values()) for after in found.values()) > 1.3 * len(found), "few states have more than one way"


def followed(snapshots: Any, direction: Direction) -> dict[object, Counter[object]]:
    """By state key: the possible continuations, each with the number of paths that had it."""
    found: dict[object, Counter[object]] = {}
    direction.begin()
    waiting: deque[tuple[State, Notes]] = deque([(snapshots.save(), direction.notes)])
    while waiting:
        machine, notes = waiting.popleft()
        here = found.setdefault(notes.key, Counter())
        if here.total() == _WAYS:
            continue
        snapshots.restore(machine)
        direction.notes = notes
        after: list[str] = []
        for possible in direction.possible():
            snapshots.restore(machine)
            direction.notes = notes
            try:
                direction.perform(possible)
            except (Violation, DeadEnd) as end:
                after.append(repr(end).replace("CPU 1", "CPU 0"))
                continue
            after.append(repr(direction.notes.key))
            waiting.append((snapshots.save(), direction.notes))
        here[tuple(sorted(after))] += 1
    return found


def test_a_search_finds_the_same_after_another() -> None:
    """The first search changes a function that is called by the second one's site, and leaves its CPUs at other places."""
    mutant, nmis = ChangedProtocol(ShippedProtocol("breakpoint"), without=(3,)), frozenset({1})
    machine.explore(Scenario("", mutant, "", places=(61,), nmi_sites=nmis), "torn1")
    found = machine.explore(Scenario("", mutant, "", change=Change.CALL_TO_CALL, nmi_sites=nmis), "torn1")
    assert found.wrong is Wrong.LATE, found.why
