# SPDX-License-Identifier: GPL-2.0-only
"""The model: CPUs and the patcher as automata, searched exhaustively, with any number of visits to the sites."""

from __future__ import annotations

import time

from emu.race.limits import INTERRUPTED, Limits
from emu.race.model.assumptions import assumptions
from emu.race.model.automaton import Automaton
from emu.race.model.native_search import native_search
from emu.race.model.search import Found, schedule
from emu.race.model.tables import Tables
from emu.race.scenario.fetch import MODELS, model_of
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["STUCK", "automaton_of", "explore", "verdict_of"]

STUCK = "the protocol does not end: what it asks last is never answered, or CPUs wait at its end"


def automaton_of(scenario: Scenario, fetch: str) -> Automaton:
    """The automaton of a CPU.

    Raises:
        ValueError: the architecture has no such fetch model, or the scenario is impossible. The text says why.
    """
    return Automaton(scenario, model_of(scenario.arch, fetch))


def explore(scenario: Scenario, fetch: str, limits: Limits | None = None) -> Verdict:
    """Searches everything that the CPUs of a scenario may do under a fetch model.

    Raises:
        ValueError: the scenario is impossible, or too large. The text says why.
    """
    began = time.perf_counter()
    limits = (limits or Limits()).started()
    try:
        tables = Tables(automaton_of(scenario, fetch), limits)
        none = Found(0, 0, [set() for _ in tables.rows], limit=tables.limit)
        found = none if tables.limit else native_search(tables, scenario.cpus, limits)
    except KeyboardInterrupt:
        return Verdict(scenario, fetch, "model", Outcome.UNDECIDED, why=INTERRUPTED, seconds=time.perf_counter() - began)
    return verdict_of(scenario, fetch, tables, found, time.perf_counter() - began)


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
