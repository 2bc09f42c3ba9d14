# SPDX-License-Identifier: GPL-2.0-only
"""Events are comments in a graph: where a sleeping program is switched out, what wakes it, and where it continues."""

from __future__ import annotations

import re

from tests.traces.run import Run

COMMAND = (
    "emu run --cpus 1 -p function_graph -g sys_nanosleep --set max_graph_depth=5 -O nofuncgraph-irqs "
    "-e sched_switch -e sched_waking -- usleep 1000"
)

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  sys_nanosleep() {
 0)               |    get_timespec64() {
 0)               |      _copy_from_user() {
 0)               |        __might_fault() {
 0)   0.510 us    |          __might_sleep();
 0)   1.060 us    |        }
 0)   1.750 us    |      }
 0)   2.680 us    |    }
 0)               |    hrtimer_nanosleep() {
 0)               |      hrtimer_init_sleeper() {
 0)   0.230 us    |        hrtimer_init();
 0)   0.820 us    |      }
 0)               |      do_nanosleep() {
 0)               |        hrtimer_sleeper_start_expires() {
 0)   4.270 us    |          hrtimer_start_range_ns();
 0)   4.960 us    |        }
 0)               |        schedule() {
 0)               |          __schedule() {
 0)               |            /* sched_switch: prev_comm=usleep prev_pid=13 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120 */
 ------------------------------------------
 0)   usleep-13    =>    <idle>-0   
 ------------------------------------------

 0)               |            /* sched_waking: comm=usleep pid=13 prio=120 target_cpu=000 */
 0)               |            /* sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=usleep next_pid=13 next_prio=120 */
 ------------------------------------------
 0)    <idle>-0    =>   usleep-13   
 ------------------------------------------

 0) # 1031.280 us |          }
 0) # 1031.870 us |        }
 0)               |        hrtimer_cancel() {
 0)   1.650 us    |          hrtimer_try_to_cancel();
 0)   2.100 us    |        }
 0) # 1041.580 us |      }
 0) # 1044.510 us |    }
 0) # 1048.910 us |  }
 0)               |  /* sched_waking: comm=init pid=1 prio=120 target_cpu=000 */
 0)               |  /* sched_switch: prev_comm=usleep prev_pid=13 prev_prio=120 prev_state=R+ ==> next_comm=init next_pid=1 next_prio=120 */
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_what_the_events_say(run: Run) -> None:
    """For each event, a function is called next to it."""
    functions = {"sched_switch": "__switch_to", "sched_waking": "ttwu_do_wakeup"}
    events = [functions.get(name, name) for name in re.findall(r"\| +(?:/\* )?(\w+)[:(]", run.text)]
    assert {0: [name for name in events if name in (*functions.values(), "sys_nanosleep")]} == run.seen(
        *functions.values(), "sys_nanosleep"
    )
