# SPDX-License-Identifier: GPL-2.0-only
"""--patching: the name of a protocol, or a function in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Emu

FILE = """\
from dataclasses import dataclass

from emu.ftrace.sites.patching import Park, Release, Write


@dataclass
class Count:
    steps: "int"


def writes(patches, breakpoint):
    return [Write(patch.address, patch.old, patch.new) for patch in patches]


def own(patches, breakpoint):
    return [Park(), *writes(patches, breakpoint), Release()]


def stuck(patches, breakpoint):
    return own(patches, breakpoint)[:-1]


def wrong(patches, breakpoint):
    return patches[0].addres


number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


def test_a_function_of_a_file(arch: str, file: Path, emu: Emu) -> None:
    options = ("--arch", arch, "--patching", f"{file}:own", "-p", "function", "-l", "vfs_write")
    status, out, err = emu("run", *options, "--", "echo hello")
    assert (status, err) == (0, "hello\n") and b": vfs_write <-" in out
    assert [path.name for path in file.parent.iterdir()] == ["mine.py"]  # no other file is written there


def test_one_that_does_not_end(arch: str, file: Path, emu: Emu) -> None:
    status, out, err = emu("run", "--arch", arch, "--patching", f"{file}:stuck", "-p", "function", "--", "true")
    assert (status, out) == (125, b"")
    assert err.startswith("emu: patching does not end\nCPU")
    assert err.endswith(", interrupts off, is parked, and no Release follows\n")


MISTAKES = {
    "{0}:wrong": "emu: -p: the patching protocol wrong raised AttributeError: 'Patch' object has no attribute 'addres'"
    " (mine.py, line 24)",
    "{0}:nosuch": "emu: --patching {0}:nosuch: {0} has no nosuch",
    "{0}:number": "emu: --patching {0}:number: number is no function",
    "{0}:": "emu: --patching {0}:: {0} has no name after the colon",
    "{0}.gone:own": "emu: --patching {0}.gone:own: cannot read {0}.gone: No such file or directory",
    "{1}:own": "emu: --patching {1}:own: cannot read {1}: Is a directory",
    "{0}": "emu: --patching {0}: a function's name is needed, FILE.py:NAME",
    "nosuch": "emu: x86_64 has no patching protocol 'nosuch' (it has: breakpoint, stop_machine)",
}


@pytest.mark.parametrize("option", MISTAKES)
def test_mistakes_are_one_line(option: str, file: Path, emu: Emu) -> None:
    names = file, file.parent
    status, out, err = emu("run", "--patching", option.format(*names), "-p", "function", "--", "true")
    assert (status, out, err) == (2, b"", MISTAKES[option].format(*names) + "\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"def own(:", ", line 1: invalid syntax"),
        (b"\nimport nosuch", ", line 2: ModuleNotFoundError: No module named 'nosuch'"),
        (b"raise SystemExit(3)", ", line 1: SystemExit: 3"),
        (b"a\0b", ": source code string cannot contain null bytes"),
    ],
)
def test_a_file_that_cannot_be_executed(text: bytes, why: str, file: Path, emu: Emu) -> None:
    file.write_bytes(text)
    status, _, err = emu("run", "--patching", f"{file}:own", "--", "true")
    assert (status, err) == (2, f"emu: --patching {file}:own: {file}{why}\n")
