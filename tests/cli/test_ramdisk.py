# SPDX-License-Identifier: GPL-2.0-only
"""Valid and invalid arguments of `--ramdisk`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Emu


@pytest.mark.parametrize(
    ("contents", "name", "message"),
    [
        (None, "none", "cannot read none: No such file or directory"),
        (b"short", "disk", "disk: 5 bytes do not make a disk: it needs at least 512"),
        (b"short", "disk:rw", "disk: 5 bytes do not make a disk: it needs at least 512"),
        (b"", ".", ".: not a regular file"),
    ],
)
def test_what_is_wrong(
    contents: bytes | None, name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, emu: Emu
) -> None:
    if contents is not None:
        (tmp_path / "disk").write_bytes(contents)
    monkeypatch.chdir(tmp_path)
    done = emu("run", "--ramdisk", name, "--", "true")
    assert (done.status, done.err.strip()) == (2, f"emu: {message}")


def test_what_is_written_to_it_is_kept_on_request(tmp_path: Path, arch: str, emu: Emu) -> None:
    path = tmp_path / "disk"
    path.write_bytes(b"line\n" + bytes(507))
    for name, after in ((str(path), b"line\n"), (f"{path}:rw", b"LINE\n")):
        done = emu("run", "-p", "nop", "--arch", arch, "--ramdisk", name, "--", "sed 1q /dev/ram0; echo LINE > /dev/ram0; sync")
        assert done.status == 0
        assert done.err.startswith("line\n")
        assert path.read_bytes()[:5] == after
