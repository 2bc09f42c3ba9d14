# SPDX-License-Identifier: GPL-2.0-only
"""The trace on a terminal: through a pager, which may be missing, quit early or be interrupted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.lib.terminal import Seen, emu_on_a_terminal, on_a_terminal

SHORT = "[b'one\\n', b'two\\n']"
LONG = "(b'x' * 65535 + b'\\n' for n in range(5000))"  # 330 MB if all of it is made
PROGRAM = "from emu.cli.output import open_shown; open_shown(None).write(lambda: {pieces}); print('done')"


def paged(pager: str | None, pieces: str = SHORT, path: str | None = None, interrupt_at: str = "") -> Seen:
    """The displayed part of a trace; None: $PAGER is not set."""
    environment = {"PATH": path or os.environ["PATH"]}
    program = PROGRAM.format(pieces=pieces)
    if pager is None:
        program = f"import os; os.environ.pop('PAGER', None); {program}"
    else:
        environment["PAGER"] = pager
    return on_a_terminal([sys.executable, "-c", program], environment, interrupt_at=interrupt_at)


@pytest.mark.parametrize(("pager", "shown"), [
    ("sed s/^/-/", "-one\n-two\n"),
    ("tr a-z A-Z | cat -n", "     1\tONE\n     2\tTWO\n"),
    ("X=3; echo $X; head -1", "3\none\n"),
    ("", "one\ntwo\n"),
    ("cat", "one\ntwo\n"),
    ("false", ""),
])
def test_the_pager_that_is_asked_for(pager: str, shown: str) -> None:
    assert paged(pager) == Seen(0, f"{shown}done\n")


def test_less_is_the_default(tmp_path: Path) -> None:
    less = tmp_path / "less"
    less.write_text('#!/bin/sh\necho "less $@"\n/bin/cat\n')
    less.chmod(0o755)
    assert paged(None, path=str(tmp_path)) == Seen(0, "less -R\none\ntwo\ndone\n")
    less.unlink()
    assert paged(None, path=str(tmp_path)) == Seen(0, "one\ntwo\ndone\n")


def test_a_pager_that_cannot_be_started() -> None:
    complaint = "emu: cannot start the pager 'nosuch -x': No such file or directory\n"
    assert paged("nosuch -x") == Seen(0, f"{complaint}one\ntwo\ndone\n")
    status, text = paged("nosuch -x '1'")  # a pager that only a shell can start
    assert status == 0
    assert "nosuch" in text.splitlines()[0]
    assert text.splitlines()[1:] == ["one", "two", "done"]


def test_a_pager_that_is_left_early_ends_the_writing() -> None:
    assert paged("head -c 5", LONG) == Seen(0, "xxxxxdone\n")


def test_control_c_is_the_pagers() -> None:
    pager = """trap 'echo caught' INT; echo ready; sleep 1; read line; echo $line"""
    status, text = paged(pager, interrupt_at="ready")
    assert status == 0
    assert text.replace("^C", "") == "ready\ncaught\none\ndone\n"


def test_control_c_may_end_the_pager() -> None:
    status, text = paged("echo ready; sleep 3", LONG, interrupt_at="ready")
    assert status == 0
    assert text.replace("^C", "").split() == ["ready", "done"]


def test_a_trace_goes_through_the_pager_and_a_last_line_follows() -> None:
    status, text = emu_on_a_terminal(
        "run", "-F", "-p", "function", "-l", "vfs_write", "--", "echo hello; exit 3", environment={"PAGER": "sed s/^/page:/"}
    )
    assert status == 3
    lines = text.split("\x1b[K")[-1].splitlines()
    assert lines[:2] == ["hello", "page:# tracer: function"]
    assert lines[-2].startswith("page:") and "vfs_write <-" in lines[-2]
    assert lines[-1].startswith("emu: 1 event of 1 CPU and 1 process, none lost; ")


def test_a_file_is_not_paged(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    _, text = emu_on_a_terminal("run", "-p", "nop", "-o", str(file), "--", "true", environment={"PAGER": "sed s/^/page:/"})
    assert "page:" not in text
    assert file.read_text().startswith("# tracer: nop")
