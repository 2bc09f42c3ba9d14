# SPDX-License-Identifier: GPL-2.0-only
"""The reports of `emu run`: --stack, --profile, --max-latency, -m, -C; and the recording of the boot."""

from __future__ import annotations

import re

from tests.cli.conftest import Emu


def test_the_deepest_stack_and_the_profile(emu: Emu, arch: str) -> None:
    text = emu("run", "--arch", arch, "--stack", "--profile", "-l", "vfs_*", "--", "ls /bin").out.decode()
    parts = re.split(r"\n?==> (\S+) <==\n", text)
    assert parts[::2][0] == "" and parts[1::2] == ["stack_trace", "trace_stat/function0", "trace_stat/function1"]
    assert re.match(r" +Depth +Size +Location +\(\d+ entries\)", parts[2])
    profiled = re.findall(r"^  (\w+) +[1-9]\d* +[\d.]+ us ", parts[4] + parts[6], re.MULTILINE)
    assert "vfs_statx" in profiled and all(name.startswith("vfs_") for name in profiled)


def test_the_worst_latency(emu: Emu, arch: str) -> None:
    text = emu("run", "--arch", arch, "-p", "irqsoff", "--max-latency", "--", "ls").out.decode()
    trace, latency = text.split("\n==> tracing_max_latency <==\n")
    assert f"# latency: {int(latency)} us" in trace


def test_the_end_of_the_trace_by_another_clock(emu: Emu) -> None:
    text = emu("run", "-p", "function", "-m", "4", "-C", "counter", "--", "ls").out.decode()
    times = [int(time) for time in re.findall(r" (\d+): \S+ <-", text)]
    kept, written = map(int, re.findall(r"written: (\d+)/(\d+)", text)[0])
    assert times == sorted(times) and len(times) == kept < 1000 < written


def test_the_trace_of_the_boot_is_there_and_is_printed(emu: Emu, arch: str) -> None:
    words = ["--append", "trace_event=initcall_level,sched_process_exec"]
    result = emu("run", "--arch", arch, *words, "--", "cat /sys/kernel/tracing/trace")
    for text in (result.err, result.out.decode()):
        assert text.index("initcall_level: level=early") < text.index("sched_process_exec: filename=/init")
        assert "sched_process_exec: filename=/bin/cat" in text
