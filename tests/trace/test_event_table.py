# SPDX-License-Identifier: GPL-2.0-only
"""Columns of events, compared with trace-cmd's text of the same files."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest

from emu.trace import Trace
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat, Pages, event_id
from tests.trace.test_report import golden


def lines(name: str, event: str) -> list[str]:
    return [line for line in golden(f"{name}.report-R").decode().splitlines() if f": {event}: " in line]


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("sched", ["sched_switch", "sched_wakeup", "sched_stat_runtime", "sched_process_exec"]),
        ("syscalls", ["sys_enter_openat"]),
        ("graph-depth", ["funcgraph_entry", "funcgraph_exit"]),
    ],
)
def test_columns_are_what_the_raw_text_has(name: str, events: list[str]) -> None:
    trace = Trace.open(GOLDEN / f"tracecmd-{name}.dat")
    for event in events:
        table, texts = trace[event], lines(name, event)
        assert table.count == len(texts)
        for field in table.call.fields:
            shown = [found[1] for text in texts if (found := re.search(rf" {field.name}=(.*?)(?= \w+=|$)", text))]
            column = table[field.name].tolist()
            if field.name == "func":
                column = [trace.symbols.function(address) for address in column]
            assert [str(value) for value in column] == shown or [f"{value:x}" for value in column] == [
                text.removeprefix("0x").lstrip("0") or "0" for text in shown
            ]
        assert [f"{cpu:03}" for cpu in table["common_cpu"]] == [re.search(r"\[(\d+)\]", text)[1] for text in texts]  # type: ignore[index]
        times = [round(float(text.split("]")[1].split(":")[0]) * 10**6) for text in texts]
        assert ((table["common_time"] + np.uint64(500)) // np.uint64(1000)).tolist() == times


@pytest.mark.parametrize("order", ["<", ">"])
def test_arrays_and_texts_in_both_byte_orders(order: str, tmp_path: Path) -> None:
    pages = Pages(order)
    number = event_id("sched", "sched_process_exec")
    text = b"/bin/ls\0"
    for n in range(3):
        word = 20 | len(text) << 16
        pages.add(1000 + n, struct.pack(f"{order}HBBiIii8s", number, 1, 2, 57, word, -n, n, text))
    pages.padding(8)
    pages.stamp(10**12)
    pages.add(10**12 + 1, struct.pack(f"{order}HBBiII8Q", 12, 0, 0, 57, 3, 0, *range(8)))
    pages.flush()
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat([pages.data], order=order).version7())
    trace = Trace.open(path)
    execs, stacks = trace["sched:sched_process_exec"], trace["user_stack"]
    assert execs["filename"].tolist() == ["/bin/ls"] * 3
    assert execs["pid"].tolist() == [0, -1, -2]
    assert execs["common_pid"].tolist() == [57] * 3
    assert execs["flags"].tolist() == [1] * 3 and execs["preempt_count"].tolist() == [2] * 3
    assert execs["time"].dtype == np.uint64 and execs["time"].tolist() == [1000, 1001, 1002]
    assert stacks["caller"].tolist() == [list(range(8))]
    assert stacks["time"].tolist() == [10**12 + 1]
    assert list(trace.events) == ["ftrace:user_stack", "sched:sched_process_exec"]


def test_a_column_that_is_not_there_is_named() -> None:
    trace = Trace.open(GOLDEN / "tracecmd-function.dat")
    with pytest.raises(KeyError, match="has no column 'pip'; it has time, cpu"):
        trace["function"]["pip"]
    with pytest.raises(KeyError, match="no format of an event 'nosuch'"):
        trace["nosuch"]
