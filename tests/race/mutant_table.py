# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong if a stage of a shipped protocol is left out, or two are swapped: the tables of docs/race-lab.md.

    python -m tests.race.mutant_table
"""

from __future__ import annotations

import functools

from emu.ftrace import arch as ftrace_arch
from emu.ftrace.patching import PROTOCOLS
from emu.race import model
from emu.race.fetch import models_of
from emu.race.model_sites import model_patches
from emu.race.mutants import mutants
from emu.race.protocol_text import NamedProtocol, ShippedProtocol
from emu.race.scenario import PLACES, Scenario, Wrong
from emu.race.verdict import Verdict

__all__ = ["rows", "table"]

LETTERS = {Wrong.TORN: "T", Wrong.LATE: "L", Wrong.BREAKPOINT: "B", Wrong.STUCK: "S"}


@functools.cache
def rows(arch: str) -> list[tuple[NamedProtocol, list[int], list[Verdict]]]:
    """Each protocol and mutant, with places at which its verdicts are the same, and those: one for each fetch model."""
    found = []
    for name in ftrace_arch.load(arch).protocols:
        shipped = ShippedProtocol(name)
        scenario = Scenario(name, PROTOCOLS[name], name, arch=arch)
        for protocol in (shipped, *mutants(shipped, model_patches(scenario), scenario.breakpoint)):
            alike: dict[str, tuple[list[int], list[Verdict]]] = {}
            for place in PLACES[arch]:
                of = Scenario(protocol.text, protocol, protocol.text, arch=arch, places=(place,))
                verdicts = [model.explore(of, fetch) for fetch in of.models]
                alike.setdefault(str([cell(verdict) for verdict in verdicts]), ([], verdicts))[0].append(place)
            found += [(protocol, places, verdicts) for places, verdicts in alike.values()]
    return found


def cell(verdict: Verdict) -> str:
    """What goes wrong, and after how many events; "": nothing."""
    return f"{LETTERS[verdict.wrong]}{len(verdict.schedule)}" if verdict.wrong else ""


def table(arch: str) -> str:
    """The Markdown table of an architecture."""
    heads = ["protocol", "place", *(fetch.name for fetch in models_of(arch))]
    lines = [heads, ["---"] * len(heads)]
    for protocol, places, verdicts in rows(arch):
        where = "any" if places == list(PLACES[arch]) else " ".join(map(str, places))
        lines.append([f"`{protocol.text}`", where, *map(cell, verdicts)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    for arch in PLACES:
        print(table(arch))
