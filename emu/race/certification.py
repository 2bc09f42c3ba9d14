# SPDX-License-Identifier: GPL-2.0-only
"""Certifies a protocol: for every fetch model, every kind of place of a site, each change, NMIs, and each way back.

Protocols that lack a stage, or have two swapped, are searched at the same places, to show what each stage is for.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from emu.architectures import DEFAULT_ARCHITECTURE
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.sites.patching import Write
from emu.race.arch import load
from emu.race.model.model_sites import model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.mutants import mutants
from emu.race.scenario.protocol_steps import LAB_PROTOCOLS, PAIR
from emu.race.scenario.protocol_text import ChangedProtocol, FileProtocol, ShippedProtocol
from emu.race.scenario.scenario import LabProtocol, Scenario

__all__ = ["cases", "mutant_cases"]

_MUTANTS_CHANGES = (Change.NOP_TO_CALL, Change.CALL_TO_CALL)  # changing a call to a nop is symmetric to changing a nop to a call
_OF_TWO_WORDS = (Change.NOPS_TO_PAIR, Change.PAIR_TO_NOPS)


def cases(
    protocol: LabProtocol | str, arch: str = DEFAULT_ARCHITECTURE, cpus: int = 3, sites: int = 2, fetch: Sequence[str] = ()
) -> list[Scenario]:
    """The scenarios for which a protocol is certified.

    Each kind of place (`RaceArch.places`) is used for each site, with the next site at the next kind. Changes are those of a
    single instruction, or for the protocol `pair` those of two. There are cases without NMIs, and with NMIs whose handlers reach
    all sites; and each of these with each write failing in turn, so that the driver undoes the change (`pair` is not the
    driver's). Each case has a unique name.

    Raises:
        ValueError: the protocol does not exist, or cannot be performed.
    """
    found = []
    function, text = _named(protocol, arch)
    for change, placed in itertools.product(_changes(arch, text), _placed(arch, sites)):
        scenario = Scenario(text, function, text, arch=arch, places=placed, change=change, cpus=cpus, fetch=tuple(fetch))
        writes = sum(isinstance(step, Write) for step in scenario.steps(model_patches(scenario)))
        failing = range(1 if text == PAIR else writes + 1)
        for nmis, fails in itertools.product((frozenset[int](), frozenset(range(1, sites + 1))), failing):
            name = " ".join([text, change, *map(str, placed), *["nmi"] * bool(nmis), *[f"fails {fails}"] * bool(fails)])
            found.append(dataclasses.replace(scenario, name=name, nmi_sites=nmis, fails_at=fails))
    return found


def mutant_cases(
    protocol: LabProtocol | str, arch: str = DEFAULT_ARCHITECTURE, cpus: int = 2, sites: int = 1, fetch: Sequence[str] = ()
) -> list[Scenario]:
    """The scenarios that show what each stage of a protocol is for: with the protocol itself, then with each of its mutants.

    Places are as in `cases`. There are cases without NMIs, and with NMIs whose handlers reach all sites. Each has a unique name.

    Raises:
        ValueError: as `cases`.
    """
    function, text = _named(protocol, arch)
    whole = function if isinstance(function, ShippedProtocol | FileProtocol | ChangedProtocol) else FileProtocol(text, function)
    changes = _OF_TWO_WORDS[:1] if text == PAIR else _MUTANTS_CHANGES
    placed, change = _placed(arch, sites)[0], changes[0]
    model = Scenario(text, whole, text, arch=arch, places=placed, change=change, cpus=cpus, fetch=tuple(fetch))
    patches = model_patches(model)
    model.steps(patches)
    return [
        dataclasses.replace(
            model, name=" ".join([one.text, change, *map(str, placed), *["nmi"] * bool(nmis)]), protocol=one,
            protocol_text=one.text, places=placed, change=change, nmi_sites=nmis,
        )
        for one in (whole, *mutants(whole, patches, model.breakpoint))
        for change, placed in itertools.product(changes, _placed(arch, sites))
        for nmis in (frozenset[int](), frozenset(range(1, sites + 1)))
    ]  # fmt: skip


def _changes(arch: str, protocol: str) -> list[Change]:
    """The changes for which a protocol is certified."""
    if protocol == PAIR:
        return list(_OF_TWO_WORDS)
    # No protocol of the driver helps a task that is between two nops.
    return [change for change in load(arch).changes if change is not Change.NOPS_TO_CALL and change not in _OF_TWO_WORDS]


def _placed(arch: str, sites: int) -> list[tuple[int, ...]]:
    """Places for this many sites: each kind of place is used once for each site."""
    places = load(arch).places
    return [tuple(places[(start + n) % len(places)] for n in range(sites)) for start in range(len(places))]


def _named(protocol: LabProtocol | str, arch: str) -> tuple[LabProtocol, str]:
    """A protocol and its name."""
    if not isinstance(protocol, str):
        return protocol, getattr(protocol, "text", getattr(protocol, "__name__", "a function"))
    if protocol not in LAB_PROTOCOLS:
        raise ValueError(f"there is no protocol '{protocol}'; there are {', '.join(LAB_PROTOCOLS)}")
    if protocol not in (fit := (*ftrace_arch.load(arch).protocols, *load(arch).protocols)):
        raise ValueError(f"{arch} has no protocol '{protocol}' (it has: {', '.join(fit)})")
    return ShippedProtocol(protocol), protocol
