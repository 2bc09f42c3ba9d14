# SPDX-License-Identifier: GPL-2.0-only
"""The events of `emu stat`: which are shown, and remarks on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import click

from emu.cli.stat.results import DURATION, Figure
from emu.ftrace.errors import did_you_mean

__all__ = ["BY_FUNCTION", "SHOWN", "Remark", "chosen", "remark"]

SHOWN = (
    "cycles", "instructions", "branches", "branch-misses",
    "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
    "L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-load-misses",
    "return-misses", "btb-misses", "coherence-transfers", "traps",
)  # fmt: skip
"""The default without -e: the events of `perf stat -d -d`, in its order, then emu's own."""

BY_FUNCTION = (
    "cycles", "instructions", "branch-misses", "L1-icache-load-misses", "L1-dcache-load-misses", "LLC-load-misses",
    "coherence-transfers",
)  # fmt: skip
"""The default for the table of functions. Events that the timing model does not count are left out."""

_OTHER_NAMES = {"cpu-cycles": "cycles", "branch-instructions": "branches"}  # perf's names

# For events that are part of others: the whole, and perf's wording; the last are emu's own
_PARTS = {
    "branch-misses": ("branches", "of all branches"),
    "L1-dcache-load-misses": ("L1-dcache-loads", "of all L1-dcache accesses"),
    "L1-icache-load-misses": ("L1-icache-loads", "of all L1-icache accesses"),
    "LLC-load-misses": ("LLC-loads", "of all LL-cache accesses"),
    "dTLB-load-misses": ("dTLB-loads", "of all dTLB cache accesses"),
    "L1-dcache-store-misses": ("L1-dcache-stores", "of all L1-dcache stores"),
    "return-misses": ("returns", "of all returns"),
    "conditional-misses": ("conditional-branches", "of conditional branches"),
    "indirect-misses": ("indirect-branches", "of indirect branches"),
}


class Remark(NamedTuple):
    """The text after `#`."""

    value: float
    text: str  # the value in perf's format
    unit: str


def remark(event: str, figure: Callable[[str], Figure | None]) -> Remark | None:
    """The remark on an event. `figure`: returns an event's count, or None if it was not counted."""
    whole, unit = ("cycles", "insn per cycle") if event == "instructions" else _PARTS.get(event, ("", ""))
    part, of = figure(event), figure(whole)
    if part is None or of is None or not of.mean:
        return None
    ratio = part.mean / of.mean
    if event == "instructions":
        return Remark(ratio, f"{ratio:7.2f} ", unit)
    return Remark(100 * ratio, f"{100 * ratio:7.2f}%", unit)


def chosen(texts: Sequence[str], option: str) -> list[str]:
    """The events named by an option's values, each of which is a name or several separated by commas.

    Raises:
        click.UsageError: the event does not exist.
    """
    from emu.cpu.timing.events import EVENTS

    known = (*EVENTS, DURATION)
    found = [_OTHER_NAMES.get(word, word) for text in texts for word in text.split(",")]
    for word in found:
        if word not in known:
            hint = did_you_mean(word, known) or f" (known: {', '.join(known)})"
            raise click.UsageError(f"{option}: there is no event '{word}'{hint}")
    return list(dict.fromkeys(found))
