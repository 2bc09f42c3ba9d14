# SPDX-License-Identifier: GPL-2.0-only
"""`emu shell --linux` on a terminal: the guest has a terminal of its own, and gets every key but one."""

from __future__ import annotations

import os
import signal
import termios
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.lib.emu_process import emu_with_machines
from tests.lib.terminal_session import PATIENCE, TerminalSession

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

PROMPT = rb"/ # (\x1b\[6n)?\Z"  # of busybox, which asks the terminal for the cursor's place


class Session(TerminalSession):
    """The command on a pseudo-terminal."""

    def __init__(self, folder: Path, kernel: Path, *options: str) -> None:
        super().__init__(emu_with_machines(folder, "shell", f"--linux={kernel}", *options), env={**os.environ, "TERM": "vt100"})

    def line(self, text: bytes) -> bytes:
        """What is shown when a line is typed, up to the next prompt, without both."""
        self.type(text + b"\r")
        shown = self.until(rb"\r\n(?s:.*)" + PROMPT)
        echo, _, rest = shown.partition(b"\r\n")
        assert echo.endswith(text)
        return rest.rpartition(b"/ # ")[0]

    def ends(self) -> int:
        """The exit status; the terminal's settings must have been restored."""
        status = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.terminal) == self.before
        return status


@pytest.fixture
def session(machines_folder: Path, real_kernel: Path) -> Iterator[Session]:
    """A session at its first prompt, for a test that ends it."""
    with closing(Session(machines_folder, real_kernel)) as made:
        made.until(rb"Ctrl-\](?s:.*)" + PROMPT)
        yield made


@pytest.fixture(scope="module")
def shared(machines_folder: Path, real_kernel: Path) -> Iterator[Session]:
    """A session for tests that leave it at the prompt."""
    with closing(Session(machines_folder, real_kernel)) as made:
        made.until(rb"Ctrl-\](?s:.*)" + PROMPT)
        yield made


def test_keys_are_echoed_and_lines_run(shared: Session) -> None:
    assert termios.tcgetattr(shared.terminal)[3] & (termios.ECHO | termios.ICANON | termios.ISIG) == 0
    assert shared.line(b"echo one") == b"one\r\n"
    assert shared.line(b"cat nosuch") == b"cat: can't open 'nosuch': No such file or directory\r\n"
    assert shared.line(b"tty; echo $TERM") == b"/dev/pts/0\r\nvt100\r\n"


def test_control_c_interrupts_the_foreground_job(shared: Session) -> None:
    for command in (b"echo go; sleep 100", b"echo go; while :; do :; done", b"echo go; cat"):
        shared.type(command + b"\r")
        shared.until(rb"\r\ngo\r\n")
        shared.type(b"\x03")
        assert shared.until(PROMPT).startswith(b"^C")
        assert shared.line(b"echo [$?]") == b"[130]\r\n"


def test_control_z_stops_it(shared: Session) -> None:
    shared.type(b"sh -c 'echo go; read x; echo got $x'\r")
    shared.until(rb"\r\ngo\r\n")
    shared.type(b"\x1a")
    shared.until(rb"\[1\]\+ +Stopped(?s:.*)" + PROMPT)
    shared.type(b"fg\r")
    shared.until(rb"fg\r\nsh -c [^\r]*\r\n")
    shared.type(b"word\r")
    assert shared.until(PROMPT).startswith(b"word\r\ngot word\r\n")
    assert shared.line(b"jobs") == b""


def test_the_guests_terminal_has_the_windows_size(shared: Session) -> None:
    assert shared.line(b"stty size") == b"30 100\r\n"
    termios.tcsetwinsize(shared.terminal, (44, 111))
    end = time.monotonic() + PATIENCE
    while (shown := shared.line(b"stty size")) != b"44 111\r\n":
        assert shown == b"30 100\r\n" and time.monotonic() < end
    termios.tcsetwinsize(shared.terminal, (30, 100))


def test_sleep_ends(shared: Session) -> None:
    """While all CPUs sleep, time passes as on the host."""
    assert shared.line(b"sleep 1; echo $?") == b"0\r\n"


def test_what_is_typed_meanwhile_comes_after_it(shared: Session) -> None:
    shared.type(b"echo go; sleep 0.2\recho two\r")
    assert shared.until(rb"\r\ntwo\r\n(?s:.*)" + PROMPT).count(b"go\r\n") == 1


def test_a_large_paste(shared: Session) -> None:
    """More than the serial port, the channel and the guest's terminal hold at once."""
    shared.type(b"stty -echo; cat > /pasted; stty echo; wc -c < /pasted\r")
    shared.until(rb"/pasted\r\n")
    for _ in range(200):
        shared.type(b"x" * 99 + b"\r")
    shared.type(b"\x04")
    assert shared.until(rb"\r\n(?s:.*)" + PROMPT).startswith(b"20000\r\n")


def test_control_right_bracket_leaves(session: Session) -> None:
    session.type(b"echo go; while :; do :; done\r")
    session.until(rb"\r\ngo\r\n")
    session.type(b"\x1d")
    assert session.ends() == 0


def test_the_shells_status_is_the_commands(session: Session) -> None:
    session.type(b"exit 3\r")
    assert session.ends() == 3


def test_control_d_ends_the_shell(session: Session) -> None:
    session.line(b"false")
    session.type(b"\x04")
    assert session.ends() == 1


def test_sigterm_ends_the_command(session: Session) -> None:
    session.process.send_signal(signal.SIGTERM)
    assert session.ends() == 143


def test_a_terminal_that_hangs_up(session: Session) -> None:
    session.process.send_signal(signal.SIGHUP)
    assert session.ends() == 129


def test_switching_the_machine_off_ends_the_session(session: Session) -> None:
    session.type(b"poweroff -f\r")
    assert session.ends() == 0


def test_limits(machines_folder: Path, real_kernel: Path) -> None:
    with closing(Session(machines_folder, real_kernel, "--host-limit", "500ms")) as made:
        assert made.ends() == 124  # at the prompt, too
