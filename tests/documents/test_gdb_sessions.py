# SPDX-License-Identifier: GPL-2.0-only
"""Sessions with gdb in the documents: fenced blocks that begin with `$ emu gdb`. gdb prints, in this order, what they show."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.documents.sessions import ROOT, as_shown
from tests.lib.needs import needs

pytestmark = needs("gdb-multiarch")

_BLOCK = re.compile(r"^```\w*\n\$ emu (gdb .*)\n((?:\(gdb\) |.*\n)*?)```$", re.MULTILINE)
_PROMPT, _ECHO = "(gdb) ", "+"  # of a person's gdb; of one that echoes the commands of a file


class GdbSession(NamedTuple):
    """A session of a document: the words after `emu`, and the lines that follow."""

    document: str
    command: str
    lines: tuple[str, ...]


def _sessions() -> list[GdbSession]:
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [
        GdbSession(str(document.relative_to(ROOT)), found[1], tuple(found[2].splitlines()))
        for document in documents
        for found in _BLOCK.finditer(document.read_text())
        if "--linux" not in found[1] and "(gdb)" in found[2]
    ]


def first_missing(shown: tuple[str, ...], printed: list[str]) -> str | None:
    """The first line of a session that gdb does not print after those before it; None: it prints all."""
    left = iter(printed)
    for line in shown:
        wanted = _ECHO + line.removeprefix(_PROMPT) if line.startswith(_PROMPT) else line
        if not any(as_shown(wanted, one) for one in left):
            return line
    return None


@pytest.mark.parametrize("session", _sessions(), ids=lambda one: f"{one.document}: {one.command}")
def test_gdb_prints_what_a_document_shows(session: GdbSession, tmp_path: Path) -> None:
    if not (ROOT / "firmware/build/x86_64/vmlinux").exists():
        pytest.skip("make firmware has not made the debug files")
    commands = [line.removeprefix(_PROMPT) for line in session.lines if line.startswith(_PROMPT)]
    script = tmp_path / "commands.gdb"
    script.write_text("\n".join(["set width 0", "set trace-commands on", *commands, ""]))
    options = shlex.split(session.command)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "emu", "gdb", "-x", str(script), *options],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    missing = first_missing(session.lines, done.stdout.splitlines())
    assert missing is None, f"{missing}\n---\n{done.stdout}{done.stderr}"


def test_a_line_that_is_not_printed_is_seen() -> None:
    assert first_missing(("(gdb) next", "two"), ["+next", "two"]) is None
    assert first_missing(("(gdb) next", "two"), ["two", "+next"]) == "two"
