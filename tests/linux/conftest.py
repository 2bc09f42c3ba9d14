# SPDX-License-Identifier: GPL-2.0-only
"""A cache for each test: what one keeps, another does not find."""

from __future__ import annotations

from pathlib import Path

import pytest


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
