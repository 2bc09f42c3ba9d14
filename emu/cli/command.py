# SPDX-License-Identifier: GPL-2.0-only
"""The guest's command in `emu run` and `emu stat`: runs it, copies its output, and measures its time."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

import click

from emu.cli.guest_errors import guest_errors
from emu.cli.machine_options import RunLimits
from emu.cli.progress import Progress
from emu.cli.signals import Terminated
from emu.cli.standard_streams import write_through

if TYPE_CHECKING:
    from emu.linux.machine import LinuxMachine
    from emu.machine import Machine

__all__ = ["CommandOutput", "Stopwatch", "run_command"]


def run_command(
    machine: Machine | LinuxMachine,
    command: Sequence[str],
    limits: RunLimits,
    **how: Any,
) -> int:
    """Runs a command and returns its exit status. One word is a line for the guest's shell; more are a program and its arguments.

    `how`: further arguments of Machine.run.

    Raises:
        GuestDied: the kernel panicked.
        TimedOut: a limit was reached.
        Terminated: by Ctrl-C or a signal.
        click.ClickException: the command is too long.
    """
    from emu.guest_machine import BadCommand
    from emu.kernel.endings import PoweredOff

    with guest_errors():
        try:
            what = command[0] if len(command) == 1 else command
            return machine.run(what, **how, **limits._asdict()).status
        except KeyboardInterrupt:
            raise Terminated(signal.SIGINT) from None
        except PoweredOff as end:
            return end.status
        except BadCommand as error:
            raise click.ClickException(str(error)) from None


class Stopwatch:
    """A stopwatch of virtual time."""

    def __init__(self, machine: Machine | LinuxMachine) -> None:
        self._board = machine.board
        self._start = self._board.now

    @property
    def passed(self) -> int:
        """The nanoseconds since it was made."""
        return self._board.nanoseconds(self._board.now - self._start)


class CommandOutput:
    """Copies the guest's console to a standard stream, except what the guest writes while it boots."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        self.shown = False
        self._progress = progress
        self._stream = stream
        self._in_line = False

    def __call__(self, data: bytes) -> None:
        if self.shown:
            self._in_line = not data.endswith(b"\n")
            with self._progress.while_writing(data), suppress(BrokenPipeError):  # the results may still be useful
                write_through(self._stream, data)

    def end_line(self) -> None:
        """Ends a line that the guest has left incomplete."""
        if self._in_line:
            self(b"\n")
