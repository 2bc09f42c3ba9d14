# SPDX-License-Identifier: GPL-2.0-only
"""Random definitions of probes: each defines an event, or is refused with one line, and with its place in error_log."""

from __future__ import annotations

import itertools
import re

import pytest

from emu.ftrace.errors import TraceError
from emu.linux.machine import LinuxMachine
from tests.lib.random_probes import random_definitions

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

LOGGED = re.compile(r"\[ *\d+\.\d+\] ([^\n]+): error: (.+)\n  Command: (.*)\n(?: *)\^\n\Z")


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.long("10,000 definitions"))])
def test_each_defines_an_event_or_is_refused(traced: LinuxMachine, count: int) -> None:
    fs, made, logged = traced.tracefs, 0, 0
    for line in itertools.islice(random_definitions(count), count):
        fs.write("error_log", "")
        before = fs.read("dynamic_events")
        try:
            fs.append("dynamic_events", line + "\n")
            made += fs.read("dynamic_events") != before
        except TraceError as error:
            assert error.why and "\n" not in error.why, line
            assert fs.read("dynamic_events") == before, line
            if error.logged is not None:
                logged += 1
                assert LOGGED.search(fs.read("error_log")), (line, fs.read("error_log"))
        if made % 50 == 49:
            fs.write("dynamic_events", "")
            made += 1
    fs.write("dynamic_events", "")
    assert made >= count // 60 and logged > count // 2
