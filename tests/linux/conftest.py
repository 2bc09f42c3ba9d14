# SPDX-License-Identifier: GPL-2.0-only
"""A cache for each test: what one keeps, another does not find. And a kernel of the host, if there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.linux.find import kernels
from emu.linux.image import read_kernel
from emu.linux.symbols import Symbols


@pytest.fixture(scope="session")
def real_kernel() -> Path:
    """The kernel that `emu linux list` marks."""
    found = kernels()
    if not found:
        pytest.skip("needs a kernel in /boot, or one that `emu linux fetch` has brought")
    return found[0].path


@pytest.fixture(scope="session")
def real_symbols(real_kernel: Path) -> Symbols:
    return Symbols(read_kernel(real_kernel))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    for module in ("kept", "find"):
        monkeypatch.setattr(f"emu.linux.{module}.cache_directory", lambda: folder)
    return folder


@pytest.fixture(autouse=True)
def boot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty /boot."""
    folder = tmp_path / "boot"
    folder.mkdir()
    monkeypatch.setattr("emu.linux.find.BOOT", folder)
    return folder
