# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of two traces after functions have moved: calls, not times; and an interrupt is not a callee."""

from __future__ import annotations

from tests.digests.calls import calls, written

FUNCTION = """\
status 0
--- standard output
# tracer: function
              sh-16      [001] .....     0.036677: do_pipe2 <-sys_pipe2
          <idle>-0       [000] d.h1.     0.036693: tick_sched_timer <-__hrtimer_run_queues
"""
GRAPH = """\
 1)     sh-16      |               |  sys_read() {
 1)     sh-16      |   0.520 us    |    __fdget_pos();
 1)     sh-16      |   ==========> |
 1)     sh-16      |               |    timer_interrupt() {
 1)     sh-16      |   0.100 us    |      irq_enter();
 1)     sh-16      |   1.000 us    |    }
 1)     sh-16      |   <========== |
 0)    cat-17      |   0.100 us    |    schedule();
 1)     sh-16      |   0.300 us    |    vfs_read();
 1)     sh-16      |   9.000 us    |  }
"""


def test_calls_of_a_function_trace() -> None:
    assert calls(FUNCTION) == {("sys_pipe2", "do_pipe2"), ("__hrtimer_run_queues", "tick_sched_timer")}
    assert calls(FUNCTION.replace("0.036677", "0.047788")) == calls(FUNCTION)


def test_calls_of_a_graph() -> None:
    assert calls(GRAPH) == {
        ("", "sys_read"), ("sys_read", "__fdget_pos"), ("sys_read", "vfs_read"),
        ("", "timer_interrupt"), ("timer_interrupt", "irq_enter"), ("", "schedule"),
    }  # fmt: skip


def test_what_was_written() -> None:
    assert written(FUNCTION) == ["status 0", "--- standard output"]
    assert written("hello\n" + GRAPH) == ["hello"]
