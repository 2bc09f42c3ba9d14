# SPDX-License-Identifier: GPL-2.0-only
"""Debian's trace-cmd, its libraries and their loader in one folder, from which guest and host execute it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["copy_trace_cmd", "trace_cmd"]

_LOADER = "ld-linux-x86-64.so.2"
_PACKAGES = ("trace-cmd", "libtracefs1", "libtraceevent1", "libzstd1")


def copy_trace_cmd(folder: Path, unpacked: Path) -> None:
    """Copies the installed trace-cmd and what it needs to a folder; or else Debian's package, which is unpacked into `unpacked`
    and kept.

    The test is skipped if no package is available. The reason says which.
    """
    if os.uname().machine != "x86_64":
        pytest.skip("needs the package trace-cmd for x86-64")
    environment = dict(os.environ)
    program = shutil.which("trace-cmd")
    if program is None:
        _unpack(unpacked)
        program = str(unpacked / "usr/bin/trace-cmd")
        environment["LD_LIBRARY_PATH"] = str(unpacked / "usr/lib/x86_64-linux-gnu")
    needed = subprocess.run(["ldd", program], env=environment, capture_output=True, text=True, check=True).stdout
    assert "not found" not in needed, needed
    for file in (program, *re.findall(r"(/\S+) \(0x", needed)):
        shutil.copy(file, folder)


def _unpack(folder: Path) -> None:
    folder.mkdir()
    packages = " ".join(_PACKAGES)
    done = subprocess.run(f"apt-get -qq download {packages}", shell=True, cwd=folder, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"trace-cmd is not installed, and cannot download the packages {packages} ('apt-get update' may help)")
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)


def trace_cmd(folder: Path | str) -> str:
    """The words of a shell command that execute the trace-cmd of a folder."""
    return f"{folder}/{_LOADER} --library-path {folder} {folder}/trace-cmd"
