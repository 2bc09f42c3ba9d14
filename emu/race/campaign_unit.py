# SPDX-License-Identifier: GPL-2.0-only
"""A search as a campaign's unit of work: from plain values to plain values, the same on every host.

    >>> for parameters, given in cases([scenario], fetch="torn1,torn8", search=("exhaustive", "random")):
    ...     row = parameters | searched(parameters, given)
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from emu.race import api, model
from emu.race.cause import cause
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.random_search import random_search
from emu.race.scenario import scenario_file, scenario_format
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.schedule import Schedule, text_of
from emu.race.schedule.verdict import Verdict

__all__ = ["COLUMNS", "SEARCHES", "Pair", "cases", "searched"]

SEARCHES = ("exhaustive", "random")

COLUMNS = (
    "scenario", "protocol", "arch", "change", "places", "nmi", "handler", "fails_at", "cpus", "fetch", "on", "search", "seed",
    "outcome", "wrong", "events", "states", "moves", "cause", "why", "schedule",
)  # fmt: skip
"""The columns of a table of searches: the parameters, and what `searched` returns."""

Pair = tuple[dict[str, object], dict[str, object]]
"""A unit's parameters, and what it is given."""

_LONGEST_NAME = 100  # characters, of a scenario that is read


def cases(
    scenarios: Iterable[Scenario],
    *,
    fetch: str | Sequence[str] | None = None,
    on: Sequence[str] = ("model",),
    search: Sequence[str] = ("exhaustive",),
    seeds: Sequence[int] = (0,),
    limit: int | None = None,
) -> Iterator[Pair]:
    """Yields parameters and givens of `searched`: for each scenario, fetch model, engine, search and seed.

    An exhaustive search of the model needs no seed, so it is there once, with the first one. The random one is of the model
    alone. A text that a worker is given has a file's protocol as steps.

    Args:
        scenarios: the scenarios, from files, `api.cases` or `generator.numbered`.
        fetch: names of fetch models, as a list or separated by commas; default: the scenario's.
        on: "model", "machine", or both.
        search: one or more of SEARCHES.
        seeds: seeds of the machine and of random searches.
        limit: a limit for each search, in states; of a random one, in events. None: 20,000,000.

    Raises:
        ValueError: a scenario is impossible on an engine, a fetch model does not exist, or another argument is wrong.
    """
    for one in search:
        _check_search(one)
    for scenario in scenarios:
        for engine in on:
            api.engines(scenario, engine)
        columns, given = _columns(scenario), {"scenario": _text(scenario), "limit": limit}
        models = scenario.models if fetch is None else api.fetch_names(scenario.arch, fetch)
        for model_name, engine, kind in itertools.product(models, on, search):
            if kind == "random" and engine != "model":
                continue
            needed = seeds[:1] if engine == "model" and kind == "exhaustive" else seeds
            for seed in needed:
                yield {**columns, "fetch": model_name, "on": engine, "search": kind, "seed": seed}, dict(given)


def searched(parameters: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """Searches a scenario under one fetch model. The result depends on the arguments alone.

    Args:
        parameters: "fetch", the name of a model; "on", "model" or "machine"; "search", one of SEARCHES; "seed", of the
            machine or the random search. The others are columns for a reader (`cases`).
        given: "scenario", a scenario's text; "limit", a number of states (of a random search, of events) or None.

    Returns:
        outcome, wrong: as in a verdict; wrong is None unless it is unsafe.
        events: the length of the schedule, or None.
        states, moves: as in a verdict.
        cause: equal for what is wrong for the same reason (`emu.race.cause`), or None.
        why: a sentence.
        schedule: the text of the schedule's file, or None.

    Raises:
        ValueError: an argument is wrong. The text says which.
        KeyboardInterrupt: it was interrupted.
    """
    fetch, on, search = (str(parameters[name]) for name in ("fetch", "on", "search"))
    seed, limit = parameters["seed"], given["limit"]
    if not isinstance(seed, int) or not isinstance(limit, int | None):
        raise ValueError(f"a seed {seed!r} and a limit {limit!r}: whole numbers, and the limit may be None")
    scenario = scenario_file.parse(str(given["scenario"]))
    verdict = _verdict(scenario, fetch, on, search, seed, Limits() if limit is None else Limits(states=limit))
    if verdict.why == INTERRUPTED:
        raise KeyboardInterrupt
    unsafe = verdict.wrong is not None
    return {
        "outcome": verdict.outcome.value,
        "wrong": verdict.wrong.value if verdict.wrong else None,
        "events": len(verdict.schedule) if unsafe else None,
        "states": verdict.states,
        "moves": verdict.moves,
        "cause": cause(verdict) if unsafe else None,
        "why": verdict.why,
        "schedule": text_of(Schedule.of(verdict, seed if on == "machine" else 0)) if unsafe else None,
    }


def _verdict(scenario: Scenario, fetch: str, on: str, search: str, seed: int, limits: Limits) -> Verdict:
    _check_search(search)
    if on not in ("model", "machine"):
        raise ValueError(f"there is no engine '{on}'; there are model and machine")
    api.engines(scenario, on)
    if on == "model":
        return random_search(scenario, fetch, seed, limits) if search == "random" else model.explore(scenario, fetch, limits)
    if search == "random":
        raise ValueError("a random search is of the model alone")
    from emu.race import machine

    return machine.explore(scenario, fetch, limits, seed)


def _check_search(search: str) -> None:
    if search not in SEARCHES:
        raise ValueError(f"there is no search '{search}'; there are {' and '.join(SEARCHES)}")


def _columns(scenario: Scenario) -> dict[str, object]:
    """What distinguishes a scenario from others in a table."""
    return {
        "scenario": scenario.name,
        "protocol": scenario.protocol_text,
        "arch": scenario.arch,
        "change": scenario.change.value,
        "places": " ".join(map(str, scenario.places)),
        "nmi": bool(scenario.nmi_sites),
        "handler": scenario.handler.value,
        "fails_at": scenario.fails_at,
        "cpus": scenario.cpus,
    }


def _text(scenario: Scenario) -> str:
    """The text of a scenario, which can be read without another file."""
    short = dataclasses.replace(scenario, name=scenario.name[-_LONGEST_NAME:])
    return scenario_format.format(short, files=False)
