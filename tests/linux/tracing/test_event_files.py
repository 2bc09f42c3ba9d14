# SPDX-License-Identifier: GPL-2.0-only
"""Events of a Linux guest on the command line, and in files that other programs read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Emu, Result, emu

__all__ = ["emu"]

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

Linux = Callable[..., Result]  # takes a verb, and the words after `--linux=FILE`
FEW = ("sched", "irq", "raw_syscalls", "syscalls")
MORE = (*FEW, "timer", "kmem", "signal", "task", "writeback", "exceptions", "workqueue", "percpu", "x86_fpu", "mmap")


def well_read(report: str) -> list[str]:
    """The lines without those that trace-cmd 3.1.6 misreads: it takes `&` before `|` for another operator."""
    return [line for line in report.splitlines() if "timer_start: " not in line]


@pytest.fixture
def linux(emu: Emu, kept_machines: Path, real_kernel: Path) -> Linux:
    """`emu VERB --linux=FILE`. The machine has been booted already."""
    return lambda verb, *words: emu(verb, f"--linux={real_kernel}", *words)


def test_filters_and_triggers(linux: Linux) -> None:
    command = ("-e", "syscalls:sys_enter_openat", "-f", "flags == 0", "-e", "raw_syscalls:sys_exit", "-f", "id == 257")
    done = linux("run", *command, "-R", "traceoff:1 if id == 257", "-F", "--", "cat", "/proc/version")
    assert done.status == 0 and done.err.startswith("Linux version")
    shown = [line for line in done.out.decode().splitlines() if not line.startswith("#")]
    assert [re.sub(r".*\d: |\(.*", "", line) for line in shown] == ["sys_openat", "sys_exit: NR 257 = 3"]


def test_what_is_listed(linux: Linux, real_kernel: Path) -> None:
    assert set(linux("list", "events", "irq:softirq_*").out.decode().split()) == {
        "irq:softirq_raise", "irq:softirq_exit", "irq:softirq_entry",
    }  # fmt: skip
    refused = linux("list", "events", "nosuch_*")
    assert (refused.status, refused.out, refused.err) == (2, b"", "emu: no event matches 'nosuch_*'\n")


@pytest.mark.skipif(shutil.which("trace-cmd") is None, reason="needs the package trace-cmd")
@pytest.mark.parametrize("systems", [FEW, pytest.param(MORE, marks=pytest.mark.long("a few systems show most"))])
def test_trace_cmd_reads_what_is_recorded(linux: Linux, emu: Emu, tmp_path: Path, systems: tuple[str, ...]) -> None:
    file = tmp_path / "trace.dat"
    chosen = [word for system in systems for word in ("-e", system)]
    strings = ("--set", "syscall_user_buf_size=63")
    done = linux("record", "-o", str(file), *strings, *chosen, "--", "ls /bin | tail -1; (sleep 0.01 & wait)")
    assert done.status == 0
    theirs = subprocess.run(["trace-cmd", "report", file], capture_output=True, check=True, text=True)
    ours = emu("report", str(file)).out.decode()
    assert well_read(ours) == well_read(theirs.stdout) and ours.count("\n") > 500 and theirs.stderr == ""
    assert re.search(r'sys_enter_openat: +dfd: 0x\w+, filename: 0x\w+ "/bin", flags', ours)
    for name in ("x.pftrace", "x.json"):
        assert emu("convert", str(file), "-o", str(tmp_path / name)).status == 0
    named = {event.get("name") for event in json.loads((tmp_path / "x.json").read_text())["traceEvents"]}
    assert {"irq_handler_entry", "sched_process_exec"} <= named
