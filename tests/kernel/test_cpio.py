# SPDX-License-Identifier: GPL-2.0-only
"""Archives in the newc format: what is written is read again, and what is damaged is refused."""

from __future__ import annotations

import stat

import pytest

from emu.kernel.cpio import TRAILER, Entry, Header, head, padding, read_entries, read_member

MODE = stat.S_IFREG | 0o644
HEADER = Header(inode=1, mode=MODE, uid=2, gid=3, links=4, mtime=5, size=3, major=6, minor=7, device_major=8, device_minor=9)
ARCHIVE = head(b"/etc/a", HEADER) + b"abc" + padding(3) + head(TRAILER, Header())


def test_what_is_written_is_read() -> None:
    member = read_member(ARCHIVE, 0)
    assert (member.name, bytes(member.data), member.header) == (b"/etc/a", b"abc", HEADER._replace(name_size=7))
    assert read_member(ARCHIVE, member.end).name == TRAILER
    assert len(ARCHIVE) % 4 == 0
    assert list(read_entries(ARCHIVE)) == [Entry("etc/a", MODE, b"abc")]


def test_sums_are_checked() -> None:
    summed = b"070702" + head(b"a", HEADER._replace(check=sum(b"abc")))[6:] + b"abc"
    assert bytes(read_member(summed, 0).data) == b"abc"
    with pytest.raises(ValueError, match="the file at 0 has another sum than its header says"):
        read_member(summed[:-1] + b"x", 0)


@pytest.mark.parametrize(
    "archive", [b"", b"070707" + ARCHIVE[6:], ARCHIVE[:100], b"070701" + b" " * 200, ARCHIVE[:40] + b"-" + ARCHIVE[41:]]
)
def test_no_header(archive: bytes) -> None:
    with pytest.raises(ValueError, match=r"^no newc header at 0$"):
        list(read_entries(archive))


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (ARCHIVE[:120], "the archive ends within the file at 0"),
        (ARCHIVE[:123], "no newc header at 124"),
        (ARCHIVE[:116] + b"x" + ARCHIVE[117:], "the name of the file at 0 does not end"),
    ],
)
def test_an_archive_that_is_cut_off(archive: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        list(read_entries(archive))
