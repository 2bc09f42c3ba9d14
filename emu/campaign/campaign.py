# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: units that are done by many processes, and their table."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from emu.campaign.build import build, digest_of_module
from emu.campaign.connection import Connection, Tls
from emu.campaign.engine import Engine, Progress
from emu.campaign.journal import BadJournal, Journal
from emu.campaign.table import Table, table_of
from emu.campaign.unit import Unit
from emu.cpu.host_signals import Held

__all__ = ["CannotRun", "Results", "run"]

_JOURNAL, _PARQUET, _CSV = "journal", "table.parquet", "table.csv"


class CannotRun(ValueError):
    """A campaign's folder cannot be used. The text is one line."""


@dataclass(frozen=True)
class Results:
    """What a campaign has found so far.

    Attributes:
        table: the table of the units that are done.
        failures: the units that have failed, with the reasons.
        units: how many units the campaign has.
        limited: whether the limit of processor time has ended it.
        cpu: seconds of processor time that all units in the folder have taken.
        dropped: the line that was dropped from the journal, because it was not complete; 0: none.
    """

    table: Table
    failures: Sequence[tuple[Unit, str]]
    units: int
    limited: bool
    cpu: float
    dropped: int

    @property
    def complete(self) -> bool:
        """Whether every unit is done."""
        return bool(self.table.columns.num_rows == self.units)


def run(
    units: Iterable[Unit],
    folder: Path | str,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tls: Tls | None = None,
    limit: float | None = None,
    on_start: Callable[[Progress], None] = lambda progress: None,
    on_end: Callable[[Results], None] = lambda results: None,
    stop: Event | None = None,
) -> Results:
    """Does the units that are not done yet, and writes `table.parquet` and `table.csv`.

    >>> from emu.campaign import Unit, run
    >>> results = run([Unit("my_study:measured", {"seed": seed}) for seed in range(100)], "study")
    >>> results.table.columns.to_pandas()

    Args:
        units: in any order. Units with the same key are done once.
        folder: is made, if it is missing. It gets the journal and the tables. A campaign that was stopped goes on there; units of
            other campaigns in it stay in its journal.
        workers: the number of processes on this host; default: one for each CPU of the host.
        scheduler: the address of a dask scheduler whose workers are used instead.
        tls: dask's TLS files for that scheduler.
        limit: seconds of processor time that the units of the folder may take, with those of earlier runs.
        on_start: is called before the first unit with what says how far the campaign is. That is kept up to date.
        on_end: is called with what is done, however the campaign ends.
        stop: ends the campaign when it is set, as ^C does.

    Raises:
        CannotRun: the folder is in use, or its journal is damaged or of another build of emu.
        CannotConnect: there is no scheduler or no worker.
        ValueError: a unit, or the number of workers, is wrong.
        OSError: the folder cannot be written. The campaign goes on when it can.
        KeyboardInterrupt: the user, or `stop`, has ended it. The table has what is done.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"{workers} workers: at least one is needed")
    folder = Path(folder)
    wanted = {unit.key: unit for unit in units}
    modules = {name: digest_of_module(name) for name in sorted({unit.work.partition(":")[0] for unit in wanted.values()})}
    modules = {name: digest for name, digest in modules.items() if digest}
    folder.mkdir(parents=True, exist_ok=True)
    with _opened(folder / _JOURNAL, modules) as journal:
        pending = [unit for key, unit in wanted.items() if key not in journal.entries]
        done = len(wanted) - len(pending)
        progress = Progress(len(wanted), done, began=time.monotonic(), done_before=done)
        on_start(progress)
        count = len(os.sched_getaffinity(0)) if workers is None else workers
        connect = partial(Connection, build(), modules, scheduler, min(count, max(len(pending), 1)), tls, place=folder)
        journal.failures.clear()
        engine = Engine(journal, connect, progress, stop or Event(), limit)
        try:
            engine.run(pending)
        finally:
            with Held():
                results = _results(journal, wanted, engine.limited)
                results.table.write(folder / _PARQUET, folder / _CSV)
                on_end(results)
    return results


def _opened(path: Path, modules: dict[str, str]) -> Journal:
    try:
        return Journal(path, build(), modules)
    except BadJournal as error:
        raise CannotRun(str(error)) from None
    except BlockingIOError:
        raise CannotRun(f"{path.parent} is in use by another emu") from None


def _results(journal: Journal, wanted: dict[str, Unit], limited: bool) -> Results:
    table = table_of(journal.entries[key] for key in wanted if key in journal.entries)
    failures = [(unit, journal.failures[key]) for key, unit in wanted.items() if key in journal.failures]
    return Results(table, failures, len(wanted), limited, journal.cpu, journal.dropped)
