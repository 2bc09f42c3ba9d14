# SPDX-License-Identifier: GPL-2.0-only
"""The last rung: the checkout's test suite, of one architecture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from emu.installation import firmware_directory
from emu.port.ladder.rung import RungFailed, fail

__all__ = ["suite"]

_LAST_LINES = 40


def suite(arch: str) -> str:
    """Runs the tests whose names have the architecture's name in them."""
    root = firmware_directory().parent
    if not (Path(root) / "tests").is_dir():
        fail("the folder tests of a checkout", f"{root} has none")
    command = [sys.executable, "-m", "pytest", "-q", "-k", arch, "--tb=short", "--maxfail=5"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode:
        raise RungFailed(f"pytest -k {arch} passes", "\n".join([*lines, *done.stderr.splitlines()][-_LAST_LINES:]))
    counts = re.search(r"\d+ passed", lines[-1]) if lines else None
    return counts[0] if counts else "passed"
