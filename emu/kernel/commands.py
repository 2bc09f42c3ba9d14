# SPDX-License-Identifier: GPL-2.0-only
"""Command lines that init runs for the host, one at a time."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call, put
from emu.kernel.image import Image

__all__ = ["BadCommand", "Commands", "exit_status"]


class BadCommand(ValueError):
    """A command line that cannot be given to the guest."""


class Commands:
    """The command line that waits for init, and the one that init runs.

    Args:
        image: the kernel, whose headers say how long a line may be.
        interrupt: makes the guest look whether there is something for it.

    Attributes:
        status: the wait status of the command given last; None until it has ended.
        running: whether init runs a command.
    """

    def __init__(self, image: Image, interrupt: Callable[[], None]) -> None:
        self._longest = image.constant("COMMAND_SIZE") - len("\n\0")
        self._interrupt = interrupt
        self._waiting: bytes | None = None
        self._giving_up = False
        self.status: int | None = None
        self.running = False

    def give(self, line: str) -> None:
        """Has init run a line with `sh -c`.

        Raises:
            BadCommand: the line is too long, or has a NUL byte.
        """
        if "\0" in line:
            raise BadCommand("a command line cannot hold a NUL byte")
        command = line.encode(errors="surrogateescape")
        if len(command) > self._longest:
            raise BadCommand(f"a command line of {len(command)} bytes: at most {self._longest} fit")
        self._waiting = command + b"\0"
        self.status = None
        self._interrupt()

    def give_up(self) -> None:
        """Takes back the line that waits, and has the command that runs killed, with its process group."""
        self._waiting = None
        if self.running:
            self._giving_up = True
            self._interrupt()

    @host_call
    def command_read(self, cpu: Cpu, address: int, size: int) -> int:
        if self._waiting is None:
            return -errno.EAGAIN
        command, self._waiting = self._waiting, None
        self.running = True
        return put(cpu, address, command[:size])

    @host_call
    def command_done(self, cpu: Cpu, status: int) -> int:
        self.status = status & 0xFFFF
        self.running = False
        return 0

    @host_call
    def command_given_up(self, cpu: Cpu) -> int:
        """Whether init must kill the command that it runs. The answer is yes only once."""
        giving_up, self._giving_up = self._giving_up, False
        return int(giving_up and self.running)


def exit_status(wait_status: int) -> int:
    """A wait status as a shell shows it: the exit code, or 128 and the signal."""
    return os.WEXITSTATUS(wait_status) if os.WIFEXITED(wait_status) else 128 + os.WTERMSIG(wait_status)
