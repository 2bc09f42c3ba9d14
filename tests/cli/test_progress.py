# SPDX-License-Identifier: GPL-2.0-only
"""The progress line: only on a terminal, only after a while, and removed at the end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.lib.terminal import emu_on_a_terminal, on_a_terminal

PROGRAM = """
import time
from emu.cli import progress
progress.PATIENCE = {patience}
line = progress.Progress()
with line.during("booting"):
    time.sleep(0.4)
print("done")
"""


def shown_on_a_terminal(patience: float) -> bytes:
    terminal, stderr = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    program = [sys.executable, "-c", PROGRAM.format(patience=patience)]
    subprocess.run(program, stdout=subprocess.DEVNULL, stderr=stderr, env=environment, check=True)
    os.write(stderr, b".")  # so that there is something to read
    text = b""
    while not text.endswith(b"."):
        text += os.read(terminal, 1000)
    os.close(stderr)
    os.close(terminal)
    return text


def test_what_takes_long_is_told() -> None:
    text = shown_on_a_terminal(0)
    assert b"booting" in text
    assert text.endswith(b"\r\x1b[K.")  # the line is erased


def test_what_does_not_is_not() -> None:
    assert shown_on_a_terminal(10) == b"."


def test_a_file_gets_no_progress_line() -> None:
    program = [sys.executable, "-c", PROGRAM.format(patience=0)]
    assert subprocess.run(program, capture_output=True, check=True).stderr == b""


IMPATIENT = """
import sys
from emu.cli import main, progress
progress.PATIENCE, progress._INTERVAL = 0.0, 0.02
main(sys.argv[1:])
"""


def emu_told_at_once(*arguments: str, **environment: str) -> list[str]:
    """The successive lines on a terminal, if the progress line does not wait a second."""
    command = [sys.executable, "-c", IMPATIENT, *arguments]
    status, text = on_a_terminal(command, {"PAGER": "", **environment})
    assert status == 0
    return text.split("\r\x1b[K")


def test_how_many_cpus_are_up_is_told() -> None:
    shown = emu_told_at_once("run", "--arch", "sparc64", "--cpus", "32", "-p", "nop", "--", "spin 200")
    booting = [int(words[1]) for line in shown if (words := re.fullmatch(r"booting CPU (\d+) of 32", line))]
    assert booting == sorted(booting)
    assert len(set(booting)) > 1
    assert any(re.fullmatch(r"running, \d+(\.\d+)? [mun]?s of virtual time", line) for line in shown)
    assert shown[-1].startswith("# tracer: nop\n")


def test_what_is_compiled_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(COMPILES)
    status, text = on_a_terminal([sys.executable, str(program)], {"EMU_CACHE_DIR": str(tmp_path / "cache")})
    assert status == 0
    assert "compiling __main__.twice (0 done)" in text
    again = on_a_terminal([sys.executable, str(program)], {"EMU_CACHE_DIR": str(tmp_path / "cache")})
    assert again.status == 0
    assert "waiting" in again.text and "compiling" not in again.text


COMPILES = """
from __future__ import annotations
import time
from emu.cli import progress
from emu.cli.machine_options import compiling
from emu.native.cache import Cache
from emu.native.functions import callback
from emu.native.records import i64
progress.PATIENCE = progress._INTERVAL = 0.0
line = progress.Progress()
line.instead = lambda: compiling(Cache)
with line.during("waiting"):
    @callback
    def twice(number: i64) -> i64:
        return number * 2
    time.sleep(0.1)
"""
WRITES = """
import os, time
from emu.cli import progress
progress.PATIENCE = 0.1
line = progress.Progress()
with line.during("running"):
    for output in (b"part", b" of a line\\n"):
        with line.while_writing(output):
            os.write(2, output)
        time.sleep(0.6)
"""


def test_output_is_never_cut_and_the_line_comes_back() -> None:
    assert on_a_terminal([sys.executable, "-c", WRITES]).text == "part of a line\n\r\x1b[Krunning\r\x1b[K"


def test_a_signal_leaves_no_line() -> None:
    seen = emu_on_a_terminal("run", "-p", "nop", "-o", os.devnull, "--", "while :; do :; done", interrupt_at="virtual time")
    assert seen.status == 130
    last = r"emu: no events; [\d.]+ m?s of virtual time \(pipeline, zen3\)\n$"
    assert re.search(rf"\r\x1b\[Krunning, [^\r]*(\^C)?\r\x1b\[K{last}", seen.text)
