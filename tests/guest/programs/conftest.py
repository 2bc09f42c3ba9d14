# SPDX-License-Identifier: GPL-2.0-only
"""The guest's programs on this host: they use Linux's system calls, so they run here unchanged."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lib.cpio import extract

FIRMWARE = Path(__file__).parents[3] / "firmware"
INITRAMFS = FIRMWARE / "images" / "x86_64" / "initramfs.cpio"
BUILD = FIRMWARE / "user" / "build" / "x86_64"


@dataclass(frozen=True)
class Ended:
    """How a program ended: `status` is negative if a signal killed it."""

    status: int
    output: str
    errors: str


@dataclass(frozen=True)
class Guest:
    """A folder with the guest's init and bin, and a working directory with a few files."""

    root: Path
    cwd: Path

    @classmethod
    def within(cls, root: Path, folder: Path) -> Guest:
        """A guest with a new working directory below `folder`. The directory always has the same name."""
        cwd = Path(tempfile.mkdtemp(dir=folder)) / "cwd"
        (cwd / "dir").mkdir(parents=True)
        for name in ("a.c", "b.c", "x1", "x2", ".hidden", "dir/f"):
            (cwd / name).write_text(f"{name}\n")
        (cwd / "noexec").write_text("echo hi\n")
        script = cwd / "script"
        script.write_text('echo script "$@"\nexit 3\n')
        script.chmod(0o755)
        return cls(root, cwd)

    def anew(self) -> Guest:
        """The same programs with a new working directory and its initial files."""
        return Guest.within(self.root, self.cwd.parent.parent)

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    def run(self, *argv: str, program: Path | str | None = None, stdin: str = "", path: str | None = None) -> Ended:
        """Runs a program of the guest, or another `program` under the same name, with the guest's PATH or `path`."""
        done = subprocess.run(
            argv,
            executable=program or self.bin / argv[0],
            cwd=self.cwd,
            env={"PATH": path or str(self.bin), "HOME": "/", "LC_ALL": "C", "TZ": "UTC"},
            input=stdin.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def sh(self, script: str, *arguments: str, program: Path | str | None = None, path: str | None = None) -> Ended:
        """Runs a script in the guest's shell, or in another `program`."""
        return self.run("sh", "-c", script, *arguments, program=program, path=path)


@pytest.fixture(scope="session")
def guest_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of the committed image; with EMU_PROGRAMS=build, those that were just built."""
    if platform.machine() != "x86_64" or platform.system() != "Linux":
        pytest.skip("needs an x86-64 Linux host")
    if os.environ.get("EMU_PROGRAMS") == "build":
        return BUILD
    root = tmp_path_factory.mktemp("initramfs")
    extract(INITRAMFS.read_bytes(), root)
    return root


@pytest.fixture
def guest(guest_root: Path, tmp_path: Path) -> Guest:
    return Guest.within(guest_root, tmp_path)
