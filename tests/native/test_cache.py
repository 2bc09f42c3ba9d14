# SPDX-License-Identifier: GPL-2.0-only
"""The cache of compiled natives is named after all that it depends on."""

from __future__ import annotations

import os
import subprocess
import sys
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


def compiled_in(cache: Path) -> tuple[str, str]:
    """Compiles something small; the directory of its cache, and what was complained of."""
    program = "import numba, emu.cpu.native.host_clock; print(numba.config.CACHE_DIR)"
    environment = dict(os.environ, EMU_CACHE_DIR=str(cache))
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def test_a_cache_that_cannot_be_written_is_one_for_the_process_alone(tmp_path: Path) -> None:
    directory, complaint = compiled_in(tmp_path)
    assert Path(directory).parent == tmp_path
    assert list(Path(directory).glob("**/*.nbi"))
    assert complaint == ""
    (tmp_path / "file").write_text("")
    directory, complaint = compiled_in(tmp_path / "file")
    assert "native code is not kept for the next time" in complaint
    assert not Path(directory).exists()
    assert not list(Path(native.__file__).parent.parent.glob("**/__pycache__/*.nbi"))
