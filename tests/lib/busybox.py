# SPDX-License-Identifier: GPL-2.0-only
"""A static busybox for tests, which firmware/tools/busybox makes once. Only `make soak` builds it from source."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

__all__ = ["TOOL", "busybox"]

TOOL = Path(__file__).resolve().parents[2] / "firmware" / "tools" / "busybox"


@functools.cache
def _made(arch: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TOOL, "--no-build", arch], capture_output=True, text=True, check=False)


def busybox(arch: str) -> Path:
    """The path of busybox for an architecture. The test is skipped if a package that it needs is missing, or it is not built.

    The reason names the package, or says how it is built.
    """
    made = _made(arch)
    if made.returncode and ("package" in made.stderr or "is built" in made.stderr):
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())
