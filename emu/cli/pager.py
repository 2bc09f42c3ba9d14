# SPDX-License-Identifier: GPL-2.0-only
"""Sends standard output through a pager, as git does: `$PAGER`, or `less -R`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Self

import click

from emu.cli.standard_streams import StandardOutput, write_all

__all__ = ["Pager", "pager_command"]

_FOR_THE_SHELL = frozenset("|&;<>()$`\\\"'*?[]#~=%{}!\n")
_COULD_NOT_START = (126, 127)  # exit statuses of the shell, and of the dynamic linker


def pager_command() -> str | None:
    """The user's pager; None if none is wanted or available."""
    command = os.environ.get("PAGER")
    if command is None:
        return "less -R" if shutil.which("less") else None
    return None if command.strip() in ("", "cat") else command


class Pager:
    """The terminal on standard output, through a pager. Quitting the pager early is not an error."""

    in_file = False

    def __init__(self, command: str) -> None:
        self._command = command

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        if not self._page(iter(trace())):
            StandardOutput().write(trace)

    def _page(self, pieces: Iterator[bytes]) -> bool:
        """Passes the pieces to the pager, and waits for it to end. Returns False if it could not be started."""
        first = next(pieces, b"")  # the pager gets the terminal only when there is something to show
        in_words = _FOR_THE_SHELL.isdisjoint(self._command)
        arguments = self._command.split() if in_words else ["sh", "-c", self._command]
        with _interrupts_ignored():
            try:
                process = subprocess.Popen(arguments, stdin=subprocess.PIPE, bufsize=0)
            except OSError as error:
                click.echo(f"emu: cannot start the pager '{self._command}': {error.strerror}", err=True)
                return False
            assert process.stdin is not None
            try:
                with suppress(BrokenPipeError), process.stdin:
                    for piece in chain([first], pieces):
                        write_all(process.stdin, piece)
                return process.wait() not in _COULD_NOT_START
            except BaseException:
                process.terminate()  # it restores the terminal
                process.wait()
                raise


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Makes Ctrl-C affect only the pager during the body. A Python handler is used, since the pager would inherit SIG_IGN."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
