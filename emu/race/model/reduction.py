# SPDX-License-Identifier: GPL-2.0-only
"""One CPU stands for any number of them, and sites are searched one by one: where that is so, and why.

The proofs are in docs/race-lab.md, under "any number of CPUs". Their conditions are facts about each word of a scenario and each
step of its protocol, which the tables below state. What is in no table might break one: then the reduction is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from emu.ftrace.sites.patching import Park, Release, Synchronise, Write
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_steps import Forget, Free, Know, Lock, Unlock, WaitTasks, WideWrite
from emu.race.scenario.scenario import Scenario

__all__ = ["FIELDS", "STEPS", "obstacle", "parts"]

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "name": "a text", "about": "a text", "protocol_text": "a text", "expect": "compared with the verdict",
        **dict.fromkeys(("arch", "places", "change", "codes", "right", "calls", "fetch", "stores"), "alike for all CPUs"),
        "cpus": "what is reduced",
        "protocol": "its steps are in STEPS; it does not know who answers",
        "others": "as the protocol: together they are one patcher, with a choice that no CPU has a part in",
        "fails_at": "chosen before the first event",
        "handler": "reads the patcher's position and memory", "misses": "alike for all CPUs",
        "handler_sites": "visited by the CPU that handles a breakpoint", "nmi_sites": "visited by the CPU that takes the NMI",
        "deaf": "by the number of the synchronisation, alike for all CPUs",
        "irq_sites": "visited by the CPU that takes the interrupt", "idle_sites": "visited by a CPU's idle task",
        "into": "alike for all CPUs",
        "nests": "NMIs of one CPU", "ist": "stacks of one CPU",
        "hotplug": "a CPU comes and goes by itself; when, the patcher's position says",
        "user": "a mode of each CPU", "deferral": "a mode of each CPU", "entry_sites": "visited by the CPU that enters",
        "visits": "a budget of each CPU",
        "live": "who waits for ever waits for one CPU, or for a patcher",
        "never": "each error is one of a single CPU, or of the protocol alone",
    }
)  # fmt: skip
"""By the name of a scenario's attribute: why it concerns one CPU, or all of them alike."""

STEPS: Mapping[type, str] = MappingProxyType(
    {
        Write: "waits for nobody",
        WideWrite: "waits for nobody",
        Synchronise: "waits until every CPU has answered",
        Park: "waits until every CPU is parked",
        Release: "waits until every CPU has gone on",
        WaitTasks: "waits until every CPU's task was away once",
        Free: "waits for nobody",
        Forget: "waits for nobody",
        Know: "waits for nobody",
        Lock: "waits for patchers, which are no CPUs",
        Unlock: "waits for nobody",
    }
)
"""By the kind of a step: the patcher waits for nobody, or until each CPU satisfies what only this CPU's state decides."""


def obstacle(scenario: Scenario) -> str:
    """Why one CPU does not stand for any number of them, as a sentence; "" if it does."""
    for field in dataclasses.fields(scenario):
        if field.name not in FIELDS and getattr(scenario, field.name) != _default(field):
            return f"'{field.name}' may be shared by several CPUs"
    for step in (step for steps in scenario.steps_of_all(model_patches(scenario)) for step in steps):
        if type(step) not in STEPS:
            return f"the step '{type(step).__name__}' may be for some CPUs only"
    return ""


def _default(field: dataclasses.Field[object]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def parts(scenario: Scenario) -> list[frozenset[int]]:
    """Sets of sites that can be searched one after another, instead of all sites together.

    Something is wrong at a site, or in the breakpoint handler's sites above it, or in those of the kernel's entry. So each set
    has one site, and all that are visited by handlers and by the entry. There is one set of all sites if what happens at one
    site has an effect on another: a budget of visits, an NMI or interrupt that comes from user mode and synchronises, or a stack
    for handlers at several sites.
    """
    sites = range(1, len(scenario.places) + 1)
    forced = scenario.handler_sites | scenario.entry_sites
    from_user = scenario.user and (scenario.nmi_sites or scenario.irq_sites)
    if not scenario.places or scenario.visits or from_user or scenario.ist:
        return [frozenset(sites)]
    found = {frozenset({site}) | forced for site in sites}
    return sorted((part for part in found if not any(part < other for other in found)), key=sorted)
