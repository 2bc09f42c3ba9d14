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
 0)               |  sys_pipe2() {
 0)               |    do_pipe2() {
 0)               |      __do_pipe_flags() {
 0) + 26.600 us   |        create_pipe_files();
 0)   3.940 us    |        get_unused_fd_flags();
 0)   1.720 us    |        get_unused_fd_flags();
 0) + 34.470 us   |      }
 0)               |      _copy_to_user() {
 0)   0.490 us    |        __might_fault();
 0)   1.160 us    |      }
 0)               |      fd_install() {
 0)   0.410 us    |        _raw_spin_lock();
 0)   0.700 us    |        _raw_spin_unlock();
 0)   2.190 us    |      }
 0)               |      fd_install() {
 0)   0.390 us    |        _raw_spin_lock();
 0)   0.700 us    |        _raw_spin_unlock();
 0)   1.730 us    |      }
 0) + 42.280 us   |    }
 0) + 43.150 us   |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_and_deeper_ones(run: Run) -> None:
    ((cpu, calls),) = shown(run.text).items()
    seen = run.calls[cpu]
    rest = iter(seen[seen.index("sys_pipe2") :])
    assert all(name in rest for name in calls)  # in this order
    assert "alloc_inode" in seen and "alloc_inode" not in calls
