# SPDX-License-Identifier: GPL-2.0-only
"""`emu shell` on a terminal: the guest gets every key except one, and the terminal is restored, however the session ends."""

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
        """The exit status; the terminal's settings must have been restored."""
        status = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.terminal) == self.before
        return status


def started(arch: str) -> Iterator[Session]:
    """A session at its first prompt."""
    made = Session(arch)
    try:
        made.until(rb"Ctrl-\](?s:.*)\r\n# ")
        yield made
    finally:
        made.close()


@pytest.fixture
def session(arch: str) -> Iterator[Session]:
    """A session for a test that ends it, or leaves something behind."""
    yield from started(arch)


@pytest.fixture(scope="module")
def shared(arch: str) -> Iterator[Session]:
    """A session for tests that leave it at the prompt, as they found it."""
    yield from started(arch)


# For tests that do not depend on the guest.
one_arch = pytest.mark.parametrize("arch", ["x86_64"])


def test_keys_are_the_guests(shared: Session) -> None:
    assert termios.tcgetattr(shared.terminal)[3] & (termios.ECHO | termios.ICANON | termios.ISIG) == 0
    shared.type(b"stty size\r")
    assert shared.until(rb"# ") == b"stty size\r\n30 100\r\n# "
    shared.type(b"cat\rx\r")
    shared.until(rb"cat\r\nx\r\n")  # it has started: before that, ^C may find only the shell, which ignores it
    shared.type(b"\x03")
    assert shared.until(rb"# ") == b"^C\r\n# "


# Commands that Ctrl-C ends after they have printed "go": they print nothing afterwards.
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


def test_control_c_ends_the_command_line(shared: Session) -> None:
    for line in ENDED:
        shared.type(line + b"\r")
        shared.until(rb"\ngo\r\n")
        shared.type(b"\x03")
        assert shared.until(rb"# \Z") == b"^C\r\n# "
        shared.type(b"echo [$?]\r")
        assert shared.until(rb"# \Z").endswith(b"\n[130]\r\n# ")
    shared.type(b"jobs; ps | grep -c 'spin\\|sh'\r")
    assert shared.until(rb"# \Z").endswith(b"\r\n1\r\n# ")  # only this shell


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


def test_what_is_typed_while_a_command_runs_comes_after_it(shared: Session) -> None:
    shared.type(b"echo go; spin 200\r")
    shared.until(rb"\ngo\r\n")
    shared.type(b"echo one\recho two; while :; do :; done\r")
    shared.until(rb"# echo one\r\none\r\n(?s:.*)\ntwo\r\n")
    shared.type(b"\x03echo three\recho four\r")
    shared.until(rb"# echo three\r\nthree\r\n# echo four\r\nfour\r\n# \Z")


def test_a_pipe_without_events_waits_for_keys(shared: Session) -> None:
    shared.type(b"cat /sys/kernel/tracing/trace_pipe\r")
    shared.until(rb"trace_pipe\r\n")
    time.sleep(0.5)
    shared.type(b"\x03")
    assert shared.until(rb"# ") == b"^C\r\n# "
    shared.type(b"echo $?\r")
    shared.until(rb"130\r\n# ")
    shared.type(b"head -1 /sys/kernel/tracing/trace_pipe &\r")
    shared.until(rb"# ")
    shared.type(b"echo hello > /sys/kernel/tracing/trace_marker\r")
    shared.until(rb"tracing_mark_write: hello\r\n")
    shared.type(b"wait\r")
    shared.until(rb"wait\r\n(?s:.*)# \Z")


@one_arch
def test_control_d_ends_the_shell(session: Session) -> None:
    session.type(b"sh -c 'exit 7'\r")
    session.until(rb"7'\r\n# ")
    session.type(b"\x04")
    assert session.ends() == 7  # of the last command


@one_arch
def test_a_key_leaves_a_guest_that_is_busy(session: Session) -> None:
    session.type(b"spin 100000000\r")
    session.until(rb"spin 100000000\r\n")
    session.type(b"\x1d")
    assert session.ends() == 0


@one_arch
def test_a_signal_gives_the_terminal_back(session: Session) -> None:
    session.process.send_signal(signal.SIGTERM)
    assert session.ends() == 128 + signal.SIGTERM


@one_arch
def test_the_guest_hears_of_a_new_size(session: Session) -> None:
    session.type(b"trap 'stty size' WINCH\r")
    session.until(rb"WINCH\r\n# ")
    termios.tcsetwinsize(session.terminal, (40, 120))
    session.process.send_signal(signal.SIGWINCH)
    session.type(b"true\r")
    session.until(rb"40 120\r\n")


@one_arch
def test_a_limit_ends_a_guest_that_waits(arch: str) -> None:
    made = Session(arch, "--host-limit", "1s")
    try:
        made.until(rb"1 s of host time have passed\r?\n")
        assert made.ends() == 124
    finally:
        made.close()
