# SPDX-License-Identifier: GPL-2.0-only
"""Commands for the guest given by host programs, with the program `guest`, which writes to the file `run`."""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Sequence

from emu.kernel.files.node import Handle, OpenFlags, WouldBlock

__all__ = ["GUEST", "GuestCommand", "GuestCommands", "RunHandle"]

GUEST = """\
#!/bin/sh
# Runs a command in the guest: one word is a line for its shell, several are a program and its arguments.
if [ $# -eq 0 ]; then
	echo "guest: a command for the guest is needed: guest 'ls /bin | wc -l'" >&2
	exit 2
fi
exec 3<>"${0%/bin/guest}/run" || exit 2
printf '%s\\0' "$@" >&3 || exit 2
read -r status <&3 || exit 1
exit "$status"
"""


class GuestCommand:
    """A command that waits or runs.

    Attributes:
        words: like the words of `emu run`.
        status: its exit status; None until it has ended.
        given_up: whether nobody waits for it any more.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.status: int | None = None
        self.given_up = False


class GuestCommands:
    """The waiting commands, oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[GuestCommand] = deque()

    def add(self, words: Sequence[str]) -> GuestCommand:
        command = GuestCommand(words)
        self._waiting.append(command)
        return command

    def next(self) -> GuestCommand | None:
        """Takes the next command that is still wanted."""
        while self._waiting:
            command = self._waiting.popleft()
            if not command.given_up:
                return command
        return None


class RunHandle(Handle):
    """An open `run`. A write gives a command: words that end with NUL bytes. Reading waits for its end and returns its status."""

    stream = True

    def __init__(self, flags: OpenFlags, commands: GuestCommands) -> None:
        super().__init__(flags)
        self._commands = commands
        self._command: GuestCommand | None = None
        self._rest = b""
        self._has_ended = False

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if self._command is not None:
            raise OSError(errno.EBUSY, "it has a command already")
        if not data.endswith(b"\0"):
            raise OSError(errno.EINVAL, "each word ends in a NUL byte")
        self._command = self._commands.add([os.fsdecode(word) for word in data[:-1].split(b"\0")])
        return len(data)

    def read(self, offset: int, size: int) -> bytes | WouldBlock:
        self._require(OpenFlags.READ)
        if self._command is None:
            raise OSError(errno.EINVAL, "no command was given")
        if not self._has_ended:
            if self._command.status is None:
                return WouldBlock()
            self._has_ended = True
            self._rest = f"{self._command.status}\n".encode()
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def release(self) -> None:
        if self._command is not None:
            self._command.given_up = True
