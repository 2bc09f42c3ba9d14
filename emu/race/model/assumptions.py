# SPDX-License-Identifier: GPL-2.0-only
"""The assumptions of the model when it reports that nothing can go wrong, in words."""

from __future__ import annotations

from emu.race.model.model_sites import model_patches
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import WaitTasks
from emu.race.scenario.scenario import LINE, Handler, Scenario, Wrong

__all__ = ["assumptions"]

_HANDLERS = {
    Handler.EMULATE: "The breakpoint handler does what the instruction does that is put there, at sites that it knows.",
    Handler.SKIP: "The breakpoint handler goes on behind the instruction, at sites that it knows.",
    Handler.RETRY: "The breakpoint handler executes a site that it does not know again, if the breakpoint has gone from memory.",
    Handler.DIE: "The breakpoint handler knows no site.",
}


def assumptions(scenario: Scenario, model: FetchModel, *, any_number_of_cpus: bool = False) -> tuple[str, ...]:
    """The assumptions, a sentence each."""
    sites = _count(len(scenario.places), "site")
    there = f"{_count(scenario.cpus, 'CPU')}, each with one task, and {sites} are all there are."
    if any_number_of_cpus:
        there = f"{sites} and any number of CPUs, each with one task that stays on it, are all there are."
    often = {0: "any number of times", 1: "once at most"}.get(scenario.visits, f"{scenario.visits} times at most")
    stores = "Every store is seen whole."
    if model.store < LINE:
        pieces = f"in each aligned piece of {model.store} bytes"
        stores = f"A store is seen whole {pieces}, and the pieces one after another, from the lowest address."
    sentences = [
        there,
        f"A CPU comes to a site {often}, executes it from its first byte, and comes to it in no other way.",
        f"Fetch model {model.name}: {model.meaning} ({model.source}).",
        stores,
        "Data memory is sequentially consistent, and the patcher is the only one who writes code.",
        "The interrupt of a synchronisation and the release of CPUs that wait synchronise their fetches with all stores so far.",
        "Nothing else synchronises them: no breakpoint, no NMI, and no return from one.",
        "An interrupt comes between any two instructions, but not in the breakpoint handler or an NMI; it comes in the end.",
    ]
    if scenario.breakpoint:
        sentences.append(_HANDLERS[scenario.handler])
    if any(isinstance(step, WaitTasks) for step in scenario.steps(model_patches(scenario))):
        sentences.append("A wait for tasks ends when none is in an old call's trampoline or between two instructions of a site.")
    if scenario.nmi_sites:
        where = f"{'site' if len(scenario.nmi_sites) == 1 else 'sites'} {' and '.join(map(str, sorted(scenario.nmi_sites)))}"
        sentences.append(f"NMIs come {often}, between any two instructions but not within an NMI, and their handler to {where}.")
    else:
        sentences.append("No NMI handler comes to a site.")
    if scenario.user:
        sentences.append("An NMI or an interrupt that comes in user mode synchronises as the kernel's entry does.")
    if scenario.fails_at:
        sentences.append(f"Write {scenario.fails_at} finds something else in memory; nothing on the way back does.")
    if scenario.never != frozenset(Wrong):
        wrong = [kind.value for kind in Wrong if kind in scenario.never]
        sentences.append(f"{' and '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} all that counts as wrong.")
    return tuple(sentences)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
