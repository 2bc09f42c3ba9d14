# SPDX-License-Identifier: GPL-2.0-only
"""The output of emu race certify --mutants: a protocol, and what goes wrong if a stage is omitted or two are swapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from emu.cli.race.report import columns, counted

if TYPE_CHECKING:
    from emu.race import Scenario, Verdict

__all__ = ["mutants_sentence", "mutants_stages", "mutants_table"]

_ANY = "any"
_ITSELF = "as it is"


class _Row(NamedTuple):
    """Searches under each fetch model, with equal results.

    Attributes:
        stages: what was omitted or swapped.
        where: the titles' values to which the results apply.
        cells: the results.
    """

    stages: str
    where: tuple[tuple[str, ...], ...]
    cells: tuple[str, ...]


_TITLES = ("change", "place", "NMIs", "on")


def mutants_stages(scenario: Scenario) -> str:
    """The stages of a protocol, with their numbers for `without` and `swap`."""
    from emu.race.model.model_sites import model_patches
    from emu.race.scenario.protocol_steps import stages
    from emu.race.scenario.protocol_text import written

    patches = model_patches(scenario)
    steps = scenario.steps(patches)
    named = [f"{n} {written(stage, patches, scenario.breakpoint).text}" for n, stage in enumerate(stages(steps), 1)]
    return f"{scenario.protocol_text}: {', '.join(named)}\n"


def mutants_table(verdicts: Sequence[Verdict]) -> str:
    """A column per fetch model; a line per omission or swap, and per group of cases with equal results.

    A column with `any` in each line is left out.
    """
    fetches = list(dict.fromkeys(verdict.fetch for verdict in verdicts))
    found: dict[tuple[str, ...], dict[str, Verdict]] = {}
    protocol = verdicts[0].scenario.protocol_text
    for verdict in verdicts:
        found.setdefault((_stages(verdict, protocol), *_where(verdict)), {})[verdict.fetch] = verdict
    rows = [
        _Row(stages, tuple((value,) for value in where), tuple(_cell(of.get(fetch)) for fetch in fetches))
        for (stages, *where), of in found.items()
    ]
    everything = [tuple(dict.fromkeys(row.where[n][0] for row in rows)) for n in range(len(_TITLES))]
    for n in reversed(range(len(_TITLES))):
        rows = _merged(rows, n)
    shown = [n for n in range(len(_TITLES)) if any(row.where[n] != everything[n] for row in rows)]
    lines = [("stages", *(_TITLES[n] for n in shown), *fetches)]
    for row in rows:
        where = (_ANY if row.where[n] == everything[n] else _listed(row.where[n]) for n in shown)
        lines.append((row.stages, *where, *row.cells))
    return columns(lines)


def _where(verdict: Verdict) -> tuple[str, ...]:
    scenario = verdict.scenario
    return scenario.change, " ".join(map(str, scenario.places)), "yes" if scenario.nmi_sites else "no", verdict.on


def _stages(verdict: Verdict, protocol: str) -> str:
    return verdict.scenario.protocol_text.removeprefix(protocol).strip() or _ITSELF


def _cell(verdict: Verdict | None) -> str:
    """What goes wrong, in one word, and after how many events; `?` if it is undecided."""
    if verdict is None or not (verdict.wrong or verdict.ok):
        return "?"
    return f"{verdict.wrong.partition('-')[0]} {len(verdict.schedule)}" if verdict.wrong else "safe"


def _merged(rows: Sequence[_Row], n: int) -> list[_Row]:
    """The rows, with those merged that differ only in the value of title number `n`."""
    found: dict[_Row, tuple[str, ...]] = {}
    for row in rows:
        others = row._replace(where=(*row.where[:n], (), *row.where[n + 1 :]))
        found[others] = (*found.get(others, ()), *row.where[n])
    return [row._replace(where=(*row.where[:n], values, *row.where[n + 1 :])) for row, values in found.items()]


def _listed(values: Sequence[str]) -> str:
    return (", " if any(" " in value for value in values) else " ").join(values)


def mutants_sentence(verdicts: Sequence[Verdict], *, complete: bool) -> str:
    """The number of mutants, and those that are safe in all cases searched."""
    scenario = verdicts[0].scenario
    outcomes: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        outcomes.setdefault(_stages(verdict, scenario.protocol_text), []).append(verdict)
    safe = [stages for stages, of in outcomes.items() if stages != _ITSELF and all(verdict.ok for verdict in of)]
    unsafe = sum(verdict.wrong is not None for verdict in verdicts)
    undecided = sum(not (verdict.wrong or verdict.ok) for verdict in verdicts)
    but = f", {undecided:,} not decided" * bool(undecided) + ", then interrupted" * (not complete)
    return (
        f"{counted(len(outcomes.keys() - {_ITSELF}), 'mutant')} of {scenario.protocol_text} "
        f"for {counted(scenario.cpus, 'CPU')} and {counted(len(scenario.places), 'site')}: "
        f"{unsafe:,} of {counted(len(verdicts), 'search')} unsafe{but}; "
        f"{counted(sum(verdict.states for verdict in verdicts), 'state')}\n"
        f"mutants that are safe everywhere: {', '.join(safe) or 'none'}\n"
    )
