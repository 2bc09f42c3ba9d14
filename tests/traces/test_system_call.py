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
 1)               |  sys_kill() {
 1)   0.630 us    |    prepare_kill_siginfo();
 1)               |    kill_something_info() {
 1)               |      _raw_spin_lock_irq() {
 1)   0.210 us    |        preempt_count_add();
 1)   0.810 us    |      }
 1)               |      find_vpid() {
 1)               |        _raw_spin_lock_irqsave() {
 1)   0.210 us    |          preempt_count_add();
 1)   0.920 us    |        }
 1)               |        find_pid() {
 1)   0.240 us    |          pid_bucket();
 1)   0.830 us    |        }
 1)               |        _raw_spin_unlock_irqrestore() {
 1)   0.220 us    |          preempt_count_sub();
 1)   1.040 us    |        }
 1)   3.720 us    |      }
 1)               |      kill_pid_info() {
 1)   0.390 us    |        pid_task();
 1)   0.220 us    |        group_send_sig_info();
 1)   1.850 us    |      }
 1)               |      _raw_spin_unlock_irq() {
 1)   0.220 us    |        preempt_count_sub();
 1)   1.210 us    |      }
 1) + 10.130 us   |    }
 1) + 12.500 us   |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_and_no_other_between_them(run: Run) -> None:
    assert in_a_row(shown(run.text), run.calls)
