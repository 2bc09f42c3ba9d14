# SPDX-License-Identifier: GPL-2.0-only
"""A command on a pseudo-terminal, and everything that it displays."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import IO, Any, NamedTuple

from tests.lib.terminal_session import PATIENCE, TerminalSession

__all__ = ["Seen", "emu_on_a_terminal", "on_a_terminal"]

class Seen(NamedTuple):
    """`text`: everything written to the terminal."""

    status: int
    text: str


def on_a_terminal(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    stdout: IO[bytes] | None = None,
    interrupt_at: str = "",
) -> Seen:
    """Runs a command on a terminal of its own. It must restore the terminal's settings.

    Args:
        environment: variables besides those of this process.
        stdout: standard output, if that is not the terminal.
        interrupt_at: Ctrl-C is typed after this text has been displayed.
    """
    env = {**os.environ, "TERM": "xterm", **(environment or {})}
    with closing(TerminalSession(command, env=env, stdout=stdout)) as session:
        text, end = b"", time.monotonic() + PATIENCE
        while select.select([session.terminal], [], [], max(end - time.monotonic(), 0))[0]:
            try:
                text += os.read(session.terminal, 65536)
            except OSError:  # EIO: no process has the terminal open
                break
            if interrupt_at and interrupt_at.encode() in text:
                session.type(b"\x03")
                interrupt_at = ""
        status = session.process.wait(max(end - time.monotonic(), 0))
        assert termios.tcgetattr(session.terminal) == session.before
    return Seen(status, text.decode().replace("\r\n", "\n"))


def emu_on_a_terminal(*arguments: str, **options: Any) -> Seen:
    """Runs `emu` with `on_a_terminal`."""
    return on_a_terminal([sys.executable, "-m", "emu", *arguments], **options)
