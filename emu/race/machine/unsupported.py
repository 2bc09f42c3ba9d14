# SPDX-License-Identifier: GPL-2.0-only
"""Features of scenarios that only the model supports."""

from __future__ import annotations

from collections import Counter

from emu.cpu import arch as cpu_arch
from emu.ftrace.sites.patching import Release
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_steps import Forget, Free, Know, Lock, Unlock, WaitTasks
from emu.race.scenario.scenario import Handler, Hotplug, Scenario

__all__ = ["unsupported"]

_FUNCTIONS = 2  # of the module race_lab at each offset


def unsupported(scenario: Scenario) -> str | None:
    """Why a scenario is impossible on the machine, as a sentence; None if it is possible.

    Raises:
        ValueError: it is impossible anywhere. The text says why.
    """
    offsets = scenario.race_arch.machine_places
    if scenario.others:
        return "the machine has one patcher"
    if scenario.live:
        return "the machine is not searched for what repeats for ever"
    if scenario.handler is Handler.WAIT:
        return "the guest's breakpoint handler does not wait"
    most = cpu_arch.load(scenario.arch).max_cpus
    steps = scenario.steps(model_patches(scenario))
    for place, count in Counter(scenario.places).items():
        if place not in offsets:
            return f"the guest's module has no site at {place} of a line, but at {', '.join(map(str, offsets))}"
        if count > _FUNCTIONS:
            return f"the guest's module has {_FUNCTIONS} sites at {place} of a line, not {count}"
    if scenario.cpus > most:
        return f"a machine has at most {most} CPUs"
    if any(isinstance(step, Lock | Unlock) for step in steps):
        return "the machine's patcher takes no locks"
    trampolines = Free | WaitTasks if scenario.from_call else Free
    if any(isinstance(step, trampolines) for step in steps):
        return "the guest frees no trampolines"
    if scenario.user or scenario.entry_sites:
        return "the guest's CPUs begin in the kernel, and nothing is deferred to its entry"
    if scenario.codes or scenario.right or scenario.into:
        return "the guest's module has sites with the changes of `change` alone, and no jumps into them"
    if scenario.irq_sites or scenario.idle_sites or scenario.hotplug is not Hotplug.NONE or scenario.nests or scenario.ist:
        return "on the guest neither interrupts nor the idle task come to sites, no CPU goes, and no NMIs nest"
    if any(isinstance(step, Know) or (isinstance(step, Forget) and step.site) for step in steps):
        return "the guest's handler knows all sites or none"
    if scenario.deaf and any(isinstance(step, Release) for step in steps):
        return "the guest's CPUs always synchronise when they are released"
    if scenario.handler_sites:
        return "the guest's breakpoint handler comes to no site"
    return None
