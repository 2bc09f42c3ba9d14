# SPDX-License-Identifier: GPL-2.0-only
"""Features of scenarios that only the model supports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from emu.cpu import arch as cpu_arch
from emu.ftrace.sites.patching import Park, Release
from emu.race.machine.placed import without_place
from emu.race.model.cpu_state import frees, trampolines
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_steps import Free, LabStep, Lock, Unlock
from emu.race.scenario.scenario import LINE, Handler, Hotplug, Scenario, Stack

__all__ = ["unsupported"]

_NO_TRAMPOLINE = "the guest's module has no trampoline on this architecture"
_FUNCTIONS = 2  # of the module race_lab at each offset in a line; one at a page's end


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
        functions = _FUNCTIONS if place < LINE else 1
        if count > functions:
            return f"the guest's module has {functions} sites at {place} of a page, not {count}"
    if scenario.cpus + frees(scenario) > most:
        return f"a machine has at most {most} CPUs"
    for words, meant, why in _words(scenario, steps):
        if meant:
            return f"'{words}': {why}"
    return None


def _words(scenario: Scenario, steps: Sequence[LabStep]) -> Iterator[tuple[str, bool, str]]:
    """Words of scenarios, whether a scenario has them, and why the guest cannot do them."""
    yield "patcher", bool(scenario.others), "the machine has one patcher"
    yield "lock", any(isinstance(step, Lock | Unlock) for step in steps), "the machine's patcher takes no locks"
    yield "live", scenario.live, "the machine is not searched for what repeats for ever"
    yield "handler", scenario.handler is Handler.WAIT, "the guest's breakpoint handler does not wait"
    called = trampolines(scenario)
    yield "free" if frees(scenario) else "wait-tasks", called and not scenario.race_arch.trampoline, _NO_TRAMPOLINE
    yield "free", frees(scenario) and _frees_while_parked(steps), "the guest frees no memory while all CPUs wait"
    own = without_place(scenario) if scenario.codes or scenario.right else None
    yield "old" if scenario.codes else "right", own is not None, own or ""
    half = bool(scenario.into) and scenario.change.of_a_pair and not scenario.codes
    yield "into", half, "on the guest, the second instruction of a pair goes nowhere without the first"
    yield "user", scenario.user, "the guest's CPUs begin in the kernel, and no synchronisation is deferred"
    yield "entry", bool(scenario.entry_sites), "the guest's entry comes to no site"
    yield "in-handler", bool(scenario.handler_sites), "the guest's breakpoint handler comes to no site"
    yield "idle", bool(scenario.idle_sites), "the guest's idle task comes to no site"
    yield "hotplug", scenario.hotplug is not Hotplug.NONE, "the guest's CPUs stay"
    nests = scenario.nests and (scenario.race_arch.breakpoint_iret is None or Stack.NMI not in scenario.ist)
    yield "nests", nests, "the guest's NMIs begin at the top of the same stack, as with 'ist nmi'"
    stack = Stack.BREAKPOINT in scenario.ist and scenario.race_arch.breakpoint_stack is None
    yield "ist", stack, "the guest's breakpoint handler has no stack of its own"


def _frees_while_parked(steps: Sequence[LabStep]) -> bool:
    parked = False
    for step in steps:
        if parked and isinstance(step, Free):
            return True
        parked = isinstance(step, Park) or (parked and not isinstance(step, Release))
    return False
