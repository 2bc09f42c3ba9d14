# SPDX-License-Identifier: GPL-2.0-only
"""Output is written completely, or the command fails and says why."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

MOST = 20_000  # the limit of a file's size in bytes: less than the trace
COMMAND = [sys.executable, "-m", "emu", "run", "-p", "function", "--", "true"]


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_trace_that_does_not_fit_is_no_success(tmp_path: Path, unbuffered: str) -> None:
    """The last write is short, and the one after it fails, as on a disk that is nearly full."""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with (tmp_path / "trace").open("wb") as file:
        done = subprocess.run(COMMAND, env=environment, stdout=file, stderr=subprocess.PIPE, preexec_fn=limit_files)
    assert (done.returncode, done.stderr) == (2, b"emu: cannot write standard output: File too large\n")


def test_a_pipe_that_does_not_block_gets_everything() -> None:
    program = "from emu.cli.output import open_output; open_output(None).write(lambda: [b'x' * 100_000] * 3)"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    time.sleep(0.3)  # until the pipe is full
    with open(reader, "rb") as pipe:
        assert len(pipe.read()) == 300_000
    assert process.communicate()[1] == b""
    assert process.returncode == 0


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["shell"]])
def test_a_pipe_that_nobody_reads_ends_as_by_its_signal(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND[:3], *arguments], input=b"echo x", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_error_that_cannot_be_told_is_in_the_status() -> None:
    with open("/dev/full", "wb") as full:
        assert subprocess.run([*COMMAND[:3], "run"], stderr=full).returncode == 2
