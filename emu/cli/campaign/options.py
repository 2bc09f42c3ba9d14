# SPDX-License-Identifier: GPL-2.0-only
"""The options of commands that run campaigns."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from emu.cli.campaign.tables import needed
from emu.cli.machine_options import Arguments

if TYPE_CHECKING:
    from emu.campaign import Tls

__all__ = ["CampaignOptions", "campaign_options"]

_Command = TypeVar("_Command", bound=Callable[..., object])
_FILE = click.Path(path_type=Path)


def campaign_options(folder: str) -> Callable[[_Command], _Command]:
    """A decorator that gives a command the options. Their values are taken by `CampaignOptions.taken_from`.

    Args:
        folder: the default of -o.
    """
    options = (
        click.option(
            "-o", "--output", "folder", type=_FILE, default=folder, show_default=True, metavar="FOLDER",
            help="The folder with the journal and the tables. A campaign that was stopped goes on there.",
        ),
        click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes of this host. Default: one for each CPU."),
        click.option("--scheduler", metavar="ADDRESS", help="Use the workers of this dask scheduler instead: tcp://HOST:8786."),
        click.option("--tls-ca-file", type=_FILE, metavar="FILE", help="For a scheduler with TLS: dask's file of this name."),
        click.option("--tls-cert", type=_FILE, metavar="FILE", help="For a scheduler with TLS: dask's file of this name."),
        click.option("--tls-key", type=_FILE, metavar="FILE", help="For a scheduler with TLS: dask's file of this name."),
        click.option(
            "--limit", "hours", type=click.FloatRange(0, min_open=True), metavar="HOURS",
            help="Begin no more runs when all of the folder's have taken so many hours of CPUs.",
        ),
        click.option("--plot", metavar="X,Y", help="Also draw Y against X: plot.svg and plot.png (`emu plot` has more)."),
    )  # fmt: skip

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class CampaignOptions(NamedTuple):
    """The values.

    Attributes:
        folder: of the journal and the tables.
        workers: the number of local processes; None: one for each CPU.
        scheduler: the address of a scheduler; None: local processes.
        tls: files for the scheduler.
        hours: the limit of processor time.
        plot: "X,Y".
    """

    folder: Path
    workers: int | None
    scheduler: str | None
    tls: Tls | None
    hours: float | None
    plot: str | None

    @classmethod
    def taken_from(cls, arguments: Arguments) -> CampaignOptions:
        """Removes the options from a command's arguments.

        Raises:
            click.UsageError: options contradict each other, or a library is missing.
        """
        files = [arguments.pop(name) for name in ("tls_ca_file", "tls_cert", "tls_key")]
        found = cls(
            arguments.pop("folder"), arguments.pop("workers"), arguments.pop("scheduler"), None, arguments.pop("hours"),
            arguments.pop("plot"),
        )  # fmt: skip
        if found.scheduler is None and any(files):
            raise click.UsageError("--tls-ca-file, --tls-cert and --tls-key need --scheduler")
        if found.scheduler is not None and found.workers is not None:
            raise click.UsageError("--workers: the scheduler has workers of its own")
        if any(files) and not all(files):
            raise click.UsageError("--tls-ca-file, --tls-cert and --tls-key: all of them are needed")
        if missing := [str(file) for file in files if file is not None and not file.is_file()]:
            raise click.UsageError(f"{missing[0]} is no file")
        if found.hours is not None and not math.isfinite(found.hours):
            raise click.UsageError(f"--limit {found.hours}: a number of hours is needed")
        if found.plot is not None and found.plot.count(",") != 1:
            raise click.UsageError(f"--plot {found.plot}: X,Y is needed")
        with needed("a campaign"):
            importlib.import_module("distributed")
            importlib.import_module("pyarrow")
        if not all(files):
            return found
        from emu.campaign import Tls

        return found._replace(tls=Tls(*files))
