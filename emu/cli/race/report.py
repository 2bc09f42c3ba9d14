# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.race import Expectation, Verdict

__all__ = ["columns", "counted", "reservations", "reservations_of", "table", "verdict_line"]

_COLUMNS = 100


def counted(number: int, noun: str) -> str:
    """1 state, 2,000 states, 2 searches."""
    plural = noun + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def expectation_text(expectation: Expectation) -> str:
    """The text of an expectation, in the form of a scenario's `expect`."""
    if not expectation.unsafe:
        return "safe"
    wrong = expectation.wrong.value if expectation.wrong else "unsafe"
    return f"{wrong} after {counted(expectation.events, 'event')}" if expectation.events else wrong


def verdict_line(verdict: Verdict, *, engine: bool) -> str:
    """Ok or No, and the result under one fetch model.

    Args:
        verdict: the search's verdict.
        engine: whether the line names the engine.
    """
    columns = f"{'Ok' if verdict.ok else 'No'}  {verdict.fetch:<11}" + (f"  {verdict.on:<7}" if engine else "")
    expected = verdict.scenario.expected(verdict.fetch)
    but = "" if verdict.ok or expected is None else f"; expected: {expectation_text(expected)}"
    return f"{columns}  {_finding(verdict)} ({counted(verdict.states, 'state')}){but}"


def _finding(verdict: Verdict) -> str:
    if verdict.wrong is not None:
        return f"{verdict.wrong} after {counted(len(verdict.schedule), 'event')}: {verdict.why}"
    if verdict.any_number_of_cpus:
        return f"{verdict.outcome} for any number of CPUs"
    return f"{verdict.outcome}: {verdict.why}" if verdict.why else verdict.outcome.value


def table(verdict: Verdict) -> str:
    """The verdict's schedule as a table."""
    from emu.race import Schedule
    from emu.race.schedule import show

    return show.table(Schedule.of(verdict))


def reservations(coverages: Iterable[Mapping[str, tuple[int, int]]], assumptions: Sequence[Sequence[str]]) -> str:
    """The coverage, and the assumptions behind verdicts.

    Args:
        coverages: the coverage of each completed search.
        assumptions: the assumptions of each verdict.
    """
    sums: dict[str, list[int]] = {}
    for coverage in coverages:
        for name, of in coverage.items():
            sums[name] = [a + b for a, b in zip(sums.get(name, [0, 0]), of, strict=True)]
    reached = [f"{reached:,} of {all_of:,} {name}" for name, (reached, all_of) in sums.items()]
    lines = [f"reached: {', '.join(reached)}"] if reached else []
    assumed = Counter(text for texts in assumptions for text in texts)
    always = [text for text, count in assumed.items() if count == len(assumptions)]
    sometimes = [text for text, count in assumed.items() if count < len(assumptions)]
    others = "and, each in some of the searches:" if always else "this assumes, each in some of the searches:"
    for heading, texts in (("this assumes:", always), (others, sometimes)):
        if texts:
            lines += [heading, *(fill(text, _COLUMNS, initial_indent="  ", subsequent_indent="    ") for text in texts)]
    return "".join(f"{line}\n" for line in lines)


def reservations_of(verdicts: Sequence[Verdict]) -> str:
    """The same for searches of scenarios."""
    coverages = [verdict.coverage for verdict in verdicts if not verdict.wrong]
    return reservations(coverages, [verdict.assumptions for verdict in verdicts if verdict.outcome != "not decided"])
