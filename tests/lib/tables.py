# SPDX-License-Identifier: GPL-2.0-only
"""Small tables of campaigns."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from emu.campaign.journal import Entry
from emu.campaign.table import Table, table_of

__all__ = ["campaign", "entries", "entry"]


def entry(**values: object) -> Entry:
    """An entry: names with an underscore at the end are measures."""
    parameters = {name: value for name, value in values.items() if not name.endswith("_")}
    measures = {name.rstrip("_"): value for name, value in values.items() if name.endswith("_")}
    return Entry(parameters, measures)  # type: ignore[arg-type]  # tests give scalars


def entries(seeds: int, slow: float = 1.0, chance: int = 0, tracers: Iterable[str] = ("nop", "function")) -> list[Entry]:
    """Two tracers, on 1 to 4 CPUs, with some seeds. With four CPUs `slow` makes more cycles and, above 1, hangs."""
    choose = random.Random(chance)
    return [
        entry(
            arch="x86_64", tracer=tracer, cpus=cpus, seed=seed,
            cycles_=round(1e6 / cpus * (1.3 if tracer == "function" else 1) * (slow if cpus == 4 else 1) + choose.gauss(0, 2e4)),
            size_=7, outcome_="hang" if slow > 1 and cpus == 4 and seed % 5 else "ok",
        )
        for tracer in tracers
        for cpus in (1, 2, 4)
        for seed in range(seeds)
    ]  # fmt: skip


def campaign(folder: Path, found: Iterable[Entry]) -> Table:
    """Writes the tables of a campaign into a folder, which is made."""
    folder.mkdir(exist_ok=True)
    table = table_of(found)
    table.write(folder / "table.parquet", folder / "table.csv")
    return table
