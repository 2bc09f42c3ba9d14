# SPDX-License-Identifier: GPL-2.0-only
"""A reader sleeps until there is a write: `=>` shows a switch to another task, funcgraph-proc the task of each line."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --cpus 1 -p function_graph -O funcgraph-proc -g 'pipe_*' -l pipe_read -l pipe_write -l schedule -l __schedule "
    "-- 'echo hello | cat'"
)

TRACE = """\
hello
# tracer: function_graph
#
# CPU  TASK/PID         DURATION                  FUNCTION CALLS
# |     |    |           |   |                     |   |   |   |
 0)     cat-15     |               |  pipe_read() {
 0)     cat-15     |               |    schedule() {
 0)     cat-15     |               |      __schedule() {
 ------------------------------------------
 0)     cat-15     =>     sh-14     
 ------------------------------------------

 0)     sh-14      | + 21.010 us   |  pipe_write();
 ------------------------------------------
 0)     sh-14      =>     cat-15    
 ------------------------------------------

 0)     cat-15     | ! 424.730 us  |      }
 0)     cat-15     | ! 425.280 us  |    }
 0)     cat-15     | ! 443.420 us  |  } /* pipe_read */
 0)     cat-15     |   1.790 us    |  pipe_read();
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_reads_and_writes(run: Run) -> None:
    assert "=>" in run.text
    (calls,) = shown(run.text).values()
    assert [name for name in calls if name.startswith("pipe_")] == run.seen("pipe_read", "pipe_write")[0]
