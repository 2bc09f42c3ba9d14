# SPDX-License-Identifier: GPL-2.0-only
"""Where the sites of a scenario lie in the model, and the calls that they hold."""

from __future__ import annotations

from emu.ftrace.sites.patching import Patch
from emu.race.scenario.scenario import Scenario

__all__ = ["MOST_SITES", "model_patches"]

MOST_SITES = 8
_BETWEEN_SITES = 0x1000


def model_patches(scenario: Scenario) -> list[Patch]:
    """What is changed at the scenario's sites, which lie a page apart."""
    arch = scenario.race_arch
    sites = [arch.first_line + _BETWEEN_SITES * n + place for n, place in enumerate(scenario.places)]
    return scenario.patches(sites, *arch.targets)
