# SPDX-License-Identifier: GPL-2.0-only
"""The booted labs: one per architecture, number of CPUs and seed, as recently requested."""

from __future__ import annotations

from emu.ftrace.sites.patching import Park, Release, Synchronise
from emu.race.machine.direction import Direction
from emu.race.machine.lab import Lab
from emu.race.model.cpu_state import frees
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_steps import Free, LabStep
from emu.race.scenario.scenario import Scenario

__all__ = ["lab", "lab_for"]

_MOST = 4  # labs that are kept

_booted: dict[tuple[str, int, int, bool], Lab] = {}


def lab_for(scenario: Scenario, seed: int) -> Lab:
    """The lab for a scenario: its memory is freed by one more CPU."""
    return lab(scenario.arch, scenario.cpus, seed, patcher=frees(scenario))


def lab(arch: str, cpus: int, seed: int, *, patcher: bool = False) -> Lab:
    """The lab for these arguments, shared with later callers. It is closed when several others have been requested."""
    arguments = (arch, cpus, seed, patcher)
    found = _booted.pop(arguments, None) or _settled(Lab(arch, cpus, seed, patcher=patcher))
    _booted[arguments] = found
    if len(_booted) > _MOST:
        _booted.pop(next(iter(_booted))).close()
    return found


def _settled(booted: Lab) -> Lab:
    """A lab whose snapshots include everything that changes while CPUs are directed, even if it later changes back.

    It takes a path with each kind of event on each CPU, and checks the snapshots after every event.
    """
    steps: list[LabStep] = [Synchronise(), Park(), Release(), *([Free()] if booted.patcher else [])]
    visited, nobody = frozenset({1}), frozenset[int]()
    for nmis, irqs in ((visited, nobody), (nobody, visited)):
        scenario = Scenario(
            "", lambda patches, breakpoint: steps, "", arch=booted.arch, cpus=len(booted.cpus), nmi_sites=nmis, irq_sites=irqs,
            change=Change.CALL_TO_NOP,
        )  # fmt: skip
        direction = Direction(booted, scenario, "coherent")
        looked = 0
        while (found := _lacking_after(booted, direction, looked)) is not None:
            looked = found
    return booted


def _lacking_after(booted: Lab, direction: Direction, looked: int) -> int | None:
    """The number of events after which the snapshots are found incomplete (and completed); None if they are complete.

    `looked`: the number of events after which they are known to be complete.
    """
    direction.begin()
    number = 0
    while possible := direction.possible():
        if number >= looked and booted.snapshots.strays():
            return number
        direction.perform(possible[-1])
        number += 1
    return number if booted.snapshots.strays() else None
