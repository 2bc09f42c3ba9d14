# SPDX-License-Identifier: GPL-2.0-only
"""Units for tests: little work, and what can happen to it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from emu.campaign import Unit

WORK = f"{__name__}:measured"


def tables(folder: Path) -> list[bytes]:
    """The bytes of a campaign's tables."""
    return [(folder / name).read_bytes() for name in ("table.parquet", "table.csv")]


def local_workers() -> list[psutil.Process]:
    """The workers of a campaign that this process runs, also those that are starting."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if any("spawn_main" in word for word in child.cmdline())]


def units(count: int, **given: Any) -> list[Unit]:
    return [Unit(WORK, {"seed": seed, "kind": ("even", "odd")[seed % 2]}, given) for seed in range(count)]


def measured(parameters: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given says what happens to the unit of a seed:

    sleep: seconds that each unit takes.
    kills: (seed, folder): it kills its worker, once.
    deadly, fails, exits, wrong: a seed that kills each worker, raises an error, exits, measures what no table can have.
    """
    seed = parameters["seed"]
    time.sleep(given.get("sleep", 0))
    kills, folder = given.get("kills", (None, ""))
    if seed == given.get("deadly") or (seed == kills and not Path(folder, "killed").exists()):
        Path(folder or given["folder"], "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if seed == given.get("fails"):
        raise RuntimeError("this one\nis odd")
    if seed == given.get("exits"):
        sys.exit(3)
    return {"square": seed**2, "half": seed / 2, "text": ["no scalar"] if seed == given.get("wrong") else f"number {seed}"}


def measured_by(parameters: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Which process does it, which no other unit measures: it is not pure."""
    time.sleep(0.02)
    return {"pid": os.getpid()}
