# SPDX-License-Identifier: GPL-2.0-only
"""What is true of the tree as a whole: it is clean, and the committed images are those of the committed sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.arches import FACTS

ROOT = Path(__file__).resolve().parent.parent


def check(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    check(sys.executable, "-m", "ruff", "check", ".")


def test_mypy() -> None:
    check(sys.executable, "-m", "mypy")


def test_images_are_those_of_the_sources(arch: str) -> None:
    command = [sys.executable, "firmware/tools/sources.py", "--arch", arch]
    sources = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    recorded = (ROOT / "firmware/images" / arch / "SOURCES").read_text()
    assert recorded == sources, "run 'make firmware' and commit firmware/images"


def test_images_are_built_byte_for_byte(arch: str, tmp_path: Path) -> None:
    version = FACTS[arch].version
    gcc, make = shutil.which(FACTS[arch].compiler), shutil.which("make")
    if not gcc or not make or not subprocess.run([gcc, "--version"], capture_output=True, text=True).stdout.startswith(version):
        pytest.skip(f"needs make and {version}")
    copy = tmp_path / "firmware"
    shutil.copytree(ROOT / "firmware", copy, ignore=shutil.ignore_patterns("build", "images"))
    subprocess.run([make, "-j2", "-C", str(copy), f"ARCH={arch}"], check=True, capture_output=True)
    for name in ("vmlinux", "initramfs.cpio"):
        committed = ROOT / "firmware/images" / arch / name
        assert (copy / "images" / arch / name).read_bytes() == committed.read_bytes(), name
