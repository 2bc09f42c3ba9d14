# SPDX-License-Identifier: GPL-2.0-only
"""Features of scenarios that only the model supports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from emu.cpu import arch as cpu_arch
from emu.race.machine.placed import without_place
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_steps import Free, LabStep, Lock, Unlock, WaitTasks
from emu.race.scenario.scenario import Handler, Hotplug, Scenario

__all__ = ["unsupported"]

_FUNCTIONS = 2  # of the module race_lab at each offset


def unsupported(scenario: Scenario) -> str | None:
    """Why a scenario is impossible on the machine, as a sentence; None if it is possible.

    Raises:
        ValueError: it is impossible anywhere. The text says why.
    """
    offsets = scenario.race_arch.machine_places
    most = cpu_arch.load(scenario.arch).max_cpus
    steps = scenario.steps(model_patches(scenario))
    for place, count in Counter(scenario.places).items():
        if place not in offsets:
            return f"the guest's module has no site at {place} of a page, but at {', '.join(map(str, offsets))}"
        if count > _FUNCTIONS:
            return f"the guest's module has {_FUNCTIONS} sites at {place} of a page, not {count}"
    if scenario.cpus > most:
        return f"a machine has at most {most} CPUs"
    for words, meant, why in _words(scenario, steps):
        if meant:
            return f"'{words}': {why}"
    return None


def _words(scenario: Scenario, steps: Sequence[LabStep]) -> Iterator[tuple[str, bool, str]]:
    """Words of scenarios, whether a scenario has them, and why the guest cannot do them."""
    trampolines = Free | WaitTasks if scenario.from_call else Free
    freeing = next((step for step in steps if isinstance(step, trampolines)), None)
    yield "wait-tasks" if isinstance(freeing, WaitTasks) else "free", freeing is not None, "the guest frees no trampolines"
    own = without_place(scenario) if scenario.codes or scenario.right else None
    yield "old" if scenario.codes else "right", own is not None, own or ""
    yield "patcher", bool(scenario.others), "the machine has one patcher"
    yield "live", scenario.live, "the machine is not searched for what repeats for ever"
    yield "handler wait", scenario.handler is Handler.WAIT, "the guest's breakpoint handler does not wait"
    yield "lock", any(isinstance(step, Lock | Unlock) for step in steps), "the machine's patcher takes no locks"
    yield "user", scenario.user, "the guest's CPUs begin in the kernel, and no synchronisation is deferred"
    yield "entry", bool(scenario.entry_sites), "the guest's entry comes to no site"
    yield "in-handler", bool(scenario.handler_sites), "the guest's breakpoint handler comes to no site"
    yield "irq", bool(scenario.irq_sites), "the guest's other interrupts come to no site"
    yield "idle", bool(scenario.idle_sites), "the guest's idle task comes to no site"
    yield "hotplug", scenario.hotplug is not Hotplug.NONE, "the guest's CPUs stay"
    yield "nests", scenario.nests, "the guest's breakpoint handler returns without IRET, so that no NMIs nest"
    yield "ist", bool(scenario.ist), "no NMIs nest on the guest"
