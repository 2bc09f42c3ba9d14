# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of a scenario's sites in the model, and of their calls' targets."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from emu.ftrace.sites.patching import Patch
from emu.race.scenario.scenario import Scenario

__all__ = ["MOST_SITES", "model_patches"]

MOST_SITES = 8
_BETWEEN_SITES = 0x1000


class _Addresses(NamedTuple):
    first_line: int  # of the first site
    targets: tuple[int, int]  # of the only or first call, and of the second one


# From every site, the two calls and the nops differ in each byte of the displacement.
_ADDRESSES: Mapping[str, _Addresses] = MappingProxyType(
    {
        "x86_64": _Addresses(0xFFFFFFFF81001000, (0xFFFFFFFFA1B2C3E4, 0xFFFFFFFFC8D9E0F1)),
        "sparc64": _Addresses(0x401000, (0x04CD259C, 0x0ADB33A4)),
    }
)


def model_patches(scenario: Scenario) -> list[Patch]:
    """The changes of the scenario's sites, which are a page apart."""
    addresses = _ADDRESSES[scenario.arch]
    sites = [addresses.first_line + _BETWEEN_SITES * n + place for n, place in enumerate(scenario.places)]
    return scenario.patches(sites, *addresses.targets)
