# SPDX-License-Identifier: GPL-2.0-only
"""The race lab: what may CPUs execute, in any order of events, while their code is being changed?

    >>> from emu import race
    >>> def hasty(patches, breakpoint):
    ...     return [race.Write(patch.address, patch.old, patch.new) for patch in patches]
    >>> scenario = race.Scenario("hasty", hasty, "hasty", cpus=2, places=(5,))
    >>> for verdict in race.explore(scenario, fetch="coherent,torn8"):
    ...     print(verdict.fetch, verdict.outcome, verdict.wrong, len(verdict.schedule))

docs/race-lab.md says what it decides, and how to read its output.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.ftrace.sites.patching import PROTOCOLS, Park, Patch, Release, Synchronise, Write
    from emu.race.api import certify, explore, explore_litmus, replay
    from emu.race.limits import Limits
    from emu.race.scenario.change import Change
    from emu.race.scenario.fetch import MODELS
    from emu.race.scenario.fetch_model import FetchModel
    from emu.race.scenario.protocol_steps import Forget, Free, Know, Lock, Unlock, WaitTasks
    from emu.race.scenario.scenario import Expectation, Handler, OtherPatcher, Scenario, Wrong
    from emu.race.schedule.event import PATCHER, Event, What
    from emu.race.schedule.schedule import Schedule
    from emu.race.schedule.verdict import Outcome, Verdict

__all__ = [
    "MODELS", "PATCHER", "PROTOCOLS", "Change", "Event", "Expectation", "FetchModel", "Forget", "Free", "Handler", "Know",
    "Limits", "Lock", "OtherPatcher", "Outcome", "Park", "Patch", "Release", "Scenario", "Schedule", "Synchronise", "Unlock",
    "Verdict", "WaitTasks", "What", "Write", "Wrong", "certify", "explore", "explore_litmus", "replay",
]  # fmt: skip

_MODULES = {
    "emu.ftrace.sites.patching": ("PROTOCOLS", "Park", "Patch", "Release", "Synchronise", "Write"),
    "emu.race.schedule.event": ("PATCHER", "Event", "What"),
    "emu.race.scenario.change": ("Change",),
    "emu.race.scenario.fetch": ("MODELS",),
    "emu.race.scenario.fetch_model": ("FetchModel",),
    "emu.race.api": ("certify", "explore", "explore_litmus", "replay"),
    "emu.race.limits": ("Limits",),
    "emu.race.scenario.protocol_steps": ("Forget", "Free", "Know", "Lock", "Unlock", "WaitTasks"),
    "emu.race.scenario.scenario": ("Expectation", "Handler", "OtherPatcher", "Scenario", "Wrong"),
    "emu.race.schedule.schedule": ("Schedule",),
    "emu.race.schedule.verdict": ("Outcome", "Verdict"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Imports a name's module when it is used: the search needs numba, the machine needs Unicorn."""
    if name in _MODULE_OF:
        return getattr(importlib.import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'emu.race' has no attribute '{name}'")
