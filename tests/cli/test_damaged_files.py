# SPDX-License-Identifier: GPL-2.0-only
"""One wrong byte in a text of a trace.dat: each command that reads the file reports that in one line, before it prints anything
else.

tests/fuzz/trace_dat_texts.py tries many such files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Emu
from tests.fuzz.trace_dat import sample

COMMANDS = {
    "report": ["report", "FILE"],
    "report -R": ["report", "-R", "FILE"],
    "report --format trace": ["report", "--format", "trace", "FILE"],
    "grep": ["grep", "fn_1", "FILE"],
    "top": ["top", "FILE"],
    "tree": ["tree", "FILE"],
    "diff": ["diff", "FILE", "FILE"],
    "convert": ["convert", "--to", "csv", "FILE"],
    "convert --to pftrace": ["convert", "-o", "FILE.pftrace", "FILE"],
}


@pytest.fixture(scope="module")
def good() -> bytes:
    return sample("<", 7, compressed=False)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_format_without_a_name(words: list[str], good: bytes, tmp_path: Path, emu: Emu) -> None:
    path, place = tmp_path / "trace.dat", good.index(b"name: function\n")
    path.write_bytes(good[:place] + b"m" + good[place + 1 :])
    done = emu(*(word.replace("FILE", str(path)) for word in words))
    assert (done.status, done.out) == (2, b"")
    assert done.err == f"emu: {path}: byte {place}: a format of ftrace has no name and ID\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_format_with_another_name_is_an_event_of_its_own(good: bytes, tmp_path: Path, emu: Emu) -> None:
    path, place = tmp_path / "trace.dat", good.index(b"name: function\n")
    path.write_bytes(good[:place] + b"name: funcnion" + good[place + len(b"name: funcnion") :])
    done = emu("report", str(path))
    assert (done.status, done.err) == (0, "")
    assert b": funcnion: " in done.out and b": function: " not in done.out
    done = emu("report", "--format", "trace", str(path))
    problem = "ftrace:funcnion does not have the fields that --format trace shows"
    assert (done.status, done.out, done.err) == (2, b"", f"emu: {path}: byte {place}: {problem}\n")


def test_fields_that_overlap(good: bytes, tmp_path: Path, emu: Emu) -> None:
    """Both fields are read, as the format says."""
    path = tmp_path / "trace.dat"
    prio, pid = (good.index(b"\tfield:%b;\toffset:" % field) for field in (b"int prev_prio", b"pid_t prev_pid"))
    offset = good.index(b"offset:", prio) + len(b"offset:")
    other = good[good.index(b"offset:", pid) + len(b"offset:") :][:2]
    path.write_bytes(good[:offset] + other + good[offset + 2 :])
    done = emu("report", "--format", "trace", str(path))
    assert (done.status, done.err) == (0, "")
    assert b" prev_pid=2 prev_prio=2 " in done.out
