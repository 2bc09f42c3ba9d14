# SPDX-License-Identifier: GPL-2.0-only
"""A static busybox for tests, which firmware/tools/busybox makes once."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

__all__ = ["TOOL", "busybox"]

TOOL = Path(__file__).resolve().parents[2] / "firmware" / "tools" / "busybox"


@functools.cache
def _made(arch: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TOOL, arch], capture_output=True, text=True, check=False)


def busybox(arch: str) -> Path:
    """The path of one for an architecture. The test is skipped where a package is missing that it takes, and says which."""
    made = _made(arch)
    if made.returncode and "package" in made.stderr:
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())
