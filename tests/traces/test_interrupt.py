# SPDX-License-Identifier: GPL-2.0-only
"""The timer interrupts a read: the arrows show where the interrupt begins and ends. The read's time includes the interrupt's."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = (
    "emu run --cpus 1 -p function_graph -g vfs_read -l vfs_read -l '*timer_interrupt' -l '*tick*' "
    "-- 'dd if=/dev/zero of=/dev/null bs=1M count=1 status=none'"
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
 0)   1.300 us    |              tick_do_update_jiffies64();
 0)   1.670 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.840 us    |              account_process_tick();
 0)   0.620 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.330 us    |                task_tick_fair();
 0)   2.230 us    |              }
 0)   5.560 us    |            }
 0)   8.560 us    |          }
 0)   1.030 us    |          tick_program_event();
 0) + 13.160 us   |        }
 0) + 13.570 us   |      }
 0) + 15.380 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.900 us    |              tick_do_update_jiffies64();
 0)   1.270 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.460 us    |              account_process_tick();
 0)   0.350 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.250 us    |                task_tick_fair();
 0)   2.830 us    |              }
 0)   5.260 us    |            }
 0)   7.850 us    |          }
 0)   1.090 us    |          tick_program_event();
 0) + 11.970 us   |        }
 0) + 12.370 us   |      }
 0) + 16.360 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.900 us    |              tick_do_update_jiffies64();
 0)   1.270 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.610 us    |              account_process_tick();
 0)   0.350 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.250 us    |                task_tick_fair();
 0)   2.330 us    |              }
 0)   4.900 us    |            }
 0)   7.500 us    |          }
 0)   0.940 us    |          tick_program_event();
 0) + 11.470 us   |        }
 0) + 11.870 us   |      }
 0) + 13.380 us   |    }
 0)   <========== |
 0) # 3783.820 us |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert "==========>" in run.text
    assert in_a_row(shown(run.text), run.seen("vfs_read", "*timer_interrupt", "*tick*"))
