# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of a scenario's sites in the model, and of their calls' targets."""

from __future__ import annotations

from emu.ftrace.sites.patching import Patch
from emu.race.scenario.scenario import LINE, PAGE, Scenario

__all__ = ["MOST_SITES", "model_patches"]

MOST_SITES = 8


def model_patches(scenario: Scenario) -> list[Patch]:
    """The changes of the scenario's sites, which are a page apart; two, if one is not in the first line of its page."""
    arch = scenario.race_arch
    apart = PAGE if all(place < LINE for place in scenario.places) else 2 * PAGE
    sites = [arch.first_line + apart * n + place for n, place in enumerate(scenario.places)]
    return scenario.patches(sites, *arch.targets)
