# SPDX-License-Identifier: GPL-2.0-only
"""Runs commands, or the shell, of an unmodified Linux."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from emu.cli.guest_errors import guest_errors
from emu.cli.linux.options import LinuxOptions
from emu.cli.machine_options import load_libraries, said_by
from emu.cli.progress import Progress
from emu.cli.signals import Terminated, raised
from emu.cli.standard_streams import write_through
from emu.cli.terminal import HostTerminal, Left

if TYPE_CHECKING:
    from emu.linux.machine import LinuxMachine

__all__ = ["boot_linux", "run_on_linux", "shell_on_linux"]

# Limits are for the command. They also apply to booting, but at least this much time is allowed for that.
_BOOT_LIMIT = 120 * 10**9  # nanoseconds of virtual time
_BOOT_HOST_LIMIT = 300.0  # seconds

BANNER = """\
Ctrl-] leaves the emulator; every other key, Ctrl-C too, is the guest's.
"""


def run_on_linux(options: LinuxOptions, command: Sequence[str]) -> int:
    """Runs a command. Its standard files are emu's, except that a terminal is no standard input. Returns its exit status."""
    from_host = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    progress = Progress()
    what = command[0] if len(command) == 1 else command
    with _machine(options, progress) as machine, progress.during("running"):
        return _status(machine, options, what, stdin=from_host)


def shell_on_linux(options: LinuxOptions) -> int:
    """The guest's shell at the host's terminal; or the script on standard input, if that is no terminal."""
    progress = Progress()
    with _machine(options, progress) as machine:
        if not sys.stdin.isatty():
            return _status(machine, options, ["sh"], stdin=sys.stdin.buffer.read())
        if sys.stdout.isatty():
            write_through(sys.stdout, BANNER.encode())
        environment = [f"TERM={os.environ.get('TERM', 'dumb')}"]
        try:
            with HostTerminal(lambda: machine.patience) as terminal:
                return _status(machine, options, ["sh", "-i"], terminal=terminal, environment=environment)
        except Left:
            write_through(sys.stdout, b"\n")
            return 0


def _status(machine: LinuxMachine, options: LinuxOptions, command: str | Sequence[str], **how: Any) -> int:
    """Runs a command. Returns its exit status, or the one with which the guest has switched the machine off."""
    from emu.kernel.endings import PoweredOff

    try:
        return machine.run(command, **how, **options.limits._asdict()).status
    except PoweredOff as end:
        return end.status


@contextmanager
def _machine(options: LinuxOptions, progress: Progress) -> Iterator[LinuxMachine]:
    """A booted machine, while the body runs a command. What the command writes goes to emu's standard files.

    Raises: as boot_linux; and
        GuestDied, TimedOut, Terminated: the command has ended so.
    """

    def write(stream: str, data: bytes) -> None:
        with progress.while_writing(data), suppress(BrokenPipeError):
            write_through(getattr(sys, stream), data)

    with raised():
        machine = boot_linux(options, progress, partial(write, "stdout"), partial(write, "stderr"))
    from emu.guest_machine import BadCommand

    with machine, raised(), guest_errors():
        try:
            yield machine
        except KeyboardInterrupt:
            raise Terminated(signal.SIGINT) from None
        except BadCommand as error:
            raise click.ClickException(str(error)) from None


def boot_linux(
    options: LinuxOptions,
    progress: Progress,
    output: Callable[[bytes], None],
    errors: Callable[[bytes], None],
    prepare: Callable[[LinuxMachine], None] | None = None,
) -> LinuxMachine:
    """A booted machine, reporting by `progress`.

    Args:
        output, errors: called with what commands write.
        prepare: called with the machine before the kernel's first instruction. It then boots in any case.

    Raises:
        click.ClickException: an option's value is wrong, or the host refuses memory or a file.
        GuestDied, TimedOut, Terminated: the boot has ended so.
    """
    up: int | None = None

    def booting() -> str:
        return "making the machine" if up is None else f"booting Linux, {up} CPU{'s' * (up > 1)} up"

    def count(cpus: int) -> None:
        nonlocal up
        up = cpus

    warn = said_by(progress)
    warnings.showwarning = lambda message, *_: warn(str(message))  # from the cache of compiled code
    limit, host_limit = options.limits
    with progress.during(booting):
        load_libraries(progress, "emu.linux.machine")
        from emu.kernel.endings import PoweredOff
        from emu.linux.machine import LinuxMachine

        try:
            with guest_errors():
                return LinuxMachine(
                    **options.parameters,
                    output=output,
                    errors=errors,
                    warn=warn,
                    booting=count,
                    prepare=prepare,
                    boot_limit=None if limit is None else max(limit, _BOOT_LIMIT),
                    boot_host_limit=None if host_limit is None else max(host_limit, _BOOT_HOST_LIMIT),
                )
        except ValueError as error:
            raise click.ClickException(str(error)) from None
        except PoweredOff:
            raise click.ClickException("the guest switched the machine off while it booted") from None
        except OSError as error:
            what = f"cannot read {error.filename}" if error.filename else "the host refuses the machine"
            raise click.ClickException(f"{what}: {error.strerror}") from None
        except KeyboardInterrupt:
            raise Terminated(signal.SIGINT) from None
