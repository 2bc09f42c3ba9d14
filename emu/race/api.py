# SPDX-License-Identifier: GPL-2.0-only
"""The user's interface to searches and replays: by file, text or object; on the model, on the machine or on both."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from emu.architectures import ARCHITECTURES, DEFAULT_ARCHITECTURE
from emu.ftrace.sites.protocol_file import protocol_of
from emu.race import certification, model
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.model_sites import MOST_SITES, model_patches
from emu.race.scenario import scenario_file
from emu.race.scenario.fetch import ALIASES, model_of
from emu.race.scenario.protocol_text import FileProtocol
from emu.race.scenario.scenario import MOST_CPUS, Expectation, LabProtocol, Scenario
from emu.race.schedule.schedule import Schedule
from emu.race.schedule.schedule import read as read_schedule
from emu.race.schedule.verdict import Verdict

if TYPE_CHECKING:
    from emu.race.litmus import Litmus, LitmusVerdict

__all__ = ["cases", "certify", "engines", "explore", "explore_litmus", "fetch_names", "loaded", "replay", "searches", "varied"]


def explore(
    scenario: Scenario | Path | str,
    *,
    on: str = "model",
    fetch: str | Sequence[str] | None = None,
    cpus: int | None = None,
    sites: int | None = None,
    seed: int = 0,
    limit: Limits | int | None = None,
) -> list[Verdict]:
    """Tries every order of events of a scenario. Yields one verdict per fetch model.

    Args:
        scenario: a scenario, the path of its file, or the text of such a file.
        on: "model", "machine", or "both", which yields two verdicts per fetch model.
        fetch: names of fetch models, as a list or separated by commas; default: the scenario's.
        cpus: the number of CPUs; default: the scenario's.
        sites: the number of changed sites; additional ones are at the architecture's other places; default: the scenario's.
        seed: the machine's seed.
        limit: a limit for each search; a number is a number of states.

    Raises:
        ValueError: the scenario is wrong (if from a file: `text_file.TextError`), does not fit the other arguments, or
            is impossible on the machine.
    """
    scenario = varied(loaded(scenario), fetch=fetch, cpus=cpus, sites=sites)
    return list(searches(scenario, engines(scenario, on), seed, _limits(limit)))


def explore_litmus(
    test: Litmus | Path | str, *, fetch: str | Sequence[str] | None = None, limit: Limits | int | None = None
) -> list[LitmusVerdict]:
    """Executes a litmus test in every order, with every possible fetch. Returns one verdict per fetch model.

    `verdict.ok` says whether the test's condition is as it claims. `verdict.finals` are the final states, and `verdict.witness`
    is the one that proves it; the `schedule` of each is a shortest list of instructions and stores that leads there.

    Args:
        test: a test, the path of its file, or the text of such a file, which has more than one line.
        fetch: names of fetch models, as a list or separated by commas; default: the test's.
        limit: a limit for each search; a number is a number of states.

    Raises:
        ValueError: the test is wrong (`text_file.TextError`), or its architecture has no such fetch model.
    """
    from emu.race import litmus

    if isinstance(test, str) and "\n" in test:
        test = litmus.parse(test)
    elif isinstance(test, Path | str):
        test = litmus.read(Path(test))
    models = test.fetch if fetch is None else fetch_names(test.arch, fetch)
    return [litmus.explore(test, model, _limits(limit)) for model in models]


def certify(
    protocol: LabProtocol | str,
    arch: str = DEFAULT_ARCHITECTURE,
    *,
    on: str = "model",
    fetch: str | Sequence[str] | None = None,
    cpus: int = 3,
    sites: int = 2,
    seed: int = 0,
    limit: Limits | int | None = None,
    mutants: bool = False,
) -> list[Verdict]:
    """Tries every order of events of a protocol, for each of its `cases` under each fetch model. It is safe if all are.

    Args:
        protocol: a function from patches to steps, its `FILE.py:FUNCTION`, or the name of one of the driver's protocols.
        arch: one of emu.architectures.ARCHITECTURES.
        mutants: also try each protocol that lacks one of the stages, or has two of them swapped.
        on, fetch, cpus, sites, seed, limit: as for `explore`.

    Raises:
        ValueError: the protocol does not exist or is invalid, or another argument is wrong.
    """
    found = [(case, engines(case, on)) for case in cases(protocol, arch, fetch, cpus, sites, mutants=mutants)]
    verdicts: list[Verdict] = []
    for case, on_these in found:
        verdicts += searches(case, on_these, seed, _limits(limit))
        if verdicts[-1].why == INTERRUPTED:
            break
    return verdicts


def replay(schedule: Schedule | Path | str) -> Verdict:
    """Performs a schedule's events on a machine booted for it, and returns the verdict.

    Args:
        schedule: a schedule, or the path of its file.

    Raises:
        ValueError: it cannot be read, belongs to another machine, or has an event that is impossible at its place.
    """
    from emu.race import machine

    if not isinstance(schedule, Schedule):
        schedule = read_schedule(Path(schedule))
    return machine.replay(schedule.events, schedule.scenario, schedule.fetch, schedule.seed, schedule.digest)


def loaded(source: Scenario | Path | str) -> Scenario:
    """A scenario, from the path of its file or from its text, which has more than one line.

    Raises:
        ValueError: it cannot be read, or is not a scenario (`text_file.TextError`).
    """
    if isinstance(source, Scenario):
        return source
    return scenario_file.parse(source) if isinstance(source, str) and "\n" in source else scenario_file.read(Path(source))


def varied(
    scenario: Scenario, *, fetch: str | Sequence[str] | None = None, cpus: int | None = None, sites: int | None = None
) -> Scenario:
    """The scenario with other fetch models, or another number of CPUs or sites. None leaves a value unchanged.

    Raises:
        ValueError: a model does not exist, or the number is impossible.
    """
    expect: dict[str, Expectation] = dict(scenario.expect)
    if cpus not in (None, scenario.cpus) or sites not in (None, len(scenario.places)):
        expect = {name: dataclasses.replace(one, events=0) for name, one in expect.items()}
    scenario = dataclasses.replace(
        scenario,
        expect=expect,
        fetch=scenario.fetch if fetch is None else fetch_names(scenario.arch, fetch),
        cpus=scenario.cpus if cpus is None else _possible(cpus, MOST_CPUS, "CPUs"),
        places=scenario.places if sites is None else _places(scenario, sites),
    )
    scenario.steps(model_patches(scenario))
    return scenario


def cases(
    protocol: LabProtocol | str, arch: str, fetch: str | Sequence[str] | None, cpus: int, sites: int, *, mutants: bool
) -> list[Scenario]:
    """The scenarios that `certify` searches: every place of the protocol's sites, with NMIs and without, there and back;
    or, with mutants, only there, for the protocol and its mutants.

    Raises:
        ValueError: as `certify`.
    """
    if arch not in ARCHITECTURES:
        raise ValueError(f"there is no architecture '{arch}'; there are {', '.join(ARCHITECTURES)}")
    names = () if fetch is None else fetch_names(arch, fetch)
    _possible(cpus, MOST_CPUS, "CPUs")
    _possible(sites, MOST_SITES, "sites")
    cases_of = certification.mutant_cases if mutants else certification.cases
    try:
        if not isinstance(protocol, str):
            return cases_of(protocol, arch, cpus, sites, names)
        function = protocol_of(protocol)
        named = function if isinstance(function, str) else FileProtocol(protocol, function)
        return cases_of(named, arch, cpus, sites, names)
    except ValueError as error:
        name = protocol if isinstance(protocol, str) else getattr(protocol, "__name__", repr(protocol))
        raise ValueError(f"protocol {name}: {error}") from None


def engines(scenario: Scenario, on: str) -> tuple[str, ...]:
    """The engines named by `on`.

    Raises:
        ValueError: the engine does not exist, or the machine cannot run the scenario.
    """
    if on not in ("model", "machine", "both"):
        raise ValueError(f"there is no engine '{on}'; there are model, machine and both")
    if on == "model":
        return ("model",)
    from emu.race import machine

    if why := machine.unsupported(scenario):
        raise ValueError(f"scenario {scenario.name} is for the model alone: {why}")
    return ("machine",) if on == "machine" else ("model", "machine")


def searches(scenario: Scenario, on: Sequence[str], seed: int = 0, limits: Limits | None = None) -> Iterator[Verdict]:
    """Yields each verdict as soon as it is known: for each fetch model, one per engine. An interrupted search is the last."""
    for fetch, engine in itertools.product(scenario.models, on):
        if engine == "model":
            verdict = model.explore(scenario, fetch, limits)
        else:
            from emu.race import machine

            verdict = machine.explore(scenario, fetch, limits, seed)
        yield verdict
        if verdict.why == INTERRUPTED:
            return


def _limits(limit: Limits | int | None) -> Limits | None:
    return Limits(states=limit) if isinstance(limit, int) else limit


def fetch_names(arch: str, fetch: str | Sequence[str]) -> tuple[str, ...]:
    """The distinct names of fetch models in a user's text."""
    words = [word.strip() for word in fetch.split(",")] if isinstance(fetch, str) else fetch
    return tuple(dict.fromkeys(model_of(arch, ALIASES.get(word, word)).name for word in words))


def _possible(count: int, most: int, what: str) -> int:
    if not 1 <= count <= most:
        raise ValueError(f"{count} {what}: 1 to {most} are possible")
    return count


def _places(scenario: Scenario, sites: int) -> tuple[int, ...]:
    """This many places: the scenario's, followed by the architecture's other kinds of places."""
    _possible(sites, MOST_SITES, "sites")
    named = max(scenario.named_sites, default=0)
    if named > sites:
        raise ValueError(f"{sites} sites: scenario {scenario.name} says something of site {named}")
    return tuple(itertools.islice(itertools.chain(scenario.places, itertools.cycle(scenario.race_arch.places)), sites))
