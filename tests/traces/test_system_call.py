# SPDX-License-Identifier: GPL-2.0-only
"""One system call in function_graph: a leaf function is one line, any other has braces."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = "emu run -p function_graph -g sys_kill -O nofuncgraph-irqs -- 'kill -0 1'"

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  sys_kill() {
 0)   0.630 us    |    prepare_kill_siginfo();
 0)               |    kill_something_info() {
 0)               |      _raw_spin_lock_irq() {
 0)   0.210 us    |        preempt_count_add();
 0)   0.810 us    |      }
 0)               |      find_vpid() {
 0)               |        _raw_spin_lock_irqsave() {
 0)   0.210 us    |          preempt_count_add();
 0)   0.920 us    |        }
 0)               |        find_pid() {
 0)   0.240 us    |          pid_bucket();
 0)   0.830 us    |        }
 0)               |        _raw_spin_unlock_irqrestore() {
 0)   0.220 us    |          preempt_count_sub();
 0)   1.080 us    |        }
 0)   3.840 us    |      }
 0)               |      kill_pid_info() {
 0)   0.390 us    |        pid_task();
 0)   0.220 us    |        group_send_sig_info();
 0)   1.850 us    |      }
 0)               |      _raw_spin_unlock_irq() {
 0)   0.220 us    |        preempt_count_sub();
 0)   1.210 us    |      }
 0) + 10.250 us   |    }
 0) + 12.620 us   |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_and_no_other_between_them(run: Run) -> None:
    assert in_a_row(shown(run.text), run.calls)
