# SPDX-License-Identifier: GPL-2.0-only
"""The shell at a terminal, compared with dash: what ^C, ^Z and ^\\ do to commands, and what happens to keys typed meanwhile."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.guest.programs.conftest import Guest
from tests.guest.programs.table import assert_same, lines
from tests.lib.needs import needs
from tests.lib.terminal_session import TerminalSession

DASH = shutil.which("dash")

# A script that announces that it runs: then a key may be typed.
GO = "echo go\nexec sleep 9\n"

# Lines that ^C ends after "go": dash is back at the prompt, and does not execute the rest of the line.
ENDED = r"""
echo go; while :; do :; done; echo after
echo go; until false; do :; done; echo after
echo go; while :; do continue; done; echo after
echo go; i=0; while [ $i -lt 1000000000 ]; do i=$((i+1)); done; echo after
echo go; for i in 1 2 3; do while :; do :; done; echo r$i; done; echo after
for i in 1 2 3; do sh go; echo r$i; done; echo after
while sh go; do echo in; done; echo after
until sh go; do echo in; done; echo after
f() { echo go; while :; do :; done; }; f; echo after
f() { sh go; echo in; }; f || echo after
{ echo go; while :; do :; done; echo in; } || echo after
{ sh go; } 2> /dev/null; echo after
( echo go; while :; do :; done; echo in ); echo after
( sh go; echo in ) && echo after
( x=$(sh go >&2); echo in ); echo after
while :; do echo go; sleep 9; done | cat; echo after
echo go | { cat; while :; do :; done; }; echo after
while echo go; do :; done | while read x; do echo $x; sleep 9; done; echo after
sh go && echo after
sh go || echo after
! sh go; echo after
if sh go; then echo yes; else echo no; fi; echo after
case x in x) sh go; echo in;; esac; echo after
eval 'echo go; while :; do :; done'; echo after
eval 'sh go; echo in'; echo after
echo 'echo go; while :; do :; done; echo in' > dot; . ./dot; echo after
echo 'sh go; echo in' > dot; . ./dot; echo after
echo 'for i in 1 2; do sh go; echo $i; done' > script; sh script; echo after
command sh go; echo after
command eval 'echo go; while :; do :; done'; echo after
sleep 9 & echo go; wait; echo after
sleep 9 & echo go; wait $!; echo after
sleep 9 & echo go; wait %1; echo after
sh -c 'kill -STOP 0; echo go; exec sleep 9' & usleep 100000; fg; echo after
sleep 9 & sh go; echo after
echo go; read x; echo after
echo go; while read x; do :; done; echo after
x=$(echo go >&2; while :; do :; done); echo after
echo a $(sh go >&2); echo after
x=$(trap '' INT; echo go >&2; sleep 0.5); echo after
set -e; sh go; echo after
set -x; sh go; echo after
echo go; while :; do echo x; done > /dev/null; echo after
trap 'echo int' INT; trap - INT; echo go; while :; do :; done; echo after
trap 'echo t' TERM; trap - TERM; echo go; while :; do :; done
"""

# Lines that ^C does not end, or only in part; each line ends by itself.
NOT_ENDED = r"""
trap 'echo int; break' INT; while :; do [ $go ] || echo go; go=1; done; echo after
trap 'echo int' INT; for i in 1 2; do sh -c 'echo go; exec sleep 0.5'; echo r$i $?; done; echo after
trap 'echo int' INT; ( sh go; echo in ); echo after $?
trap 'echo int' INT; { usleep 50000; echo go; exec sleep 9; } & wait; echo after $?
trap 'echo int' INT; x=$(trap '' INT; echo go >&2; sleep 0.3; echo all); echo after [$x] $?
trap '' INT; sh -c 'echo go; exec sleep 0.3'; echo after $?
for i in 1; do sh -c 'trap "exit 3" INT; echo go; while :; do :; done'; echo r$i $?; done; echo after
for i in 1; do sh -c 'trap "exit 130" INT; echo go; while :; do :; done'; echo r$i $?; done; echo after
(trap 'echo int; exit 3' INT; echo go; while :; do :; done); echo $?
"""

# ^Z after "go": dash stops programs, pipelines and subshells, and continues after them; it cannot stop itself.
STOPPED = r"""
sh go; echo after $?
sh go && echo after
sh go || echo after $?
for i in 1 2; do [ $i = 2 ] || sh go; echo r$i $?; done; echo after
while sh go; do echo in; done; echo after $?
f() { sh go; echo in $?; }; f; echo after $?
{ sh go; echo in $?; }; echo after $?
( sh go; echo in ); echo after $?
( x=$(sh go >&2); echo in ); echo after $?
sh go | cat; echo after $?
( echo go; while :; do :; done ); echo after $?
while :; do sh go; done | cat; echo after $?
eval 'sh go; echo in $?'; echo after $?
command sh go; echo after $?
trap '' TSTP; sh -c 'echo go; exec sleep 0.3'; echo after $?
"""

# Lines that the shell itself executes: neither ^Z nor ^\ stops it, ^C does.
ALONE = r"""
echo go; while :; do :; done
trap 'echo t' TSTP QUIT; trap - TSTP QUIT; echo go; while :; do :; done
f() { echo go; until false; do :; done; }; f
echo go; read x; echo after $x
"""

# No key is typed while these run, and changes of jobs are reported before the next prompt.
JOBS = r"""
env true & usleep 100000
sh -c 'exit 3' & usleep 100000
sh -c 'kill -9 0' & usleep 100000
sleep 9 & usleep 50000; kill %1; usleep 100000
sleep 9 & kill -STOP %1; usleep 100000
sleep 9 & kill -STOP %1; wait; echo after $?
cat & usleep 100000
cat /dev/tty & usleep 100000
sh -i & usleep 100000
sh -c 'kill -STOP 0; exit 5' & usleep 100000; fg; echo $?
for i in 1 2; do sh -c 'exit 130'; echo r$i; done; echo after
for i in 1 2; do sh -c 'kill -INT 0'; echo r$i; done; echo after
for i in 1 2; do kill -INT $$; echo r$i; done; echo after
kill $$; kill -QUIT $$; kill -TSTP $$; echo after
echo ) ; echo rest of the line
x=1; f() { local x; x=2; kill -INT $$; echo in; }; x=3 f 1 2; echo after
set a b; f() { shift; kill -INT $$; }; f 1 2 3
x=1; x=2 command eval 'kill -INT $$; echo in'
"""


class Shell(TerminalSession):
    """A shell at a terminal that runs the guest's programs."""

    def __init__(self, guest: Guest, program: Path | str) -> None:
        env = {"PATH": str(guest.bin), "PS1": "# ", "LC_ALL": "C"}
        (guest.cwd / "go").write_text(GO)
        super().__init__(["sh", "-i"], program, guest.cwd, env, columns=200)
        self.shown = self.until(rb"# \Z")

    def enter(self, line: str) -> None:
        """Types a line at the prompt, and waits for the next prompt."""
        self.type(line.encode() + b"\r")
        self.shown += self.until(rb"# \Z")

    def press(self, line: str, keys: bytes) -> None:
        """Types keys after the line has shown "go", and waits for the next prompt."""
        self.type(line.encode() + b"\r")
        self.shown += self.until(rb"\ngo\r\n")
        for key in keys:
            self.type(bytes([key]))
            self.shown += self.until(b"\\^" + re.escape(bytes([key ^ 0x40])))
        self.shown += self.until(rb"# \Z")


def as_in_dash(guest: Guest, table: str, keys: bytes, *after: str) -> list[str]:
    """The terminal's output for each line during which the keys are typed, and for the commands entered after it."""

    def shown(shell: Shell, line: str) -> str:
        shell.press(line, keys) if keys else shell.enter(line)
        for command in after:
            shell.enter(command)
        return shell.shown.decode().replace("^Z\r\n", "^Z")  # dash does not begin a new line after ^Z

    assert DASH
    with ExitStack() as stack:  # all are started before there are threads, because Python code runs in the children
        ours, dash = (
            {line: stack.enter_context(closing(Shell(guest.anew(), program))) for line in lines(table)}
            for program in (guest.bin / "sh", DASH)
        )
        assert_same(lines(table), lambda line: shown(ours[line], line), lambda line: shown(dash[line], line))
    return [shell.shown.decode() for shell in ours.values()]


@needs("dash")
def test_control_c_ends_the_line_as_in_dash(guest: Guest) -> None:
    for shown in as_in_dash(guest, ENDED, b"\x03", "echo [$?]", "jobs"):
        assert "\nafter" not in shown
        assert "\n[130]\r\n" in shown


@needs("dash")
def test_control_c_is_for_who_traps_it_as_in_dash(guest: Guest) -> None:
    as_in_dash(guest, NOT_ENDED, b"\x03", "echo [$?]")


@needs("dash")
def test_control_z_stops_jobs_as_in_dash(guest: Guest) -> None:
    as_in_dash(guest, STOPPED, b"\x1a", "echo [$?]", "jobs", "kill -9 %1; usleep 50000")


@needs("dash")
def test_only_control_c_ends_what_the_shell_itself_does(guest: Guest) -> None:
    as_in_dash(guest, ALONE, b"\x1a\x1c\x03", "echo [$?]")


@needs("dash")
def test_jobs_are_told_of_as_in_dash(guest: Guest) -> None:
    as_in_dash(guest, JOBS, b"", "echo [$?] $x $#", "jobs")


@pytest.fixture
def shell(guest: Guest) -> Iterator[Shell]:
    with closing(Shell(guest, guest.bin / "sh")) as ours:
        yield ours


def test_no_signal_is_ignored_in_what_a_trap_for_exit_runs(shell: Shell) -> None:
    shell.type(b"trap '(grep SigIgn /proc/self/status)' EXIT; exit\r")
    assert shell.until(rb"SigIgn:.*\r\n").endswith(b"SigIgn:\t0000000000000000\r\n")


def test_a_job_gets_a_signal_that_comes_at_once(shell: Shell) -> None:
    """In dash the signal is lost if the job still ignores it, as the shell does, before it executes its program."""
    shell.enter("i=0; while [ $((i+=1)) -le 100 ]; do sleep 99 & kill %%; done; wait")


def test_a_shell_that_nobody_can_bring_forward_ends(shell: Shell) -> None:
    shell.type(b"( { usleep 100000; sh -i < /dev/tty; echo over; } & )\r")
    shell.until(rb"over\r\n")


def test_what_is_typed_while_a_command_runs_comes_after_it(shell: Shell) -> None:
    shell.type(b"sh -c 'echo go; usleep 300000'\r")
    shell.until(rb"\ngo\r\n")
    shell.type(b"echo one\recho two; cat\rthree\r\x04")
    shell.until(rb"\none\r\n")
    shell.until(rb"\ntwo\r\nthree\r\n")


def test_what_is_typed_after_control_c_comes_next(guest: Guest, shell: Shell) -> None:
    for loop in (":", "sleep 9", "x=$(sleep 9)"):
        shell.type(f"while echo go; do {loop}; done\r".encode())
        shell.until(rb"\ngo\r\n")
        shell.type(b"echo flushed > flushed\r\x03echo one\recho two; echo thr")
        shell.until(rb"\none\r\n")
        shell.until(rb"# echo two; echo thr\Z")
        shell.type(b"ee\r")
        shell.until(rb"\ntwo\r\nthree\r\n# \Z")
    assert not (guest.cwd / "flushed").exists()  # flushed by the terminal, which keeps input until it is read


def test_a_shell_that_is_typed_to_prompts(shell: Shell) -> None:
    """As in dash, without -i: if its input and its output are the terminal."""
    shell.type(b"sh\r")
    shell.until(rb"\r\n# \Z")
    shell.enter("case $- in *i*) echo prompts; esac")
    assert shell.shown.endswith(b"prompts\r\n# ")
    shell.type(b"exit 3\r")
    shell.until(rb"# \Z")
    shell.type(b"sh | cat; echo ended\r")
    shell.until(rb"ended\r\n")
    shell.type(b"exit\r")
    assert b"#" not in shell.until(rb"ended\r\n")
