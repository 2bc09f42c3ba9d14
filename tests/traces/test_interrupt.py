# SPDX-License-Identifier: GPL-2.0-only
"""The timer interrupts a read: the arrows show where the interrupt begins and ends. The read's time includes the interrupt's."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = (
    "emu run --cpus 1 -p function_graph -g vfs_read -l vfs_read -l '*timer_interrupt' -l '*tick*' "
    "-- 'dd if=/dev/zero of=/dev/null bs=128k count=1 status=none'"
)

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  vfs_read() {
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   1.440 us    |              tick_do_update_jiffies64();
 0)   1.540 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.370 us    |              account_process_tick();
 0)   0.400 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.610 us    |                task_tick_fair();
 0)   3.080 us    |              }
 0)   5.600 us    |            }
 0)   8.830 us    |          }
 0)   1.070 us    |          tick_program_event();
 0) + 14.410 us   |        }
 0) + 14.540 us   |      }
 0) + 16.700 us   |    }
 0)   <========== |
 0) # 1417.960 us |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert "==========>" in run.text
    assert in_a_row(shown(run.text), run.seen("vfs_read", "*timer_interrupt", "*tick*"))
