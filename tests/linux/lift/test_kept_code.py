# SPDX-License-Identifier: GPL-2.0-only
"""Lifted code that is kept on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.linux.lift.kept_code import KeptCode, LiftedCode

LIFTED = LiftedCode(b"machine\ncode\0", [1, 2], "takes a lock", {8: True, 16: False})


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptCode:
    monkeypatch.setattr("emu.linux.lift.kept_code.cache_directory", lambda: tmp_path)
    return KeptCode(__file__, ("kernel",), lambda label: label == 8)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_kept_is_found_under_its_own_key_only(kept: KeptCode, tmp_path: Path) -> None:
    kept.put(("probe", 1), LIFTED)
    assert kept.get(("probe", 1)) == LIFTED
    assert kept.get(("probe", 2)) is None
    assert KeptCode(__file__, ("another kernel",), lambda label: label == 8).get(("probe", 1)) is None
    assert len(files(tmp_path)) == 1


def test_it_is_not_used_if_a_jump_label_has_changed(kept: KeptCode) -> None:
    kept.put(("probe", 1), LIFTED)
    assert KeptCode(__file__, ("kernel",), lambda label: True).get(("probe", 1)) is None


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"x" + data[41:]])
def test_damage_is_noticed(kept: KeptCode, tmp_path: Path, damage: object) -> None:
    kept.put(("probe", 1), LIFTED)
    (path,) = files(tmp_path)
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert kept.get(("probe", 1)) is None
    kept.put(("probe", 1), LIFTED)
    assert kept.get(("probe", 1)) == LIFTED


def test_nothing_is_kept_where_nothing_can_be_written(kept: KeptCode, tmp_path: Path) -> None:
    for path in tmp_path.iterdir():
        path.rmdir()
    tmp_path.rmdir()
    tmp_path.write_text("a file")
    kept.put(("probe", 1), LIFTED)
    assert kept.get(("probe", 1)) is None
