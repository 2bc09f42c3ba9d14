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
 0)   1.110 us    |              tick_do_update_jiffies64();
 0)   1.480 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.460 us    |              account_process_tick();
 0)   0.400 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.400 us    |                task_tick_fair();
 0)   2.620 us    |              }
 0)   5.670 us    |            }
 0)   8.490 us    |          }
 0)   0.980 us    |          tick_program_event();
 0) + 13.050 us   |        }
 0) + 13.480 us   |      }
 0) + 15.500 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.840 us    |              tick_do_update_jiffies64();
 0)   1.210 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.450 us    |              account_process_tick();
 0)   0.320 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.210 us    |                task_tick_fair();
 0)   2.750 us    |              }
 0)   5.190 us    |            }
 0)   7.710 us    |          }
 0)   0.940 us    |          tick_program_event();
 0) + 11.600 us   |        }
 0) + 12.020 us   |      }
 0) + 15.530 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.840 us    |              tick_do_update_jiffies64();
 0)   1.210 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.450 us    |              account_process_tick();
 0)   0.320 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.210 us    |                task_tick_fair();
 0)   2.180 us    |              }
 0)   4.620 us    |            }
 0)   7.140 us    |          }
 0)   0.940 us    |          tick_program_event();
 0) + 11.030 us   |        }
 0) + 11.450 us   |      }
 0) + 12.760 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.840 us    |              tick_do_update_jiffies64();
 0)   1.210 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.450 us    |              account_process_tick();
 0)   0.320 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.210 us    |                task_tick_fair();
 0)   2.180 us    |              }
 0)   4.620 us    |            }
 0)   7.140 us    |          }
 0)   0.940 us    |          tick_program_event();
 0) + 11.030 us   |        }
 0) + 11.450 us   |      }
 0) + 12.760 us   |    }
 0)   <========== |
 0) # 4174.550 us |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert "==========>" in run.text
    assert in_a_row(shown(run.text), run.seen("vfs_read", "*timer_interrupt", "*tick*"))
