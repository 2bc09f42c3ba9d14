# SPDX-License-Identifier: GPL-2.0-only
"""Certifying a protocol: every fetch model, every kind of place of a site, each change, NMIs, and each way back."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from emu.ftrace import arch as ftrace_arch
from emu.ftrace.patching import PROTOCOLS, Write
from emu.race.model_sites import model_patches
from emu.race.protocol_text import ShippedProtocol
from emu.race.scenario import CHANGES, PLACES, Change, LabProtocol, Scenario

__all__ = ["cases"]


def cases(
    protocol: LabProtocol | str, arch: str = "x86_64", cpus: int = 3, sites: int = 2, fetch: Sequence[str] = ()
) -> list[Scenario]:
    """The scenarios that a protocol is certified for.

    Each kind of place (`PLACES`) is once that of each site, the next site lying at the next kind; of the changes, those of one
    instruction; without NMIs, and with NMIs whose handlers come to all sites; and all that with each write failing in turn, so
    that the driver goes back. Each has a name of its own.

    Raises:
        ValueError: there is no such protocol, or it cannot be performed.
    """
    found = []
    function, text = _named(protocol, arch)
    places = PLACES[arch]
    for change, start in itertools.product(CHANGES[arch], range(len(places))):
        if change is Change.NOPS_TO_CALL:
            continue  # no protocol helps a task that stands between the two nops
        placed = tuple(places[(start + n) % len(places)] for n in range(sites))
        scenario = Scenario(text, function, text, arch=arch, places=placed, change=change, cpus=cpus, fetch=tuple(fetch))
        writes = sum(isinstance(step, Write) for step in scenario.steps(model_patches(scenario)))
        for nmis, fails in itertools.product((frozenset[int](), frozenset(range(1, sites + 1))), range(writes + 1)):
            name = " ".join([text, change, *map(str, placed), *["nmi"] * bool(nmis), *[f"fails {fails}"] * bool(fails)])
            found.append(dataclasses.replace(scenario, name=name, nmi_sites=nmis, fails_at=fails))
    return found


def _named(protocol: LabProtocol | str, arch: str) -> tuple[LabProtocol, str]:
    """A protocol, and what it is called."""
    if not isinstance(protocol, str):
        return protocol, getattr(protocol, "text", getattr(protocol, "__name__", "a function"))
    if protocol not in PROTOCOLS:
        raise ValueError(f"there is no protocol '{protocol}'; there are {', '.join(PROTOCOLS)}")
    if protocol not in (fit := ftrace_arch.load(arch).protocols):
        raise ValueError(f"{arch} has no protocol '{protocol}' (it has: {', '.join(fit)})")
    return ShippedProtocol(protocol), protocol
