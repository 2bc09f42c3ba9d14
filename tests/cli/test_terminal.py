# SPDX-License-Identifier: GPL-2.0-only
"""`emu shell` on a terminal: every key is the guest's but one, and the terminal is as before, however it ends."""

from __future__ import annotations

import signal
import sys
import termios
import time
from collections.abc import Iterator

import pytest

from tests.lib.terminal_session import PATIENCE, TerminalSession


class Session(TerminalSession):
    """The command on a pseudo-terminal."""

    def __init__(self, arch: str, *options: str) -> None:
        super().__init__([sys.executable, "-m", "emu", "shell", "--arch", arch, *options])

    def ends(self) -> int:
        """The exit status; the terminal must have been given back as it was."""
        status = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.terminal) == self.before
        return status


@pytest.fixture
def session(arch: str) -> Iterator[Session]:
    made = Session(arch)
    try:
        made.until(rb"Ctrl-\](?s:.*)\r\n# ")
        yield made
    finally:
        made.close()


def test_keys_are_the_guests(session: Session) -> None:
    assert termios.tcgetattr(session.terminal)[3] & (termios.ECHO | termios.ICANON | termios.ISIG) == 0
    session.type(b"stty size\r")
    assert session.until(rb"# ") == b"stty size\r\n30 100\r\n# "
    session.type(b"cat\rx\r")
    session.until(rb"cat\r\nx\r\n")  # it has begun: before that ^C may find the shell alone, which ignores it
    session.type(b"\x03")
    assert session.until(rb"# ") == b"^C\r\n# "
    session.type(b"exit 7\r")
    assert session.ends() == 7


# What Ctrl-C ends when it has shown "go": nothing of it comes after that.
ENDED = (
    b"echo go; while :; do :; done; echo after",
    b"echo go; i=0; until [ $i = -1 ]; do i=$((i+1)); done; echo after",
    b"f() { echo go; while :; do :; done; }; f; echo after",
    b"for i in 1 2 3; do sh -c 'echo go; spin 1000000000'; done; echo after",
    b"( echo go; while :; do :; done ); echo after",
    b"x=$(echo go >&2; while :; do :; done); echo after",
    b"echo go; read x; echo after",
    b"echo go; echo /*/*/*/*/*/*/*; echo after",
)


def test_control_c_ends_the_command_line(session: Session) -> None:
    for line in ENDED:
        session.type(line + b"\r")
        session.until(rb"\ngo\r\n")
        session.type(b"\x03")
        assert session.until(rb"# \Z") == b"^C\r\n# "
        session.type(b"echo [$?]\r")
        assert session.until(rb"# \Z").endswith(b"\n[130]\r\n# ")
    session.type(b"jobs; ps | grep -c 'spin\\|sh'\r")
    assert session.until(rb"# \Z").endswith(b"\r\n1\r\n# ")  # this shell alone


def test_control_z_stops_what_is_a_job(session: Session) -> None:
    session.type(b"for i in 1 2; do sh -c 'echo go; cat'; echo r$i; done\r")
    for number in (b"1", b"2"):
        session.until(rb"\ngo\r\n")
        session.type(b"\x1a")
        session.until(rb"\^Z\r\nr" + number)
    session.until(rb"\[2\] \+ Stopped +sh -c .*\r\n\[1\] - Stopped +sh -c .*\r\n# \Z")
    session.type(b"echo go; while :; do :; done\r")
    session.until(rb"\ngo\r\n")
    session.type(b"\x1a\x03")
    assert session.until(rb"# \Z") == b"^Z^C\r\n# "


def test_what_is_typed_while_a_command_runs_comes_after_it(session: Session) -> None:
    session.type(b"echo go; spin 200\r")
    session.until(rb"\ngo\r\n")
    session.type(b"echo one\recho two; while :; do :; done\r")
    session.until(rb"# echo one\r\none\r\n(?s:.*)\ntwo\r\n")
    session.type(b"\x03echo three\recho four\r")
    session.until(rb"# echo three\r\nthree\r\n# echo four\r\nfour\r\n# \Z")


def test_a_pipe_without_events_waits_for_keys(session: Session) -> None:
    session.type(b"cat /sys/kernel/tracing/trace_pipe\r")
    session.until(rb"trace_pipe\r\n")
    time.sleep(0.5)
    session.type(b"\x03")
    assert session.until(rb"# ") == b"^C\r\n# "
    session.type(b"echo $?\r")
    session.until(rb"130\r\n# ")
    session.type(b"cat /sys/kernel/tracing/trace_pipe | head -1 &\r")
    session.until(rb"# ")
    session.type(b"echo hello > /sys/kernel/tracing/trace_marker\r")
    session.until(rb"tracing_mark_write: hello\r\n")
    session.type(b"exit\r")
    assert session.ends() == 0


def test_control_d_ends_the_shell(session: Session) -> None:
    session.type(b"\x04")
    assert session.ends() == 0


def test_a_key_leaves_a_guest_that_is_busy(session: Session) -> None:
    session.type(b"spin 100000000\r")
    session.until(rb"spin 100000000\r\n")
    session.type(b"\x1d")
    assert session.ends() == 0


def test_a_signal_gives_the_terminal_back(session: Session) -> None:
    session.process.send_signal(signal.SIGTERM)
    assert session.ends() == 128 + signal.SIGTERM


def test_the_guest_hears_of_a_new_size(session: Session) -> None:
    session.type(b"trap 'stty size' WINCH\r")
    session.until(rb"WINCH\r\n# ")
    termios.tcsetwinsize(session.terminal, (40, 120))
    session.process.send_signal(signal.SIGWINCH)
    session.type(b"true\r")
    session.until(rb"40 120\r\n")


def test_a_limit_ends_a_guest_that_waits(arch: str) -> None:
    made = Session(arch, "--host-limit", "1s")
    try:
        made.until(rb"1 s of host time have passed\r?\n")
        assert made.ends() == 124
    finally:
        made.close()
