# SPDX-License-Identifier: GPL-2.0-only
"""The addresses of functions in the guest's programs, if the host has their files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.installation import image_directory
from emu.kernel.cpio import read_entries
from emu.kernel.program_files import ProgramFiles, UnknownPlace

ARCHIVE = (image_directory("x86_64") / "initramfs.cpio").read_bytes()
PROGRAM = next(entry.data for entry in read_entries(ARCHIVE) if entry.name == "bin/true")


def files(folder: Path) -> ProgramFiles:
    return ProgramFiles(ARCHIVE, [("/m", folder)])


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/bin/nothing:main", "there is no file /bin/nothing, as far as the host knows"),
        ("/bin:main", "there is no file /bin, as far as the host knows"),
        ("/m/text:main", "/m/text is no ELF file"),
        ("/m/cut:main", "/m/cut is no ELF file"),
        ("/m/../etc/passwd:main", "there is no file /m/../etc/passwd, as far as the host knows"),
        ("/m/out:main", "there is no file /m/out, as far as the host knows"),
        ("/m/round:main", "there is no file /m/round, as far as the host knows"),
        ("/bin/cat:mian", "/bin/cat has no symbol 'mian'"),
    ],
)
def test_what_cannot_be_found_says_why(place: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    (tmp_path / "cut").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\xff" * 30)
    (tmp_path / "out").symlink_to("/etc/passwd")
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UnknownPlace) as error:
        files(tmp_path).file_offset(*place.split(":"))
    assert error.value.why == said


@given(place=st.integers(0, 20_000), value=st.integers(0, 255))
def test_a_damaged_program_gives_an_offset_or_a_reason(place: int, value: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    program = bytearray(PROGRAM)
    program[place % len(program)] = value
    (folder / "true").write_bytes(program)
    try:
        assert ProgramFiles(b"", [("/m", folder)]).file_offset("/m/true", "main") >= 0
    except UnknownPlace as error:
        assert error.why
