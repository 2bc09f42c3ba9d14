# SPDX-License-Identifier: GPL-2.0-only
"""The entry point of the `emu` command. Turns every error into one line and an exit status."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from emu.cli.exit_status import BAD_INPUT, BROKEN_PIPE, INTERRUPTED
from emu.cli.guest_errors import GuestDied, TimedOut
from emu.cli.signals import Terminated
from emu.cli.standard_streams import give_up, open_standard_streams

__all__ = ["cli", "main"]


# Where each command is. It is imported when it is used.
_COMMANDS = {
    "run": "emu.cli.run:run",
    "record": "emu.cli.record:record",
    "stat": "emu.cli.stat:stat",
    "sweep": "emu.cli.sweep:sweep",
    "report": "emu.cli.report:report",
    "convert": "emu.cli.convert:convert",
    "view": "emu.cli.view:view",
    "reproduce": "emu.cli.reproduce:reproduce",
    "top": "emu.cli.looking:top",
    "ftd": "emu.cli.looking:ftd",
    "tree": "emu.cli.looking:tree",
    "grep": "emu.cli.looking:grep",
    "diff": "emu.cli.looking:diff",
    "plot": "emu.cli.plot:plot",
    "shell": "emu.cli.shell:shell",
    "list": "emu.cli.list:list_names",
    "build-module": "emu.cli.build_module:build_module",
    "race": "emu.cli.race:race",
    "linux": "emu.cli.linux:linux",
    "machines": "emu.cli.machines:machines",
    "mount": "emu.cli.mount:mount",
    "tracecmd": "emu.cli.tracecmd:tracecmd",
    "tour": "emu.cli.tour:tour",
    "port": "emu.cli.port.command:port",
    "gdb": "emu.cli.gdb:gdb",
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="emu", message="%(package)s %(version)s")
def cli() -> None:
    """Run programs on a small emulated machine and trace its kernel with ftrace."""


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
    except NotImplementedError as error:  # NotWritten: a port has just begun
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
