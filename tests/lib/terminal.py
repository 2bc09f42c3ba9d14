# SPDX-License-Identifier: GPL-2.0-only
"""A command on a pseudo-terminal, and what somebody who looks at it would have seen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

__all__ = ["Seen", "emu_on_a_terminal", "on_a_terminal"]

PATIENCE = 60  # seconds of the host, until a test gives up


class Seen(NamedTuple):
    """`text`: all that was written to the terminal."""

    status: int
    text: str


def on_a_terminal(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    stdout: IO[bytes] | None = None,
    interrupt_at: str = "",
) -> Seen:
    """Runs a command on a terminal of its own, which must be given back as it was.

    Args:
        environment: variables besides those of this process.
        stdout: standard output, if that is not the terminal.
        interrupt_at: Ctrl-C is typed when this has been shown.
    """
    ours, inner = pty.openpty()
    termios.tcsetwinsize(inner, (30, 100))
    before = termios.tcgetattr(ours)
    process = subprocess.Popen(
        command,
        stdin=inner,
        stdout=stdout or inner,
        stderr=inner,
        env={**os.environ, "TERM": "xterm", **(environment or {})},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inner)
    text, end = b"", time.monotonic() + PATIENCE
    try:
        while select.select([ours], [], [], max(end - time.monotonic(), 0))[0]:
            try:
                text += os.read(ours, 65536)
            except OSError:  # EIO: nobody has the terminal any more
                break
            if interrupt_at and interrupt_at.encode() in text:
                os.write(ours, b"\x03")
                interrupt_at = ""
        status = process.wait(max(end - time.monotonic(), 0))
        assert termios.tcgetattr(ours) == before
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return Seen(status, text.decode().replace("\r\n", "\n"))


def emu_on_a_terminal(*arguments: str, **options: Any) -> Seen:
    """Runs `emu` as `on_a_terminal` does any command."""
    return on_a_terminal([sys.executable, "-m", "emu", *arguments], **options)
