# SPDX-License-Identifier: GPL-2.0-only
"""Whether the model and the machine agree: scenarios that both can run, and their differences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from emu.architectures import ARCHITECTURES
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.sites.patching import Write
from emu.race import machine, model
from emu.race.arch import load
from emu.race.model.model_sites import model_patches
from emu.race.model.replay import replay as model_replay
from emu.race.scenario.change import Change
from emu.race.scenario.mutants import mutants
from emu.race.scenario.protocol_text import NamedProtocol, ShippedProtocol
from emu.race.scenario.scenario import Handler, Scenario
from emu.race.schedule.verdict import Verdict

__all__ = ["Case", "cases", "disagreement"]

_HANDLERS = tuple(kind for kind in Handler if kind is not Handler.WAIT)  # that of the machine does not wait
_STRIDE = 7  # not a divisor of the number of variations, so that successive cases are of all kinds


class Case(NamedTuple):
    """A scenario under one fetch model."""

    scenario: Scenario
    fetch: str


def cases() -> list[Case]:
    """Each protocol and each of its mutants, with varying places, changes, handlers and NMIs, with a bound of visits and
    without, for one fetch model after another; then each way back of the driver."""
    return [case for arch in ARCHITECTURES for case in (*_of_protocols(arch), *_of_ways_back(arch))]


def _of_protocols(arch: str) -> Iterator[Case]:
    places = load(arch).agreement_places
    yield from _of_mutants(arch, ftrace_arch.load(arch).protocols, load(arch).changes, places)
    yield from _of_mutants(arch, load(arch).protocols, (Change.NOPS_TO_PAIR,), [at for at in places if len(at) == 1])


def _of_mutants(
    arch: str, names: Sequence[str], changes: Sequence[Change], at: Sequence[tuple[int, ...]]
) -> Iterator[Case]:
    """`changes`: those for which the protocols have the same stages."""
    fetches = itertools.cycle(model.name for model in load(arch).fetch_models)
    handlers = _HANDLERS if ftrace_arch.load(arch).breakpoint else (Handler.EMULATE,)
    nmis = (frozenset[int](), frozenset({1}))
    variations = list(itertools.product(at, changes, handlers, nmis))
    chosen = (variations[n * _STRIDE % len(variations)] for n in itertools.count())
    for protocol in [protocol for name in names for protocol in _and_mutants(name, arch, changes[0])]:
        for visits in range(2):
            places, change, handler, nmi_sites = next(chosen)
            yield Case(
                Scenario(
                    _name(protocol), protocol, protocol.text, arch=arch, places=places, change=change, handler=handler,
                    nmi_sites=nmi_sites, visits=visits,
                ),
                next(fetches),
            )  # fmt: skip


def _and_mutants(name: str, arch: str, change: Change) -> list[NamedProtocol]:
    shipped = ShippedProtocol(name)
    scenario = Scenario(name, shipped, name, arch=arch, change=change)
    return [shipped, *mutants(shipped, model_patches(scenario), scenario.breakpoint)]


def _of_ways_back(arch: str) -> Iterator[Case]:
    fetches = itertools.cycle(model.name for model in load(arch).fetch_models)
    for name, change in itertools.product(ftrace_arch.load(arch).protocols, (Change.NOP_TO_CALL, Change.CALL_TO_CALL)):
        shipped = ShippedProtocol(name)
        scenario = Scenario(name, shipped, name, arch=arch, places=load(arch).agreement_places[1], change=change)
        writes = sum(isinstance(step, Write) for step in scenario.steps(model_patches(scenario)))
        for number in range(1, writes + 1):
            yield Case(
                Scenario(
                    f"{name}-fails-{number}", shipped, name, arch=arch, places=scenario.places, change=change, fails_at=number,
                    nmi_sites=frozenset({1}),
                ),
                next(fetches),
            )  # fmt: skip


def _name(protocol: NamedProtocol) -> str:
    return protocol.text.replace(" ", "-")


def disagreement(case: Case, seed: int = 0) -> str:
    """A sentence about what the model and a machine booted with this seed disagree on; "" if they agree.

    They agree if both find the same error after the same number of events, and each can replay the other's schedule; or if both
    find the scenario safe. If visits are bounded, both must also have seen the same number of states.
    """
    scenario, fetch = case
    on_model, on_machine = model.explore(scenario, fetch, reduce=False), machine.explore(scenario, fetch, seed=seed)
    said = {"the model": _said(on_model), "the machine": _said(on_machine)}
    if on_model.schedule and on_machine.schedule:
        said["the model's schedule on the machine"] = _said(machine.replay(on_model.schedule, scenario, fetch, seed))
        said["the machine's schedule on the model"] = _said(model_replay(on_machine.schedule, scenario, fetch))
    if len(set(said.values())) == 1:
        return ""
    return f"{scenario.name} under {fetch}: {'; '.join(f'{whose}: {what}' for whose, what in said.items())}"


def _said(verdict: Verdict) -> str:
    if verdict.wrong:
        return f"{verdict.wrong} after {len(verdict.schedule)} events"
    return f"{verdict.outcome}, {verdict.states} states" if verdict.scenario.visits else verdict.outcome
