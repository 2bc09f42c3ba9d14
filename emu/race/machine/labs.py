# SPDX-License-Identifier: GPL-2.0-only
"""The booted labs: one per architecture, number of CPUs and seed, as recently requested."""

from __future__ import annotations

from emu.ftrace.sites.patching import Park, Release, Synchronise
from emu.race.machine.direction import Direction
from emu.race.machine.lab import Lab
from emu.race.scenario.protocol_steps import LabStep
from emu.race.scenario.scenario import Scenario

__all__ = ["lab"]

_MOST = 4  # labs that are kept

_booted: dict[tuple[str, int, int], Lab] = {}


def lab(arch: str, cpus: int, seed: int) -> Lab:
    """The lab for these arguments, shared with later callers. It is closed when several others have been requested."""
    arguments = (arch, cpus, seed)
    found = _booted.pop(arguments, None) or _settled(Lab(*arguments))
    _booted[arguments] = found
    if len(_booted) > _MOST:
        _booted.pop(next(iter(_booted))).close()
    return found


def _settled(booted: Lab) -> Lab:
    """A lab whose snapshots include everything that changes while CPUs are directed, even if it later changes back.

    It takes a path with each kind of event on each CPU, and checks the snapshots after every event.
    """
    steps: list[LabStep] = [Synchronise(), Park(), Release()]
    cpus = len(booted.cpus)
    scenario = Scenario("", lambda patches, breakpoint: steps, "", arch=booted.arch, cpus=cpus, nmi_sites=frozenset({1}))
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
