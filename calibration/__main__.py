# SPDX-License-Identifier: GPL-2.0-only
"""Prints how far timing models are from what was measured on real CPUs.

    ./venv python -m calibration [--machine zen3] [--core zen3] [--looked-at [--worst N]]
    ./venv python -m calibration measure blocks
    ./venv python -m calibration collect

Without a command, tables of errors are printed, from stored measurements. `measure` makes such measurements on this
machine, and stores them under the name of its CPU. `collect` collects the code to be measured anew.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from calibration.blocks.collect import collect
from calibration.blocks.entries import measure_blocks
from calibration.models import Model, core_named
from calibration.tables import block_table, worst_blocks

__all__ = ["main"]

_MEASURERS = {"blocks": measure_blocks}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="calibration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", default="zen3", help="whose measurements (default: %(default)s)")
    parser.add_argument("--core", help="the CPU model that is compared (default: the machine's)")
    parser.add_argument("--looked-at", action="store_true", help="of the half that models are tuned by, not of the other")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="with --looked-at: show N blocks")
    commands = parser.add_subparsers(dest="command")
    measuring = commands.add_parser("measure", help="measure on this machine")
    measuring.add_argument("what", choices=list(_MEASURERS), nargs="*", default=list(_MEASURERS))
    commands.add_parser("collect", help="collect blocks to be measured")
    chosen = parser.parse_args(arguments)
    if chosen.command == "collect":
        print(collect())
    elif chosen.command == "measure":
        for what in chosen.what:
            print(_MEASURERS[what]())
    else:
        if chosen.worst and not chosen.looked_at:
            parser.error("--worst needs --looked-at: the other half is not to be looked at")
        model = Model(core_named(chosen.core or chosen.machine))
        for line in worst_blocks(chosen.machine, model, chosen.worst) if chosen.worst else ():
            print(line)
        for line in () if chosen.worst else block_table(chosen.machine, model, held_out=not chosen.looked_at):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
