# SPDX-License-Identifier: GPL-2.0-only
"""Traces of kernels with longs of 4 or 8 bytes, in either byte order: trace-cmd's text, and other outputs.

All kernels have recorded the same events. Outputs that trace-cmd does not have must be the same but for addresses.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from emu.cli.main import main
from emu.trace import Trace
from emu.trace.event_table import EventTable
from emu.trace.report import Report, ReportOptions
from emu.trace.trace_text import trace_text
from tests.lib.needs import needs
from tests.lib.other_kernels import KERNELS, Kernel, file_of

USUAL = KERNELS["arm64"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of all kernels."""
    path: Path = tmp_path_factory.mktemp("kernels")
    for kernel in KERNELS.values():
        for version in (6, 7):
            (path / f"{kernel.name}-{version}.dat").write_bytes(file_of(kernel, version))
    return path


@pytest.fixture(params=KERNELS.values(), ids=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    found: Kernel = request.param
    return found


def opened(folder: Path, kernel: Kernel) -> Trace:
    return Trace.open(folder / f"{kernel.name}-7.dat")


def trace_cmd(*arguments: str | Path) -> list[str]:
    return subprocess.run(["trace-cmd", "report", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def unlike_trace_cmd(kernel: Kernel, lines: Sequence[str]) -> list[str]:
    """The lines that can be compared: in a big-endian file, trace-cmd does not show a text behind a pointer."""
    names = ["bputs: "] if kernel.order == ">" else []
    return [line for line in lines if not any(name in line for name in names)]


@needs("trace-cmd")
@pytest.mark.parametrize("raw", [False, True], ids=["text", "raw"])
@pytest.mark.parametrize("version", [6, 7])
def test_a_report_is_trace_cmds(raw: bool, version: int, kernel: Kernel, folder: Path) -> None:
    path = folder / f"{kernel.name}-{version}.dat"
    ours = b"".join(Report(Trace.open(path), ReportOptions(raw=raw)).pieces()).decode().splitlines()
    theirs = trace_cmd(*(["-R"] if raw else []), path)
    assert len(ours) == len(theirs) > 150
    assert unlike_trace_cmd(kernel, ours) == unlike_trace_cmd(kernel, theirs)


def without_addresses(kernel: Kernel, text: str) -> str:
    """The text with kernel addresses replaced by offsets, and other pointers by a placeholder."""

    def replaced(found: re.Match[str]) -> str:
        for base in (16, 10) if found[1].isdecimal() else (16,):
            if 0 <= (distance := int(found[1], base) - kernel.text) < 1 << 20:
                return f"<{distance:#x}>"
        return "<pointer>" if len(found[1]) == 2 * kernel.long_size else found[0]

    return re.sub(r"\b(?:0x)?([0-9a-f]{6,20})\b", replaced, text)


def comparable(kernel: Kernel, text: str) -> str:
    """The text without addresses.

    Events whose texts have numbers that contain addresses are left out.
    """
    lines = [line for line in text.splitlines() if not re.search("kmalloc|timer_expire_entry|tlb_flush", line)]
    return without_addresses(kernel, "\n".join(lines))


def text_of_trace(folder: Path, kernel: Kernel) -> str:
    return comparable(kernel, b"".join(trace_text(opened(folder, kernel), ReportOptions())).decode())


def test_the_text_of_the_file_trace(kernel: Kernel, folder: Path) -> None:
    text = text_of_trace(folder, kernel)
    assert text == text_of_trace(folder, USUAL)
    assert "/* evt=-3 comm=sh cpu=7 rq=<0x14> avg=1234 of 77 at fn_1+0xc/0x40 in fn_2 */" in text
    assert "/* 50% of 1099511627776: beef */" in text and "/* a, bcd and     42 */" in text
    assert " => fn_0\n => fn_1\n => fn_2\n" in text and "<user stack trace>\n =>  <<0x8>>\n" in text
    assert re.search(r"/\* sys_openat\(dfd: \w+, filename: \w+, flags: \w+, mode: \w+\) \*/", text)


def columns(trace: Trace, kernel: Kernel) -> dict[str, list[object]]:
    """All columns of all events, but for stacks and packed arguments; addresses as offsets."""

    def values(table: EventTable, name: str) -> list[object]:
        found = []
        for value in table[name].tolist():
            value = value.tolist() if isinstance(value, np.ndarray) else value
            found.append(value - kernel.text if isinstance(value, int) and 0 <= value - kernel.text < 1 << 20 else value)
        return found

    differ = ("caller", "buf")
    names = [(path, name) for path, table in trace.events.items() for name in table if name not in differ]
    return {f"{path} {name}": values(trace.events[path], name) for path, name in names}


def test_columns_and_calls(kernel: Kernel, folder: Path) -> None:
    trace, usual = opened(folder, kernel), opened(folder, USUAL)
    found, expected = columns(trace, kernel), columns(usual, USUAL)
    assert found.keys() == expected.keys()
    assert {name: found[name] for name in found if found[name] != expected[name]} == {}
    assert trace.calls["function"].tolist() == ["fn_3", "fn_4", "fn_5"]
    assert trace.calls["duration"].tolist() == [123400, 12340, 1234]
    assert trace.calls["self_time"].tolist() == [111060, 11106, 1234]


@pytest.mark.parametrize(
    "command",
    [
        "top", "tree", "convert --to folded", "convert --to json -e kernel_stack -e funcgraph_*",
        *(f"convert --to csv --table {name}" for name in ("calls", "sched_switch", "user_stack", "sys_enter_openat")),
    ],
)  # fmt: skip
def test_other_outputs(command: str, kernel: Kernel, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for each in (kernel, USUAL):
        with pytest.raises(SystemExit) as ended:
            main([*command.split(), str(folder / f"{each.name}-7.dat")])
        assert ended.value.code == 0
        shown.append(comparable(each, capsys.readouterr().out))
    assert shown[0] == shown[1] != ""
