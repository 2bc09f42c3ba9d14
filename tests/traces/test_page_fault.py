# SPDX-License-Identifier: GPL-2.0-only
"""A page fault within a system call, on SPARC V9: /dev/zero is read into memory of which there is no page yet."""

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
 1)               |  vfs_read() {
 1)   0.160 us    |    rw_verify_area();
 1)               |    read_iter_zero() {
 1)               |      clear_user() {
 1)               |        do_sparc64_fault() {
 1)   0.250 us    |          data_access();
 1)               |          do_user_addr_fault() {
 1)   0.300 us    |            find_vma();
 1)               |            handle_mm_fault() {
 1)               |              __handle_mm_fault() {
 1)   0.220 us    |                mm_alloc_pmd();
 1)   0.130 us    |                pte_alloc();
 1)               |                handle_pte_fault() {
 1)               |                  do_anonymous_page() {
 1)               |                    __alloc_pages() {
 1)               |                      get_page_from_freelist() {
 1)   0.270 us    |                        zone_watermark_ok();
 1)   0.470 us    |                        rmqueue_pcplist();
 1) + 15.090 us   |                      }
 1) + 15.420 us   |                    }
 1)               |                    do_set_pte() {
 1)   0.130 us    |                      flush_icache_page();
 1)   2.270 us    |                    }
 1) + 18.920 us   |                  }
 1) + 20.370 us   |                }
 1) + 22.770 us   |              }
 1) + 23.130 us   |            }
 1)   1.450 us    |            up_read();
 1) + 27.240 us   |          }
 1) + 29.120 us   |        }
 1)   0.180 us    |        raw_irqentry_exit_cond_resched();
 1) ! 105.020 us  |      }
 1)   7.890 us    |      clear_user();
 1) ! 116.680 us  |    }
 1) ! 117.770 us  |  }
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_one_page_fault_in_the_read(run: Run) -> None:
    names = ("vfs_read", "clear_user", "do_sparc64_fault")
    ((cpu, calls),) = shown(run.text).items()
    assert in_a_row({cpu: [name for name in calls if name in names]}, run.seen(*names))
    assert calls.count("do_sparc64_fault") == 1
