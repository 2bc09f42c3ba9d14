# SPDX-License-Identifier: GPL-2.0-only
"""A program of this host on a pseudo-terminal, with simulated typing."""

from __future__ import annotations

__all__ = ["PATIENCE", "TerminalSession"]

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

PATIENCE = 60  # seconds of the host until a test gives up


def _take_terminal() -> None:
    """In the child: creates a session whose terminal is standard input."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class TerminalSession:
    """A program that leads a session on a terminal of 30 rows.

    Args:
        stdout: standard output, if that is not the terminal.

    Attributes:
        before: the terminal's settings before the program was started.
    """

    def __init__(
        self,
        command: Sequence[str],
        executable: Path | str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        columns: int = 100,
        stdout: IO[bytes] | None = None,
    ) -> None:
        self.terminal, inner = pty.openpty()
        termios.tcsetwinsize(inner, (30, columns))
        self.before = termios.tcgetattr(self.terminal)
        self.process = subprocess.Popen(
            command,
            executable=executable,
            cwd=cwd,
            env=env,
            stdin=inner,
            stdout=stdout or inner,
            stderr=inner,
            preexec_fn=_take_terminal,
        )
        os.close(inner)
        self.seen = b""

    def until(self, pattern: bytes) -> bytes:
        """The output up to and including `pattern`."""
        end = time.monotonic() + PATIENCE
        while not (match := re.search(pattern, self.seen)):
            ready = select.select([self.terminal], [], [], max(end - time.monotonic(), 0))[0]
            assert ready, f"{pattern!r} is not in {self.seen!r}"
            self.seen += os.read(self.terminal, 4096)
        text, self.seen = self.seen[: match.end()], self.seen[match.end() :]
        return text

    def type(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def close(self) -> None:
        """Hangs up, which ends the rest of the session."""
        os.close(self.terminal)
        self.process.kill()
        self.process.wait()
