# SPDX-License-Identifier: GPL-2.0-only
"""The first page fault and nothing after it: the command up_read:traceoff ends the trace before up_read is recorded."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = "emu run --cpus 1 -p function_graph -g exc_page_fault --set set_ftrace_filter=up_read:traceoff -- true"

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  exc_page_fault() {
 0)               |    do_user_addr_fault() {
 0)               |      lock_mm_and_find_vma() {
 0)               |        down_read_trylock() {
 0)   0.330 us    |          preempt_count_add();
 0)   0.220 us    |          preempt_count_sub();
 0)   1.650 us    |        }
 0)   0.610 us    |        find_vma();
 0)   2.920 us    |      }
 0)               |      handle_mm_fault() {
 0)               |        __handle_mm_fault() {
 0)   0.270 us    |          mm_alloc_pmd();
 0)   0.230 us    |          pte_alloc();
 0)               |          handle_pte_fault() {
 0)               |            do_anonymous_page() {
 0)               |              __might_sleep() {
 0)   0.320 us    |                __might_resched();
 0)   0.740 us    |              }
 0)               |              __alloc_pages() {
 0)               |                get_page_from_freelist() {
 0)   0.240 us    |                  zone_watermark_ok();
 0)   0.520 us    |                  rmqueue_pcplist();
 0)   4.150 us    |                }
 0)   4.600 us    |              }
 0)               |              do_set_pte() {
 0)   0.190 us    |                flush_icache_page();
 0)               |                _raw_spin_lock() {
 0)   0.220 us    |                  preempt_count_add();
 0)   0.740 us    |                }
 0)               |                _raw_spin_unlock() {
 0)   0.220 us    |                  preempt_count_sub();
 0)   0.990 us    |                }
 0)   2.930 us    |              }
 0)   9.300 us    |            }
 0) + 10.270 us   |          }
 0) + 11.760 us   |        }
 0) + 12.200 us   |      }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_this_page_fault_and_later_ones(run: Run) -> None:
    assert in_a_row(shown(run.text), run.calls)
    assert len(run.seen("exc_page_fault")[0]) > 1 == run.text.count("exc_page_fault")
