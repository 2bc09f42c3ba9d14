# SPDX-License-Identifier: GPL-2.0-only
"""Commands that init runs on the host's behalf, one at a time."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from emu.cpu.cpu import Cpu
from emu.guest_machine import BadCommand
from emu.kernel.host_calls import host_call, put
from emu.kernel.image import Image

__all__ = ["Commands"]


class Commands:
    """The command that waits for init, and the command that init runs.

    Args:
        image: the kernel, whose headers limit the length of a command.
        interrupt: makes the guest check for requests.

    Attributes:
        status: the wait status of the latest command; None until it has ended.
        running: whether init runs a command.
        awaited: whether init has ever asked for a command in vain, which means that it is up.
    """

    def __init__(self, image: Image, interrupt: Callable[[], None]) -> None:
        self._longest = image.constant("COMMAND_SIZE")
        self._interrupt = interrupt
        self._on_exec: Callable[[int], None] | None = None
        self._waiting: bytes | None = None
        self._giving_up = False
        self.status: int | None = None
        self.running = False
        self.awaited = False

    def give(self, words: Sequence[str], on_exec: Callable[[int], None] | None = None) -> None:
        """Makes init run a program.

        Args:
            words: the program, which is looked up on PATH if its name has no slash, and its arguments.
            on_exec: called with the task's pid just before it executes the program, unless `forget` comes first.

        Raises:
            BadCommand: there is no word, the words are too long, or one has a NUL byte.
            TypeError: a word is not a str.
        """
        if not words:
            raise BadCommand("a command has at least one word: a program")
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"the words of a command are of type str, not {type(word).__name__}")
        if any("\0" in word for word in words):
            raise BadCommand("a command cannot hold a NUL byte")
        command = b"".join(word.encode(errors="surrogateescape") + b"\0" for word in words)
        if len(command) > self._longest:
            raise BadCommand(f"a command of {len(command)} bytes: at most {self._longest} fit")
        self._waiting = command
        self._on_exec = on_exec
        self.status = None
        self._interrupt()

    def forget(self) -> None:
        """Forgets the latest command: its result is no longer of interest."""
        self._on_exec = None

    def give_up(self) -> None:
        """Withdraws the waiting command, and kills the running command with its process group."""
        self._waiting = None
        if self.running:
            self._giving_up = True
            self._interrupt()

    @host_call
    def command_read(self, cpu: Cpu, address: int, size: int) -> int:
        if self._waiting is None:
            self.awaited = True
            return -errno.EAGAIN
        command, self._waiting = self._waiting, None
        self.running = True
        return put(cpu, address, command[:size])

    @host_call
    def command_exec(self, cpu: Cpu, pid: int) -> int:
        if self._on_exec is not None:
            self._on_exec(pid)
        return 0

    @host_call
    def command_done(self, cpu: Cpu, status: int) -> int:
        self.status = status & 0xFFFF
        self.running = False
        return 0

    @host_call
    def command_given_up(self, cpu: Cpu) -> int:
        """Whether init must kill the command that it runs. The answer is True only once."""
        giving_up, self._giving_up = self._giving_up, False
        return int(giving_up and self.running)
