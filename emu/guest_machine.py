# SPDX-License-Identifier: GPL-2.0-only
"""What machines have in common, whether emu's own kernel or an unmodified Linux is the guest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from emu.cpu.board import Board
    from emu.cpu.guest_cpu import GuestCpu

C = TypeVar("C")

__all__ = ["BadCommand", "Completed", "GuestMachine", "Input", "Terminal", "exit_status", "shell_line"]


class BadCommand(ValueError):
    """A command cannot be given to the guest."""


@dataclass(frozen=True)
class Completed:
    """A command that has ended.

    Attributes:
        status: its exit status as a shell shows it.
        output: what it wrote to standard output; of emu's own kernel, to the console.
        errors: what it wrote to standard error, if that is apart from its output.
    """

    status: int
    output: bytes
    errors: bytes = b""


class Input(Protocol):
    """A source of console input."""

    def read(self, *, wait: bool) -> bytes | None:
        """The bytes that have arrived; b"" at the end of input; None if there are none.

        With `wait`, the call blocks until bytes arrive. It may also return None so that the caller can check other sources.
        """


class Terminal(Input, Protocol):
    """A terminal of the host: its keyboard input and its window size."""

    def size(self) -> tuple[int, int]:
        """Rows and columns of the window."""


class GuestMachine(Protocol[C]):
    """A booted machine. `Machine` and `LinuxMachine` are such; their docstrings say more.

    C is the type of its checkpoints.

    Attributes:
        cpus: its CPUs.
        board: RAM, CPUs and time.
        warnings: what the guest's kernel and the host have warned of, unless the caller takes warnings.
    """

    cpus: tuple[GuestCpu, ...]
    board: Board
    warnings: list[str]

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def close(self) -> None:
        """Frees the memory. Every other method raises ValueError from then on."""

    def run(
        self,
        command: str | Sequence[str],
        *,
        stdin: Input | bytes = ...,
        terminal: Terminal | None = ...,
        limit: int | None = ...,
        host_limit: float | None = ...,
    ) -> Completed:
        """Runs a command in the guest until it ends: a line for the guest's shell, or a program and its arguments."""

    def advance(self, cycles: int, *, limit: int | None = ..., host_limit: float | None = ...) -> bool:
        """Lets time pass: background jobs and timers run."""

    def checkpoint(self) -> C:
        """Remembers the whole machine as it is now. `restore` puts it back."""

    def restore(self, checkpoint: C, /) -> None:
        """Puts the machine back to a checkpoint of its own."""


def shell_line(line: str) -> list[str]:
    """The words of a command that runs a line in the guest's shell."""
    return ["sh", "-c", line]


def exit_status(wait_status: int) -> int:
    """A wait status in the form of a shell: the exit code, or 128 plus the signal."""
    return os.WEXITSTATUS(wait_status) if os.WIFEXITED(wait_status) else 128 + os.WTERMSIG(wait_status)
