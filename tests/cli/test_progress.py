# SPDX-License-Identifier: GPL-2.0-only
"""The progress line: only on a terminal, only after a while, and out of the way when it is over."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import time
from emu.cli import progress
progress.PATIENCE = {patience}
line = progress.Progress()
with line.during("booting"):
    time.sleep(0.2)
print("done")
"""


def shown_on_a_terminal(patience: float) -> bytes:
    terminal, stderr = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    program = [sys.executable, "-c", PROGRAM.format(patience=patience)]
    subprocess.run(program, stdout=subprocess.DEVNULL, stderr=stderr, env=environment, check=True)
    os.write(stderr, b".")  # so that there is something to read
    text = b""
    while not text.endswith(b"."):
        text += os.read(terminal, 1000)
    os.close(stderr)
    os.close(terminal)
    return text


def test_what_takes_long_is_told() -> None:
    text = shown_on_a_terminal(0)
    assert b"booting" in text
    assert text.endswith(b"\x1b[?25h\r\x1b[1A\x1b[2K.")  # the cursor is back, the line is gone


def test_what_does_not_is_not() -> None:
    assert shown_on_a_terminal(10) == b"."


def test_a_file_gets_no_progress_line() -> None:
    program = [sys.executable, "-c", PROGRAM.format(patience=0)]
    assert subprocess.run(program, capture_output=True, check=True).stderr == b""
