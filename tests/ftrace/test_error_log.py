# SPDX-License-Identifier: GPL-2.0-only
"""The error_log of a trace array."""

from __future__ import annotations

import errno
from itertools import count

import pytest

from emu.ftrace.arrays.error_log import ErrorLog
from emu.ftrace.errors import ErrorReport, TraceError


def refuse(log: ErrorLog, command: str, position: int = 0) -> None:
    with pytest.raises(TraceError), log.noting():
        raise TraceError(errno.EINVAL, logged=ErrorReport("here", "Bad", command, position))


def test_an_error_is_a_line_the_command_and_a_caret() -> None:
    log = ErrorLog(lambda: 365_764_653_999)
    refuse(log, "one two", 4)
    assert log.text() == "[  365.764653] here: error: Bad\n  Command: one two\n               ^\n"


def test_the_last_eight_are_kept() -> None:
    times = count()
    log = ErrorLog(lambda: next(times) * 1000)
    for n in range(20):
        refuse(log, f"n{n}")
    assert [line.split()[-1] for line in log.text().splitlines() if "Command" in line] == [f"n{n}" for n in range(12, 20)]
    log.clear()
    assert log.text() == ""


def test_other_errors_are_not_logged() -> None:
    log = ErrorLog(lambda: 0)
    for error in (TraceError(errno.EINVAL, "no report"), OSError(errno.EIO, "no error of tracing")):
        with pytest.raises(OSError), log.noting():
            raise error
    with log.noting():
        pass
    assert log.text() == ""
