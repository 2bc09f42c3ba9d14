# SPDX-License-Identifier: GPL-2.0-only
"""emu mount: boots, sets up tracing, mounts the machine's tracefs, runs a command, and serves the tree."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.command import CommandOutput, run_command
from emu.cli.guest_errors import GuestDied, TimedOut, guest_errors
from emu.cli.linux.options import LinuxOptions, linux_options
from emu.cli.machine_options import RunLimits, machine_options
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised
from emu.cli.trace_options import TracingCommand, recording_of, trace_options, trace_options_of
from emu.cli.traced_machine import OF_LINUX, traced_machine

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine
    from emu.mount.mounted import Mounted

__all__ = ["executing", "mount", "mount_errors"]

EXAMPLES = """\
\b
Examples:
  A machine whose tracefs is the folder t, until Ctrl-C; what is recorded is read while the guest runs:
    mkdir t; emu mount t -- 'busy 4 100'
    cat t/trace_pipe                                        (in another terminal)
    echo function > t/current_tracer
    emu tracecmd --on t -- stat
  Commands for the guest are given from there, too:
    t/.emu/bin/guest 'ls /bin | wc -l'

\b
Requests are answered between two turns of the guest's CPUs. Without COMMAND, or when it has ended, the guest's time
stands still, and the tree stays until Ctrl-C, a signal, or `fusermount3 -u DIR`; with --leave it goes with COMMAND.
Needed: the Python package mfusepy (`pip install emu[mount]`), libfuse and fusermount3 (Debian: fuse3), and a /dev/fuse
that the user can open. No root is needed; only the user who mounted it sees the tree.
Exit status: as that of `emu run`; COMMAND's also if Ctrl-C ends it later.
"""


@click.command(cls=TracingCommand, context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@trace_options
@click.option("--leave", is_flag=True, help="Unmount the tree when COMMAND has ended.")
@linux_options
@machine_options
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("command", nargs=-1, metavar="[-- COMMAND...]", type=click.UNPROCESSED)
def mount(follow: bool, leave: bool, directory: Path, command: Sequence[str], **machine_arguments: object) -> int:
    """Show the tracefs of a machine at DIR, a folder of the host, while COMMAND runs in the guest, and afterwards."""
    from emu.mount.host import check
    from emu.mount.mounted import Mounted

    context = click.get_current_context()
    on_linux = LinuxOptions.taken_from(machine_arguments, context, (*OF_LINUX, "--leave"))
    (asked,) = trace_options_of(context)
    settings = asked.settings()
    traces = bool(settings) or follow
    if leave and not command:
        raise click.UsageError("--leave: there is no COMMAND that could end")
    with mount_errors():
        check(directory)
    progress = Progress()
    console = CommandOutput(progress, sys.stderr)
    limits = RunLimits.taken_from(machine_arguments) if on_linux is None else on_linux.limits
    status, cut_short = 0, None

    def set_up(machine: AnyMachine) -> None:
        if traces:
            with progress.during("setting up tracing"), guest_errors():
                asked.set_up(machine, settings)

    recorded = recording_of([asked]) if traces else []
    with raised(), traced_machine(
        machine_arguments, on_linux, console, limits, progress, set_up, recorded
    ) as machine, mount_errors():
        console.shown = True
        with Mounted(machine, directory) as mounted:
            click.echo(f"emu: mounted at {directory}", err=True)
            if command:
                try:
                    status = run_command(machine, command, limits, trace=recorded, follow=follow, meanwhile=mounted.serve)
                except (GuestDied, TimedOut) as error:  # the trace may still be useful
                    cut_short = error
                    if not leave:
                        click.echo(f"emu: {error.format_message()}", err=True)
            if not leave:
                _serve(mounted, executing(machine, limits))
                if cut_short is not None:
                    return cut_short.exit_code
    if cut_short is not None:
        raise cut_short
    return status


def _serve(mounted: Mounted, execute: Callable[..., int]) -> None:
    """Serves the tree until it is unmounted, or Ctrl-C is typed."""
    try:
        with guest_errors():
            mounted.serve_until(lambda: False, execute)
    except KeyboardInterrupt:
        pass
    except Terminated as end:
        if end.status != 128 + signal.SIGINT:
            raise


def executing(machine: AnyMachine, limits: RunLimits) -> Callable[[Sequence[str], Callable[[bool], None]], int]:
    """A function that runs the host's commands, for Mounted.serve_until. It reports how the guest ends, and returns a status."""

    def execute(words: Sequence[str], meanwhile: Callable[[bool], None]) -> int:
        try:
            return run_command(machine, words, limits, meanwhile=meanwhile)
        except click.ClickException as error:
            click.echo(f"emu: {error.format_message()}", err=True)
            return error.exit_code

    return execute


@contextmanager
def mount_errors() -> Iterator[None]:
    """Converts errors of mounting to errors of the command."""
    from emu.mount.host import CannotMount

    try:
        yield
    except CannotMount as error:
        raise click.ClickException(str(error)) from None
