# SPDX-License-Identifier: GPL-2.0-only
"""A buffer that is too small: the oldest events are lost, and counted. The guest prints the rest, so emu writes no trace."""

from __future__ import annotations

import re

from tests.traces.run import Run

COMMAND = (
    "emu run --cpus 1 -b 4 -p function -l read_iter_zero -o /dev/null "
    "-- 'dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none; cd /sys/kernel/tracing; "
    "head -4 trace_pipe; cat per_cpu/cpu0/stats'"
)

TRACE = """\
CPU:0 [LOST 725 EVENTS]
              dd-14      [000] .....     0.026599: read_iter_zero <-vfs_read
              dd-14      [000] .....     0.026603: read_iter_zero <-vfs_read
              dd-14      [000] .....     0.026608: read_iter_zero <-vfs_read
entries: 223
overrun: 725
commit overrun: 0
bytes: 6264
oldest event ts:     0.027266
now ts:     0.029955
dropped events: 0
read events: 52
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_as_many_calls_as_were_kept_and_lost(run: Run) -> None:
    counts = dict(re.findall(r"^(entries|overrun|read events): (\d+)$", run.text, re.MULTILINE))
    assert sum(map(int, counts.values())) == len(run.seen("read_iter_zero")[0])
