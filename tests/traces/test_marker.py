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
 0) ! 289.660 us  |  sys_execve();
 0)   0.230 us    |  sys_getpid();
 0)   2.820 us    |  sys_brk();
 0)   8.260 us    |  sys_brk();
 0) + 30.360 us   |  sys_getcwd();
 0)   1.470 us    |  sys_getppid();
 0)   4.940 us    |  sys_brk();
 0) + 17.260 us   |  sys_newfstatat();
 0)   9.090 us    |  sys_newfstatat();
 0) + 20.880 us   |  sys_chdir();
 0) + 66.910 us   |  sys_openat();
 0)   4.750 us    |  sys_fcntl();
 0)   1.860 us    |  sys_dup2();
 0)   1.910 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 20.270 us   |  }
 0) + 10.220 us   |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0) ! 100.750 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 17.540 us   |  sys_newfstatat();
 0) ! 235.000 us  |  sys_execve();
 0) + 64.260 us   |  sys_openat();
 0)   4.470 us    |  sys_newfstat();
 0)   2.480 us    |  sys_newfstat();
 0) + 31.190 us   |  sys_read();
 0) + 11.500 us   |  sys_write();
 0)   4.500 us    |  sys_read();
 0) + 10.810 us   |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) ! 811.470 us  |  } /* sys_wait4 */
 0) + 45.300 us   |  sys_openat();
 0)   3.610 us    |  sys_fcntl();
 0)   1.620 us    |  sys_dup2();
 0)   1.510 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 12.310 us   |  }
 0)   7.910 us    |  sys_dup2();
 0)   1.320 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0)   2.080 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
