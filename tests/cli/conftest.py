# SPDX-License-Identifier: GPL-2.0-only
"""The `emu` command, called in the tests' own process: a new process takes a second before it boots."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from emu.cli import main
from tests.lib.booted_machine import machine_of_command


class Result(NamedTuple):
    """The command's exit status and output."""

    status: int
    out: bytes
    err: str


Emu = Callable[..., Result]  # takes the command's arguments


@pytest.fixture
def emu(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Emu:
    """The command, with `stdin` as its standard input. Its machine has been booted before, unless its options name files."""
    monkeypatch.setattr("emu.cli.machine_options.new_machine", machine_of_command)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfdbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Result(end.value.code, out, err.decode())

    return call
