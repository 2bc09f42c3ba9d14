# SPDX-License-Identifier: GPL-2.0-only
"""Results by function, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from emu.cli.stat.results import Figure, Results
from emu.cli.stat.text import number
from emu.cli.table import Column, fitted

__all__ = ["sorted_functions", "table"]


def sorted_functions(results: Results, events: Sequence[str]) -> list[tuple[str, Mapping[str, Figure]]]:
    """The functions with their counts, sorted by the first event, the largest count first."""
    found = results.functions(events)
    return sorted(found.items(), key=lambda item: (-item[1][events[0]].mean, item[0]))


def table(results: Results, events: Sequence[str], rows: int, width: int) -> Iterator[str]:
    """The first rows, a row for all other functions, and the sum, which equals the counts of all CPUs."""
    functions = [(name, {event: figures[event].mean for event in events}) for name, figures in sorted_functions(results, events)]
    shown, others = functions[:rows], functions[rows:]
    if others:
        shown.append((f"({len(others):,} more)", _sum([counts for _, counts in others], events)))
    total = _sum([counts for _, counts in functions], events)
    lines = []
    for name, counts in [*shown, ("(all)", total)]:
        share = 100 * counts[events[0]] / total[events[0]] if total[events[0]] else 0.0
        lines.append([f"{share:.2f}%", *(number(counts[event]) for event in events), name])
    fit = fitted([Column("overhead"), *map(Column, events), Column("function", "name")], lines, width)
    yield from (f"{line}\n" for line in (*fit.head, *fit.body))


def _sum(counts: Sequence[Mapping[str, float]], events: Sequence[str]) -> dict[str, float]:
    return {event: sum(one[event] for one in counts) for event in events}
