# SPDX-License-Identifier: GPL-2.0-only
"""The model: CPUs and the patcher as automata, searched exhaustively, with any number of visits to the sites."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Set

from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.assumptions import assumptions
from emu.race.model.automaton import Automaton
from emu.race.model.liveness import lasso
from emu.race.model.native_search import native_search
from emu.race.model.reduction import obstacle, parts
from emu.race.model.search import Found, schedule
from emu.race.model.tables import Tables
from emu.race.scenario.fetch import MODELS, model_of
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["STUCK", "automaton_of", "explore", "of_one_cpu", "verdict_of"]

STUCK = "the protocol does not end: what it asks last is never answered, or CPUs wait at its end"


def automaton_of(scenario: Scenario, fetch: str, sites: Set[int] | None = None) -> Automaton:
    """The automaton of a CPU, which comes to some of the sites; None: to all.

    Raises:
        ValueError: the architecture has no such fetch model, or the scenario is impossible. The text says why.
    """
    return Automaton(scenario, model_of(scenario.arch, fetch), sites)


def explore(scenario: Scenario, fetch: str, limits: Limits | None = None, *, reduce: bool = True) -> Verdict:
    """Searches everything that the CPUs of a scenario may do under a fetch model.

    Args:
        scenario: the scenario.
        fetch: the fetch model.
        limits: of each search.
        reduce: whether one CPU is searched first, where it stands for any number of CPUs (`reduction`). If nothing is wrong, that
            is the verdict. Otherwise, all CPUs are searched, for a shortest schedule.

    Raises:
        ValueError: the scenario is impossible, or too large. The text says why.
    """
    began = time.perf_counter()
    limits = (limits or Limits()).started()
    try:
        of_one = of_one_cpu(scenario, fetch, limits) if reduce and not obstacle(scenario) else None
        if of_one and (of_one.outcome is Outcome.SAFE or of_one.why == INTERRUPTED):
            return dataclasses.replace(of_one, seconds=time.perf_counter() - began)
        tables = Tables(automaton_of(scenario, fetch), limits)
        found = _searched(tables, scenario.cpus, limits)
    except KeyboardInterrupt:
        return Verdict(scenario, fetch, "model", Outcome.UNDECIDED, why=INTERRUPTED, seconds=time.perf_counter() - began)
    verdict = verdict_of(scenario, fetch, tables, found, time.perf_counter() - began)
    if of_one and of_one.wrong and verdict.outcome is Outcome.UNDECIDED:
        return dataclasses.replace(of_one, seconds=verdict.seconds)
    return verdict


def _searched(tables: Tables, cpus: int, limits: Limits) -> Found:
    if tables.limit:
        return Found(0, 0, [set() for _ in tables.rows], limit=tables.limit)
    return native_search(tables, cpus, limits)


def of_one_cpu(scenario: Scenario, fetch: str, limits: Limits) -> Verdict:
    """The verdict for any number of CPUs, from searches of one, for one part of the sites after another."""
    verdicts: list[Verdict] = []
    for sites in parts(scenario):
        tables = Tables(automaton_of(scenario, fetch, sites), limits)
        found = _searched(tables, 1, limits)
        alone = dataclasses.replace(scenario, cpus=1)
        verdict = verdict_of(alone, fetch, tables, found, 0.0)
        if verdict.outcome is not Outcome.SAFE:
            return verdict
        verdicts.append(verdict)
    coverage = {name: [v.coverage[name] for v in verdicts] for name in verdicts[0].coverage}
    return dataclasses.replace(
        verdicts[0], scenario=scenario, states=sum(v.states for v in verdicts), moves=sum(v.moves for v in verdicts),
        coverage={name: (sum(n for n, _ in of), sum(n for _, n in of)) for name, of in coverage.items()}, any_number_of_cpus=True,
        assumptions=assumptions(scenario, MODELS[fetch], any_number_of_cpus=True),
    )  # fmt: skip


def verdict_of(scenario: Scenario, fetch: str, tables: Tables, found: Found, seconds: float) -> Verdict:
    """The verdict for a search's result."""
    outcome, wrong, why = Outcome.SAFE, None, ""
    events, move = schedule(tables, found.wrong, wrong=True) if found.wrong else ([], None)
    if move is not None:
        outcome, wrong, why = Outcome.UNSAFE, move.wrong, move.why
    elif found.limit:
        outcome, why = Outcome.UNDECIDED, found.limit
    elif not tables.automaton.patcher.ends and Wrong.STUCK in scenario.never:
        outcome, wrong, why = Outcome.UNSAFE, Wrong.STUCK, STUCK
        events, _ = schedule(tables, found.last, wrong=False)
    elif scenario.live and Wrong.STARVED in scenario.never and (waiting := lasso(tables, scenario.cpus)):
        outcome, wrong, why, events = Outcome.UNSAFE, Wrong.STARVED, waiting.why, waiting.events
    return Verdict(
        scenario, fetch, "model", outcome, wrong, why, tuple(events), found.states, found.moves, _coverage(tables, found),
        assumptions(scenario, MODELS[fetch]), seconds=seconds,
    )  # fmt: skip


def _coverage(tables: Tables, found: Found) -> dict[str, tuple[int, int]]:
    rows = [row for rows in tables.rows for row in rows]
    reached = [rows[n] for rows, numbers in zip(tables.rows, found.reached, strict=True) for n in numbers]
    return {
        "positions of the patcher": (sum(bool(numbers) for numbers in found.reached), len(tables.rows)),
        "states of a CPU": (len(reached), len(rows)),
        "fetches": (sum(row.fetches for row in reached), sum(row.fetches for row in rows)),
    }
