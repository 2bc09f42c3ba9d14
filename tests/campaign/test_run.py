# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns with local workers: their table depends on the units alone."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from emu.campaign import CannotRun, Results, Unit, connection, read_table, run
from emu.campaign.engine import Progress
from emu.campaign.journal import Journal
from tests.campaign.work import WORK, tables, units


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The tables of forty units, done by one worker."""
    folder = tmp_path_factory.mktemp("reference")
    results = run(units(40), folder, workers=1)
    assert results.complete and not results.failures
    assert results.table.rows()[3] == {"seed": 3, "kind": "odd", "half": 1.5, "square": 9, "text": "number 3"}
    return tables(folder)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_number_of_workers_and_the_order_do_not_show(reference: list[bytes], workers: int, tmp_path: Path) -> None:
    shuffled = units(40)
    random.Random(workers).shuffle(shuffled)
    run(shuffled, tmp_path, workers=workers)
    assert tables(tmp_path) == reference


def test_a_killed_worker_does_not_show(reference: list[bytes], tmp_path: Path) -> None:
    """It is killed in the midst of a batch, and another takes its place."""
    assert run(units(40, kills=(17, str(tmp_path))), tmp_path, workers=2).complete
    assert (tmp_path / "killed").exists() and tables(tmp_path) == reference


@pytest.mark.parametrize(("count", "workers"), [(40, 2), (2, 1)])
def test_a_unit_that_kills_each_worker_fails_alone(tmp_path: Path, count: int, workers: int) -> None:
    """Although dask suspects each batch that a dead worker had."""
    results = run(units(count, deadly=1, folder=str(tmp_path)), tmp_path, workers=workers)
    assert [(unit.parameters["seed"], why) for unit, why in results.failures] == [(1, "the worker died in it, several times")]
    assert results.table.columns.num_rows == count - 1


def test_workers_that_nobody_restarts_are_replaced(
    reference: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dask gives up a worker that dies while it starts: then its nanny is closed, as here."""
    monkeypatch.setitem(connection._QUIET, "distributed.deploy.lost-worker-timeout", "1s")
    monkeypatch.setattr(connection, "_AGAIN", 1.0)
    clusters: list[LocalCluster] = []
    local = connection._local

    def captured(*arguments: Any) -> Any:
        made = local(*arguments)
        clusters.append(made[0])
        return made

    monkeypatch.setattr(connection, "_local", captured)
    stop = threading.Event()  # otherwise the test would wait for ever

    def on_start(progress: Progress) -> None:
        def close() -> None:
            while progress.done < 2:
                time.sleep(0.01)
            for nanny in [*clusters[0].workers.values()]:
                clusters[0].sync(nanny.close)
            stop.wait(30)
            stop.set()

        threading.Thread(target=close, daemon=True).start()

    try:
        assert run(units(40, sleep=0.1), tmp_path, workers=2, on_start=on_start, stop=stop).complete
    except KeyboardInterrupt:
        pytest.fail("no worker has come")
    finally:
        stop.set()
    assert tables(tmp_path) == reference


def test_it_goes_on_where_it_was_stopped(reference: list[bytes], tmp_path: Path) -> None:
    stop = threading.Event()
    ended: list[Results] = []

    def on_start(progress: Progress) -> None:
        def look() -> None:
            while progress.done < 5:
                stop.wait(0.01)
            stop.set()

        threading.Thread(target=look, daemon=True).start()

    with pytest.raises(KeyboardInterrupt):
        run(units(40, sleep=0.05), tmp_path, workers=2, on_start=on_start, on_end=ended.append, stop=stop)
    (before,) = ended
    done = before.table.columns.num_rows
    assert 5 <= done < 40 and not before.complete
    assert read_table(tmp_path / "table.parquet").columns.num_rows == done
    lines = (tmp_path / "journal").read_bytes()
    assert run(units(40, sleep=0.05), tmp_path, workers=1).complete
    assert tables(tmp_path) == reference
    assert (tmp_path / "journal").read_bytes().startswith(lines)  # which is only appended to


def test_what_fails_is_told_apart_and_tried_again(tmp_path: Path) -> None:
    results = run(units(10, fails=3, wrong=4, exits=5), tmp_path, workers=1)
    said = {unit.parameters["seed"]: why for unit, why in results.failures}
    assert said == {
        3: "RuntimeError: this one is odd", 4: "measure text: ['no scalar'] is no text, number or truth value",
        5: "SystemExit: 3",
    }  # fmt: skip
    assert [row["seed"] for row in results.table.rows()] == [0, 1, 2, 6, 7, 8, 9]
    before = (tmp_path / "journal").read_bytes()
    run(units(10, fails=3, wrong=4, exits=5), tmp_path, workers=1)
    assert (tmp_path / "journal").read_bytes()[len(before) :].count(b"\n") == 3


def test_a_larger_campaign_keeps_what_is_done(tmp_path: Path) -> None:
    run(units(4), tmp_path, workers=1)
    before = (tmp_path / "journal").read_bytes()
    assert run(units(6), tmp_path, workers=1).complete
    assert (tmp_path / "journal").read_bytes()[len(before) :].count(b"\n") == 2
    assert run(units(2), tmp_path).table.columns.num_rows == 2  # a smaller one needs no worker


def test_the_limit_counts_what_was_done_before(tmp_path: Path) -> None:
    from emu.campaign.build import build, digest_of_module

    module = WORK.partition(":")[0]
    with Journal(tmp_path / "journal", build(), {module: digest_of_module(module)}) as journal:
        journal.add(units(1)[0], {"square": 0, "half": 0.0, "text": "number 0"}, cpu=3600)
    results = run(units(10), tmp_path, workers=1, limit=3600)
    assert results.limited and results.table.columns.num_rows == 1 and results.cpu == 3600
    assert run(units(10), tmp_path, workers=1, limit=3700).complete


def test_units_of_a_group_stay_together(tmp_path: Path) -> None:
    """Each process does few of the groups, whatever the order in which units are given."""
    made = [Unit(f"{WORK}_by", {"n": n, "group": n % 10}, {}, {}, f"{n % 10}") for n in range(100)]
    rows = run(made, tmp_path, workers=2).table.rows()
    places = {(row["group"], row["pid"]) for row in rows}
    assert len({pid for _, pid in places}) == 2 and len(places) <= 13


def test_a_full_disk_loses_nothing(reference: list[bytes], tmp_path: Path) -> None:
    """The size of files is limited, which is said as EFBIG instead of ENOSPC."""
    script = "from emu.campaign import run; from tests.campaign.work import units; run(units(40), 'full', workers=1)"
    command = [sys.executable, "-c", "if __name__ == '__main__':\n  " + script.replace("; ", "\n  ")]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )  # fmt: skip
    assert "OSError: [Errno 27]" in done.stderr
    text = (tmp_path / "full" / "journal").read_text()
    assert text.endswith("}\n") and 3 < text.count("\n") < 40
    assert run(units(40), tmp_path / "full", workers=1).complete
    assert tables(tmp_path / "full") == reference


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("what the user wrote\n")
    with pytest.raises(CannotRun, match="is no journal of a campaign"):
        run(units(1), tmp_path)
    assert (tmp_path / "journal").read_text() == "what the user wrote\n"
    with Journal(tmp_path / "other", {"emu": "0"}):
        pass
    (tmp_path / "journal").unlink()
    os.mkfifo(tmp_path / "journal")
    with pytest.raises(CannotRun, match="is no regular file"):
        run(units(1), tmp_path)
    (tmp_path / "other").rename(tmp_path / "journal")
    with pytest.raises(CannotRun, match="is of another build: its capstone is absent, here it is"):
        run(units(1), tmp_path)


def test_units_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="parameter seed: \\[\\] is no text, number or truth value"):
        run([Unit(WORK, {"seed": []})], tmp_path)  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="a unit must be JSON"):
        run([Unit(WORK, {"seed": float("nan")})], tmp_path)
    with pytest.raises(ValueError, match="must be in a module that other processes can import, and 'absent' is none"):
        run([Unit("absent:f", {})], tmp_path)
    with pytest.raises(ValueError, match=r"parameter seed: '.udcff' is no text, number or truth value"):
        run([Unit(WORK, {"seed": "\udcff"})], tmp_path)
    with pytest.raises(ValueError, match="0 workers: at least one is needed"):
        run(units(1), tmp_path, workers=0)
    results = run([Unit(f"{WORK}s", {})], tmp_path, workers=1)
    assert results.failures[0][1] == f"'{WORK}s' is no MODULE:FUNCTION that can be imported here"
