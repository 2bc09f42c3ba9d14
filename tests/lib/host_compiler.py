# SPDX-License-Identifier: GPL-2.0-only
"""Programs as the host's compilers and C libraries make them: if static, they run in the guest as they are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.lib.arches import FACTS

__all__ = ["compile_static"]


def compile_static(arch: str, source: str, program: Path) -> None:
    """Compiles C; the test is skipped where there is no compiler for it, or no static library."""
    compiler = shutil.which(FACTS[arch].compiler)
    if compiler is None:
        pytest.skip(f"needs {FACTS[arch].compiler}")
    command = [compiler, "-O2", "-static", "-x", "c", "-", "-o", str(program)]
    done = subprocess.run(command, input=source.encode(), capture_output=True, check=False)
    if b"cannot find -lc" in done.stderr:
        pytest.skip(f"needs a static C library for {FACTS[arch].compiler}")
    assert done.returncode == 0, done.stderr.decode()
