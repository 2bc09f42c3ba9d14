# SPDX-License-Identifier: GPL-2.0-only
"""Runs a campaign for a command: with a line of progress, what has failed, and the exit status."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import click

from emu.campaign.text import printable
from emu.cli.campaign.options import CampaignOptions
from emu.cli.campaign.tables import needed
from emu.cli.exit_status import INTERRUPTED, TIMED_OUT
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised
from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    from emu.campaign import Results, Unit
    from emu.campaign.engine import Progress as State

__all__ = ["FAILED", "run_campaign"]

FAILED = 1
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REASONS = 5  # that are shown


def run_campaign(
    units: Iterable[Unit],
    options: CampaignOptions,
    show: Callable[[Results], None],
    columns: Collection[str] | None = None,
    nouns: tuple[str, str] = ("run", "runs"),
) -> int:
    """Runs a campaign and returns the exit status.

    Args:
        units: the campaign's.
        options: those of `campaign_options`.
        show: prints what was found. It is called with what is done, however the campaign ends.
        columns: the columns of the table; None: they are not known before.
        nouns: what a unit is called, and several.

    Raises:
        click.ClickException: the folder or the workers cannot be used, or the results cannot be written.
    """
    from emu.campaign import CannotConnect, run

    if options.plot is not None and columns is not None:
        for name in options.plot.split(","):
            if name not in columns:
                raise click.UsageError(f"--plot: the table will have no column '{name}'{did_you_mean(name, columns)}")
    progress = Progress()
    state: list[State] = []
    ended: int | None = None
    results: list[Results] = []
    try:
        with raised(), progress.during(lambda: state[0].text if state else "making the units"):
            run(
                units, options.folder, workers=options.workers, scheduler=options.scheduler, tls=options.tls,
                limit=None if options.hours is None else options.hours * 3600, on_start=state.append, on_end=results.append,
            )  # fmt: skip
    except KeyboardInterrupt:
        ended = INTERRUPTED
    except Terminated as end:
        ended = end.status
    except (ValueError, CannotConnect, OSError) as error:
        if not (state and results and state[0].has_got_on):
            raise click.ClickException(_said(error, options)) from None
        click.echo(f"emu: {_said(error, options)}", err=True)
        ended = FAILED
    for found in results:
        _say_what_failed(found)
        show(found)
        drawn = options.plot is None or _plot(found, options)
        click.echo(f"emu: {_summary(found, options, ended, nouns)}", err=True)
        if ended is None:
            ended = TIMED_OUT if found.limited else FAILED if found.failures or not drawn else 0
    return INTERRUPTED if ended is None else ended


def _said(error: Exception, options: CampaignOptions) -> str:
    if not isinstance(error, OSError):
        return str(error)
    later = "; the same command goes on when there is room" if error.errno in _FULL else ""
    return f"{error.filename or options.folder}: {error.strerror}{later}"


def _say_what_failed(results: Results) -> None:
    reasons = Counter(why for _, why in results.failures)
    for why, count in reasons.most_common(_REASONS):
        unit = next(unit for unit, reason in results.failures if reason == why)
        named = ", ".join(f"{name} {printable(str(value))}" for name, value in unit.parameters.items())
        click.echo(f"emu: {count} failed{f', the first with {named}' if named else ''}: {why}", err=True)
    if len(reasons) > _REASONS:
        click.echo(f"emu: {len(reasons) - _REASONS} more reasons", err=True)
    if results.dropped:
        click.echo(f"emu: line {results.dropped} of the journal was not complete; its unit was done again", err=True)


def _summary(results: Results, options: CampaignOptions, ended: int | None, nouns: tuple[str, str]) -> str:
    done = results.table.columns.num_rows
    what = f"{done} of {results.units} {nouns[results.units != 1]} in {options.folder}, {results.cpu:.1f} s of CPUs"
    failed = f", {len(results.failures)} failed" if results.failures else ""
    if results.limited:
        return f"{what}{failed}: the limit was reached; the same command with a higher --limit goes on"
    if ended is not None or not results.complete:
        return f"{what}{failed}; the same command {'tries them again' if results.failures and ended is None else 'goes on'}"
    return what


def _plot(results: Results, options: CampaignOptions) -> bool:
    """Draws a plot; returns whether that was possible."""
    x, _, y = (options.plot or "").partition(",")
    with needed("--plot"):
        from emu.campaign.plot import FORMATS
        from emu.campaign.plot import plot as draw

        try:
            for suffix in FORMATS:
                draw(results.table, x, y, options.folder / f"plot.{suffix}")
        except ValueError as error:
            click.echo(f"emu: --plot: {error} (`emu plot` has more options)", err=True)
            return False
    return True
