# SPDX-License-Identifier: GPL-2.0-only
"""emu report: its output, its errors, and its exit statuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.trace_dat import sample
from tests.lib.golden import GOLDEN, read_golden
from tests.lib.trace_dat import Dat

SCHED = GOLDEN / "tracecmd-sched.dat"


def emu(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "emu", "report", *arguments], capture_output=True, text=True)


def golden(name: str) -> str:
    return read_golden(f"{name}.txt.gz")


def test_the_report_of_a_real_linux() -> None:
    done = emu(SCHED)
    assert (done.returncode, done.stdout, done.stderr) == (0, golden("tracecmd-sched.report"), "")


def test_filters_and_full_times() -> None:
    done = emu("-e", "sched_wakeup", "-e", "sched:*_exec", "--cpu", "0-1", "--from", "124.614", "--to", "124.623", "-t", SCHED)
    assert done.stdout.splitlines() == [
        "cpus=2",
        "              ls-1064  [000]   124.614170376: sched_process_exec:   filename=/usr/bin/ls pid=1064 old_pid=1064",
        "          <idle>-0     [001]   124.622876575: sched_wakeup:         rcu_preempt:15 [120] CPU:001",
    ]


def test_the_text_of_the_file_trace() -> None:
    lines = emu("--format", "trace", "-P", "1064", SCHED).stdout.splitlines()
    assert lines[0] == "# tracer: nop"
    assert "  ls-1064    [000] .....   124.614170: sched_process_exec: filename=/usr/bin/ls pid=1064 old_pid=1064" in lines[13]


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_big_endian_file_has_the_same_trace(order: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.dat"
    path.write_bytes(sample(order, 7, compressed=True))
    text = emu("--format", "trace", path).stdout
    path.write_bytes(sample("<", 6, compressed=False))
    assert text == emu("--format", "trace", path).stdout and text.count("\n") > 1000


def test_an_output_file_and_an_instance(tmp_path: Path) -> None:
    path, text = tmp_path / "trace.dat", tmp_path / "text"
    path.write_bytes(sample("<", 7, compressed=False))
    assert emu("-B", "foo", "-o", text, path).stdout == ""
    assert "[000]" in text.read_text() and "[001]" not in text.read_text()
    done = emu("-B", "bar", path)
    assert (done.returncode, done.stderr) == (2, "emu: the trace has no buffer 'bar'\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-e", "sched_swich", SCHED], "no event of the trace matches 'sched_swich'; did you mean sched_switch?"),
        (["--cpu", "3-1", SCHED], "'3-1' is no list of CPUs; one is 0,2-3"),
        (["--from", "soon", SCHED], "'soon' is no time in seconds"),
        (["--format", "trace", "-R", SCHED], "-R and -t do not go with --format trace"),
        (["nosuch.dat"], "cannot read nosuch.dat: No such file or directory"),
        ([__file__], f"{__file__}: byte 0: there is no trace.dat: its first bytes are others"),
    ],
)
def test_what_is_refused(arguments: list[str | Path], message: str) -> None:
    done = emu(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"emu: {message}\n")


def test_a_damaged_file(tmp_path: Path) -> None:
    path, good = tmp_path / "trace.dat", sample("<", 6, compressed=False)
    path.write_bytes(good[:-6000])
    done = emu(path)
    problem = f"emu: {path}: byte {len(good) - 6000}: the file ends in the pages of CPU 1, which begin at byte 69632\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", problem)
    done = emu("--salvage", path)
    assert (done.returncode, done.stderr) == (2, problem)
    assert done.stdout.count("[000]") > 500 and done.stdout.count("[001]") > 500


def test_what_a_file_names_stays_on_the_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat([], compression="of two\nlines").version7())
    done = emu(path)
    assert (done.returncode, done.stderr) == (2, f"emu: {path}: byte 33: nothing here can unpack 'of two\\nlines'\n")


def test_a_closed_pipe_ends_it_quietly() -> None:
    command = f"{sys.executable} -m emu report {GOLDEN / 'tracecmd-graph.dat'} | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("cpus=2\n", "")
