# SPDX-License-Identifier: GPL-2.0-only
"""The workloads on this host: they do what they should, and notice errors."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

from tests.guest.programs.conftest import Guest
from tests.guest.programs.table import assert_same

FAULTS = {
    "segv": signal.SIGSEGV,
    "kernel": signal.SIGSEGV,
    "priv": signal.SIGSEGV,
    "hostcall": signal.SIGSEGV,
    "div0": signal.SIGFPE,
    "ud": signal.SIGILL,
    "exec": signal.SIGSEGV,
}


def test_a_fault_is_deadly(guest: Guest) -> None:
    assert_same(list(FAULTS), lambda kind: guest.run("fault", kind).status, lambda kind: -FAULTS[kind])


def test_exit_with_a_status(guest: Guest) -> None:
    assert [guest.run(name).status for name in ("exit17", "exit42")] == [17, 42]


def test_getpid_prints_its_own(guest: Guest) -> None:
    with subprocess.Popen([guest.bin / "getpid"], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert int(child.stdout.read()) == child.pid


def test_spin_takes_its_time(guest: Guest) -> None:
    start = time.monotonic()
    assert guest.run("spin", "50").status == 0
    assert time.monotonic() - start >= 0.05
    assert guest.run("spin").errors == "spin: usage: spin MILLISECONDS\n"


def test_busy_counts_the_rounds_of_all_workers(guest: Guest) -> None:
    ended = guest.run("busy", "3", "20")
    assert (ended.status, ended.output) == (0, "busy: 3 workers, 60 rounds, 0 errors\n")


def test_busy_for_a_time(guest: Guest) -> None:
    ended = guest.run("busy", "2", "1s")
    assert ended.status == 0
    assert ended.output.startswith("busy: 2 workers, ")
    assert ended.output.endswith(" rounds, 0 errors\n")


def test_swapexec_runs_what_was_written_last(guest: Guest, tmp_path: Path) -> None:
    ended = guest.run("swapexec", "3", "50", str(guest.bin), str(tmp_path))
    assert (ended.status, ended.output) == (0, "swapexec: 3 workers, 150 rounds, 0 errors\n")


def test_swapexec_notices_the_wrong_program(guest: Guest, tmp_path: Path) -> None:
    swapped = tmp_path / "swapped"
    swapped.mkdir()
    shutil.copy(guest.bin / "exit17", swapped / "exit17")
    shutil.copy(guest.bin / "exit17", swapped / "exit42")
    ended = guest.run("swapexec", "1", "4", str(swapped), str(tmp_path))
    assert (ended.status, ended.output) == (1, "swapexec: 1 workers, 4 rounds, 1 errors\n")
    assert "wait status 0x1100 instead of exit 42" in ended.errors
