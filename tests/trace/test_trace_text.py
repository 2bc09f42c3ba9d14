# SPDX-License-Identifier: GPL-2.0-only
"""The text of the file `trace`, from raw pages of a real Linux: made from a `Recording` without a file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.trace import Buffer, CpuPages, FormatText, Recording, Trace
from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.perfetto import perfetto
from emu.trace.report import ReportOptions
from emu.trace.trace_text import trace_text
from tests.lib.golden import GOLDEN, golden_pages, read_golden
from tests.lib.trace_dat import Dat, Pages, linux_formats


def formats() -> Iterator[FormatText]:
    for system, texts in linux_formats().items():
        yield from (FormatText(system, text) for text in texts)


def recording(name: str) -> Recording:
    symbols = b"ffffffff81117800 t tracing_mark_write\nffffffff81118000 t end\n"
    return Recording([Buffer("", "local", [CpuPages(0, golden_pages(name))])], list(formats()), cpu_count=2, kallsyms=symbols)


def bare(line: str) -> str:
    """A line without the names that only the kernel knows."""
    return re.sub(r"^ *\S.*?-(\d+) +\[", r"\1 [", line)


@pytest.mark.parametrize("name", ["sched", "syscalls"])
def test_of_a_real_linux(name: str) -> None:
    text = b"".join(trace_text(Trace(recording(name)), ReportOptions())).decode()
    ours = [bare(line) for line in text.splitlines() if not line.startswith("#")]
    theirs = [bare(line) for line in read_golden(f"raw-{name}.cpu0.trace.txt").splitlines() if not line.startswith("#")]
    assert len(ours) > 50
    assert ours == theirs[: len(ours)]


@pytest.mark.parametrize(
    ("clock", "time"),
    [
        *((clock, "1.234568") for clock in ("local", "global", "perf", "mono", "mono_raw", "boot", "tai")),
        *((clock, "1234567890") for clock in ("counter", "uptime", "x86-tsc", "sparc-tick", "ppc-tb")),
    ],
)
def test_what_a_clock_counts(clock: str, time: str, tmp_path: Path) -> None:
    pages, path = Pages(), tmp_path / "trace.dat"
    pages.add(1_234_567_890, struct.pack("<HBBiQ8s", 5, 0, 0, 5, 0, b"hello\n"))
    pages.flush()
    path.write_bytes(Dat([pages.data], clock=clock).version7())
    [line] = [line for line in b"".join(trace_text(Trace.open(path), ReportOptions())).decode().splitlines() if "hello" in line]
    assert f" {time}: " in line
    options = ConvertOptions()
    assert b"".join(perfetto(Trace.open(path), options))
    assert [note for note in options.notes if clock in note and "nanoseconds" in note] == options.notes
    assert bool(options.notes) == ("." not in time)


def test_an_older_kernel_of_32_bits() -> None:
    lines = b"".join(trace_text(Trace.open(GOLDEN / "tracecmd-i686-funcgraph.dat"), ReportOptions())).decode().splitlines()
    assert lines[0] == "# tracer: function_graph"
    calls = [line.strip() for line in lines if "do_IRQ() {" in line]
    assert len(calls) == 7 and set(calls) == {"0)               |  do_IRQ() {"}
    assert " 0) # 3242.027 us |  }" in lines


def test_kernels_number_their_events_in_other_ways(tmp_path: Path) -> None:
    """In Linux 4.13, raw_data has the number of today's osnoise, and another event that of today's raw_data."""
    texts = {text.split("\n")[0]: text for text in (*linux_formats()["ftrace"], *linux_formats()["irq"])}
    raw_data = texts["name: raw_data"].replace("ID: 18", "ID: 16")
    softirq = re.sub(r"^ID: \d+$", "ID: 18", texts["name: softirq_entry"], flags=re.MULTILINE)
    pages, path = Pages(), tmp_path / "trace.dat"
    pages.add(1000, struct.pack("<HBBiI4s", 16, 0, 0, 5, 0x42, b"abcd"))
    pages.add(2000, struct.pack("<HBBiI", 18, 0, 0, 5, 1))
    pages.add(3000, struct.pack("<HBBi8x", 17, 0, 0, 5))
    pages.flush()
    path.write_bytes(Dat([pages.data], formats={"ftrace": [raw_data], "irq": [softirq]}).version7())
    lines = b"".join(trace_text(Trace.open(path), ReportOptions())).decode().splitlines()
    ours = [line.split(": ", 1)[1] for line in lines if not line.startswith("#")]
    assert ours[:2] == ["# 42 buf: 61 62 63 64", "softirq_entry: vec=1 [action=TIMER]"]
    assert re.fullmatch(r"Unknown type \d+", ours[2])
