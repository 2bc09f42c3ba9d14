# SPDX-License-Identifier: GPL-2.0-only
"""A page fault within a system call, on SPARC V9: /dev/zero is read into memory that has no page yet."""

from __future__ import annotations

from tests.traces.run import Run, in_a_row, shown

COMMAND = (
    "emu run --arch sparc64 -p function_graph -g vfs_read -n '*preempt*' -n '*might*' -n '*lock*' "
    "-- 'dd if=/dev/zero of=/dev/null bs=9000 count=1 status=none'"
)

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  vfs_read() {
 0)   0.160 us    |    rw_verify_area();
 0)               |    read_iter_zero() {
 0)               |      clear_user() {
 0)               |        do_sparc64_fault() {
 0)   0.230 us    |          data_access.isra.0();
 0)               |          do_user_addr_fault() {
 0)   0.300 us    |            find_vma();
 0)               |            handle_mm_fault() {
 0)               |              __handle_mm_fault() {
 0)   0.220 us    |                mm_alloc_pmd();
 0)   0.130 us    |                pte_alloc();
 0)               |                handle_pte_fault() {
 0)               |                  do_anonymous_page() {
 0)               |                    __alloc_pages() {
 0)               |                      get_page_from_freelist() {
 0)   0.270 us    |                        zone_watermark_ok();
 0)   0.470 us    |                        rmqueue_pcplist();
 0) + 14.690 us   |                      }
 0) + 15.020 us   |                    }
 0)               |                    do_set_pte() {
 0)   0.130 us    |                      flush_icache_page();
 0)   2.270 us    |                    }
 0) + 18.520 us   |                  }
 0) + 19.970 us   |                }
 0) + 22.370 us   |              }
 0) + 22.730 us   |            }
 0)   1.450 us    |            up_read();
 0) + 26.840 us   |          }
 0) + 28.700 us   |        }
 0)   0.180 us    |        raw_irqentry_exit_cond_resched();
 0) ! 104.600 us  |      }
 0)   7.890 us    |      clear_user();
 0) ! 116.260 us  |    }
 0) ! 117.350 us  |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_one_page_fault_in_the_read(run: Run) -> None:
    names = ("vfs_read", "clear_user", "do_sparc64_fault")
    ((cpu, calls),) = shown(run.text).items()
    assert in_a_row({cpu: [name for name in calls if name in names]}, run.seen(*names))
    assert calls.count("do_sparc64_fault") == 1
