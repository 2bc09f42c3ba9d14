# SPDX-License-Identifier: GPL-2.0-only
"""`--userland busybox` as users use it: a script, a trace, and ash's prompt on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.cli.conftest import Emu
from tests.lib.busybox import busybox
from tests.lib.terminal_session import TerminalSession

PROMPT = rb"# \x1b\[6n\Z"  # ash then asks the terminal for the cursor's position


def test_run_and_shell_take_it(emu: Emu) -> None:
    options = ("--userland", f"busybox={busybox('x86_64')}")
    done = emu("run", *options, "-F", "-p", "function", "-l", "sys_execve", "--", "sed", "--version")
    assert done.err.startswith("This is not GNU sed")
    assert b"sed-" in done.out and b"sys_execve" in done.out
    done = emu("shell", *options, stdin=b"type sed\nexit 3\n")
    assert (done.status, done.out) == (3, b"sed is sed\n")


class Prompt(TerminalSession):
    def enter(self, keys: bytes) -> bytes:
        """The output from some keys to the next prompt."""
        self.type(keys)
        return self.until(PROMPT)


@pytest.fixture
def prompt(arch: str) -> Iterator[Prompt]:
    command = [sys.executable, "-m", "emu", "shell", "--arch", arch, "--userland", f"busybox={busybox(arch)}"]
    with closing(Prompt(command)) as session:
        assert b"(ash)" in session.until(rb"Ctrl-\](?s:.*)" + PROMPT)
        yield session


def test_ash_prompts(prompt: Prompt) -> None:
    assert prompt.enter(b"stty size; echo hi\r") == b"stty size; echo hi\r\n30 100\r\nhi\r\n~ # \x1b[6n"
    assert b"\r\nhi\r\n" in prompt.enter(b"\x1b[A\r")  # the last line again
    assert b"\r\nho\r\n" in prompt.enter(b"\x1b[A\x7fo\x01\x05\r")  # ... changed
    prompt.type(b"ls /usr/l\t")
    prompt.until(rb"/usr/lib/")
    assert prompt.enter(b"\r").endswith(b"\r\nbusybox\r\n~ # \x1b[6n")
    prompt.type(b"sh -c 'echo go; cat'\r")
    prompt.until(rb"\ngo\r\n")
    assert b"Stopped" in prompt.enter(b"\x1a")
    assert prompt.enter(b"jobs | wc -l; kill -STOP %1; bg\r").startswith(b"jobs | wc -l; kill -STOP %1; bg\r\n1\r\n[1] ")
    prompt.type(b"fg\r")
    prompt.until(rb"fg\r\n.*\r\n")
    prompt.type(b"x\r")
    prompt.until(rb"x\r\nx\r\n")
    assert prompt.enter(b"\x03") == b"^C\r\n~ # \x1b[6n"
    assert b"\r\n[130]\r\n" in prompt.enter(b"echo [$?]\r")
    prompt.type(b"echo go; while :; do :; done\r")
    prompt.until(rb"\ngo\r\n")
    assert prompt.enter(b"\x03") == b"^C\r\n~ # \x1b[6n"
    prompt.type(b"seq 100 | less\r")
    prompt.until(rb"\n.*29\r\n")
    assert b"30" in prompt.enter(b"q")
    prompt.type(b"exit 7\r")
    assert prompt.process.wait(9) == 7
