# SPDX-License-Identifier: GPL-2.0-only
"""Perfetto's own trace processor on emu's files: its slices, threads and events match the trace."""

from __future__ import annotations

from collections import Counter

import pytest

from emu.trace import Trace
from tests.lib.golden import GOLDEN
from tests.lib.trace_processor import needs_trace_processor, query
from tests.trace.convert.conftest import converted

# A message that is not a command of Android's counts as a parse error, and is shown nevertheless.
PROBLEMS = "select name from stats where value > 0 and severity != 'info' and name != 'systrace_parse_failure'"

SLICES = "select s.name from slice s join track t on s.track_id = t.id where {}"


@needs_trace_processor
def test_of_a_machine(trace: Trace) -> None:
    problems, functions, running, threads, events, softirqs = query(
        converted(trace, "pftrace"),
        [
            PROBLEMS, SLICES.format("t.type like '%funcgraph'"), "select utid from sched",
            "select tid, name from thread where tid > 0", "select name, count(*) from ftrace_event group by name",
            SLICES.format("t.name like 'SoftIrq%'"),
        ],
    )  # fmt: skip
    assert problems == []
    entered = trace["funcgraph_entry"]["func"].tolist()
    assert Counter(name for (name,) in functions) == Counter(map(trace.symbols.name_of, entered))
    assert len(running) == trace["sched_switch"].count
    assert {tid: name for tid, name in threads if name} == trace.tasks.comms
    assert dict(events) == {path.partition(":")[2]: trace[path].count for path in trace.events}
    assert len(softirqs) == trace["softirq_entry"].count > 0


@needs_trace_processor
@pytest.mark.parametrize("name", ["pftrace", "json"])
def test_of_a_real_linux(name: str) -> None:
    trace = Trace.open(GOLDEN / "tracecmd-graph-depth.dat")
    problems, slices = query(converted(trace, name), [PROBLEMS, "select name from slice"])
    assert problems == []
    recorded = trace.calls["function"][~trace.calls["cut"]] if name == "pftrace" else trace.calls["function"]
    assert Counter(function for (function,) in slices) == Counter(recorded)
