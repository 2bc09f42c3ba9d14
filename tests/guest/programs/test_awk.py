# SPDX-License-Identifier: GPL-2.0-only
"""awk: programs and what they print, numbers as C prints them, and floating point inside the guest."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.machine import Machine
from tests.guest.programs.conftest import Guest
from tests.lib.commands import run

_FORMATS = ("%.17g", "%.3f", "%e", "%g", "%.0f", "%.10E", "%G", "%12.2f", "%-+9.1e|", "%#.0f", "%011.3g")


def _lines(block: str, mark: str) -> str:
    return "\n".join(line[2:] for line in block.split("\n") if line[:1] == mark)


_INPUT_BLOCK, *_BLOCKS = (Path(__file__).parent / "awk_cases.txt").read_text().split("===\n")
INPUT = _lines(_INPUT_BLOCK, "<")
CASES = [(_lines(block, "$"), _lines(block, ">"), int(_lines(block, "?") or 0)) for block in _BLOCKS]


@pytest.mark.parametrize(("program", "output", "status"), CASES)
def test_a_program(guest: Guest, program: str, output: str, status: int) -> None:
    """All but a few of these outputs are also mawk's; the others are POSIX's or gawk's."""
    done = guest.run("awk", program, stdin=INPUT)
    assert (done.output, done.status) == (output, status), done.errors


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("BEGIN { print (1 }", "awk: line 1: syntax error: ',' is missing"),
        ("{ print", "awk: line 2: the program ends too early"),
        ('BEGIN { print "a }', "awk: line 1: unterminated string"),
        ("/a(/", "awk: line 1: /a(/: Unmatched ( or \\("),
        ("BEGIN { f(1) }", "awk: line 1: function f is not defined"),
        ("BEGIN { x = 1 / 0 }", "awk: line 1: division by zero"),
        ("BEGIN { a[1] = 1; a = 2 }", "awk: line 1: an array is used as a scalar"),
        ("BEGIN { 1 = 2 }", "awk: line 1: only a variable, field or element can be changed"),
        ("function f(n) { return f(n + 1) } BEGIN { f(1) }", "awk: line 1: function f: calls are too deep"),
        ("BEGIN { printf \"%d %d\", 1 }", "awk: line 1: not enough arguments for the format '%d %d'"),
        ("BEGIN { substr(1) }", "awk: line 1: substr: wrong number of arguments"),
        ("break", "awk: line 1: syntax error"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(guest: Guest, program: str, message: str) -> None:
    done = guest.run("awk", program)
    assert (done.status, done.errors.splitlines()) == (2, [message])


def test_options_and_operands(guest: Guest) -> None:
    (guest.cwd / "program").write_text("BEGIN { print v }\n{ print FILENAME, FNR, NR, x, $2 }\n")
    done = guest.run("awk", "-F", "[.]", "-v", "v=a\\tb", "-f", "program", "x=1", "a.c", "x=2", "b.c")
    assert done.output == "a\tb\na.c 1 1 1 c\nb.c 1 2 2 c\n"
    assert guest.run("awk", "{ print }", "missing", "a.c").output == "a.c\n"
    assert guest.run("awk", "{ print }", "missing").errors == "awk: cannot open missing: No such file or directory\n"
    assert guest.run("awk", "{ print }", "missing").status == 2
    assert guest.run("awk", "-Ft", "{ print $2 }", stdin="a\tb\n").output == "b\n"
    assert guest.run("awk").errors == "awk: a program is missing\n"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bits=st.integers(0, (1 << 64) - 1))
def test_numbers_are_read_and_printed_as_c_does(guest: Guest, bits: int) -> None:
    """Exactly: the nearest number to what was written, all of its digits, ties to even."""
    (number,) = struct.unpack("d", struct.pack("Q", bits))
    if number - number != 0:  # infinite, or none
        return
    program = 'BEGIN { x = ARGV[1] + 0; printf "' + "\\n".join(_FORMATS) + '\\n"' + ", x" * len(_FORMATS) + " }"
    assert guest.run("awk", program, repr(number)).output.splitlines() == [form % number for form in _FORMATS]


def test_floating_point_in_the_guest(machine: Machine) -> None:
    """Programs' floating point registers are their own: two that count at once both come out right."""
    count = "BEGIN { for (i = 1; i <= 3000; i++) x += 1 / i; printf \"%.12f\\n\", x }"
    assert run(machine, f"awk '{count}' & awk '{count}'; wait") == "8.583749889959\n" * 2
    assert run(machine, "grep -c . /proc/interrupts | awk '{ print ($1 > 1) }'") == "1\n"
    assert run(machine, "cd /sys/kernel/tracing; awk '/nop/ { print NF }' available_tracers") == "3\n"
