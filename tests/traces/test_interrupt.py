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
 0)   1.660 us    |              tick_do_update_jiffies64();
 0)   2.030 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.700 us    |              account_process_tick();
 0)   0.450 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.620 us    |                task_tick_fair();
 0)   2.810 us    |              }
 0)   6.470 us    |            }
 0)   9.940 us    |          }
 0)   1.070 us    |          tick_program_event();
 0) + 15.010 us   |        }
 0) + 15.490 us   |      }
 0) + 17.880 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.880 us    |              tick_do_update_jiffies64();
 0)   1.250 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.470 us    |              account_process_tick();
 0)   0.340 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.230 us    |                task_tick_fair();
 0)   2.100 us    |              }
 0)   4.480 us    |            }
 0)   7.050 us    |          }
 0)   0.950 us    |          tick_program_event();
 0) + 10.940 us   |        }
 0) + 11.350 us   |      }
 0) + 12.810 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.880 us    |              tick_do_update_jiffies64();
 0)   1.250 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.470 us    |              account_process_tick();
 0)   0.640 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.230 us    |                task_tick_fair();
 0)   2.800 us    |              }
 0)   5.430 us    |            }
 0)   8.000 us    |          }
 0)   1.100 us    |          tick_program_event();
 0) + 12.030 us   |        }
 0) + 12.450 us   |      }
 0) + 16.400 us   |    }
 0)   <========== |
 0)   ==========> |
 0)               |    sysvec_apic_timer_interrupt() {
 0)               |      __sysvec_apic_timer_interrupt() {
 0)               |        hrtimer_interrupt() {
 0)               |          tick_sched_timer() {
 0)               |            tick_sched_do_timer() {
 0)   0.880 us    |              tick_do_update_jiffies64();
 0)   1.250 us    |            }
 0)               |            tick_sched_handle() {
 0)   0.470 us    |              account_process_tick();
 0)   0.340 us    |              softlockup_tick();
 0)               |              scheduler_tick() {
 0)   0.230 us    |                task_tick_fair();
 0)   2.100 us    |              }
 0)   4.480 us    |            }
 0)   7.050 us    |          }
 0)   0.950 us    |          tick_program_event();
 0) + 10.940 us   |        }
 0) + 11.350 us   |      }
 0) + 12.810 us   |    }
 0)   <========== |
 0) # 4122.300 us |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_calls(run: Run) -> None:
    assert "==========>" in run.text
    assert in_a_row(shown(run.text), run.seen("vfs_read", "*timer_interrupt", "*tick*"))
