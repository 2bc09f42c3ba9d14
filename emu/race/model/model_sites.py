# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of a scenario's sites in the model, and of their calls' targets."""

from __future__ import annotations

from emu.ftrace.sites.patching import Patch
from emu.race.scenario.scenario import Scenario

__all__ = ["MOST_SITES", "model_patches"]

MOST_SITES = 8
_BETWEEN_SITES = 0x1000


def model_patches(scenario: Scenario) -> list[Patch]:
    """The changes of the scenario's sites, which are a page apart."""
    arch = scenario.race_arch
    sites = [arch.first_line + _BETWEEN_SITES * n + place for n, place in enumerate(scenario.places)]
    return scenario.patches(sites, *arch.targets)
