# SPDX-License-Identifier: GPL-2.0-only
"""A function and its callees, four levels deep: set_graph_function (-g) and max_graph_depth."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = "emu run -p function_graph -g sys_pipe2 -O nofuncgraph-irqs --set max_graph_depth=4 -- 'true | true'"

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 1)               |  sys_pipe2() {
 1)               |    do_pipe2() {
 1)               |      __do_pipe_flags() {
 1) + 26.670 us   |        create_pipe_files();
 1)   3.940 us    |        get_unused_fd_flags();
 1)   1.730 us    |        get_unused_fd_flags();
 1) + 34.530 us   |      }
 1)               |      _copy_to_user() {
 1)   0.490 us    |        __might_fault();
 1)   1.160 us    |      }
 1)               |      fd_install() {
 1)   0.400 us    |        _raw_spin_lock();
 1)   0.690 us    |        _raw_spin_unlock();
 1)   2.190 us    |      }
 1)               |      fd_install() {
 1)   0.390 us    |        _raw_spin_lock();
 1)   0.690 us    |        _raw_spin_unlock();
 1)   1.730 us    |      }
 1) + 42.350 us   |    }
 1) + 43.220 us   |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_and_deeper_ones(run: Run) -> None:
    ((cpu, calls),) = shown(run.text).items()
    seen = run.calls[cpu]
    rest = iter(seen[seen.index("sys_pipe2") :])
    assert all(name in rest for name in calls)  # in this order
    assert "alloc_inode" in seen and "alloc_inode" not in calls
