# SPDX-License-Identifier: GPL-2.0-only
"""The console with and without a user: lines, echo, keys that send signals."""

from __future__ import annotations

import re
import signal

import pytest

from emu.machine import Machine
from tests.lib.typist import Typist


def talk(machine: Machine, command: str, *pieces: bytes, patience: int = 0) -> tuple[int, str]:
    done = machine.run(command, terminal=Typist(*pieces, patience=patience), host_limit=60)
    return done.status, done.output.decode()


def test_lines_are_echoed_and_read(machine: Machine) -> None:
    assert talk(machine, "cat", b"one\r", b"two\r", b"\x04") == (0, "one\r\none\r\ntwo\r\ntwo\r\n")


def test_lines_can_be_edited(machine: Machine) -> None:
    status, output = talk(machine, "cat", b"onx\x7fe tow\x17two\r", b"wrong\x15right\r", b"a\x16\x03b\r", b"\x04")
    assert status == 0
    rubout = "\b \b"
    assert output == (f"onx{rubout}e tow{rubout * 3}two\r\none two\r\nwrong{rubout * 5}right\r\nright\r\na^\b^Cb\r\na\x03b\r\n")


def test_an_end_of_file_in_a_line_ends_the_read_only(machine: Machine) -> None:
    assert talk(machine, "cat", b"half\x04", b" line\r", b"\x04") == (0, "halfhalf line\r\n line\r\n")


@pytest.mark.parametrize(("key", "number"), [(b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)])
def test_keys_kill_the_job_that_reads(machine: Machine, key: bytes, number: int) -> None:
    status, output = talk(machine, "cat; echo not reached", b"x\r", key)
    assert status == 128 + number
    assert output.startswith(f"x\r\nx\r\n^{chr(key[0] ^ 64)}")
    assert "not reached" not in output


def test_a_key_kills_a_job_that_does_not_read(machine: Machine) -> None:
    status, output = talk(machine, "spin 100000000", b"\x03", patience=20)
    assert (status, output) == (130, "^C")


def test_settings_can_be_seen_and_changed(machine: Machine) -> None:
    assert talk(machine, "stty size; stty -echo; cat; stty -a", b"secret\r", b"\x04") == (
        0,
        "24 80\r\nsecret\r\n"
        "speed 38400 baud; rows 24; columns 80;\r\n"
        "intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D; start = ^Q; stop = ^S; susp = ^Z; rprnt = ^R; "
        "werase = ^W; lnext = ^V; \r\n"
        "icrnl ixon opost onlcr isig icanon iexten -echo echoe echok -echonl -noflsh -tostop echoctl echoke\r\n",
    )


def test_raw_mode_passes_everything_on(machine: Machine) -> None:
    status, output = talk(machine, "stty raw -echo; head -c 4 | hexdump -C", b"\x03\x04", b"\r\n")
    assert status == 0
    assert output.split()[1:5] == ["03", "04", "0d", "0a"]


def test_a_hangup_ends_the_session(machine: Machine) -> None:
    status, _ = talk(machine, "cat; echo not reached")
    assert status == 128 + signal.SIGHUP


def test_without_a_terminal_the_console_changes_nothing(machine: Machine) -> None:
    data = bytes(range(256)) + b"last"
    assert machine.run("cat", stdin=data).output == data
    done = machine.run("stty size")
    assert (done.status, done.output) == (1, b"stty: 'standard input': Inappropriate ioctl for device\n")
    assert machine.run("echo x > /dev/tty").status != 0  # no controlling terminal


def test_the_shell_asks_for_commands_and_survives_its_jobs(machine: Machine) -> None:
    status, output = talk(
        machine, "exec sh -i", b"echo one\r", b"cat\r", b"\x03", b"half a li", b"\x03", b"echo $?\r", b"exit 5\r"
    )
    assert status == 5
    assert output.split("\r\n") == [
        "# echo one", "one", "# cat", "^C", "# half a li^C", "# echo $?", "130", "# exit 5", "",
    ]  # fmt: skip


# Keys typed at the shell's prompt, and the resulting line.
EDITED = [
    (b"abc\x1b[D\x1b[DX", "aXbc"),
    (b"abc\x01X\x05Y\x02\x02\x06Z", "XabcZY"),
    (b"abc\x1b[HX\x1b[FY\x1bOHZ", "ZXabcY"),
    (b"abcd\x7f\x02\x08\x1b[3~", "a"),
    (b"abcd\x02\x02\x0bX\x19", "abXcd"),
    (b"one two three\x17\x1bb\x1bdX \x19", "one X two "),
    (b"wrong\x15right", "right"),
    ("äöü".encode() + b"\x1b[D\x7f\xe2\x98\x83", "ä☃ü"),
    (b"x" * 200 + b"\x01<\x05>", "<" + "x" * 200 + ">"),
    (b"x" * 100 + b"\x7f" * 99 + b"y", "xy"),
    (b"\x1b[99~\x1b[5A\x1bx\x00ok", "ok"),
]


@pytest.mark.parametrize(("keys", "line"), EDITED, ids=[line[:12] for _, line in EDITED])
def test_a_line_is_edited_at_the_prompt(machine: Machine, keys: bytes, line: str) -> None:
    status, output = talk(machine, "exec sh -i", b"cat > /tmp/typed <<'END'\r", keys, b"\rEND\r", b"exit\r")
    assert status == 0
    assert machine.run("cat /tmp/typed").output.decode() == line + "\n", output


def test_earlier_lines_come_back(machine: Machine) -> None:
    up, down = b"\x1b[A", b"\x1b[B"
    keys = [
        b"echo 1\r",
        b"echo 2\r",
        b"echo 2\r",
        up + up + b"\x7f3\r",
        b"half" + up + up + down + down + b"\x15\r",
        b"\x12o 1\x7f2\r",
        b"\x10\x10\x0e\r",
    ]
    status, output = talk(machine, "exec sh -i", *keys, b"exit\r")
    assert status == 0
    assert [line for line in output.split("\r\n") if line.isdigit()] == ["1", "2", "2", "3", "2", "2"]


def test_names_are_completed(machine: Machine) -> None:
    machine.run("mkdir -p '/tmp/a b/deep'; touch /tmp/alpha /tmp/alps")
    keys = [
        b"echo =/tm\ta\t\tlph\t\r",
        b"ech\t =/tmp/a\\ \tde\t\r",
        b"cd /tmp; ec\t'=' al\t\r",
        b"echo = nothing\t\r",
        b"\t\x15exit\r",
    ]
    status, output = talk(machine, "exec sh -i", *keys)
    assert status == 0
    assert [line for line in output.split("\r\n") if line.startswith("=")] == [
        "=/tmp/alpha", "=/tmp/a b/deep/", "= al", "= nothing",
    ]  # fmt: skip
    assert "a b    alpha  alps" in output  # the possible completions


def test_many_lines_are_pasted_at_once(machine: Machine) -> None:
    lines = b"".join(b"echo %d | cat >> /tmp/pasted\r" % number for number in range(60))
    assert talk(machine, "exec sh -i", lines + b"exit 3\r")[0] == 3
    assert machine.run("cat /tmp/pasted; rm /tmp/pasted").output.split() == [b"%d" % number for number in range(60)]


def test_jobs_stop_and_go_on(machine: Machine) -> None:
    status, output = talk(machine, "exec sh -i", b"cat\r", b"\x1a", b"jobs\r", b"fg\r", b"again\r", b"\x04", b"\x04")
    assert status == 0
    lines = output.split("\r\n")
    assert lines[0] == "# cat"
    assert lines[1].startswith("^Z")
    assert sum("Stopped" in line for line in lines) == 2
    assert lines[-4:] == ["again", "again", "# ", ""]


@pytest.mark.parametrize("leave", [b"\x04", b"exit 3\r"])
def test_leaving_stopped_jobs_takes_two_attempts(machine: Machine, leave: bytes) -> None:
    status, output = talk(machine, "exec sh -i", b"cat\r", b"\x1a", leave, leave, b"exit 4\r")
    assert status > 128 if leave == b"\x04" else status == 3  # the $? of the stopped job
    assert output.count("You have stopped jobs.\r\n# ") == 1
    keys = [b"cat\r", b"\x1a", leave, b"true\r", b"true\r", leave, leave, b"exit 4\r"]
    assert talk(machine, "exec sh -i", *keys)[1].count("You have stopped jobs.\r\n# ") == 2


def test_jobs_are_listed_with_their_commands(machine: Machine) -> None:
    status, output = talk(
        machine,
        "exec sh -i",
        b'sleep 3 | cat > /dev/null & for i in "a b" $HOME; do if true; then sleep 3; fi; done 2>&1 & '
        b"(exit 7) & usleep 20000; jobs; jobs -l\r",
        b"exit 0\r",
    )
    assert status == 0
    lines = [line for line in output.split("\r\n") if line.startswith("[")]
    assert lines[:3] == [
        "[3] + Done(7)                    (exit 7)",
        '[2] - Running                    for i in "a b" ${HOME}; do if true; then sleep 3; fi; done 2>&1',
        "[1]   Running                    sleep 3 | cat >/dev/null",
    ]
    assert re.fullmatch(r"\[2\] \+ \d+ Running +for .*", lines[3]) and re.fullmatch(r"\[1\] - \d+ Running +sleep .*", lines[4])
    assert len(lines) == 5  # ended jobs are reported once


def test_jobs_are_killed_by_their_numbers_and_names(machine: Machine) -> None:
    status, output = talk(
        machine,
        "exec sh -i",
        b"sleep 9 & sleep 8 | cat & sleep 7 & usleep 20000; kill %2; wait %2; echo $?; jobs %1; "
        b"kill -9 %?7; wait %3; echo $?; kill -s INT %1; wait %sleep; echo $?; jobs %3\r",
        b"cat\r",
        b"\x1a",
        b"kill -9 %cat; wait %+; echo $?; exit 0\r",
    )
    assert status == 0
    lines = output.split("\r\n")
    assert [line for line in lines if line.isdigit()] == ["143", "137", "130", "137"]
    assert "[1] - Running                    sleep 9" in lines
    assert any("No such job: %3" in line for line in lines)


def test_a_job_in_the_background_may_not_read(machine: Machine) -> None:
    status, output = talk(machine, "exec sh -i", b"cat < /dev/tty &\r", b"echo fine\r", b"jobs\r", b"\x04", b"\x04")
    assert "fine" in output
    assert "Stopped" in output
    assert status == 0


def test_control_d_ends_the_shell_with_its_last_status(machine: Machine) -> None:
    assert talk(machine, "exec sh -i", b"false\r", b"\x04")[0] == 1


def screens(output: str) -> list[list[str]]:
    """The successive screens of less."""
    return [screen.split("\r\n") for screen in output.split("\x1b[H\x1b[J")[1:]]


def test_less_shows_a_screen_at_a_time(machine: Machine) -> None:
    keys = [b" ", b"j", b"\x1b[A", b"\x1b[6~", b"b", b"/9.\r", b"n", b"N", b"G", b"u", b"g", b"/nothing\r", b"q"]
    status, output = talk(machine, "seq 100 | less", *keys)
    assert status == 0
    drawn = screens(output)
    assert [screen[0] for screen in drawn] == ["1", "24", "25", "24", "47", "24", "90", "91", "90", "78", "67", "1", "1"]
    assert drawn[0] == [*map(str, range(1, 24)), ":"]
    assert drawn[9][-2:] == ["100", "\x1b[7m(END)\x1b[m"]
    assert "Pattern not found" in drawn[-1][-1]


def test_less_wraps_or_cuts_lines_and_shows_what_has_no_picture(machine: Machine) -> None:
    machine.run(
        r"printf 'a\tb\033\n' > /tmp/odd; seq -s '' 60 >> /tmp/odd; printf 'ünïcödé%073d|\n' 7 >> /tmp/odd; echo end >> /tmp/odd"
    )
    digits = "".join(map(str, range(1, 61)))
    status, output = talk(machine, "less /tmp/odd", b"q")
    assert status == 0
    assert screens(output)[0][:6] == ["a       b^[", digits[:80], digits[80:], f"ünïcödé{7:073}", "|", "end"]
    _, output = talk(machine, "less -S /nowhere /tmp/odd", b"q")
    assert "less: /nowhere: No such file or directory" in output
    assert screens(output)[0][:4] == ["a       b^[", digits[:80], f"ünïcödé{7:073}", "end"]


def test_without_a_terminal_less_is_cat(machine: Machine) -> None:
    done = machine.run("seq 3 | less; more /etc/nothing; echo $?")
    assert done.output == b"1\n2\n3\nmore: /etc/nothing: No such file or directory\n1\n"


def test_the_terminal_is_as_before_after_a_job_that_was_killed_or_stopped(machine: Machine) -> None:
    keys = [
        b"sh -c 'stty -echo; kill -9 $$'\r",
        b"stty -a | grep -c ' echo '\r",
        b"seq 99 | less\r",
        b"\x1a",
        b"stty -a | grep -c ' echo '\r",
        b"fg\r",
        b"q",
        b"exit\r",
    ]
    status, output = talk(machine, "exec sh -i", *keys)
    assert status == 0
    assert output.split("\r\n").count("1") == 2
