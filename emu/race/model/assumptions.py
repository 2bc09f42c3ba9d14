# SPDX-License-Identifier: GPL-2.0-only
"""The assumptions of the model's verdicts, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from emu.race.model.model_sites import model_patches
from emu.race.scenario.fetch_model import FetchModel
from emu.race.scenario.protocol_steps import Free, LabStep, WaitTasks
from emu.race.scenario.scenario import WHOLE, Deferral, Handler, Hotplug, Scenario, Stack, Wrong

__all__ = ["assumptions"]

_HANDLERS = {
    Handler.EMULATE: "The breakpoint handler does what the instruction does that is put there, at sites that it knows.",
    Handler.SKIP: "The breakpoint handler goes on behind the instruction, at sites that it knows.",
    Handler.RETRY: "The breakpoint handler executes a site that it does not know again, if the breakpoint has gone from memory.",
    Handler.DIE: "The breakpoint handler knows no site.",
    Handler.WAIT: "The breakpoint handler waits until the breakpoint has gone from memory, and executes the site again.",
}


_DEFERRALS = {
    Deferral.WATCHING: "A synchronisation is deferred on a CPU that the kernel does not watch: one in user mode, or in the "
    "kernel's entry before it synchronises, and not in an NMI or an interrupt.",
    Deferral.TASK: "A synchronisation is deferred on a CPU whose task is in user mode, even while the CPU is in an NMI or an "
    "interrupt.",
    Deferral.MODE: "A synchronisation is deferred on a CPU in user mode; one in the kernel's entry, an NMI or an interrupt is "
    "interrupted as soon as that is over.",
}


def assumptions(scenario: Scenario, model: FetchModel, *, any_number_of_cpus: bool = False) -> tuple[str, ...]:
    """The assumptions, a sentence each."""
    sites = _count(len(scenario.places), "site")
    there = f"{_count(scenario.cpus, 'CPU')}, each with one task, and {sites} are all there are."
    if any_number_of_cpus:
        there = f"{sites} and any number of CPUs, each with one task that stays on it, are all there are."
    others, only = scenario.others, "patcher is the only one who writes"
    often = {0: "any number of times", 1: "once at most"}.get(scenario.visits, f"{scenario.visits} times at most")
    into = f" or, after a jump, from byte {_any_of(scenario.into)}" if scenario.into else ""
    steps = scenario.steps(model_patches(scenario))
    store = scenario.store_of(model)
    stores = "Every store is seen whole."
    if store < WHOLE:
        pieces = f"in each aligned piece of {store} bytes" if store > 1 else "in each of its bytes"
        stores = f"A store is seen whole {pieces}, and the pieces one after another, from the lowest address."
    sentences = [
        there,
        f"A CPU comes to a site {often}, executes it from its first byte{into}, and comes to it in no other way.",
        f"Fetch model {model.name}: {model.meaning} ({model.source}).",
        stores,
        f"Data memory is sequentially consistent, and the {'patchers are the only ones who write' if others else only} code.",
        "The interrupt of a synchronisation and the release of CPUs that wait synchronise their fetches with all stores so far.",
        "Nothing else synchronises them: no breakpoint, no NMI, and no return from one.",
        "An interrupt comes between any two instructions, but not in the breakpoint handler or an NMI; it comes in the end.",
        f"{'A' if others else 'The'} patcher is no CPU, and may be slow: between any two of its events, CPUs do as much as they "
        "like.",
        *_of_patchers(scenario),
    ]
    if scenario.deaf:
        numbers, verb = _all_of(scenario.deaf), "is" if len(scenario.deaf) == 1 else "are"
        sentences.append(f"Of synchronisations and releases, {numbers} {verb} without effect on fetches.")
    if scenario.breakpoint:
        sentences.append(_HANDLERS[scenario.handler])
    sentences += _of_tasks(scenario, steps)
    sentences += _of_handlers(scenario, often)
    if scenario.user:
        sentences.append("An NMI or an interrupt that comes in user mode synchronises as the kernel's entry does.")
        sentences.append(_DEFERRALS[scenario.deferral])
    if scenario.hotplug is not Hotplug.NONE:
        when = "at any time" if scenario.hotplug is Hotplug.FREE else "before the protocol begins and after its end"
        sentences.append(f"A CPU goes offline and comes back {when}, and then synchronises; offline it is asked nothing.")
    if scenario.codes and scenario.breakpoint and any(code.startswith(scenario.breakpoint) for code in scenario.codes):
        sentences.append("A breakpoint that is itself the old or the new code is a probe's: its handler goes on behind the site.")
    if scenario.right:
        codes = " and ".join(code.hex(" ") for code in scenario.right)
        sentences.append(f"Until the protocol's end {codes} may be executed, too.")
    if scenario.fails_at:
        sentences.append(f"Write {scenario.fails_at} finds something else in memory; nothing on the way back does.")
    if scenario.never != frozenset(Wrong):
        wrong = [kind.value for kind in Wrong if kind in scenario.never]
        sentences.append(f"{' and '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} all that counts as wrong.")
    return tuple(sentences)


def _of_patchers(scenario: Scenario) -> Iterator[str]:
    """What several patchers mean, and what fairness does."""
    if scenario.others:
        number = len(scenario.others) + 1
        yield (
            f"The steps of {number} patchers come in any order; one asks all CPUs when they have answered what another has asked."
        )
    if any(other.preempts for other in scenario.others):
        yield "While a patcher preempts the others, they stand still; it does not end before it has done all its steps."
    if scenario.live:
        yield "A patcher whose step is possible again and again makes it."
        yield "A CPU in the midst of a site, a handler or a trampoline goes on with it again and again."
        yield "NMIs and other interrupts do not come for ever, and nobody must leave user mode."
        yield "What a CPU may fetch, it may fetch for ever, also if it is not the newest."


def _of_tasks(scenario: Scenario, steps: Sequence[LabStep]) -> Iterator[str]:
    """What waiting for tasks and freeing trampolines mean."""
    waits = any(isinstance(step, WaitTasks) for step in steps)
    if waits:
        yield (
            "A wait for tasks ends when each task was, once since it began, in no site, none of their trampolines and no "
            "breakpoint handler, and its CPU in no handler of an NMI or an interrupt; it does not wait for the idle task."
        )
    if any(isinstance(step, Free) for step in steps) and not scenario.from_call:
        yield "`free` frees nothing: the old code calls nothing."
    if waits and len(scenario.offsets) == 1 and not scenario.from_call:
        beyond = " but those in the breakpoint handler" if scenario.breakpoint else ""
        yield f"`wait-tasks` waits for no tasks{beyond}: the old code is one instruction, and calls nothing."


def _of_handlers(scenario: Scenario, often: str) -> Iterator[str]:
    """Which other handlers there are, and the idle task."""
    if scenario.nmi_sites:
        within = "but not within an NMI's NMI" if scenario.nests else "but not within an NMI"
        where = _sites(scenario.nmi_sites)
        yield f"NMIs come {often}, between any two instructions {within}, and their handler to {where}."
    else:
        yield "No NMI handler comes to a site."
    if scenario.nests:
        yield "An NMI whose handler has met a breakpoint may be interrupted by another: IRET unmasks NMIs."
    for stack in sorted(scenario.ist):
        what = "The breakpoint handler" if stack is Stack.BREAKPOINT else "The NMI handler"
        yield f"{what} has one stack for each CPU, at whose top it begins."
    if scenario.irq_sites:
        where = _sites(scenario.irq_sites)
        yield f"Other interrupts come {often}, where those of synchronisations do, and their handler to {where}."
    if scenario.idle_sites:
        yield f"The idle task comes to {_sites(scenario.idle_sites)}."


def _all_of(numbers: Collection[int]) -> str:
    return " and ".join(f"{number}" for number in sorted(numbers))


def _any_of(numbers: Collection[int]) -> str:
    return " or ".join(f"{number}" for number in sorted(numbers))


def _sites(numbers: Collection[int]) -> str:
    return f"{'site' if len(numbers) == 1 else 'sites'} {_all_of(numbers)}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
