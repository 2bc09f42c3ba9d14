# SPDX-License-Identifier: GPL-2.0-only
"""Text that a program writes to trace_marker is between the calls: here around the system calls of `cat`."""

from __future__ import annotations

from tests.traces.run import Run, shown

COMMAND = (
    "emu run --cpus 1 -p function_graph -l 'sys_*' "
    "-- 'cd /sys/kernel/tracing; echo before > trace_marker; cat /proc/version; echo after > trace_marker'"
)

TRACE = """\
Linux version 6.1.0-emu (emu@emu) (gcc) #1 SMP PREEMPT
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0) ! 280.970 us  |  sys_execve();
 0)   0.230 us    |  sys_getpid();
 0)   2.910 us    |  sys_brk();
 0)   8.210 us    |  sys_brk();
 0) + 13.640 us   |  sys_getcwd();
 0)   1.550 us    |  sys_getppid();
 0)   4.750 us    |  sys_brk();
 0) + 17.290 us   |  sys_newfstatat();
 0) + 10.630 us   |  sys_newfstatat();
 0) + 20.840 us   |  sys_chdir();
 0) + 68.250 us   |  sys_openat();
 0)   4.750 us    |  sys_fcntl();
 0)   1.900 us    |  sys_dup2();
 0)   1.390 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 21.180 us   |  }
 0) + 10.510 us   |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0) ! 103.090 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 18.380 us   |  sys_newfstatat();
 0) ! 242.870 us  |  sys_execve();
 0) + 64.910 us   |  sys_openat();
 0)   4.540 us    |  sys_newfstat();
 0)   2.880 us    |  sys_newfstat();
 0) + 30.740 us   |  sys_read();
 0) + 11.810 us   |  sys_write();
 0)   5.050 us    |  sys_read();
 0) + 10.330 us   |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) ! 817.190 us  |  } /* sys_wait4 */
 0) + 47.190 us   |  sys_openat();
 0)   3.280 us    |  sys_fcntl();
 0)   1.730 us    |  sys_dup2();
 0)   1.280 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 11.920 us   |  }
 0)   7.540 us    |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0)   2.360 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
