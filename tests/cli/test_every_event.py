# SPDX-License-Identifier: GPL-2.0-only
"""A recording of all events: its columns, its reports, and the same from machines without a recording."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from emu.trace import Trace
from emu.trace.report import ReportContext
from tests.cli.conftest import Emu

WORK = "ls /bin | wc -l; (busy 2 1; sleep 0.01) & kill %1; dd if=/dev/zero of=/tmp/x bs=4096 count=4 2>/dev/null"
COMMAND = ("-b", "20000", "-e", "all", "--", WORK)

# Bugs of trace-cmd 3.1.6: `&` before `|`, no %c, and pointers to texts read in the host's byte order.
MISREAD = {"timer_start", "rcu_batch_end"}

_LINE = re.compile(r"^.{16}-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): (\w+): +(.*)$")


@pytest.fixture
def recording(arch: str, tmp_path: Path, emu: Emu) -> Path:
    file = tmp_path / "trace.dat"
    assert emu("record", "--arch", arch, "-o", str(file), *COMMAND).status == 0
    return file


def raw_lines(file: Path) -> dict[str, list[tuple[tuple[int, int, int], str]]]:
    """trace-cmd's raw output for each event, by its name: pid, CPU and time; fields."""
    text = subprocess.run(["trace-cmd", "report", "-R", "-t", file], capture_output=True, check=True, text=True).stdout
    found = defaultdict(list)
    for line in text.splitlines()[1:]:
        match = _LINE.match(line)
        assert match, line
        pid, cpu, seconds, rest, name, fields = match.groups()
        found[name].append(((int(pid), int(cpu), int(seconds) * 10**9 + int(rest)), fields))
    return found


def readings(context: ReportContext, value: Any, sizes: Sequence[int]) -> set[str]:
    """The texts that trace-cmd may print for a value of a column with elements of one of these sizes."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, list):
        order = "big" if context.words.swapped else "little"
        mask = (1 << 8 * sizes[0]) - 1
        content = b"".join((element & mask).to_bytes(sizes[0], order) for element in value)
        return {f"ARRAY[{', '.join(f'{byte:02x}' for byte in content)}]"}
    all_bits = value & ((1 << 64) - 1)
    swapped = int.from_bytes(all_bits.to_bytes(8, "little"), "big")
    texts = {str(value), f"{value:03}", context.symbol(all_bits, offset=True), context.string(all_bits), f"{swapped:x}"}
    for size in (4, 8):
        cut = all_bits & ((1 << 8 * size) - 1)
        texts |= {f"{cut:x}", f"{cut:#x}", f"{cut:#010x}", str(cut), str(cut - (1 << 8 * size))}
    return texts | {name for name in [context.function(all_bits)] if name}


@pytest.mark.skipif(shutil.which("trace-cmd") is None, reason="needs the package trace-cmd")
def test_every_column_of_every_event_is_what_trace_cmd_reads(recording: Path) -> None:
    trace, lines = Trace.open(recording), raw_lines(recording)
    assert len(trace.events) > 100
    assert {path.partition(":")[2] for path in trace.events} == set(lines)
    context = ReportContext(trace)
    for path, table in trace.events.items():
        texts = lines[path.partition(":")[2]]
        columns = [table[name].tolist() for name in ("common_pid", "common_cpu", "common_time")]
        assert [tuple(row) for row in zip(*columns, strict=True)] == [where for where, _ in texts]
        for field in table.call.fields:
            element = re.search(r"\[(\d+)\]$", field.type)
            sizes = [field.size // int(element[1]) if element else 1]
            for value, (_, text) in zip(table[field.name].tolist(), texts, strict=True):
                shown = re.search(rf"(?:^| ){field.name}=(.*?)(?= \w+=|$)", text)
                assert shown and shown[1] in readings(context, value, sizes), (path, field.name, value, text)


@pytest.mark.skipif(shutil.which("trace-cmd") is None, reason="needs the package trace-cmd")
@pytest.mark.parametrize("options", [[], ["-R"]], ids=["text", "raw"])
def test_the_report_of_every_event_is_trace_cmds(arch: str, options: list[str], recording: Path, emu: Emu) -> None:
    theirs = subprocess.run(["trace-cmd", "report", *options, recording], capture_output=True, check=True).stdout
    ours = emu("report", *options, str(recording)).out
    differ = {
        line.split()[3].decode().rstrip(":")
        for line, other in zip(ours.splitlines(), theirs.splitlines(), strict=True)
        if line != other
    }
    assert {name for name in differ if not (arch == "sparc64" and name.startswith("rcu_"))} <= MISREAD


def test_the_text_of_every_event_is_what_a_run_shows(arch: str, recording: Path, emu: Emu) -> None:
    shown = emu("run", "--arch", arch, *COMMAND).out
    assert len(set(re.findall(rb": (\w+): ", shown))) > 60
    assert emu("report", "--format", "trace", str(recording)).out == shown
