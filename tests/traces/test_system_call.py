# SPDX-License-Identifier: GPL-2.0-only
"""One system call, as function_graph shows it: a function that calls no other is one line, any other has braces."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = "emu run -p function_graph -g sys_kill -O nofuncgraph-irqs -- 'kill -0 1'"

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 1)               |  sys_kill() {
 1)   0.520 us    |    prepare_kill_siginfo();
 1)               |    kill_something_info() {
 1)               |      _raw_spin_lock_irq() {
 1)   0.050 us    |        preempt_count_add();
 1)   0.530 us    |      }
 1)               |      find_vpid() {
 1)               |        _raw_spin_lock_irqsave() {
 1)   0.050 us    |          preempt_count_add();
 1)   0.580 us    |        }
 1)               |        find_pid() {
 1)   0.150 us    |          pid_bucket();
 1)   0.350 us    |        }
 1)               |        _raw_spin_unlock_irqrestore() {
 1)   0.050 us    |          preempt_count_sub();
 1)   0.570 us    |        }
 1)   1.830 us    |      }
 1)               |      kill_pid_info() {
 1)   0.180 us    |        pid_task();
 1)   0.060 us    |        group_send_sig_info();
 1)   0.500 us    |      }
 1)               |      _raw_spin_unlock_irq() {
 1)   0.050 us    |        preempt_count_sub();
 1)   0.570 us    |      }
 1)   3.830 us    |    }
 1)   4.650 us    |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_these_calls_and_no_other_between_them(run: Run) -> None:
    assert in_a_row(shown(run.text), run.calls)
