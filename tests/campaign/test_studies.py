# SPDX-License-Identifier: GPL-2.0-only
"""Parts of the studies of docs/campaigns.md, while workers are killed: the same table as without, and what the document says."""

from __future__ import annotations

import random
import re
import statistics
import threading
from pathlib import Path

import pytest

from emu.campaign import Unit, read_table, run
from emu.campaign.engine import Progress
from emu.cli.sweep import sweep_units
from emu.race import api
from emu.race.campaign_unit import cases
from tests.campaign.work import local_workers, tables

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs/campaigns.md").read_text()
MEASURES = ("duration_time", "cycles", "return-misses")
TRACERS = ("nop", "function", "function_graph")


def kill_at_random(choose: random.Random, ended: threading.Event) -> int:
    """Kills a local worker now and then until the campaign has ended. Returns how many."""
    killed = 0
    while not ended.wait(choose.uniform(3, 5)):
        if workers := local_workers():
            choose.choice(workers).kill()
            killed += 1
    return killed


@pytest.mark.long("a minute of campaigns")
def test_what_a_tracer_costs(tmp_path: Path) -> None:
    units = sweep_units("busy 8 1", {"seed": range(4), "cpus": [1, 4], "p": TRACERS}, MEASURES)
    run(units, tmp_path / "undisturbed", workers=2)
    ended = threading.Event()
    killed: list[int] = []
    threads: list[threading.Thread] = []

    def on_start(progress: Progress) -> None:
        def kill() -> None:
            killed.append(kill_at_random(random.Random(0), ended))

        threads.append(threading.Thread(target=kill))
        threads[0].start()

    try:
        results = run(units, tmp_path / "killed", workers=2, on_start=on_start)
    finally:
        ended.set()
        threads[0].join()
    assert killed[0] >= 2 and results.complete
    assert tables(tmp_path / "killed") == tables(tmp_path / "undisturbed")
    for row in results.table.rows():
        if row["cpus"] == 1:  # the same for all seeds
            numbers = (f"{row[name]:,}" for name in MEASURES)
            assert re.search(rf"^ +1  {row['p']} +20 +{' +'.join(numbers)}$", DOCUMENT, re.MULTILINE)


@pytest.mark.long("a minute of searches")
def test_how_soon_a_missing_step_is_found(tmp_path: Path) -> None:
    scenarios = [case for cpus in (1, 2) for case in api.cases("breakpoint", "x86_64", None, cpus, 1, mutants=True)]
    scenarios = [scenario for scenario in scenarios if "without" in scenario.protocol_text]
    pairs = cases(scenarios, fetch="torn1", search=("exhaustive", "random"), seeds=range(20), limit=100_000)
    run([Unit("emu.race.campaign_unit:searched", *pair) for pair in pairs], tmp_path)  # type: ignore[arg-type]  # scalars
    rows = read_table(tmp_path / "table.parquet").rows()

    def median(step: int, cpus: int, search: str) -> float:
        wanted = (f"breakpoint without {step}", cpus, search)
        of = [row for row in rows if (row["protocol"], row["cpus"], row["search"]) == wanted]
        return statistics.median(int(row["moves"] or 0) for row in of)

    for step in range(1, 7):
        cells = [f"{median(step, cpus, 'exhaustive'):,.0f} / {median(step, cpus, 'random'):,.0f}" for cpus in (1, 2)]
        assert re.search(rf"^\| {step}: [a-z ]+ \| {cells[0]} \| {cells[1]} \|", DOCUMENT, re.MULTILINE), (step, cells)
