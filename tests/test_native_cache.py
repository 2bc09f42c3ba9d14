# SPDX-License-Identifier: GPL-2.0-only
"""The cache of compiled natives is named after all that it depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu import native


def test_a_changed_native_source_has_another_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_PACKAGE", tmp_path)
    monkeypatch.setenv("EMU_CACHE_DIR", "/caches")
    source = tmp_path / "cpu" / "native" / "arch" / "some.py"
    source.parent.mkdir(parents=True)
    source.write_text("A = 1\n")
    first = native.cache_directory()
    assert native.cache_directory() == first
    source.write_text("A = 2\n")
    second = native.cache_directory()
    assert second != first
    (tmp_path / "cpu" / "ordinary.py").write_text("B = 1\n")
    assert native.cache_directory() == second
    assert first.parent == second.parent == Path("/caches")
