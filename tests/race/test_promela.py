# SPDX-License-Identifier: GPL-2.0-only
"""SPIN as an independent check: in a model of its own, it finds the same bug after as many events, and as many states."""

from __future__ import annotations

import pytest
from promela import promela
from spin import spin_search

from emu.race.model import automaton_of, explore
from emu.race.model.tables import NOT_ALLOWED, Tables
from emu.race.scenario.scenario import Scenario
from emu.race.scenario.scenario_file import parse
from emu.race.schedule.verdict import Outcome
from tests.lib.needs import needs

pytestmark = needs("spin", "cc")

SAFE = (
    "protocol breakpoint; place 61 13; cpus 2; nmi 1; fetch torn1",
    "protocol breakpoint; place 61; cpus 3; nmi 1; fetch stale",
    "protocol breakpoint; place 5 0; change call > call; cpus 2; handler retry; nmi 2; fetch translation",
    "protocol breakpoint; place 5; fails 3; cpus 2; nmi 1; fetch torn1",
    "protocol stop_machine; place 0; cpus 3; nmi 1; fetch torn8",
    "protocol flush; arch sparc64; place 0 0; cpus 2; nmi 1; fetch flushed",
    "change call > nop; nmi 1; fetch coherent; protocol;  park;  write all new;  release;  wait-tasks;  free",
    "change nops > call; nmi 1; fetch torn8; protocol;  write head breakpoint;  sync;  wait-tasks;  write tail new;  sync;"
    "  write head new;  sync",
)
FORGETS = "protocol;  write head breakpoint;  sync;  write tail new;  sync;  forget;  write head new;  sync"
UNSAFE = {
    "protocol breakpoint without 4; place 61; nmi 1; fetch torn1": "torn",
    "protocol breakpoint; change nops > call; fetch stale": "torn",
    "protocol stop_machine; place 13; cpus 3; nmi 1; fetch torn16": "torn",
    "protocol flush without 2; arch sparc64; fetch flushed": "late",
    "protocol breakpoint; handler die; fetch coherent": "unknown-breakpoint",
    f"change call > call; fetch torn1; {FORGETS}": "unknown-breakpoint",
    "protocol breakpoint; change call > call; handler skip; fetch coherent": "skipped",
    "change call > nop; nmi 1; fetch coherent; protocol;  park;  write all new;  release;  free": "freed",
    "protocol stop_machine without 3; nmi 1; fetch stale": "stuck",
}


def scenario_of(text: str) -> Scenario:
    return parse("scenario witnessed\n" + text.replace("; ", "\n") + "\n")


def states(tables: Tables, cpus: int) -> int:
    """The number of states if CPUs are not interchangeable."""
    found = [(0, (0,) * cpus)]
    seen = set(found)
    for position, numbers in found:  # grows during the loop
        rows = [tables.rows[position][number] for number in numbers]
        following = [
            (position, (*numbers[:cpu], target, *numbers[cpu + 1 :])) for cpu, row in enumerate(rows) for target in row.targets
        ]
        if all(row.advance != NOT_ALLOWED for row in rows):
            following.append((position + 1, tuple(row.advance for row in rows)))
        new = dict.fromkeys(state for state in following if state not in seen)
        seen.update(new)
        found += new
    return len(found)


@pytest.mark.parametrize("text", SAFE)
def test_spin_sees_the_same_states_of_what_is_safe(text: str) -> None:
    scenario = scenario_of(text)
    (fetch,) = scenario.fetch
    found = spin_search(promela(scenario, fetch), optimise=False)
    assert explore(scenario, fetch).outcome is Outcome.SAFE
    assert (found.wrong, found.states) == (None, states(Tables(automaton_of(scenario, fetch)), scenario.cpus))


@pytest.mark.parametrize(("text", "wrong"), UNSAFE.items())
def test_spin_finds_the_same_wrong_after_as_many_events(text: str, wrong: str) -> None:
    scenario = scenario_of(text)
    (fetch,) = scenario.fetch
    verdict = explore(scenario, fetch)
    found = spin_search(promela(scenario, fetch), optimise=False)
    assert found.wrong == verdict.wrong == wrong
    assert wrong == "stuck" or found.length == len(verdict.schedule)


def test_what_there_is_no_promela_for_is_refused() -> None:
    with pytest.raises(ValueError, match="no Promela for user"):
        promela(scenario_of("protocol breakpoint; user"), "stale")
