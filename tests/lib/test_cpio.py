# SPDX-License-Identifier: GPL-2.0-only
"""The newc reader, with an archive made here."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from emu.kernel.cpio import read_entries
from tests.lib.cpio import extract


def newc(*files: tuple[str, int, bytes]) -> bytes:
    archive = b""
    for name, mode, data in (*files, ("TRAILER!!!", 0, b"")):
        encoded = name.encode() + b"\0"
        fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0]
        archive += b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
        archive += b"\0" * (-len(archive) % 4) + data
        archive += b"\0" * (-len(archive) % 4)
    return archive


def test_entries_keep_names_modes_and_data() -> None:
    archive = newc(("bin", stat.S_IFDIR | 0o755, b""), ("bin/a", stat.S_IFREG | 0o755, b"12345"))
    assert [(e.name, e.mode, e.data) for e in read_entries(archive)] == [
        ("bin", stat.S_IFDIR | 0o755, b""),
        ("bin/a", stat.S_IFREG | 0o755, b"12345"),
    ]


def test_extracted_files_are_executable(tmp_path: Path) -> None:
    extract(newc(("/bin/a", stat.S_IFREG | 0o755, b"12345"), ("dev/console", stat.S_IFCHR, b"")), tmp_path)
    assert (tmp_path / "bin/a").read_bytes() == b"12345"
    assert (tmp_path / "bin/a").stat().st_mode & 0o777 == 0o755
    assert not (tmp_path / "dev/console").exists()


def test_what_is_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="no newc header"):
        list(read_entries(newc(("a", stat.S_IFREG, b"123"))[:-124]))
