# SPDX-License-Identifier: GPL-2.0-only
"""What a program writes to trace_marker stands between the calls: here around the system calls of `cat`."""

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
 0) ! 200.300 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     init-1     =>     sh-13     
 ------------------------------------------

 0)   1.840 us    |  sys_ioctl();
 0)   4.460 us    |  sys_setpgid();
 0)   1.540 us    |  sys_ioctl();
 0) ! 458.940 us  |  sys_execve();
 0)   0.080 us    |  sys_getpid();
 0)   2.700 us    |  sys_brk();
 0)   6.790 us    |  sys_brk();
 0) + 12.600 us   |  sys_getcwd();
 0)   1.240 us    |  sys_getppid();
 0)   6.790 us    |  sys_brk();
 0) + 15.700 us   |  sys_newfstatat();
 0) + 15.470 us   |  sys_newfstatat();
 0) + 36.040 us   |  sys_chdir();
 0) + 77.120 us   |  sys_openat();
 0)   4.030 us    |  sys_fcntl();
 0)   2.350 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* before */
 0) + 16.830 us   |  }
 0)   9.570 us    |  sys_dup2();
 0)   1.810 us    |  sys_close();
 0) ! 186.240 us  |  sys_fork();
 0)               |  sys_wait4() {
 ------------------------------------------
 0)     sh-13      =>     cat-14    
 ------------------------------------------

 0) + 24.940 us   |  sys_newfstatat();
 0) ! 440.950 us  |  sys_execve();
 0) ! 113.390 us  |  sys_openat();
 0)   4.970 us    |  sys_newfstat();
 0)   5.160 us    |  sys_newfstat();
 0) + 20.500 us   |  sys_read();
 0)   9.480 us    |  sys_write();
 0)   4.910 us    |  sys_read();
 0)   9.720 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     cat-14     =>     sh-13     
 ------------------------------------------

 0) # 1151.710 us |  } /* sys_wait4 */
 0) + 54.650 us   |  sys_openat();
 0)   4.030 us    |  sys_fcntl();
 0)   2.350 us    |  sys_dup2();
 0)   1.820 us    |  sys_close();
 0)               |  sys_write() {
 0)               |  /* after */
 0) + 16.770 us   |  }
 0)   9.550 us    |  sys_dup2();
 0)   1.810 us    |  sys_close();
 0)               |  sys_exit_group() {
 ------------------------------------------
 0)     sh-13      =>     init-1    
 ------------------------------------------

 0) # 3566.980 us |  } /* sys_wait4 */
 0)   1.840 us    |  sys_ioctl();
 0)               |  sys_write() {
"""


def test_trace(run: Run) -> None:
    assert run.text == TRACE


def test_the_witness_saw_the_same_system_calls(run: Run) -> None:
    assert shown(run.text) == run.seen("sys_*")
