# SPDX-License-Identifier: GPL-2.0-only
"""Properties of the whole tree: it is clean, and the committed images match the committed sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from emu.kernel.cpio import read_entries
from tests import images

ROOT = Path(__file__).resolve().parent.parent


MOST_LINES = 400


def check(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    check(sys.executable, "-m", "ruff", "check", ".")


def test_mypy() -> None:
    check(sys.executable, "-m", "mypy")


def test_files_are_short() -> None:
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in (ROOT / "emu").rglob("*.py")}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_images_are_those_of_the_sources(arch: str) -> None:
    command = [sys.executable, "firmware/tools/sources.py", "--arch", arch]
    sources = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    recorded = (ROOT / "firmware/images" / arch / "SOURCES").read_text()
    assert recorded == sources, "run 'make firmware' and commit firmware/images"


def test_a_part_of_the_images_is_built_anew(arch: str, tmp_path: Path) -> None:
    """init and linux-init, byte for byte, and every tenth file of the kernel; `make soak` builds everything."""
    if why := images.why_not(arch):
        pytest.skip(f"needs {why}")
    firmware = images.copied(tmp_path)
    init = firmware / "user/build" / arch / "init"
    images.build(firmware / "user", arch, str(init))
    (committed,) = (e.data for e in read_entries((images.IMAGES / arch / "initramfs.cpio").read_bytes()) if e.name == "init")
    assert init.read_bytes() == committed
    if (linux_init := images.IMAGES / arch / "linux-init").exists():
        images.build(firmware, arch, f"images/{arch}/linux-init")
        assert (firmware / "images" / arch / "linux-init").read_bytes() == linux_init.read_bytes()
    sources = sorted(path.relative_to(firmware) for path in firmware.glob("kernel/**/*.c"))
    objects = [f"build/{arch}/{path.with_suffix('.o')}" for path in sources[::10]]
    images.build(firmware, arch, *objects)
    kernel = images.functions(images.IMAGES / arch / "vmlinux")
    assert [other for name in objects for other in images.others(images.functions(firmware / name), kernel)] == []
