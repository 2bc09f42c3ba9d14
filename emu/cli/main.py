# SPDX-License-Identifier: GPL-2.0-only
"""The entry point of the `emu` command. Turns every error into one line and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from emu.cli.build_module import build_module
from emu.cli.convert import convert
from emu.cli.exit_status import BAD_INPUT, BROKEN_PIPE, INTERRUPTED
from emu.cli.guest_errors import GuestDied, TimedOut
from emu.cli.linux import linux
from emu.cli.list import list_names
from emu.cli.looking import diff, ftd, grep, top, tree
from emu.cli.machines import machines
from emu.cli.mount import mount
from emu.cli.output import give_up, open_standard_streams
from emu.cli.race import race
from emu.cli.record import record
from emu.cli.report import report
from emu.cli.reproduce import reproduce
from emu.cli.run import run
from emu.cli.shell import shell
from emu.cli.signals import Terminated
from emu.cli.stat import stat
from emu.cli.tour import tour
from emu.cli.tracecmd import tracecmd
from emu.cli.view import view

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="emu", message="%(package)s %(version)s")
def cli() -> None:
    """Run programs on a small emulated machine and trace its kernel with ftrace."""


cli.add_command(run)
cli.add_command(record)
cli.add_command(stat)
cli.add_command(report)
cli.add_command(convert)
cli.add_command(view)
cli.add_command(reproduce)
cli.add_command(top)
cli.add_command(ftd)
cli.add_command(tree)
cli.add_command(grep)
cli.add_command(diff)
cli.add_command(shell)
cli.add_command(list_names)
cli.add_command(build_module)
cli.add_command(race)
cli.add_command(linux)
cli.add_command(machines)
cli.add_command(mount)
cli.add_command(tracecmd)
cli.add_command(tour)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    open_standard_streams()
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    try:
        return cli.main(arguments, prog_name="emu", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        _say(error.format_message())
        return BAD_INPUT
    except click.ClickException as error:
        _say(f"emu: {error.format_message()}")
        return error.exit_code if isinstance(error, GuestDied | TimedOut) else BAD_INPUT
    except SystemExit as end:
        if end.code != 1:  # click's status for a closed pipe
            raise
        give_up(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:  # a message could not be written: --help on a full disk
        give_up(sys.stdout)
        _say(f"emu: {error}")
        return BAD_INPUT
    except Terminated as end:
        return end.status
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED


def _say(text: str) -> None:
    """Writes to standard error. On a full disk or a closed pipe, the exit status alone must do."""
    try:
        click.echo(text, err=True)
    except OSError:
        give_up(sys.stderr)
