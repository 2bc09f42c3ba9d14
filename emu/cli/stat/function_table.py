# SPDX-License-Identifier: GPL-2.0-only
"""Results by function: a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from emu.cli.stat.results import Figure, Results
from emu.cli.stat.text import number

__all__ = ["sorted_functions", "table"]

_NARROWEST = 14  # width of a column


def sorted_functions(results: Results, events: Sequence[str]) -> list[tuple[str, Mapping[str, Figure]]]:
    """The functions and what they have counted. Those that have counted most of the first event come first."""
    found = results.functions(events)
    return sorted(found.items(), key=lambda item: (-item[1][events[0]].mean, item[0]))


def table(results: Results, events: Sequence[str], rows: int) -> Iterator[str]:
    """The first rows, one for all other functions, and the sum, which is what all CPUs have counted."""
    functions = [(name, {event: figures[event].mean for event in events}) for name, figures in sorted_functions(results, events)]
    shown, others = functions[:rows], functions[rows:]
    if others:
        shown.append((f"({len(others):,} more)", _sum([counts for _, counts in others], events)))
    total = _sum([counts for _, counts in functions], events)
    yield _row("overhead", {event: event for event in events}, events, "function")
    for name, counts in [*shown, ("(all)", total)]:
        share = 100 * counts[events[0]] / total[events[0]] if total[events[0]] else 0.0
        yield _row(f"{share:.2f}%", {event: number(counts[event]) for event in events}, events, name)


def _sum(counts: Sequence[Mapping[str, float]], events: Sequence[str]) -> dict[str, float]:
    return {event: sum(one[event] for one in counts) for event in events}


def _row(share: str, cells: Mapping[str, str], events: Sequence[str], name: str) -> str:
    columns = "".join(f"  {cells[event]:>{max(len(event), _NARROWEST)}}" for event in events)
    return f"{share:>9}{columns}  {name}\n"
