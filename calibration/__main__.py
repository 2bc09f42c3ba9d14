# SPDX-License-Identifier: GPL-2.0-only
"""Prints how far the predictions of timing models are from what was measured on real CPUs.

    ./venv python -m calibration [--machine NAME] [--core NAME] [--looked-at [--worst N]] [--programs] [--events]
    ./venv python -m calibration measure [blocks] [rows] [events] [programs] [peers] [--osaca PYTHON]
    ./venv python -m calibration collect

Without a command, tables of errors are printed, from stored measurements. With --programs, this includes whole programs run on
the emulated machine, which takes minutes. `measure` measures on this machine, and stores the results under the name of its CPU.
`collect` collects the code to measure.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from calibration.blocks.collect import collect
from calibration.blocks.entries import measure_blocks
from calibration.blocks.rows import measure_rows
from calibration.events.measure import measure_events
from calibration.models import Model, core_named
from calibration.peers import ask_peers
from calibration.programs.measure import measure_programs
from calibration.tables import block_table, event_table, program_table, row_table, worst_blocks

__all__ = ["main"]


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="calibration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", default="zen3", help="whose measurements (default: %(default)s)")
    parser.add_argument("--core", help="the CPU model that is compared (default: the machine's)")
    parser.add_argument("--looked-at", action="store_true", help="of the half that models are tuned by, not of the other")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="with --looked-at: show N blocks")
    parser.add_argument("--programs", action="store_true", help="whole programs")
    parser.add_argument("--timing", nargs="+", default=["static", "pipeline", "caches"], help="with --programs: models")
    parser.add_argument("--events", action="store_true", help="what events cost")
    commands = parser.add_subparsers(dest="command")
    measuring = commands.add_parser("measure", help="measure on this machine")
    measuring.add_argument("what", nargs="*", default=["blocks", "rows", "events", "programs"])
    measuring.add_argument("--osaca", metavar="PYTHON", help="for peers: a Python that OSACA is installed for")
    commands.add_parser("collect", help="collect blocks to be measured")
    chosen = parser.parse_args(arguments)
    if chosen.worst and not chosen.looked_at:
        parser.error("--worst needs --looked-at: the other half is not to be looked at")
    return chosen


def _tables(chosen: argparse.Namespace) -> Iterator[str]:
    machine = chosen.machine
    model = Model(core_named(chosen.core or machine))
    if chosen.events:
        yield from event_table(machine, model)
    elif chosen.worst:
        yield from worst_blocks(machine, model, chosen.worst)
    elif chosen.programs:
        yield from program_table(machine, model, not chosen.looked_at, chosen.timing)
    else:
        yield from block_table(machine, model, not chosen.looked_at)
        yield from row_table(machine, model, not chosen.looked_at)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    chosen = _arguments(arguments)
    if chosen.command == "collect":
        print(collect())
    elif chosen.command == "measure":
        measurers: dict[str, Callable[[], Path]] = {
            "blocks": measure_blocks, "rows": measure_rows, "events": measure_events, "programs": measure_programs,
            "peers": lambda: ask_peers(chosen.osaca),
        }  # fmt: skip
        for what in chosen.what:
            print(measurers[what]())
    else:
        for line in _tables(chosen):
            print(line)


if __name__ == "__main__":
    main()
