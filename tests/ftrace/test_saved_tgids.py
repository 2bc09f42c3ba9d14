# SPDX-License-Identifier: GPL-2.0-only
"""record-cmd and record-tgid: what is saved of tasks that record something."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.golden import read_golden


@pytest.fixture
def traced(machine: Machine) -> Iterator[Machine]:
    """A machine that traces futex calls, and has saved nothing yet."""
    machine.tracefs.write("saved_cmdlines_size", "128")
    machine.tracefs.write("set_ftrace_filter", "futex_wait")
    machine.tracefs.write("current_tracer", "function")
    yield machine
    for path, text in (("options/record-tgid", "0"), ("options/record-cmd", "1"), ("current_tracer", "nop")):
        machine.tracefs.write(path, text)


def tasks(machine: Machine) -> list[tuple[str, int, str]]:
    """Name, pid and thread group in each line of the trace."""
    lines = re.findall(r"^ *(\S+)-(\d+) +(?:\(([ \d-]{7})\) )?\[\d+\]", machine.tracefs.read("trace"), re.MULTILINE)
    return [(comm, int(pid), tgid.strip()) for comm, pid, tgid in lines]


def test_threads_belong_to_their_process(traced: Machine) -> None:
    traced.tracefs.write("options/record-tgid", "1")
    traced.run("threads")
    found = {(pid, int(tgid)) for _, pid, tgid in tasks(traced)}
    assert len(found) > 1 and len({tgid for _, tgid in found}) == 1
    lines = traced.tracefs.read("saved_tgids").splitlines()
    saved = [tuple(map(int, line.split())) for line in lines]
    assert set(saved) >= found and saved == sorted(saved)
    assert all(re.fullmatch(r"\d+ \d+", line) for line in [*lines, *read_golden("saved_tgids.txt").splitlines()])
    assert traced.run("cat /sys/kernel/tracing/saved_tgids").output.decode().splitlines()[: len(lines)] == lines


def test_off_nothing_is_added(traced: Machine) -> None:
    before = traced.tracefs.read("saved_tgids")
    traced.run("threads")
    assert traced.tracefs.read("saved_tgids") == before
    assert {tgid for _, _, tgid in tasks(traced)} == {""}
    traced.tracefs.write("options/record-tgid", "1")  # too late for tasks that have ended
    assert {tgid for _, _, tgid in tasks(traced)} == {"-------"}


def test_record_cmd(traced: Machine) -> None:
    traced.tracefs.write("options/record-cmd", "0")
    traced.run("threads")
    assert {comm for comm, _, _ in tasks(traced)} == {"<...>"}
    assert traced.tracefs.read("saved_cmdlines") == ""
    traced.tracefs.write("options/record-cmd", "1")
    traced.run("threads")
    assert {comm for comm, _, _ in tasks(traced)} == {"<...>", "threads"}
